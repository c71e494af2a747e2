import Document
import FoundationEssentials
import Testing
import Timeline

@Suite struct `The examples` {
  static let documents = [
    "card", "colours", "cut", "hdr", "inset", "linear-light", "lossless", "music-bed", "nested", "opening", "orientations",
    "portrait", "preview", "prores", "ramps", "reverse", "slideshow", "slow-motion", "thousand", "timing", "titles", "tone-maps",
    "transitions",
  ]

  @Test func `every document is listed here and on the examples' page`() throws {
    let folder = SourceTree.root.appending(path: "examples").path
    let found = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }.sorted()
    #expect(found == Self.documents.map { "\($0).json" })
    let page = try SourceTree.text(of: "examples/README.md")
    #expect(found.filter { !page.contains("[\($0)](\($0))") } == [])
  }

  @Test(arguments: documents)
  func `the document is valid`(name: String) throws {
    _ = try Timeline.parse(Array(try SourceTree.text(of: "examples/\(name).json").utf8))
  }
}
