import FarmTesting
import Formats
import Ledger
import Messages
import Testing

/// The proofs of all kinds of tasks, as they are written, read and measured.
struct ProofTests {
  private static let digest = Proof.sampleDigest
  private static let file = #""byteCount":3,"byteDigest":"\#(digest)","file":"f""#
  private static let noDigest = "is not a digest of 32 lower-case hexadecimal digits"
  private static let segment = #"\#(file),"contentDigest":"\#(digest)","parameterSetDigest":"\#(digest)""#

  private func read(_ json: String) throws -> AttemptReport {
    try AttemptReport(line: #"{"finished":{"_0":\#(json)}}"#)
  }

  @Test(arguments: TaskKind.allCases)
  func `a proof of each kind is read as it was written`(_ kind: TaskKind) throws {
    let proof = Proof.sample(of: kind)
    #expect(proof.kind == kind)
    let report = AttemptReport.finished(proof)
    #expect(try AttemptReport(line: String(decoding: report.line(), as: UTF8.self)) == report)
    let message = WorkerMessage.finished(worker: "a", epoch: "1", AttemptKey(task: 1, attempt: 1), proof)
    #expect(try Wire.decode(WorkerMessage.self, from: Wire.encode(message)) == message)
  }

  @Test func `the media that were replaced come along with a segment, and are left out where there are none`() throws {
    let concealed = [
      Concealment(asset: "a", frames: 2, frameSpan: 3..<9), Concealment(asset: "b", samples: 7, sampleSpan: 0..<4096),
    ]
    for work in [Work.picture(FrameRange(first: 0, count: 10)), .sound] {
      let report = AttemptReport.finished(.sample(of: work, concealed: concealed))
      #expect(try AttemptReport(line: String(decoding: report.line(), as: UTF8.self)) == report)
      let whole = AttemptReport.finished(.sample(of: work))
      #expect(try !String(decoding: whole.line(), as: UTF8.self).contains("concealed"))
    }
  }

  @Test func `each kind is written as one flat object`() throws {
    let file = #""byteCount":1,"byteDigest":"\#(Self.digest)","#
    let segment = file + #""contentDigest":"\#(Self.digest)","file":"j/7/2.nut","#
    let parameters = #""parameterSetDigest":"\#(Self.digest)""#
    for (kind, fields) in [
      (TaskKind.picture, #"\#(segment)"frames":{"count":1,"first":0},"kind":"picture",\#(parameters)"#),
      (.sound, #"\#(segment)"kind":"sound",\#(parameters),"sampleCount":1"#),
      (.mux, #"\#(file)"file":"j/7/2.nut","kind":"mux""#), (.publish, #"\#(file)"file":"j/7/2.nut","kind":"publish""#),
    ] {
      let line = String(decoding: try AttemptReport.finished(.sample(of: kind)).line(), as: UTF8.self)
      #expect(line == #"{"finished":{"_0":{\#(fields)}}}"# + "\n")
    }
  }

  /// The malformed proofs, each with what is said of it.
  private static let malformed = [
    (#"{\#(file)}"#, "kind: missing"),
    (#"{"kind":"song",\#(file)}"#, "kind: is no kind of task"),
    (#"{"kind":"mux","byteDigest":"\#(digest)","file":"f"}"#, "byteCount: missing"),
    (#"{"kind":"mux","byteCount":-1,"byteDigest":"\#(digest)","file":"f"}"#, "byteCount: is no number of bytes"),
    (#"{"kind":"mux","byteCount":17592186044417,"byteDigest":"\#(digest)","file":"f"}"#, "byteCount: is no number of bytes"),
    (#"{"kind":"mux","byteCount":3,"byteDigest":"\#(digest)"}"#, "file: missing"),
    (#"{"kind":"mux","byteCount":3,"byteDigest":"\#(digest)","file":""}"#, "file: is not a file's path"),
    (#"{"kind":"mux","byteCount":3,"byteDigest":"\#(digest)","file":"a\u0000b"}"#, "file: is not a file's path"),
    (
      #"{"kind":"mux","byteCount":3,"byteDigest":"\#(digest)","file":"\#(String(repeating: "f", count: 4096))"}"#,
      "file: is not a file's path"
    ),
    (#"{"kind":"publish","byteCount":3,"byteDigest":"d","file":"f"}"#, "byteDigest: \(noDigest)"),
    (#"{"kind":"publish","byteCount":3,"byteDigest":"\#(digest.uppercased())","file":"f"}"#, "byteDigest: \(noDigest)"),
    (#"{"kind":"picture",\#(segment)}"#, "frames: missing"),
    (#"{"kind":"picture",\#(segment),"frames":{"first":0,"count":0}}"#, "frames: not a range of frames"),
    (#"{"kind":"picture",\#(file),"frames":{"first":0,"count":1},"contentDigest":"\#(digest)"}"#, "parameterSetDigest: missing"),
    (
      #"{"kind":"picture",\#(file),"frames":{"first":0,"count":1},"parameterSetDigest":"\#(digest)","contentDigest":"\#(digest)0"}"#,
      "contentDigest: \(noDigest)"
    ),
    (#"{"kind":"picture",\#(segment),"frames":{"first":0,"count":1},"sampleCount":1}"#, foreign("sampleCount", "picture")),
    (#"{"kind":"sound",\#(segment)}"#, "sampleCount: missing"),
    (#"{"kind":"sound",\#(segment),"sampleCount":-1}"#, "sampleCount: is no number of samples"),
    (#"{"kind":"sound",\#(segment),"sampleCount":1,"frames":{"first":0,"count":1}}"#, foreign("frames", "sound")),
    (
      #"{"kind":"sound",\#(segment),"sampleCount":1,"loudness":{"gain":1001,"limiting":0}}"#,
      "loudness.gain: is no level in dB"
    ),
    (
      #"{"kind":"sound",\#(segment),"sampleCount":1,"further":[{"sampleCount":1,"parameterSetDigest":"\#(digest)"}]}"#,
      "further[0].contentDigest: missing"
    ),
    (
      #"{"kind":"sound",\#(segment),"sampleCount":1,"further":[\#(Array(repeating: further, count: 65).joined(separator: ","))]}"#,
      "further: are more than 64 sounds"
    ),
    (#"{"kind":"mux",\#(file),"further":[]}"#, foreign("further", "mux")),
    (#"{"kind":"sound",\#(segment),"sampleCount":1,"renditions":[]}"#, foreign("renditions", "sound")),
    (
      #"{"kind":"picture",\#(segment),"frames":{"first":0,"count":1},"renditions":[{"parameterSetDigest":"\#(digest)"}]}"#,
      "renditions[0].contentDigest: missing"
    ),
    (
      #"{"kind":"picture",\#(segment),"frames":{"first":0,"count":1},"renditions":[{"parameterSetDigest":"x","contentDigest":"\#(digest)"}]}"#,
      "renditions[0].parameterSetDigest: is not a digest of 32 lower-case hexadecimal digits"
    ),
    (#"{"kind":"mux",\#(file),"loudness":{"gain":1,"limiting":0}}"#, foreign("loudness", "mux")),
    (
      #"{"kind":"picture",\#(segment),"frames":{"first":0,"count":1},"target":{"quantity":"bitRate","asked":1,"reached":1}}"#,
      foreign("target", "picture")
    ),
    (#"{"kind":"publish",\#(file),"target":{"quantity":"bitRate","asked":1,"reached":1}}"#, foreign("target", "publish")),
    (#"{"kind":"mux",\#(file),"target":{"quantity":"bitRate","asked":0,"reached":1}}"#, "target.asked: is no target"),
    (
      #"{"kind":"mux",\#(file),"target":{"quantity":"fileSize","asked":1,"reached":-1}}"#,
      "target.reached: is no number of bits or bytes"
    ),
    (
      #"{"kind":"picture",\#(segment),"frames":{"first":0,"count":1},"stills":{"byteCount":1,"byteDigest":"\#(digest)"}}"#,
      foreign("stills", "picture")
    ),
    (#"{"kind":"mux",\#(file),"stills":{"byteCount":-1,"byteDigest":"\#(digest)"}}"#, "stills.byteCount: is no number of bytes"),
    (
      #"{"kind":"publish",\#(file),"stills":{"byteCount":1,"byteDigest":"x"}}"#,
      "stills.byteDigest: is not a digest of 32 lower-case hexadecimal digits"
    ),
    (
      #"{"kind":"mux",\#(file),"target":{"quantity":"ssim","asked":0.98,"reached":201}}"#, "target.reached: is no quality"
    ),
    (#"{"kind":"mux",\#(file),"quality":{}}"#, foreign("quality", "mux")),
    (
      #"{"kind":"picture",\#(segment),"frames":{"first":0,"count":1},"quality":{"measure":"ssim","asked":0.9,"reached":0.9,"crf":-1,"tries":1}}"#,
      "quality.crf: is no crf"
    ),
    (
      #"{"kind":"picture",\#(segment),"frames":{"first":0,"count":1},"quality":{"measure":"ssim","asked":0.9,"reached":0.9,"crf":1,"tries":0}}"#,
      "quality.tries: is no number of encodings"
    ),
    (#"{"kind":"mux",\#(segment)}"#, foreign("parameterSetDigest", "mux")),
    (#"{"kind":"publish",\#(file),"concealed":[]}"#, foreign("concealed", "publish")),
    (sound(#"{"asset":"a\u0000","frames":0,"samples":1}"#), "concealed[0].asset: is not an asset's name"),
    (sound(#"{"asset":"a","frames":-1,"samples":1}"#), "concealed[0].frames: is no number of frames"),
    (sound(#"{"asset":"a","frames":0,"samples":1099511627777}"#), "concealed[0].samples: is no number of samples"),
    (
      sound(#"{"asset":"a","frames":0,"samples":1,"sampleSpan":{"first":-9223372036854775808,"end":1}}"#),
      "concealed[0].sampleSpan.first: is not a place in a movie"
    ),
    (
      sound(#"{"asset":"a","frames":0,"samples":1,"sampleSpan":{"first":3,"end":1}}"#),
      "concealed[0].sampleSpan.end: comes before the span's first"
    ),
  ]

  private static let further = #"{"sampleCount":1,"parameterSetDigest":"\#(digest)","contentDigest":"\#(digest)"}"#

  private static func sound(_ concealment: String) -> String {
    #"{"kind":"sound",\#(segment),"sampleCount":1,"concealed":[\#(concealment)]}"#
  }

  private static func foreign(_ field: String, _ kind: String) -> String {
    "\(field): does not belong to a proof of kind \(kind)"
  }

  @Test(arguments: malformed)
  func `a malformed proof is refused, and the field named that is at fault`(_ json: String, _ complaint: String) {
    let error = #expect(throws: WireError.self) { _ = try read(json) }
    #expect(error == .malformed("finished._0.\(complaint)"))
  }

  private static func muxOrder(_ pictures: [Winner<PictureProof>]) throws -> String {
    let spec = JobSpec(document: "{}", facts: [:], output: "/o.mp4", overwrites: false, keepsSegments: false)
    let work = Work.mux(pictures: pictures, sound: [])
    let order = AttemptOrder(job: "j", key: AttemptKey(task: 9, attempt: 1), work: work, spec: spec)
    return String(decoding: try order.line(), as: UTF8.self)
  }

  /// Two pictures, of frames 0 and 1 to 4. The second is damaged.
  private static let pictures: [Winner<PictureProof>] = [(0, 1), (1, 4)].map { first, count in
    let segment = SegmentProof(
      file: FileProof(path: "j/\(first)", byteCount: 7 + Int64(first), byteDigest: digest), parameterSetDigest: digest,
      contentDigest: digest, concealed: first == 0 ? [] : [Concealment(asset: "a", frames: 2, frameSpan: 1..<3)])
    return Winner(
      key: AttemptKey(task: Int64(first) + 5, attempt: count),
      proof: PictureProof(frames: FrameRange(first: first, count: count), segment: segment, key: first == 0 ? digest : nil))
  }

  @Test func `only an attempt's first report tells a key, and a proof with another one loses it`() {
    guard let chunk = Self.pictures.first?.proof else { return }
    var (other, keyless) = (chunk, chunk)
    (other.key, keyless.key) = (String(repeating: "1", count: 32), nil)
    func told(_ reports: [AttemptReport]) -> [AttemptReport] {
      var witness = KeyWitness()
      return reports.compactMap { witness.believed($0) }
    }
    let (own, wrong) = (AttemptReport.finished(.picture(chunk)), AttemptReport.finished(.picture(other)))
    let without = AttemptReport.finished(.picture(keyless))
    #expect(told([.keyed(chunk.key), own]) == [own])
    #expect(told([.keyed(chunk.key), wrong]) == [without])
    #expect(told([.keyed(chunk.key), .keyed(other.key), wrong]) == [without])
    #expect(told([.keyed(nil), .keyed(chunk.key), own]) == [without])
    #expect(told([.progress(done: 1, total: 2), .keyed(chunk.key), own]) == [.progress(done: 1, total: 2), without])
    let sound = SoundProof(sampleCount: 1, segment: chunk.segment, key: chunk.key)
    let quiet = SoundProof(sampleCount: 1, segment: chunk.segment)
    #expect(told([.keyed(nil), .finished(.sound(sound))]) == [.finished(.sound(quiet))])
  }

  @Test(arguments: 0...2) func `the pictures of a mux are read as they were written`(_ count: Int) throws {
    let pictures = Array(Self.pictures.prefix(count))
    let order = try AttemptOrder(line: Array(Self.muxOrder(pictures).utf8))
    #expect(order.work == .mux(pictures: pictures, sound: []))
  }

  @Test func `the renditions of a mux's pictures are read as they were written, one list for each picture`() throws {
    var pictures = Self.pictures
    let rendition = FurtherPicture(parameterSetDigest: Self.digest, contentDigest: String(repeating: "1", count: 32))
    for place in pictures.indices { pictures[place].proof.renditions = Array(repeating: rendition, count: 3) }
    let line = try Self.muxOrder(pictures)
    #expect(try AttemptOrder(line: Array(line.utf8)).work == .mux(pictures: pictures, sound: []))
    pictures[1].proof.renditions = []
    let fewer = try Self.muxOrder(pictures)
    #expect(try AttemptOrder(line: Array(fewer.utf8)).work == .mux(pictures: pictures, sound: []))
    #expect(throws: WireError.self) { try AttemptOrder(line: Array(line.replacing(Self.digest, with: "x").utf8)) }
  }

  @Test func `the quality of a chunk is read as it was written, in its proof and in the order of a mux`() throws {
    var pictures = Self.pictures
    pictures[1].proof.quality = ReachedQuality(QualityTarget(.ssim, 0.98), reached: 0.98125, crf: 23.25, tries: 5)
    let proof = Proof.picture(pictures[1].proof)
    let report = AttemptReport.finished(proof)
    #expect(try AttemptReport(line: String(decoding: report.line(), as: UTF8.self)) == report)
    let message = WorkerMessage.finished(worker: "a", epoch: "1", pictures[1].key, proof)
    #expect(try Wire.decode(WorkerMessage.self, from: Wire.encode(message)) == message)
    let line = try Self.muxOrder(pictures)
    #expect(try AttemptOrder(line: Array(line.utf8)).work == .mux(pictures: pictures, sound: []))
    let other = line.replacing(#""measured":[{"picture":1"#, with: #""measured":[{"picture":2"#)
    #expect(throws: WireError.malformed("work.mux.pictures.measured: names picture 2 of 2")) {
      try AttemptOrder(line: Array(other.utf8))
    }
  }

  /// The changes that make an order of the two pictures malformed, each with what is said of it.
  private static let malformedColumns = [
    (#""tasks":[5,6]"#, #""tasks":[5]"#, "attempts: has 2 values beside 1 tasks"),
    (#""files":["j/0","j/1"]"#, #""files":["j/0"]"#, "files: has 1 values beside 2 tasks"),
    (#""files":["j/0","j/1"]"#, #""files":["j/0",""]"#, "files: is not a file's path, at place 1"),
    (#""files":["j/0","j/1"]"#, #""files":["j/0",null]"#, "files[1]: is not a text"),
    (#""files""#, #""paths""#, "files: missing"),
    (#""byteCounts":[7,8]"#, #""byteCounts":[7,-8]"#, "byteCounts: is no number of bytes, at place 1"),
    (#""frameCounts":[1,4]"#, #""frameCounts":[1,0]"#, "frameCounts: not a range of frames, at place 1"),
    (#""firstFrames":[0,1]"#, #""firstFrames":[-1,1]"#, "frameCounts: not a range of frames, at place 0"),
    (#""byteDigests":["0"#, #""byteDigests":["X"#, "byteDigests: \(noDigest), at place 0"),
    (#""parameterSetDigests":["0"#, #""parameterSetDigests":["X"#, "parameterSetDigests: \(noDigest), at place 0"),
    (#""contentDigests":["0"#, #""contentDigests":["X"#, "contentDigests: \(noDigest), at place 0"),
    (#""picture":1"#, #""picture":2"#, "damaged: names picture 2 of 2"),
    (#""picture":1"#, #""picture":-1"#, "damaged: names picture -1 of 2"),
    (#""frames":2"#, #""frames":-2"#, "damaged[0].concealed[0].frames: is no number of frames"),
  ]

  @Test(arguments: malformedColumns)
  func `malformed pictures of a mux are refused, and the column is named`(
    _ text: String, _ other: String, _ complaint: String
  ) throws {
    let line = try Self.muxOrder(Self.pictures)
    #expect(line.contains(text))
    let error = #expect(throws: WireError.self) { try AttemptOrder(line: Array(line.replacing(text, with: other).utf8)) }
    #expect(error == .malformed("work.mux.pictures.\(complaint)"))
  }

  @Test func `a sound of the wrong kind cannot be read from an order`() throws {
    let key = AttemptKey(task: 1, attempt: 1)
    let spec = JobSpec(document: "{}", facts: [:], output: "/o.mp4", overwrites: false, keepsSegments: false)
    let sound = Winner(key: key, proof: Proof.sample(of: .sound))
    let line = try String(decoding: AttemptOrder(job: "j", key: key, work: .mux(of: [sound]), spec: spec).line(), as: UTF8.self)
    #expect(try AttemptOrder(line: Array(line.utf8)).work.winners == [sound])
    #expect(throws: WireError.malformed("work.mux.sound[0].proof.sampleCount: missing")) {
      _ = try AttemptOrder(line: Array(line.replacing(#""sampleCount""#, with: #""frames""#).utf8))
    }
  }

  @Test func `a result fits its task if it is of its kind and of its frames, or of the first of them`() {
    let frames = FrameRange(first: 10, count: 10)
    func fit(_ proof: Proof, _ kind: TaskKind = .picture) -> ResultFit {
      ResultFit(of: proof, to: kind, kind == .picture ? frames : nil)
    }
    func made(_ first: Int, _ count: Int) -> Proof { .sample(of: .picture(FrameRange(first: first, count: count))) }
    #expect(fit(made(10, 10)) == .whole)
    #expect(fit(made(10, 4)) == .firstPart(before: 14))
    for (first, count) in [(10, 11), (11, 9), (9, 11), (0, 10)] {
      let reason = "the result is of frames \(first)..<\(first + count)"
      #expect(fit(made(first, count)) == .other(Failure(.bug, at: "frames 10..<20", reason)))
    }
    for kind in TaskKind.allCases {
      for told in TaskKind.allCases where told != kind {
        let reason = "the result is of kind \(told)"
        #expect(fit(.sample(of: told), kind) == .other(Failure(.bug, at: "task of kind \(kind)", reason)))
      }
      if kind != .picture { #expect(fit(.sample(of: kind), kind) == .whole) }
    }
  }
}
