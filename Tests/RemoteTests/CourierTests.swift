import FarmTesting
import Formats
import Glibc
import MediaTime
import Messages
import Remote
import Subprocess
import Testing
import Transfer

/// Couriers run against servers that send nothing for more than five seconds.
@Suite struct CourierTests {
  private static let key = AttemptKey(task: 7, attempt: 1)
  private static let signature = AWSSignature(accessKey: "x", secretKey: "x", region: "us-east-1")
  private let directory = TemporaryDirectory()
  private let server: FaultyServer

  init() throws {
    try "xy".write(toFile: directory.file("clip"))
    server = try FaultyServer(folder: directory.path)
  }

  private static var once: Retries {
    var retries = Retries()
    retries.tries = 1
    return retries
  }

  private func order(_ work: Work) -> AttemptOrder {
    let document = """
      {"spool": 1, "assets": {"clip": {"url": "\(server.url)/s/clip"}},
       "composition": {"tracks": [
         {"id": "v", "media": "video", "segments": [{"asset": "clip", "source": {"start": "0", "duration": "2"}}]}]},
       "videoComposition": {"renderSize": [160, 96], "frameDuration": "1/25"},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
      """
    let facts = AssetFacts(container: "matroska", duration: .zero, byteCount: 2, tracks: [], version: "\"1\"")
    return AttemptOrder(
      job: "job", key: Self.key, work: work,
      spec: JobSpec(
        document: document, facts: ["clip": facts], output: "/m.mkv", overwrites: false, keepsSegments: false))
  }

  /// The reports of a courier whose attempt does what the script says.
  private func reports(
    _ work: Work, _ store: Courier.Store, media: MediaLibrary? = nil, script: String = "exit 1"
  ) -> [AttemptReport] {
    var reports: [AttemptReport] = []
    let courier = Courier(
      order: order(work), store: store, media: media, attempt: { _, _ in Command("/bin/sh", ["-c", script]) },
      report: { reports.append($0) })
    _ = courier.run()
    return reports
  }

  private func progress(_ reports: [AttemptReport]) -> [Int64] {
    reports.compactMap { if case .progress(let done, let total) = $0, done <= total { done } else { nil } }
  }

  @Test func `an attempt shows life while its media are waited for`() throws {
    let library = MediaLibrary(
      AllowedMedia([try MediaURLPrefix(server.url)]), account: nil,
      cache: BlockCache(folder: directory.file("cache"), limit: 64 << 20), retries: Self.once, stallSeconds: 7)
    let end = AttemptReport.failed(Failure(.transient, at: "clip", "unreachable"))
    try end.line().write(toFile: directory.file("end"))
    // The script asks for the first block and waits for the head of the reply.
    let script = "printf '\\000\\000\\000\\000\\000\\000\\000\\000' >&3; head -c 8 <&3 >/dev/null; cat '\(directory.file("end"))'"
    let picture = Work.picture(FrameRange(first: 0, count: 50))
    let reports = reports(picture, .directory(directory.path), media: library, script: script)
    #expect(reports.last == end)
    #expect(progress(reports).first == 1)
    #expect(try server.requests(of: "s") == 1)
  }

  @Test func `an attempt is told that media are supplied if it reads some and there is a library, and not otherwise`() throws {
    let library = MediaLibrary(
      AllowedMedia([try MediaURLPrefix(server.url)]), account: nil,
      cache: BlockCache(folder: directory.file("cache"), limit: 64 << 20), retries: Self.once, stallSeconds: 7)
    let picture = Work.picture(FrameRange(first: 0, count: 50))
    let proof = Proof.sample(of: .picture(FrameRange(first: 0, count: 1)), file: "job/7/1.nut", byteCount: 2)
    let cases: [(Work, MediaLibrary?, Bool)] = [
      (picture, library, true), (picture, nil, false), (.mux(of: [Winner(key: Self.key, proof: proof)]), library, false),
    ]
    for (work, media, expected) in cases {
      var told: [Bool] = []
      let courier = Courier(
        order: order(work), store: .directory(directory.path), media: media,
        attempt: { _, suppliesMedia in
          told.append(suppliesMedia)
          return Command("/bin/sh", ["-c", "exit 1"])
        }, report: { _ in })
      _ = courier.run()
      #expect(told == [expected], "\(work)")
    }
  }

  @Test func `an attempt shows life while its segments are waited for, and blames the store in the end`() throws {
    let bucket = try S3Bucket(
      try #require(S3Location("s3://sss")), S3Account(endpoint: server.url, signature: Self.signature), retries: Self.once,
      stallSeconds: 7)
    for folder in ["job", "job/7"] { #expect(unsafe mkdir(directory.file(folder), 0o700) == 0) }
    try "xy".write(toFile: directory.file("job/7/1.nut"))
    let picture = Proof.sample(of: .picture(FrameRange(first: 0, count: 1)), file: "job/7/1.nut", byteCount: 2)
    let reports = reports(.mux(of: [Winner(key: Self.key, proof: picture)]), .s3(S3SegmentStore(bucket), scratch: directory.path))
    #expect(progress(reports).first == 1)
    guard case .failed(let failure)? = reports.last else { Issue.record("\(reports)"); return }
    #expect(failure.class == .store && failure.place.hasSuffix("/sss/job/7/1.nut"))
  }
}
