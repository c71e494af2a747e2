import Document
import FoundationEssentials
import Testing
import Timeline

@Suite struct `The examples` {
  static let documents = [
    "broadcast", "captions", "card", "colours", "cut", "ducking", "hdr", "inset", "karaoke", "ladder", "linear-light", "lossless",
    "lottie",
    "music-bed",
    "nested",
    "newsroom", "opening", "orientations", "portrait", "preview", "prores", "ramps", "reel", "reverse", "slideshow",
    "slow-motion", "speed-ramp", "text", "thousand", "timing", "titles", "tone-maps",
    "transitions", "vertical", "waveform",
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
    let text = Array(try SourceTree.text(of: "examples/\(name).json").utf8)
    let document = try Document(text)
    #expect(document.faults == nil)
    // What a caption file or a Lottie file says is not known here.
    if document.captionFiles.isEmpty, document.lottieFiles.isEmpty { _ = try Timeline.parse(text) }
  }

  @Test func `the program of the library's tutorial is the one in examples`() throws {
    let resources = "Sources/Library/AVFoundation/AVFoundation.docc/Resources"
    let last = try SourceTree.text(of: "\(resources)/main-6.swift")
    #expect(try SourceTree.text(of: "examples/first-movie/Sources/first-movie/main.swift") == last)
    let package = try SourceTree.text(of: "\(resources)/package.swift")
    #expect(
      try SourceTree.text(of: "examples/first-movie/Package.swift")
        == package.replacing(#""../spool""#, with: #""../..""#))
    // Each step adds lines, and takes none away but the first one's print.
    for step in 2...5 {
      #expect(last.hasPrefix(try SourceTree.text(of: "\(resources)/main-\(step).swift")), "step \(step)")
    }
  }
}
