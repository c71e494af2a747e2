import Document
import FarmTesting
import FoundationEssentials
import Glibc
import Messages
import Rendering
import Scenes
import Subprocess
import Testing
import Timeline

/// Files of checksums beside movies, against GNU coreutils.
@Suite struct `Checksums beside a movie` {
  private let workshop = Workshop()

  private init() throws { try workshop.clip("a.mp4", frameCount: 5) }

  private func edit(_ export: String) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "0.2"}}]}]},
       "export": {\(export)}}
      """)
  }

  /// The verdict of coreutils on the checksums, from within the folder.
  private func check(_ tool: String, _ file: String) throws -> (code: Int32?, output: String) {
    let command = Command("/usr/bin/\(tool)", ["--check", "--strict", file], workingDirectory: workshop.file(""))
    let run = try #require(try command.run(timeoutMilliseconds: 60_000))
    return (run.code, run.output)
  }

  private var hidden: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: workshop.file(""))) ?? []).filter { $0.hasPrefix(".") }
  }

  @Test(arguments: [("sha256", "m.mkv"), ("md5", "m.mkv"), ("sha256", #"a\b – c.mkv"#), ("md5", "a\nb.mkv")])
  func `are what coreutils compute, also for odd names, and find damage`(method: String, name: String) throws {
    let edit = try edit(#""preset": "lossless", "checksum": "\#(method)""#)
    let movie = try workshop.movie(of: edit, borders: [0, 3], output: name)
    #expect(try check("\(method)sum", "\(name).\(method)").code == 0)
    #expect(hidden.isEmpty)
    var bytes = try [UInt8](contentsOf: movie)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(toFile: movie)
    #expect(try check("\(method)sum", "\(name).\(method)").code == 1)
  }

  @Test func `name each file of a folder`() throws {
    let edit = try edit(#""fileType": "pngSequence", "checksum": "sha256""#)
    _ = try workshop.movie(of: edit, borders: [0], output: "frames")
    let checked = try check("sha256sum", "frames.sha256")
    #expect(checked.output == (0..<5).map { "frames/00000\($0).png: OK\n" }.joined())
  }

  @Test func `are there again after a crash that came before them`() throws {
    for export in [#""preset": "lossless""#, #""fileType": "pngSequence""#] {
      let edit = try edit(export + #", "checksum": "sha256""#)
      let picture = try workshop.run(.picture(FrameRange(first: 0, count: 5)), task: 1, of: edit, output: "m")
      let muxed = try workshop.run(.mux(of: [picture]), task: 2, of: edit, output: "m")
      for attempt in 1...2 {
        try workshop.run(.publish(of: muxed), task: 3, attempt: attempt, of: edit, output: "m", overwrites: attempt == 1)
        #expect(try check("sha256sum", "m.sha256").code == 0)
        #expect(unsafe unlink(workshop.file("m.sha256")) == 0)
      }
      if export.contains("lossless") { #expect(unsafe unlink(workshop.file("m")) == 0) }
    }
    #expect(hidden.isEmpty)
  }

  @Test func `that would replace another file keep the movie from being published`() throws {
    let edit = try edit(#""preset": "lossless", "checksum": "sha256""#)
    let picture = try workshop.run(.picture(FrameRange(first: 0, count: 5)), task: 1, of: edit, output: "m.mkv")
    let muxed = try workshop.run(.mux(of: [picture]), task: 2, of: edit, output: "m.mkv")
    try "precious".write(toFile: workshop.file("m.mkv.sha256"))
    let error = #expect(throws: Failure.self) {
      try workshop.run(.publish(of: muxed), task: 3, of: edit, output: "m.mkv", overwrites: false)
    }
    #expect(error?.reason.contains("m.mkv.sha256") == true || error?.place.contains("m.mkv.sha256") == true)
    #expect(try String(decoding: [UInt8](contentsOf: workshop.file("m.mkv.sha256")), as: UTF8.self) == "precious")
    #expect(unsafe access(workshop.file("m.mkv"), F_OK) == -1)
    try workshop.run(.publish(of: muxed), task: 3, attempt: 2, of: edit, output: "m.mkv", overwrites: true)
    #expect(try check("sha256sum", "m.mkv.sha256").code == 0)
  }

  @Test func `stand in the canonical form, and are none of the frames' and samples' business`() throws {
    let edit = try edit(#""preset": "lossless", "checksum": "md5""#)
    #expect(String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self).contains(#""checksum":"md5""#))
    #expect(try Timeline.parse(edit.timeline.canonicalJSON()) == edit.timeline)
    let error = #expect(throws: (any Error).self) { try self.edit(#""checksum": "crc32""#) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("export.checksum: 'crc32' is not one of sha256, md5"))
  }
}
