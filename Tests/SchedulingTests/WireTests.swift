import FarmTesting
import FoundationEssentials
import Messages
import Testing
import Timeline

private let key = AttemptKey(task: 7, attempt: 2)
private let proof = Proof.sample(of: .picture(FrameRange(first: 0, count: 5)))
private let mux = Work.mux(of: [Winner(key: key, proof: proof), Winner(key: key, proof: .sample(of: .sound))])

struct WireTests {
  @Test(arguments: [
    WorkerMessage.hello(
      WorkerHello(
        worker: "a", epoch: "1", host: "h", processID: 3, slots: 2, running: [AttemptProgress(key: key, done: 1, total: 2)])),
    .hello(
      WorkerHello(
        worker: "a", epoch: "1", host: "h", processID: 3, slots: 2, lanes: 2, outputRoots: ["/srv/雨", "/mnt/a b"], running: [])),
    .heartbeat(worker: "a", epoch: "1", running: [AttemptProgress(key: key, done: 1, total: 2, end: 200)]),
    .finished(worker: "a", epoch: "1", key, proof),
    .failed(worker: "a", epoch: "1", key, Failure(.content, at: "clip \"A\"", "歌\n詞")),
    .goodbye(worker: "a", epoch: "1"), .stored(worker: "a", epoch: "1", jobs: ["j", "k"]),
  ])
  func `what a worker says is read as it was written`(_ message: WorkerMessage) throws {
    #expect(try Wire.decode(WorkerMessage.self, from: Wire.encode(message)) == message)
  }

  @Test(arguments: [
    CoordinatorMessage.welcome(heartbeatMilliseconds: 1000), .whoAreYou, .refused(reason: "no"), .settled(key), .cancel(key),
    .shorten(key, before: 200),
    .sweep, .seek(fonts: ["font=A:1:\(String(repeating: "0", count: 32))"]),
    .over([
      OverJob(id: "j", output: "/o.mp4", dead: DeadAttempts(lastTask: 9, lastNumber: 3)), OverJob(id: "k", output: nil),
    ]),
    .assign(
      AttemptOrder(
        job: "j", key: key, work: mux,
        spec: JobSpec(document: "{}", facts: [:], output: "/o.mp4", overwrites: false, keepsSegments: false))),
  ])
  func `what the coordinator says is read as it was written`(_ message: CoordinatorMessage) throws {
    #expect(try Wire.decode(CoordinatorMessage.self, from: Wire.encode(message)) == message)
  }

  /// A space before a message makes the general JSON reader read it.
  @Test func `what is read by hand is what JSON says`() throws {
    func read(_ frames: [[UInt8]]) -> WorkerMessage? { try? Wire.decode(WorkerMessage.self, from: frames) }  // nil: refused
    for seed in SeededRandom.seeds(count: 5000, longForm: "SPOOL_WIRE_SEEDS") {
      var random = SeededRandom(seed: seed)
      var frames = try Wire.encode(Self.common(&random))
      if random.chance(0.5) {
        let place = Int.random(in: 0..<frames[1].count, using: &random)
        frames[1][place] = Array("0-.e\"\\{}[],: x".utf8).randomElement(using: &random) ?? 0
      }
      let spaced = [frames[0], [UInt8(ascii: " ")] + frames[1]]
      #expect(read(frames) == read(spaced), "seed \(seed): \(String(decoding: frames[1], as: UTF8.self))")
    }
  }

  /// A space before the specification makes the general JSON reader read all of it.
  @Test func `a document that is read by itself is what JSON says`() throws {
    // Nil is a message that is refused.
    func read(_ frames: [[UInt8]]) -> CoordinatorMessage? { try? Wire.decode(CoordinatorMessage.self, from: frames) }
    let letters: [Character] = Array(#"{}":,\/ aé雨🎬"#) + ["\n", "\t", "\u{1}", "\u{7f}", "\u{2028}", "\r\n", "\u{8}", "\u{c}"]
    let damage = Array("0\"\\{}[],: xunbf\n".utf8) + [0x80, 0xc3, 0xff, 1]
    for seed in SeededRandom.seeds(count: 5000, longForm: "SPOOL_WIRE_SEEDS") {
      var random = SeededRandom(seed: seed)
      let count = Int.random(in: 0..<40, using: &random)
      let document = String((0..<count).map { _ in letters.randomElement(using: &random) ?? " " })
      let spec = JobSpec(document: document, facts: [:], output: "/o \(document).mp4", overwrites: true, keepsSegments: false)
      let order = AttemptOrder(job: "j", key: key, work: .picture(FrameRange(first: 0, count: 5)), spec: spec, patience: 9)
      var frames = try Wire.encode(CoordinatorMessage.assign(order))
      if random.chance(0.7) {
        let place = Int.random(in: 0..<frames[1].count, using: &random)
        frames[1][place] = damage.randomElement(using: &random) ?? 0
      } else {
        #expect(read(frames) == .assign(order), "seed \(seed)")
      }
      let general = frames[1].replacing(Array(#""spec":{"#.utf8), with: Array(#""spec": {"#.utf8))
      let meaning = read([frames[0], general])
      #expect(read(frames) == meaning, "seed \(seed): \(String(decoding: frames[1], as: UTF8.self))")
      // The document is kept now.
      #expect(read(frames) == meaning, "seed \(seed): \(String(decoding: frames[1], as: UTF8.self))")
    }
  }

  /// A random heartbeat or result.
  private static func common(_ random: inout SeededRandom) -> WorkerMessage {
    let numbers: [Int64] = [0, 1, 9, 10, 123_456, 999_999_999_999_999_999, 1_000_000_000_000_000_000, .max]
    let words = ["a", "w-1", "", "a b", "a/b", "é", "q\"", "\\", "\u{7f}"]
    func number() -> Int64 { numbers.randomElement(using: &random) ?? 0 }
    func word() -> String { words.randomElement(using: &random) ?? "" }
    let key = AttemptKey(task: number(), attempt: Int(number()))
    guard random.chance(0.5) else {
      let running = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        AttemptProgress(key: key, done: number(), total: number(), end: random.chance(0.5) ? Int(number()) : nil)
      }
      return .heartbeat(worker: word(), epoch: word(), running: running)
    }
    func digest() -> String { random.chance(0.9) ? Proof.sampleDigest : word() }
    let file = FileProof(path: word(), byteCount: number(), byteDigest: digest())
    func time() -> Int64 { random.chance(0.9) ? Int64.random(in: 0...100_000, using: &random) : number() }
    let times =
      random.chance(0.5) ? RenderingTimes(opening: time(), reading: time(), compositing: time(), encoding: time()) : nil
    let segment = SegmentProof(file: file, parameterSetDigest: digest(), contentDigest: digest(), times: times)
    let frames = FrameRange(first: Int(number()), count: Int(number()))
    func level() -> Double? { random.chance(0.7) ? Double.random(in: -90...20, using: &random) : nil }
    let loudness =
      random.chance(0.5)
      ? SoundLoudness(measured: level(), gain: level() ?? 0, limiting: 0.5, integrated: level(), truePeak: level()) : nil
    var sound = SoundProof(
      firstSample: random.chance(0.5) ? number() : nil, sampleCount: number(), segment: segment, loudness: loudness)
    if random.chance(0.5) {
      sound.further = [
        FurtherSound(sampleCount: number(), parameterSetDigest: digest(), contentDigest: digest(), loudness: loudness)
      ]
    }
    let (segmentKey, isFound) = (random.chance(0.5) ? digest() : nil, random.chance(0.3))
    let further = FurtherPicture(parameterSetDigest: digest(), contentDigest: digest())
    let renditions = random.chance(0.2) ? [further] : []
    var muxed = file
    if random.chance(0.5) { muxed.stamp = "17 \(number()) 1764355200.1 1764355200.1" }
    if random.chance(0.5) {
      muxed.target = TargetMeasure(.bitRate, asked: 400_000, reached: Double.random(in: 0...1e9, using: &random))
    }
    if random.chance(0.5) { muxed.stills = StillsProof(byteCount: number(), byteDigest: digest()) }
    let proof: Proof =
      random.chance(0.7)
      ? .picture(PictureProof(frames: frames, segment: segment, renditions: renditions, key: segmentKey, isFound: isFound))
      : random.chance(0.5) ? .sound(sound) : .mux(muxed)
    return .finished(worker: word(), epoch: word(), key, proof)
  }

  @Test func `a chunk's proof is written by hand as JSON says it`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var count = 0
    for seed in SeededRandom.seeds(count: 1000, longForm: "SPOOL_WIRE_SEEDS") {
      var random = SeededRandom(seed: seed)
      guard case .finished(_, _, _, let proof) = Self.common(&random), let text = proof.canonicalJSON else { continue }
      count += 1
      #expect(text == String(decoding: try encoder.encode(proof), as: UTF8.self), "seed \(seed)")
    }
    #expect(count > 100)
  }

  @Test func `that a result is settled is written by hand as JSON says it`() throws {
    #expect(Wire.settled(key) == (try Wire.encode(CoordinatorMessage.settled(key))))
  }

  @Test func `orders are written by hand as JSON says it`() throws {
    var writer = OrderWriter()
    func spec(_ document: String, output: String = "/o.mp4") -> JobSpec {
      JobSpec(document: document, facts: [:], output: output, overwrites: false, keepsSegments: true)
    }
    let picture = Work.picture(FrameRange(first: 20, count: 10))
    let orders = [
      AttemptOrder(job: "j", key: key, work: picture, spec: spec("{\"a\":\"\\n/雨\"}"), patience: 30),
      AttemptOrder(job: "j", key: key, work: picture, spec: spec("{\"a\":\"\\n/雨\"}")),
      // A retry names another output, and the job keeps its name.
      AttemptOrder(job: "j", key: key, work: picture, spec: spec("{\"a\":\"\\n/雨\"}", output: "/other.mp4")),
      AttemptOrder(job: "a \"quoted\" 歌", key: key, work: picture, spec: spec("{}")),
      AttemptOrder(job: "j", key: key, work: .sound, spec: spec("{}")),
      AttemptOrder(job: "j", key: key, work: .soundPart(SampleRange(first: 7, count: 9)), spec: spec("{}")),
      AttemptOrder(job: "k", key: key, work: mux, spec: spec("{}")),
    ]
    for order in orders + orders {
      #expect(try writer.write(order) == Wire.encode(CoordinatorMessage.assign(order)), "\(order)")
    }
  }

  @Test(arguments: ["h\u{1b}[2J", "h\n", "\u{9b}", "h\u{202e}", "h\u{2028}", "h\0"])
  func `a worker whose host would steer a terminal is refused`(host: String) throws {
    let hello = WorkerHello(worker: "a", epoch: "1", host: host, processID: 3, slots: 2, running: [])
    let frames = try Wire.encode(WorkerMessage.hello(hello))
    #expect(throws: WireError.self) { _ = try Wire.decode(WorkerMessage.self, from: frames) }
  }

  @Test func `a worker of an earlier version has no lanes, and says nothing of where it may write`() throws {
    let hello = WorkerHello(worker: "a", epoch: "1", host: "h", processID: 3, slots: 2, running: [])
    var frames = try Wire.encode(WorkerMessage.hello(hello))
    frames[1] = Array(String(decoding: frames[1], as: UTF8.self).replacing("\"lanes\":0,", with: "").utf8)
    #expect(try Wire.decode(WorkerMessage.self, from: frames) == .hello(hello))
  }

  @Test(arguments: [["relative"], ["/a\0b"], Array(repeating: "/a", count: WorkerHello.mostOutputRoots + 1)])
  func `output roots that are none are not read`(_ roots: [String]) throws {
    let hello = WorkerHello(worker: "a", epoch: "1", host: "h", processID: 3, slots: 2, outputRoots: roots, running: [])
    let frames = try Wire.encode(WorkerMessage.hello(hello))
    #expect(throws: WireError.self) { _ = try Wire.decode(WorkerMessage.self, from: frames) }
  }

  @Test(arguments: [
    ("/srv/out/a.mp4", true), ("/srv/out2/a.mp4", false), ("/srv/out", false), ("/mnt/a b/c/d.mp4", true), ("/x.mp4", false),
  ])
  func `a movie lies below an output root by whole names`(_ output: String, _ isBelow: Bool) {
    #expect(WorkerHello.mayWrite(output, below: ["/srv/out", "/mnt/a b/"]) == isBelow)
    #expect(WorkerHello.mayWrite(output, below: nil))
    #expect(WorkerHello.mayWrite(output, below: ["/"]))
  }

  @Test func `another version of the protocol is told from garbage`() {
    #expect(throws: WireError.otherVersion("spool/9")) {
      _ = try Wire.decode(WorkerMessage.self, from: [Array("spool/9".utf8), Array("{}".utf8)])
    }
    #expect(throws: WireError.malformed("not a message of this protocol")) {
      _ = try Wire.decode(WorkerMessage.self, from: [Array("HTTP/1.1".utf8), Array("{}".utf8)])
    }
  }

  @Test func `an order holds the longest document, with its quotes escaped`() throws {
    let spec = JobSpec(
      document: String(repeating: "\"", count: DocumentLimits.byteCount), facts: [:], output: "/o.mp4", overwrites: false,
      keepsSegments: false)
    let order = AttemptOrder(job: "j", key: key, work: .sound, spec: spec)
    let frames = try Wire.encode(CoordinatorMessage.assign(order))
    #expect(frames[1].count > 2 * DocumentLimits.byteCount)
    #expect(try Wire.decode(CoordinatorMessage.self, from: frames) == .assign(order))
  }

  @Test func `whatever a worker runs fits into its greeting`() throws {
    let running = (0..<4 * WorkerHello.mostSlots).map { number in
      AttemptProgress(key: AttemptKey(task: .max - Int64(number), attempt: .max), done: .max, total: .max, end: .max)
    }
    let name = String(repeating: "n", count: WorkerHello.longestName)
    let hello = WorkerHello(
      worker: name, epoch: name, host: String(repeating: "h", count: 255), processID: .max, slots: WorkerHello.mostSlots,
      outputRoots: Array(repeating: "/" + String(repeating: "r", count: 4094), count: WorkerHello.mostOutputRoots),
      running: running)
    let frames = try Wire.encode(WorkerMessage.hello(hello))
    #expect(try Wire.decode(WorkerMessage.self, from: frames) == .hello(hello))
    #expect(frames[1].count > Wire.longestMessage / 2)
  }

  @Test func `a message beyond the limit is neither written nor read: a worker's of 1 MiB, a coordinator's of 64`() throws {
    #expect(WorkerMessage.byteLimit == 1 << 20 && CoordinatorMessage.byteLimit == 64 << 20)
    let endless = CoordinatorMessage.refused(reason: String(repeating: "x", count: 64 << 20))
    #expect(throws: WireError.self) { _ = try Wire.encode(endless) }
    let long = WorkerMessage.failed(
      worker: "a", epoch: "1", key, Failure(.bug, at: "", String(repeating: "x", count: Wire.longestMessage)))
    #expect(throws: WireError.self) { _ = try Wire.encode(long) }
    let frames = [
      try Wire.encode(WorkerMessage.goodbye(worker: "a", epoch: "1"))[0],
      [UInt8](repeating: 0x20, count: Wire.longestMessage + 1),
    ]
    #expect(throws: WireError.tooLong(Wire.longestMessage + 1, most: Wire.longestMessage)) {
      _ = try Wire.decode(WorkerMessage.self, from: frames)
    }
  }

  @Test(arguments: [
    #"{"heartbeat":{"worker":"a","epoch":"1","running":[{"key":{"task":1,"attempt":1},"done":-1,"total":2}]}}"#,
    #"{"heartbeat":{"worker":"a","epoch":"1","running":[{"key":{"task":1,"attempt":1},"done":3,"total":2}]}}"#,
    #"{"heartbeat":{"worker":"a","epoch":"1","running":[{"key":{"task":1,"attempt":1},"done":1,"total":2,"end":0}]}}"#,
    #"{"heartbeat":{"worker":"a","epoch":"1","running":[{"key":{"task":1e99,"attempt":1},"done":0,"total":2}]}}"#,
    #"{"hello":{"_0":{"worker":"a b","epoch":"1","host":"h","processID":1,"slots":1,"running":[]}}}"#,
    #"{"hello":{"_0":{"worker":"a","epoch":"1","host":"h\u0000","processID":1,"slots":1,"running":[]}}}"#,
    #"{"hello":{"_0":{"worker":"a","epoch":"1/2","host":"h","processID":1,"slots":1,"running":[]}}}"#,
    #"{"hello":{"_0":{"worker":"a","epoch":"1","host":"h","processID":1,"slots":-1,"running":[]}}}"#,
    #"{"finished":{"worker":"a","epoch":"1","_2":{"task":1,"attempt":1},"_3":{"kind":"picture","file":"f","byteCount":1,"byteDigest":"0123456789abcdef0123456789abcdef","contentDigest":"0123456789abcdef0123456789abcdef","parameterSetDigest":"0123456789abcdef0123456789abcdef","frames":{"first":9223372036854775807,"count":1}}}}"#,
    #"{"nonsense":{}}"#, "[", "", "null", String(repeating: "[", count: 100_000),
  ])
  func `a message that means nothing is malformed, never a crash`(_ text: String) throws {
    let header = try Wire.encode(CoordinatorMessage.whoAreYou)[0]
    #expect(throws: WireError.self) { _ = try Wire.decode(WorkerMessage.self, from: [header, Array(text.utf8)]) }
  }

  @Test(arguments: 0..<500 as Range<UInt64>)
  func `a message with damaged bytes is read as something or refused, never a crash`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var frames = try Wire.encode(WorkerMessage.finished(worker: "a", epoch: "1", key, proof))
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: frames[1].indices, using: &random)
      frames[1][place] = UInt8.random(in: 0...255, using: &random)
    }
    if let read = try? Wire.decode(WorkerMessage.self, from: frames) { #expect(try !Wire.encode(read).isEmpty) }
  }

  @Test func `a failure that says a zero character is read without, for databases keep none`() throws {
    let line = #"{"failed":{"_0":{"class":"bug","place":"a\u0000b","reason":"\u0000","damaged":[]}}}"#
    #expect(try AttemptReport(line: line) == .failed(Failure(.bug, at: "a\u{fffd}b", "\u{fffd}")))
  }

  @Test func `an order and a report are lines`() throws {
    let order = AttemptOrder(
      job: "j", key: key, work: .picture(FrameRange(first: 0, count: 5)),
      spec: JobSpec(document: "{\n}", facts: [:], output: "/o.mp4", overwrites: true, keepsSegments: false))
    let line = try order.line()
    #expect(line.firstIndex(of: UInt8(ascii: "\n")) == line.count - 1)
    #expect(try AttemptOrder(line: line) == order)
    let report = AttemptReport.progress(done: 1, total: 2)
    #expect(try AttemptReport(line: String(decoding: report.line(), as: UTF8.self)) == report)
    let amendment = OrderAmendment.shorten(before: 200)
    #expect(String(decoding: try amendment.line(), as: UTF8.self) == #"{"shorten":{"before":200}}"# + "\n")
    #expect(try OrderAmendment(line: amendment.line()) == amendment)
  }
}
