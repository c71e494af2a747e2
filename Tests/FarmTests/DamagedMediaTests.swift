import FarmTesting
import Ledger
import Messages
import Subprocess
import Testing

/// The output of `status` and `why` for a job with damaged media, in a farm of real processes that renders.
@Suite(.serialized) struct DamagedMediaTests {
  private let farm: RealFarm

  init() throws {
    farm = try RealFarm()
    let clip = "\(farm.directory)/a.mp4"
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25,noise=alls=12:all_seed=5", "-frames:v", "70", "-c:v", "libx264",
      "-preset", "veryfast", "-g", "20", "-bf", "2", clip,
    ])
    var bytes = try [UInt8](contentsOf: clip)
    let start = bytes.count * 2 / 5
    bytes.replaceSubrange(start..<start + 2000, with: [UInt8](repeating: 0, count: 2000))
    try bytes.write(toFile: clip)
    try farm.startCoordinator()
    try farm.startWorker("anna", renders: true)
  }

  private func submit(_ treatment: String) throws -> String {
    try farm.write(
      "edit.json",
      """
      {"spool": 1, "assets": {"tape": {"path": "a.mp4"\(treatment)}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "tape"}]}]}}
      """, mode: 0o644)
    let run = try SpoolProgram.run(
      ["submit", "edit.json", "-o", "movie.mp4", "--chunk-frames", "10"], folder: farm.directory,
      environment: ["SPOOL_DATABASE": farm.url])
    try #require(run.code == 0, Comment(rawValue: run.errorOutput))
    return try #require(run.lines.first.map(String.init))
  }

  @Test func `what was replaced is told by status of the job, with where and how much, and marked in the list`() throws {
    let job = try submit(#", "damage": "conceal""#)
    try farm.waitDone(job)
    let lines = try farm.verb("status", job).split(separator: "\n")
    let told = try #require(
      lines.compactMap { $0.firstMatch(of: #/^damage +(\d+) frames \(frame (\d+) to (\d+)\) of asset 'tape' replaced$/#) }.first,
      "\(lines)")
    let (count, first, last) = (Int(told.1) ?? 0, Int(told.2) ?? -1, Int(told.3) ?? -1)
    #expect(count > 0 && first >= 0 && first + count - 1 <= last && last < 70)
    // The movie's comment gives the same number.
    let comment = try MediaTools.ffprobe([
      "-show_entries", "format_tags=comment", "-of", "csv=p=0", "\(farm.directory)/movie.mp4",
    ])
    #expect(comment.contains("\(count) frames of asset 'tape'"), "\(comment)")
    let json = try farm.verb("status", "--json", job)
    let span = #""frameSpan":{"end":\#(last + 1),"first":\#(first)}"#
    #expect(
      json.contains(#""concealed":[{"asset":"tape","#) && json.contains(#""frames":\#(count),"#) && json.contains(span), "\(json)"
    )
    #expect(json.contains(#""isDamaged":true"#))
    #expect(try farm.verb("status").contains("  damaged media; /"))
    // The decoder said something about it, which was kept with the attempt.
    let logs = try farm.verb("logs", job)
    #expect(logs.contains("\n  h264: "), "\(logs)")
    #expect(try farm.verb("audit", "--job", job).contains("  submit  \(job)  "))
  }

  @Test func `what is refused fails the job with the same words in status and why`() throws {
    let job = try submit("")
    try farm.wait("it fails", seconds: 120) { try farm.ledger.status(job: job)?.state == .failed }
    let words = try #require(try farm.ledger.status(job: job)?.failure).description
    #expect(words.contains("a.mp4 track 0") && words.contains("(asset 'tape'): the file is damaged: from "), "\(words)")
    #expect(try farm.verb("status", job).split(separator: "\n").contains { $0 == "failure    \(words)" })
    #expect(try farm.verb("why", job).split(separator: "\n").first == "\(job) is failed: \(words)")
    #expect(try farm.verb("status", "--json", job).contains(#""concealed":[]"#))
    #expect(!(try farm.verb("status").contains("damaged media; ")))
  }
}
