import FarmTesting
import Formats
import FoundationEssentials
import Ledger
import MediaTime
import Messages
import Operations
import Rendering
import Testing

@Suite struct `Operations on media and edits` {
  @Test func `a file is probed, and its facts are a value`() throws {
    let edit = try EditBench()
    let report = try edit.media.probe(edit.path("clip.mkv"))
    let track = try #require(report.tracks.first)
    #expect(report.tracks.count == 1 && track.media == "video" && track.codec == "ffv1" && !report.isStillPicture)
    #expect(track.video?.naturalSize.width == 64 && track.timeRange.duration == MediaTime(seconds: 1))
    #expect(try JSONDecoder().decode(MediaReport.self, from: JSONEncoder().encode(report)) == report)
    #expect(try complaint { _ = try edit.media.probe(edit.path("none.mkv")) }?.exit == .noInput)
  }

  @Test func `an edit is validated, or refused with each of its faults`() throws {
    let edit = try EditBench()
    let report = try edit.media.validate(edit.document)
    #expect(report.ok && report.frameCount == 25 && report.sampleCount == 0 && report.warnings == [])
    #expect(report.duration == MediaTime(seconds: 1) && report.renderSize?.height == 48)
    #expect(try JSONDecoder().decode(EditReport.self, from: JSONEncoder().encode(report)) == report)
    let text = EditBench.document.replacing("\"spool\": 1", with: "\"spool\": 1, \"wrong\": 1, \"also\": 2")
    try edit.write(text, as: "wrong.json")
    let refused = try #require(try complaint { _ = try edit.media.validate(edit.path("wrong.json")) })
    let faults = EditFaults(refused)
    #expect(refused.exit == .badDocument && !faults.ok && Set(faults.faults.map(\.path)) == ["wrong", "also"])
  }

  @Test func `a frame is written by its time or by its index, and both are the same frame`() throws {
    let edit = try EditBench()
    let byTime = try edit.media.frame(FrameRequest(document: edit.document, output: edit.path("a.png"), time: "0.5"))
    #expect(try byTime.index == 12 && byTime.time == MediaTime(12, 25) && byTime.size.width == 64)
    _ = try edit.media.frame(FrameRequest(document: edit.document, output: edit.path("b.png"), index: 12))
    let pictures = try ["a.png", "b.png"].map { try Data(contentsOf: URL(filePath: edit.path($0))) }
    #expect(pictures[0] == pictures[1] && pictures[0].starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test(arguments: [
    (nil, nil, "frame"), ("0", 0, "frame"), (nil, 25, "index"), (nil, -1, "index"), ("1", nil, "time"), ("soon", nil, "time"),
  ])
  func `a frame that is not in the movie, or not named once, is a wrong request`(time: String?, index: Int?, place: String) throws
  {
    let edit = try EditBench()
    let request = FrameRequest(document: edit.document, output: edit.path("a.png"), time: time, index: index)
    let refused = try #require(try complaint { _ = try edit.media.frame(request) })
    #expect(refused.exit == .usage && refused.told.map(\.path) == [place])
  }

  @Test func `a contact sheet has frames at equal distances, each the mean of the frame's pixels`() throws {
    let edit = try EditBench()
    func pixels(_ picture: String) throws -> [UInt8] {
      try MediaTools.ffmpeg(["-y", "-i", edit.path(picture), "-f", "rawvideo", "-pix_fmt", "rgb24", edit.path("raw")])
      return Array(try Data(contentsOf: URL(filePath: edit.path("raw"))))
    }
    var request = ContactSheetRequest(document: edit.document, output: edit.path("sheet.png"))
    (request.count, request.columns, request.width) = (5, 3, 32)
    let sheet = try edit.media.contactSheet(request)
    #expect(sheet.frames.map(\.index) == [2, 7, 12, 17, 22] && sheet.columns == 3)
    #expect(sheet.size.width == 4 + 3 * 36 && sheet.size.height == 4 + 2 * 28)
    let all = try pixels("sheet.png")
    // The fourth frame is the first of the second row.
    _ = try edit.media.frame(FrameRequest(document: edit.document, output: edit.path("frame.png"), index: 17))
    let frame = try pixels("frame.png")
    for y in 0..<24 {
      for x in 0..<(32 * 3) {
        let (pixel, component) = (x / 3, x % 3)
        func sample(_ dx: Int, _ dy: Int) -> Int { Int(frame[((2 * y + dy) * 64 + 2 * pixel + dx) * 3 + component]) }
        let mean = (sample(0, 0) + sample(1, 0) + sample(0, 1) + sample(1, 1)) / 4
        try #require(Int(all[((4 + 28 + y) * sheet.size.width + 4 + pixel) * 3 + component]) == mean, "\(pixel), \(y)")
      }
    }
    (request.count, request.overwrites) = (100, true)
    #expect(try edit.media.contactSheet(request).frames.map(\.index) == Array(0..<25), "the movie has no more")
    request.columns = 0
    #expect(try complaint { _ = try edit.media.contactSheet(request) }?.told.map(\.path) == ["columns"])
  }

  @Test func `a picture is not replaced unless that is asked for, and the edit's own files never are`() throws {
    let edit = try EditBench()
    try edit.write("here", as: "a.png")
    var request = FrameRequest(document: edit.document, output: edit.path("a.png"), index: 0)
    #expect(try complaint { _ = try edit.media.frame(request) }?.exit == .cannotCreate)
    request.overwrites = true
    _ = try edit.media.frame(request)
    request.output = edit.document
    #expect(try complaint { _ = try edit.media.frame(request) }?.exit == .cannotCreate)
  }

  @Test func `digests are told frame by frame, until nobody listens any more`() throws {
    let edit = try EditBench()
    var told: [FrameDigest] = []
    try edit.media.frames(FramesRequest(document: edit.document, range: 3..<6)) { digest in told.append(digest) }
    #expect(try told.map(\.index) == [3, 4, 5] && Set(told.map(\.md5)).count == 3 && told[1].pts == MediaTime(4, 25))
    let left = try #require(
      try complaint {
        try edit.media.frames(FramesRequest(document: edit.document)) { digest throws(Complaint) in
          if digest.index == 2 { throw Complaint(faults: [], .outputClosed) }
        }
      })
    #expect(left.exit == .outputClosed && left.faults == [])
    let beyond = try #require(
      try complaint { try edit.media.frames(FramesRequest(document: edit.document, range: 20..<26)) { _ in } })
    #expect(beyond.exit == .usage && beyond.told.map(\.path) == ["range"])
  }
}

@Suite struct `The verify operation` {
  private static func nowhere() throws(Complaint) -> String { throw Complaint("database", "is asked", .unavailable) }

  @Test func `a movie is compared with its document without any database`() throws {
    let edit = try EditBench()
    let farm = Farm(database: Self.nowhere)
    let good = try farm.verify(VerifyRequest(document: edit.document, movie: edit.path("clip.mkv")), reading: edit.media)
    #expect(good.ok && good.lossless && good.pictures == .equal && good.frameCount == 25 && good.faults == [])
    #expect(try JSONDecoder().decode(Verification.self, from: JSONEncoder().encode(good)) == good)
    try SyntheticSource(frameCount: 24).write(to: edit.path("short.mkv"), ["-c:v", "ffv1"])
    let short = try farm.verify(VerifyRequest(document: edit.document, movie: edit.path("short.mkv")), reading: edit.media)
    #expect(!short.ok && !short.faults.isEmpty)
  }

  @Test func `a job names its document and its movie once it is done`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    let job = try bench.farm.submit(SubmitRequest(document: edit.document, output: edit.movie), reading: edit.media) { _ in }.job
    func verify(_ job: String) throws -> Verification { try bench.farm.verify(VerifyRequest(document: job), reading: edit.media) }
    #expect(try complaint { _ = try verify(job) }?.faults == ["\(job): the job has no finished movie: it is queued"])
    #expect(try complaint { _ = try verify("nope") }?.exit == .noInput)
    try bench.finish(job)
    try FileManager.default.copyItem(atPath: edit.path("clip.mkv"), toPath: edit.movie)
    let verified = try verify(job)
    #expect(verified.ok && verified.movie == edit.movie)
  }

  @Test func `a floor is a number of decibels`() throws {
    let edit = try EditBench()
    var request = VerifyRequest(document: edit.document, movie: edit.movie)
    request.floor = .nan
    let refused = try complaint { _ = try Farm(database: Self.nowhere).verify(request, reading: edit.media) }
    #expect(refused?.exit == .usage && refused?.told.map(\.path) == ["floor"])
  }
}

@Suite struct `The sweep of a store` {
  private final class Store: SweptStore {
    var cleared: [OverJob] = []
    func jobs() throws -> [String] { ["a", "b"] }
    func clear(_ jobs: [OverJob], outputRoots: [String]) throws { cleared += jobs }
  }

  @Test func `an order without jobs lists those of the store, and one with jobs clears them`() throws {
    let store = Store()
    #expect(Set(try SweepOrder(over: []).perform(on: store, outputRoots: [])) == ["a", "b"])
    #expect(store.cleared == [])
    let over = [OverJob(id: "a", output: "/out/a.mp4")]
    #expect(try SweepOrder(over: over).perform(on: store, outputRoots: ["/out"]) == [])
    #expect(store.cleared == over)
  }
}
