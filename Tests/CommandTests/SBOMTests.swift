import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

@Suite struct `The list of parts` {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../scripts/sbom")
    .standardized.path

  private struct Document: Decodable {
    struct Component: Decodable {
      let type: String
      let name: String
      let version: String?
      let purl: String?
      let reference: String

      enum CodingKeys: String, CodingKey {
        case type, name, version, purl
        case reference = "bom-ref"
      }
    }
    struct Dependency: Decodable {
      let ref: String
      let dependsOn: [String]
    }

    let bomFormat: String
    let specVersion: String
    let components: [Component]
    let dependencies: [Dependency]
  }

  @Test func `it names each library that the program loads by its package and version, and the toolchain`() throws {
    let run = try sbom([SpoolProgram.executable])
    try #require(run.status.isSuccess, Comment(rawValue: run.errorOutput))
    let document = try JSONDecoder().decode(Document.self, from: Data(run.output.utf8))
    #expect(document.bomFormat == "CycloneDX" && document.specVersion == "1.5")
    let versions = Dictionary(document.components.map { ($0.name, $0.version ?? "") }) { first, _ in first }
    #expect(versions.count == document.components.count)
    for package in ["libavcodec59", "libavformat59", "libpq5", "libzmq5", "libcurl4", "libc6"] {
      let query = Command("/usr/bin/dpkg-query", ["-W", "-f", "${Version}", package], environment: ["PATH": "/usr/bin:/bin"])
      let installed = try #require(try query.run(timeoutMilliseconds: 20_000)).output
      #expect(versions[package] == installed)
    }
    #expect(versions["swift"]?.hasPrefix("6.") == true)
    #expect(document.components.filter { $0.type == "library" }.allSatisfy { $0.purl?.hasPrefix("pkg:deb/debian/") == true })
    let known = Set(document.components.map(\.reference) + ["spool"])
    #expect(document.dependencies.allSatisfy { known.contains($0.ref) && known.isSuperset(of: $0.dependsOn) })
    let spool = try #require(document.dependencies.first { $0.ref == "spool" })
    #expect(Set(spool.dependsOn) == known.subtracting(["spool"]))
    #expect(try sbom([SpoolProgram.executable]).output == run.output)
  }

  @Test func `packages of others that it would leave out are refused`() throws {
    try TemporaryDirectory.with { folder in
      try "let package = Package(dependencies: [.package(url: \"https://example.com/a\", from: \"1.0.0\")])".write(
        toFile: "\(folder)/Package.swift", atomically: false, encoding: .utf8)
      let run = try sbom(["--manifest", "\(folder)/Package.swift", SpoolProgram.executable])
      #expect(run.status == .exited(65) && run.output.isEmpty)
      #expect(run.errorOutput.contains("packages of others"))
      #expect(try sbom(["\(folder)/nothing"]).status == .exited(66))
      #expect(try sbom([]).status == .exited(64))
    }
  }

  private func sbom(_ arguments: [String]) throws -> Completed {
    let swift = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let command = Command("/bin/bash", [Self.script] + arguments, environment: ["PATH": "\(swift):/usr/bin:/bin"])
    return try #require(try command.run(timeoutMilliseconds: 60_000, limit: 8 << 20))
  }
}
