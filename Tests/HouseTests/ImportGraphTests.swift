import Testing

@Suite struct `The import graph` {
  let graph: PackageGraph
  let sources: [SourceFile]

  init() throws {
    graph = PackageGraph(manifest: try SourceTree.text(of: "Package.swift"))
    sources = try SourceTree.swiftFiles(below: "Sources") + SourceTree.swiftFiles(below: "Tests")
  }

  @Test func `every folder of sources is a target that was read from the manifest`() {
    #expect(Set(sources.map(\.target)).subtracting(graph.targets.map(\.name)) == [])
  }

  @Test func `each target depends only on targets declared above it`() {
    #expect(graph.upwardDependencies == [])
  }

  @Test func `each file imports only what its target declares`() {
    #expect(sources.flatMap(graph.undeclaredImports) == [])
  }

  /// The targets of values, of the edit and of the farm's decisions.
  static let pure = [
    "PlainText", "MediaTime", "JSON", "Formats", "Captions", "Timeline", "Scenes", "Lottie", "Document", "Messages",
    "Scheduling",
  ]

  @Test(arguments: Self.pure)
  func `the edit and the farm's decisions reach no C library`(target: String) {
    #expect(graph[target] != nil)
    #expect(graph.reach(of: target).filter { $0.hasPrefix("C") && $0.dropFirst().first?.isUppercase == true } == [])
  }

  @Test(arguments: Self.pure)
  func `the edit and the farm's decisions do no I/O`(target: String) {
    let pure = Self.pure + ["FoundationEssentials", "Synchronization"]
    let outside = sources.filter { $0.target == target }.flatMap { file in
      file.imports.filter { !pure.contains($0.module) }.map { "\(file.path) imports \($0.module)" }
    }
    #expect(outside == [])
  }

  @Test func `media are read and written without knowing the edit`() {
    #expect(graph.reach(of: "Media").isDisjoint(with: ["JSON", "Timeline", "Scenes", "Document"]))
  }

  @Test(arguments: ["Drawing", "Compositing"])
  func `a picture is drawn from a scene, whatever document it comes from`(target: String) {
    #expect(graph[target] != nil)
    #expect(!graph.reach(of: target).contains("Document"))
  }

  @Test func `coordinator and worker do not know each other`() {
    #expect(!graph.reach(of: "Coordinator").contains("Worker"))
    #expect(!graph.reach(of: "Worker").contains("Coordinator"))
  }

  @Test func `operations know no command line, no terminal and no verb`() {
    #expect(graph["Operations"] != nil)
    #expect(graph.reach(of: "Operations").isDisjoint(with: ["Arguments", "Terminal", "SpoolProgram"]))
  }

  /// The files of the program that may open a farm's database themselves.
  static let openers = [
    // These two play parts of a farm, which are no operations on one.
    "Sources/Faces/SpoolProgram/Verbs/CoordinatorVerb.swift", "Sources/Faces/SpoolProgram/Verbs/MigrateVerb.swift",
  ]

  @Test func `verbs reach a farm's database by operations`() {
    let found = sources.filter { $0.target == "SpoolProgram" && $0.mentions(["PostgreSQLLedger"]) }
    #expect(found.map(\.path).sorted() == Self.openers.sorted())
  }

  @Test(arguments: [
    "CFFmpeg", "CZimg", "CPango", "CPostgreSQL", "CZeroMQ", "CXXHash", "CCurl", "CEbur128", "CHeif", "CJPEG", "CLCMS", "CWebP",
    "CMicroHTTPD", "CRubberBand",
  ])
  func `one target wraps a C library, and keeps its types to itself`(library: String) {
    let importers = sources.filter { $0.path.hasPrefix("Sources/") && $0.imports.contains { $0.module == library } }
    #expect(Set(importers.map(\.target)).count == 1)
    let leaks = importers.filter { $0.imports.contains { $0.module == library && ["package", "public"].contains($0.access) } }
    #expect(leaks.map(\.path) == [])
  }
}

@Suite struct `The reader of the import graph` {
  @Test func `it finds a dependency on what is declared later`() {
    let graph = PackageGraph(manifest: #"module("Low", ["High"]), module("High")"#)
    #expect(graph.upwardDependencies == ["Low -> High"])
  }

  @Test func `it finds an import that the target does not declare`() {
    let graph = PackageGraph(manifest: #"module("Low"), module("Middle", ["Low"]), module("High", ["Middle"])"#)
    let path = "Sources/Room/High/File.swift"
    let file = SourceFile(path: path, text: "import Glibc\ninternal import Low\npackage import Middle\n")
    #expect(graph.undeclaredImports(in: file) == ["\(path) imports Low"])
    #expect(graph.reach(of: "High") == ["Middle", "Low"])
  }
}
