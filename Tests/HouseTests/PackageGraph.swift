/// The targets that Package.swift declares, in its order: bottommost first.
struct PackageGraph {
  struct Target: Equatable {
    let name: String
    let dependencies: [String]
  }

  let targets: [Target]

  /// Reads a manifest written as this package's is: one declaration a target, by one of the functions it defines or by
  /// `.target` and `.executableTarget`.
  init(manifest: String) {
    let declaration =
      /(?:^|[\s,(\[])(?:module|tests|library|\.target|\.executableTarget)\(\s*(?:name:\s*)?"([A-Za-z]+)"(?:,\s*(?:dependencies:\s*)?\[([^\]]*)\])?/
    targets = manifest.matches(of: declaration).map { match in
      Target(
        name: String(match.1),
        dependencies: (match.2 ?? "").matches(of: /"([A-Za-z]+)"/).map { String($0.1) })
    }
  }

  subscript(name: String) -> Target? { targets.first { $0.name == name } }

  /// Dependencies on targets that are declared later or nowhere: such as do not stand below.
  var upwardDependencies: [String] {
    var below: Set<String> = []
    var faults: [String] = []
    for target in targets {
      faults += target.dependencies.filter { !below.contains($0) }.map { "\(target.name) -> \($0)" }
      below.insert(target.name)
    }
    return faults
  }

  /// All that a target reaches, itself excluded.
  func reach(of name: String) -> Set<String> {
    var reached: Set<String> = []
    var frontier = self[name]?.dependencies ?? []
    while let next = frontier.popLast() {
      if reached.insert(next).inserted { frontier += self[next]?.dependencies ?? [] }
    }
    return reached
  }

  /// Imports of targets of this package that the importing target does not declare: SwiftPM lets some of them pass.
  func undeclaredImports(in file: SourceFile) -> [String] {
    file.imports.map(\.module).filter { self[$0] != nil && self[file.target]?.dependencies.contains($0) != true }
      .map { "\(file.path) imports \($0)" }
  }
}
