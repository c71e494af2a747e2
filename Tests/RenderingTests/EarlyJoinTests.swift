import FarmTesting
import Glibc
import Messages
import Rendering
import Scenes
import Subprocess
import Testing
import Timeline

/// The process that joins a movie while it is rendered (decision 0206), without a farm.
@Suite struct `A movie that is joined while it is rendered` {
  private static let borders = [0, 10, 25, 26]

  @Test(arguments: ["mp4", "mov", "mkv", "mpegts"], [false, true])
  func `has the bytes of one that was joined at the end, in whatever order its segments come`(
    type: String, isMovable: Bool
  ) throws {
    guard !isMovable || ["mp4", "mov"].contains(type) else { return }
    let bench = try JoinBench(type, moovFirst: isMovable)
    let plain = try bench.mux(attempt: 1)
    let joiner = try bench.startJoiner()
    // The last segment is told by the mux.
    for winner in bench.winners.reversed().dropLast() { bench.tell(winner) }
    let muxed = try bench.mux(attempt: 2)
    #expect(try joiner.wait() == .exited(0))
    #expect(muxed.proof.file.byteDigest == plain.proof.file.byteDigest)
    #expect(!bench.hasEarlyPart, "the mux took the file")
    // Once is enough: the next mux does it all.
    #expect(try bench.mux(attempt: 3).proof.file.byteDigest == plain.proof.file.byteDigest)
    #expect(try bench.startJoiner(awaitingLock: false).wait() == .exited(0))
    #expect(!bench.hasEarlyPart, "nobody begins a second time")
  }

  @Test(arguments: [
    ("wav", "pcm"), ("aiff", "pcm"), ("m4a", "aac"), ("mov", "alac"), ("mkv", "flac"), ("flac", "flac"), ("ogg", "opus"),
  ])
  func `has the bytes of one that was joined at the end, of sound alone, too`(type: String, codec: String) throws {
    let bench = try JoinBench(type, soundIn: codec)
    try #require(bench.winners.count == 3)
    let plain = try bench.mux(attempt: 1)
    let joiner = try bench.startJoiner()
    for winner in bench.winners.reversed() { bench.tell(winner) }
    #expect(try joiner.wait() == .exited(0))
    try #require(bench.hasEarlyPart)
    let muxed = try bench.mux(attempt: 2)
    #expect(muxed.proof.file.byteDigest == plain.proof.file.byteDigest)
    #expect(!bench.hasEarlyPart, "the mux took the file")
    try bench.publish(muxed)
  }

  @Test func `has these bytes where its sound is copied and shorter than its picture`() throws {
    let bench = try JoinBench("mp4", copiesSound: true)
    let plain = try bench.mux(attempt: 1)
    let joiner = try bench.startJoiner()
    for winner in bench.winners { bench.tell(winner) }
    let muxed = try bench.mux(attempt: 2)
    #expect(try joiner.wait() == .exited(0))
    #expect(muxed.proof.file.byteDigest == plain.proof.file.byteDigest)
    #expect(!bench.hasEarlyPart, "the mux took the file")
  }

  @Test func `is joined by the mux if the process was killed, and nothing of it is left`() throws {
    // The last is the sound: with it, the file is begun.
    for told in [[], [0, 1], [4, 0, 1]] {
      let bench = try JoinBench("mp4")
      let plain = try bench.mux(attempt: 1)
      let joiner = try bench.startJoiner()
      for index in told { bench.tell(bench.winners[index]) }
      if told.contains(4) { try bench.wait { bench.hasEarlyPart } }
      joiner.signal(SIGKILL)
      #expect(try joiner.wait() == .signalled(SIGKILL))
      let muxed = try bench.mux(attempt: 2)
      #expect(muxed.proof.file.byteDigest == plain.proof.file.byteDigest)
      try bench.publish(muxed)
      #expect(!bench.hasEarlyPart)
    }
  }

  @Test func `is joined by the mux if the process was told of a segment that did not win`() throws {
    let bench = try JoinBench("mp4")
    let plain = try bench.mux(attempt: 1)
    let joiner = try bench.startJoiner()
    let other = try bench.renderOtherwise(FrameRange(first: 10, count: 15), task: 2, attempt: 7)
    #expect(other.proof.file.byteDigest != bench.winners[1].proof.file.byteDigest)
    bench.tell(other)
    for (index, winner) in bench.winners.enumerated() where index != 1 { bench.tell(winner) }
    #expect(try joiner.wait() == .exited(0), "it joined what it was told of")
    #expect(try bench.mux(attempt: 2).proof.file.byteDigest == plain.proof.file.byteDigest)
    #expect(bench.hasEarlyPart, "nobody took it")
  }

  @Test func `is joined anew if somebody wrote to it after it was joined`() throws {
    let bench = try JoinBench("mp4")
    let plain = try bench.mux(attempt: 1)
    let movie = try [UInt8](contentsOf: plain.proof.file.path)
    let joiner = try bench.startJoiner()
    for winner in bench.winners { bench.tell(winner) }
    #expect(try joiner.wait() == .exited(0))
    try bench.changeEarlyPart()
    let muxed = try bench.mux(attempt: 2)
    #expect(muxed.proof.file.byteDigest == plain.proof.file.byteDigest)
    #expect(try [UInt8](contentsOf: muxed.proof.file.path) == movie)
  }

  @Test func `names a damaged segment no less, so that it is rendered anew`() throws {
    let bench = try JoinBench("mp4")
    let joiner = try bench.startJoiner()
    try bench.damage(bench.winners[2])
    for winner in bench.winners { bench.tell(winner) }
    #expect(try joiner.wait() == .exited(70))
    let failure = try #require(throws: Failure.self) { try bench.mux(attempt: 1) }
    #expect(failure.damaged == [bench.winners[2].key])
    #expect(!bench.hasEarlyPart)
  }

  @Test func `is given up when its job has ended`() throws {
    let bench = try JoinBench("mp4")
    let joiner = try bench.startJoiner()
    bench.tell(bench.winners[0])
    bench.sweep()
    #expect(try joiner.wait() == .exited(0))
    #expect(!bench.hasEarlyPart)
  }

  @Test func `is not begun where a movie needs all its segments at once`() throws {
    let bench = try JoinBench("mp4", export: #", "fragmentInterval": 1"#)
    #expect(try bench.startJoiner(awaitingLock: false).wait() == .exited(0))
    #expect(!bench.isJoining)
  }
}

extension Workshop {
  /// The edit of a document, with its plan of what is copied, of which there has to be some sound.
  fileprivate func copying(_ document: String) throws -> ResolvedTimeline {
    let edit = try edit(document)
    var timeline = edit.timeline
    timeline.export.copies = try CopySearch(of: edit, policy: policy).plan
    try #require(timeline.export.copies?.soundSampleCount != nil)
    return try timeline.resolved(with: edit.facts)
  }
}

/// Segments of a short movie, and a process that joins them.
private final class JoinBench {
  let workshop = Workshop()
  let winners: [Winner<Proof>]
  private let edit: ResolvedTimeline
  private let type: String
  private let keeper: SegmentKeeper
  private var output: String { "movie.\(type)" }

  /// - Parameter codec: that of a movie of sound alone.
  init(_ type: String, soundIn codec: String) throws {
    self.type = type
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=440:duration=3", "-c:a", "pcm_s16le", workshop.file("s.wav")])
    edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"s": {"path": "s.wav"}},
       "composition": {"tracks": [{"id": "S", "media": "audio", "segments": [{"asset": "s"}]}]},
       "export": {"fileType": "\(type)", "audio": {"codec": "\(codec)"}}}
      """)
    guard case .parts(let parts) = try SoundDivision(of: edit, every: 1) else {
      throw Failure(.bug, at: "edit", "its sound is in one piece")
    }
    let (workshop, edit, output) = (workshop, edit, "movie.\(type)")
    winners = try parts.enumerated().map { index, part in
      try workshop.run(.soundPart(SampleRange(part)), task: Int64(index + 1), of: edit, output: output)
    }
    keeper = SegmentKeeper(workshop.store, nil)
  }

  /// - Parameter copiesSound: whether its sound is a copy of its source's, of 1.5 s; it is encoded otherwise.
  init(_ type: String, moovFirst: Bool = false, export: String = "", copiesSound: Bool = false) throws {
    self.type = type
    try workshop.clip("a.mp4", frameCount: 80)
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=440:duration=3", "-c:a", "pcm_s16le", workshop.file("s.wav")])
    if copiesSound {
      let tone = ["-f", "lavfi", "-i", "sine=440:duration=1.5:sample_rate=48000"]
      try MediaTools.ffmpeg(tone + ["-c:a", "aac", "-ac", "2", workshop.file("s.m4a")])
      edit = try workshop.copying(Self.document(type, from: 0, #", "audio": {"copy": "require"}"#, sound: ("s.m4a", "1.5")))
    } else {
      edit = try workshop.edit(Self.document(type, from: 0, moovFirst ? #", "optimizeForNetworkUse": true"# : export))
    }
    let (workshop, edit, output) = (workshop, edit, "movie.\(type)")
    let ends = [10, 25, 26, 50]
    winners =
      try zip([0] + ends, ends).enumerated().map { index, range in
        try workshop.run(
          .picture(FrameRange(first: range.0, count: range.1 - range.0)), task: Int64(index + 1), of: edit, output: output)
      } + [workshop.run(.sound, task: 9, of: edit, output: output)]
    keeper = SegmentKeeper(workshop.store, nil)
  }

  private static func document(
    _ type: String, from start: Int, _ export: String, sound: (path: String, length: String) = ("s.wav", "2")
  ) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "s": {"path": "\(sound.path)"}},
     "composition": {"tracks": [
       {"id": "V", "media": "video", "segments": [{"asset": "a", "source": {"start": "\(start)", "duration": "2"}}]},
       {"id": "S", "media": "audio", "segments": [{"asset": "s", "source": {"start": "0", "duration": "\(sound.length)"}}]}]},
     "export": {"fileType": "\(type)", "video": {"codec": "h264"}\(export)}}
    """
  }

  var isJoining: Bool { has("store/\(workshop.job)/0/0.joining") }
  var hasEarlyPart: Bool { has(".\(output).\(workshop.job).0.part") }

  private func has(_ name: String) -> Bool { unsafe access(workshop.file(name), F_OK) == 0 }

  func startJoiner(awaitingLock: Bool = true) throws -> ChildProcess {
    var command = SpoolProgram.command(["join", "--store", workshop.store.root])
    let order = workshop.order(.sound, AttemptKey(task: 9, attempt: 1), of: edit, output: output)
    (command.input, command.output) = (.bytes(try order.line()), .null)
    let joiner = try ChildProcess(command)
    if awaitingLock { try wait { isJoining } }
    return joiner
  }

  /// Waits until something holds, at most 20 s.
  func wait(until condition: () -> Bool) throws {
    for _ in 0..<4000 where !condition() { usleep(5000) }
    try #require(condition())
  }

  func tell(_ winner: Winner<Proof>) { keeper.keep(winner.key, workshop.job, winner.proof) }

  func mux(attempt: Int) throws -> Winner<Proof> {
    try workshop.run(.mux(of: winners), task: 20, attempt: attempt, of: edit, output: output)
  }

  func publish(_ muxed: Winner<Proof>) throws { try workshop.run(.publish(of: muxed), task: 21, of: edit, output: output) }

  /// Renders frames of an edit that shows the clip from another second on.
  func renderOtherwise(_ frames: FrameRange, task: Int64, attempt: Int) throws -> Winner<Proof> {
    let other = try workshop.edit(Self.document(type, from: 1, ""))
    return try workshop.run(.picture(frames), task: task, attempt: attempt, of: other, output: output)
  }

  func damage(_ winner: Winner<Proof>) throws { try workshop.damage(winner) }

  /// Changes a byte in the middle of the file that was joined, which keeps its size.
  func changeEarlyPart() throws {
    let file = unsafe open(workshop.file(".\(output).\(workshop.job).0.part"), O_RDWR)
    try #require(file >= 0)
    defer { close(file) }
    var byte: UInt8 = 0
    let middle = lseek(file, 0, SEEK_END) / 2
    try #require(unsafe pread(file, &byte, 1, middle) == 1)
    byte ^= 1
    try #require(unsafe pwrite(file, &byte, 1, middle) == 1)
  }

  /// Takes away what the job left, as a sweep does when it has ended.
  func sweep() { workshop.store.clear([OverJob(id: workshop.job, output: workshop.file(output))]) }
}
