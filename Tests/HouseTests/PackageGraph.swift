/// The targets that Package.swift declares, in its order, which begins at the bottom.
struct PackageGraph {
  struct Target: Equatable {
    let name: String
    let dependencies: [String]
  }

  let targets: [Target]

  /// Reads a manifest in this package's form: one declaration for each target, by a function that the manifest defines, by
  /// `.target` or by `.executableTarget`. A name may have its folder before it.
  init(manifest: String) {
    let declaration =
      /(?:^|[\s,(\[])(?:module|support|tests|library|\.target|\.executableTarget)\(\s*(?:name:\s*)?"(?:[A-Za-z]+\/)?([A-Za-z_]+)"(?:,\s*(?:dependencies:\s*)?\[([^\]]*)\])?/
    targets = manifest.matches(of: declaration).map { match in
      Target(
        name: String(match.1),
        dependencies: (match.2 ?? "").matches(of: /"([A-Za-z_]+)"/).map { String($0.1) })
    }
  }

  subscript(name: String) -> Target? { targets.first { $0.name == name } }

  /// The dependencies on targets that are declared later or nowhere, and so are not below.
  var upwardDependencies: [String] {
    var below: Set<String> = []
    var faults: [String] = []
    for target in targets {
      faults += target.dependencies.filter { !below.contains($0) }.map { "\(target.name) -> \($0)" }
      below.insert(target.name)
    }
    return faults
  }

  /// All targets that a target depends on, directly or not. The target itself is not among them.
  func reach(of name: String) -> Set<String> {
    var reached: Set<String> = []
    var frontier = self[name]?.dependencies ?? []
    while let next = frontier.popLast() {
      if reached.insert(next).inserted { frontier += self[next]?.dependencies ?? [] }
    }
    return reached
  }

  /// Imports of this package's targets that the importing target does not declare. SwiftPM accepts some of them.
  func undeclaredImports(in file: SourceFile) -> [String] {
    file.imports.map(\.module).filter { self[$0] != nil && self[file.target]?.dependencies.contains($0) != true }
      .map { "\(file.path) imports \($0)" }
  }
}
