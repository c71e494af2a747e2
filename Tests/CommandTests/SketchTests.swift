import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

/// The order in which the parts of an edit are given out that was rendered before.
@Suite struct `The parts of an edit that changed` {
  /// The tasks of the last render's chunks, in the order in which they are given out, and those for which a process was started. A chunk that is
  /// found behind another one has none.
  private func chunks(in folder: String) throws -> (all: [Int], started: Set<Int>) {
    func tasks(_ log: String, _ event: String) throws -> [(job: String, task: Int)] {
      let text = try String(contentsOfFile: "\(folder)/data/log/\(log).log", encoding: .utf8)
      return try text.split(separator: "\n").filter { $0.contains("event=\(event) ") && $0.contains("kind=picture") }.map {
        line in
        let words = line.split(separator: " ")
        let task = words.first { $0.hasPrefix("attempt=") }?.dropFirst(8).prefix { $0 != "/" }
        return (String(try #require(words.first { $0.hasPrefix("job=") })), try #require(task.flatMap { Int($0) }))
      }
    }
    let assigned = try tasks("coordinator", "assigned")
    let job = try #require(assigned.last).job
    return (
      assigned.filter { $0.job == job }.map(\.task), Set(try tasks("local-1", "started").filter { $0.job == job }.map(\.task))
    )
  }

  private func render(in folder: String, edit: String) throws -> String {
    let run = try SpoolProgram.run(
      "render", edit, "-o", "movie.mkv", "--json", "--chunk-frames", "5", "--workers", "1", "--data", "data", folder: folder)
    #expect(run.code == 0, "\(run.errorOutput)")
    return String(run.lines.last ?? "")
  }

  @Test(arguments: [true, false])
  func `are given out before the others, as long as somebody knows these`(isKnown: Bool) throws {
    try EditFixture.with { folder in
      _ = try render(in: folder, edit: "edit.json")
      if !isKnown { try "no likeness\n".write(toFile: folder + "/data/sketches") }
      // It lies over the last five frames.
      let layer = ##"{"shape": "rectangle", "frame": [0, 0, 8, 8], "fillColor": "#ff0000", "from": "0.8"}"##
      try EditFixture.write(
        "changed.json", replacing: #"{"spool": 1,"#, with: #"{"spool": 1, "layers": [\#(layer)],"#, in: folder)
      let done = try render(in: folder, edit: "changed.json")
      #expect(done.contains(#""reuse":{"chunkCount":4,"frameCount":20}"#), "\(done)")
      let frames = try EditFixture.frameDigests(of: folder + "/movie.mkv")
      let source = try EditFixture.frameDigests(of: folder + "/clip.mkv")
      #expect(
        frames.prefix(20) == source.prefix(20) && frames.count == 25 && !zip(frames, source).dropFirst(20).contains { $0 == $1 })
      // The first chunk has a process in any case. Behind one that is rendered the next one has one, too; behind one that is found, only what is new.
      let chunks = try chunks(in: folder)
      #expect(chunks.all.count == 5 && chunks.all == chunks.all.sorted())
      #expect(chunks.started == Set([chunks.all[0], isKnown ? chunks.all[1] : chunks.all[4]]))
    }
  }
}
