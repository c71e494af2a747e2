import FarmTesting
import Foundation
import Glibc
import Subprocess
import Testing

/// Plans of edits for this machine, in comparison with their renders.
@Suite(.serialized) struct PlannedRenderTests {
  private struct Plan: Decodable {
    struct Chunk: Decodable { let isFound: Bool? }
    let frameCount: Int
    let chunks: [Chunk]
  }

  private struct Done: Decodable {
    struct Reuse: Decodable { let chunkCount: Int }
    let event: String
    let reuse: Reuse?
  }

  private let studio: Studio

  init() throws { studio = try Studio() }

  private func edit(_ color: String) throws -> String {
    try studio.document(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"duration": "2"}}]},
         {"id": "S", "media": "audio", "segments": [{"asset": "a", "source": {"duration": "2"}}]}]},
       "layers": [{"shape": "rectangle", "frame": [4, 4, 20, 20], "fillColor": "\(color)", "from": "1.5"}],
       "export": {"fileType": "mp4"}}
      """)
  }

  private func arguments(_ verb: String, _ document: String) -> [String] {
    [verb, document, "-o", studio.file("m.mp4"), "--data", studio.dataDirectory, "--chunk-frames", "10", "--json"]
  }

  private func found(_ document: String) throws -> [Bool?] {
    let planned = try SpoolProgram.run(arguments("plan", document))
    try #require(planned.code == 0, "\(planned.errorOutput)")
    let plan = try JSONDecoder().decode(Plan.self, from: Data(planned.output.utf8))
    #expect(plan.frameCount == 50)
    return plan.chunks.map(\.isFound)
  }

  @Test func `a plan says which chunks the next render finds`() throws {
    let (red, blue) = (try edit("#ff0000"), [Bool?](repeating: true, count: 3) + [false, false])
    #expect(try found(red) == [Bool?](repeating: false, count: 5))
    #expect(unsafe access(studio.dataDirectory, F_OK) != 0, "a plan makes nothing")
    #expect(try SpoolProgram.run(arguments("render", red)).code == 0)
    #expect(try found(red) == [Bool?](repeating: true, count: 5))
    let changed = try edit("#0000ff")
    #expect(try found(changed) == blue)
    let rendered = try SpoolProgram.run(arguments("render", changed))
    let last = try #require(rendered.output.split(separator: "\n").last)
    let done = try JSONDecoder().decode(Done.self, from: Data(last.utf8))
    #expect(done.event == "done" && done.reuse?.chunkCount == 3)
  }

  @Test func `a plan in words has a line for each chunk`() throws {
    let document = try edit("#ff0000")
    let planned = try SpoolProgram.run(arguments("plan", document).dropLast().map(\.self) + ["--workers", "2"])
    #expect(planned.code == 64, "workers are the render's")
    let words = try SpoolProgram.run(arguments("plan", document).dropLast() + ["--slots", "2"])
    let lines = words.output.split(separator: "\n").map(String.init)
    #expect(words.code == 0 && lines.count == 9, "\(words.output) \(words.errorOutput)")
    #expect(lines[0] == "\(studio.file("m.mp4")): 50 frames in 5 chunks, and sound")
    #expect(lines[1].hasSuffix(" on 2 slots") && lines[2] == "0 of 5 chunks were rendered before")
    #expect(lines[4].hasPrefix("1      0..10") && lines[8].hasSuffix("no"))
    let refused = try SpoolProgram.run(arguments("plan", document) + ["--against", "b7kq2mzr9x4t"])
    #expect(refused.code == 64 && refused.errorOutput.contains("--against"))
  }

  @Test(.enabled("needs a program that others may run") { try SpoolProgram.runsAsOrdinaryUser })
  func `the farm of an ordinary user keeps what a next render finds, and nothing else of a job`() throws {
    let document = try edit("#ff0000")
    let folder = studio.file("home")
    try #require(unsafe mkdir(folder, 0o755) == 0)
    if geteuid() == 0 { try #require(unsafe chown(folder, 65534, 65534) == 0) }
    let rendered = try SpoolProgram.runAsOrdinaryUser(
      ["render", document, "-o", "m.mp4", "--data", "\(folder)/data", "--workers", "1"], folder: folder)
    #expect(rendered.code == 0, "\(rendered.errorOutput)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/data/segments") == ["_cache"])
  }
}
