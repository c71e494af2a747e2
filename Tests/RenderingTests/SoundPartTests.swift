import FarmTesting
import Formats
import Glibc
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Sound that is mixed and encoded in parts (decision 0200), against the same sound in one piece.
@Suite struct `Sound in parts` {
  private let workshop = Workshop()
  private static let seconds = 9

  /// Writes a medium of ten seconds with music-like sound.
  private func medium(_ name: String, rate: Int = 48_000, _ codec: [String] = []) throws {
    let wave = "0.2*sin(2*PI*(220+8*t)*t)+0.1*sin(2*PI*1870*t)*(1+sin(2*PI*3*t))+0.05*(random(0)-0.5)"
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "aevalsrc='\(wave)|0.3*sin(2*PI*(330+5*t)*t)+0.05*(random(1)-0.5)':s=\(rate):d=10"] + codec
        + [workshop.file(name)])
  }

  private func edit(_ tracks: String, assets: [String], mix: String = "[]", export: String) throws -> ResolvedTimeline {
    let list = assets.map { #""\#($0.prefix { $0 != "." })": {"path": "\#($0)"}"# }.joined(separator: ", ")
    return try workshop.edit(
      """
      {"spool": 1, "assets": {\(list)}, "composition": {"tracks": [\(tracks)]}, "audioMix": \(mix), "export": {\(export)}}
      """)
  }

  private static let plain =
    #"{"id": "T", "media": "audio", "segments": [{"asset": "s", "source": {"start": "0", "duration": "9"}}]}"#

  private func parts(_ edit: ResolvedTimeline, every seconds: Int = 3) throws -> [Range<Int64>] {
    guard case .parts(let parts) = try SoundDivision(of: edit, every: seconds) else { return [] }
    return parts
  }

  private func samples(_ edit: ResolvedTimeline, _ part: SoundMix.Part? = nil) throws -> [[Float]] {
    let sound = try MasteredSound(edit: edit, policy: workshop.policy, part: part)
    var samples: [[Float]] = []
    while let block = try sound.next() {
      if samples.isEmpty { samples = Array(repeating: [], count: block.channelCount) }
      for channel in samples.indices { unsafe samples[channel] += Array(block.samples[channel]) }
    }
    return samples
  }

  /// Volume ramps, eased fades, a balance that moves, other speeds, reversed sound, several tracks and rates, and codecs with blocks.
  private static let everything = #"""
    {"id": "A", "media": "audio", "segments": [{"asset": "s", "source": {"start": "0.3", "duration": "9"}, "at": "0"}]},
    {"id": "B", "media": "audio", "segments": [
      {"asset": "cd", "source": {"start": "0.1", "duration": "4"}, "duration": "5.1", "at": "0.7"},
      {"asset": "cd", "source": {"start": "1", "duration": "3"}, "at": "5.8"}]},
    {"id": "C", "media": "audio", "segments": [{"asset": "m", "source": {"start": "1/7", "duration": "8"}, "at": "1/3"}]},
    {"id": "D", "media": "audio", "segments": [{"asset": "cd", "source": {"start": "0", "duration": "7"}, "at": "1", "reversed": true}]},
    {"id": "E", "media": "audio", "segments": [{"asset": "l", "source": {"start": "0", "duration": "9"}, "at": "0"}]}
    """#
  private static let mix = #"""
    [{"track": "A", "volume": [{"at": "0", "value": 0}, {"at": "5", "value": 1, "easing": "easeInOut"}, {"at": "8", "value": 0.2}]},
     {"track": "B", "balance": [{"at": "1", "value": -1}, {"at": "8", "value": 1}]}, {"track": "C", "volume": 0.7}]
    """#

  @Test func `is mixed to the same samples, bit by bit`() throws {
    try medium("s.wav", ["-c:a", "pcm_f32le"])
    try medium("cd.flac", rate: 44_100)
    try medium("m.mp3", rate: 44_100)
    // Noise that a decoder makes up goes on from where it began, so none is left to it.
    try medium("l.m4a", rate: 44_100, ["-aac_pns", "0"])
    let edit = try edit(
      Self.everything, assets: ["s.wav", "cd.flac", "m.mp3", "l.m4a"], mix: Self.mix,
      export: #""fileType": "mkv", "audio": {"codec": "flac"}"#)
    let whole = try samples(edit)
    let count = Int64(whole[0].count)
    #expect(count == 48_000 * 9 - 9_600 || count >= 48_000 * 8)
    for (lower, upper) in [(0, 100_000), (100_000, 234_567), (234_567, 300_001), (300_001, count)] as [(Int64, Int64)] {
      let mixed = max(0, lower - 50_000)..<min(count, upper + 9_000)
      let part = try samples(edit, SoundMix.Part(mixed: mixed, heard: lower..<upper))
      for channel in whole.indices {
        #expect(part[channel].count == mixed.count)
        let differing = part[channel].indices.first { part[channel][$0] != whole[channel][Int(mixed.lowerBound) + $0] }
        #expect(differing == nil, "channel \(channel) of \(mixed)")
      }
    }
  }

  @Test(arguments: [
    ("aac", "m4a"), ("aac", "mpegts"), ("opus", "webm"), ("opus", "ogg"), ("ac3", "m4a"), ("eac3", "mp4"),
    ("flac", "flac"), ("flac", "mkv"), ("alac", "m4a"), ("pcm", "wav"),
  ])
  func `has exactly the samples of the edit, and no worse ones at the joints`(codec: String, type: String) throws {
    try medium("s.wav", ["-c:a", "pcm_f32le"])
    // Lossy sound of a length that fills no block.
    let edit = try edit(
      Self.plain.replacing(#""duration": "9""#, with: #""duration": "8.999""#), assets: ["s.wav"],
      export: #""fileType": "\#(type)", "audio": {"codec": "\#(codec)"}"#)
    let (division, mix) = (try parts(edit), try samples(edit))
    #expect(division.count == 3)
    let whole = try workshop.movie(of: edit, borders: [], output: "whole.\(type)")
    let movie = try workshop.movie(of: edit, borders: [], sound: division, output: "parts.\(type)")
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verified.faults == [] && verified.samples == Int64(mix[0].count))
    guard AudioCodec(rawValue: codec)?.isLossless == false else {
      return #expect(try [UInt8](contentsOf: movie) == [UInt8](contentsOf: whole), "the file is another one")
    }
    let (divided, single) = (try errors(of: movie, mix), try errors(of: whole, mix))
    // The worst window of the sound in one piece, and of that in parts without what lies near the joints.
    let joints = division.dropFirst().map { Int($0.lowerBound) / Self.window }
    let near = divided.indices.filter { place in joints.contains { abs($0 - place) <= 4 } }
    let elsewhere = divided.indices.filter { !near.contains($0) }.map { divided[$0] }.max() ?? 0
    let worst = near.map { divided[$0] }.max() ?? 0
    #expect(worst <= max(elsewhere, single.max() ?? 0) * 1.05, "near the joints \(worst), elsewhere \(elsewhere)")
  }

  private static let window = 512

  /// The root mean square of the errors of a movie's sound, for each window.
  private func errors(of movie: String, _ mix: [[Float]]) throws -> [Double] {
    let raw = workshop.file("decoded.raw")
    try MediaTools.ffmpeg(["-y", "-i", movie, "-f", "f32le", "-ac", "2", "-ar", "48000", raw])
    let bytes = try [UInt8](contentsOf: raw)
    var samples = unsafe bytes.withUnsafeBytes { raw in
      (0..<raw.count / 4).map { unsafe Float(bitPattern: raw.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) }
    }
    // A transport stream begins with the priming.
    samples.removeFirst(max(0, samples.count - mix[0].count * 2) / 2 * 2)
    return stride(from: 0, to: mix[0].count - Self.window, by: Self.window).map { start in
      let sum = (start..<start + Self.window).reduce(0.0) { sum, place in
        let (left, right) = (Double(samples[place * 2] - mix[0][place]), Double(samples[place * 2 + 1] - mix[1][place]))
        return sum + left * left + right * right
      }
      return (sum / Double(Self.window)).squareRoot()
    }
  }

  @Test func `is proved part by part, and muxed only as a whole`() throws {
    try medium("s.wav", ["-c:a", "pcm_f32le"])
    let edit = try edit(Self.plain, assets: ["s.wav"], export: #""fileType": "m4a", "audio": {"codec": "aac"}"#)
    let parts = try parts(edit)
    let made = try parts.enumerated().map {
      try workshop.run(.soundPart(SampleRange($1)), task: Int64($0), of: edit, output: "m.m4a")
    }
    let proofs = made.compactMap { if case .sound(let proof) = $0.proof { proof } else { nil } }
    #expect(proofs.map(\.samples) == parts.map { SampleRange($0) })
    #expect(Set(proofs.map(\.segment.parameterSetDigest)).count == 1 && Set(proofs.map(\.segment.contentDigest)).count == 3)
    for missing in made.indices {
      var some = made
      some.remove(at: missing)
      #expect(throws: Failure.self) { try workshop.run(.mux(of: some), task: 9, of: edit, output: "m.m4a") }
    }
    try workshop.damage(made[1])
    let failure = #expect(throws: Failure.self) { try workshop.run(.mux(of: made), task: 10, of: edit, output: "m.m4a") }
    #expect(failure?.damaged == [made[1].key])
    #expect(throws: Failure.self) {
      try workshop.run(.soundPart(SampleRange(first: 1000, count: 5000)), task: 11, of: edit, output: "m.m4a")
    }
  }

  @Test func `keeps the parts that an edit did not change`() throws {
    try medium("s.wav", ["-c:a", "pcm_f32le"])
    workshop.cache = SegmentCache(of: workshop.store, .own)
    func found(_ volume: String, task: Int64, codec: String = "aac") throws -> [Bool] {
      let edit = try edit(
        Self.plain.replacing(
          #""source": {"start": "0", "duration": "9"}"#, with: #""source": {"start": "0", "duration": "9"}, "at": "0""#),
        assets: ["s.wav"], mix: #"[{"track": "T", "volume": \#(volume)}]"#,
        export: #""fileType": "mov", "audio": {"codec": "\#(codec)"}"#)
      let made = try parts(edit).enumerated().map {
        try workshop.run(.soundPart(SampleRange($1)), task: task + Int64($0), of: edit, output: "m.mov")
      }
      _ = try workshop.run(.mux(of: made), task: task + 8, of: edit, output: "m.mov")
      return made.map(\.proof.isFound)
    }
    let quiet = #"[{"at": "0", "value": 1}, {"at": "\#(8)", "value": 1}, {"at": "8.5", "value": 0.5}]"#
    #expect(try found("1", task: 10, codec: "pcm") == [false, false, false])
    #expect(try found("1", task: 20, codec: "pcm") == [true, true, true])
    #expect(try found(quiet, task: 30, codec: "pcm") == [false, false, false])
    #expect(try found(quiet.replacing("0.5}", with: "0.6}"), task: 40, codec: "pcm") == [true, true, false])
    #expect(try found(quiet, task: 50) == [false, false, false])
    #expect(try found(quiet.replacing("0.5}", with: "0.6}"), task: 60) == [true, true, false])
  }

  @Test func `lies beside further sounds in each part`() throws {
    try medium("s.wav", ["-c:a", "pcm_f32le"])
    try medium("e.wav", rate: 44_100)
    let tracks =
      Self.plain + #", {"id": "E", "media": "audio", "segments": [{"asset": "e", "source": {"start": "0", "duration": "9"}}]}"#
    let edit = try edit(
      tracks, assets: ["s.wav", "e.wav"],
      export:
        #""fileType": "mov", "audio": {"codec": "pcm"}, "sounds": [{"tracks": ["T"]}, {"tracks": ["E"], "audio": {"channelLayout": "mono"}}]"#
    )
    let whole = try workshop.movie(of: edit, borders: [], output: "whole.mov")
    let movie = try workshop.movie(of: edit, borders: [], sound: parts(edit), output: "parts.mov")
    #expect(try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }.faults == [])
    #expect(try [UInt8](contentsOf: movie) == [UInt8](contentsOf: whole))
  }

  @Test func `counts the frames of FLAC on, which need two bytes for their numbers from 128 on`() throws {
    try medium("s.wav", ["-c:a", "pcm_f32le"])
    let segment = #"{"asset": "s", "source": {"start": "0", "duration": "9"}}"#
    let edit = try edit(
      #"{"id": "T", "media": "audio", "segments": [\#(segment), \#(segment)]}"#, assets: ["s.wav"],
      export: #""fileType": "flac", "audio": {"codec": "flac"}"#)
    let whole = try workshop.movie(of: edit, borders: [], output: "whole.flac")
    let movie = try workshop.movie(of: edit, borders: [], sound: parts(edit, every: 8), output: "parts.flac")
    #expect(try [UInt8](contentsOf: movie) == [UInt8](contentsOf: whole))
  }

  private static let refusals: [(mix: String, export: String, reason: SoundDivision.Reason)] = [
    ("[]", #""fileType": "mp3", "audio": {"codec": "mp3"}"#, .codec(.mp3)),
    ("[]", #""fileType": "m4a", "loudness": "podcast""#, .loudness),
    (#"[{"track": "T", "effects": [{"gate": {"threshold": "-50 dB"}}]}]"#, #""fileType": "m4a""#, .effects),
    ("[]", #""fileType": "m4a", "effects": [{"gate": {"threshold": "-50 dB"}}]"#, .effects),
    (#"[{"track": "T", "loudness": -20}]"#, #""fileType": "m4a""#, .studies),
    (#"[{"track": "T", "duck": {"under": ["F"], "threshold": "-30 dB"}}]"#, #""fileType": "m4a""#, .studies),
    (#"[{"track": "F", "preservesPitch": true}]"#, #""fileType": "m4a""#, .pitch),
  ]

  @Test(arguments: refusals.indices) func `is not made where the parts would differ from the whole, and the reason is told`(
    _ index: Int
  ) throws {
    try medium("s.wav", ["-c:a", "pcm_f32le"])
    let fast =
      #", {"id": "F", "media": "audio", "segments": [{"asset": "s", "source": {"start": "0", "duration": "4"}, "duration": "5"}]}"#
    let (mix, export, reason) = Self.refusals[index]
    let edit = try edit(Self.plain + fast, assets: ["s.wav"], mix: mix, export: export)
    #expect(try SoundDivision(of: edit, every: 3) == .whole(reason))
    #expect(reason.words != nil)
    // A short sound is no matter of refusals.
    #expect(try SoundDivision(of: edit, every: 7) == .whole(.short))
  }

  @Test(arguments: ["aac", "opus", "ac3", "eac3", "flac", "pcm"]) func `begins with whole blocks, wherever the sound ends`(
    codec: String
  )
    throws
  {
    try medium("s.wav", ["-c:a", "pcm_f32le"])
    for length in ["9", "8.5", "8.4999", "7.77", "5", "4.49"] {
      let edit = try edit(
        Self.plain.replacing(#""duration": "9""#, with: #""duration": "\#(length)""#), assets: ["s.wav"],
        export: #""fileType": "\#(["aac", "ac3", "eac3"].contains(codec) ? "mov" : "mkv")", "audio": {"codec": "\#(codec)"}"#)
      let (parts, count) = (try parts(edit), try edit.sampleCount)
      let block = try #require(edit.audio?.coding.coder.dividedBlock(sampleRate: 48_000))
      #expect(parts.count == Int(max(1, (Double(length) ?? 0) / 3 + 0.5)) || parts.isEmpty)
      guard !parts.isEmpty else { continue }
      #expect(parts[0].lowerBound == 0 && parts.last?.upperBound == count)
      for (part, next) in zip(parts, parts.dropFirst()) {
        #expect(part.upperBound == next.lowerBound)
        #expect((codec == "flac" || codec == "pcm" ? part.upperBound : count - part.upperBound) % block == 0)
      }
    }
  }
}
