import FarmTesting
import Formats
import Glibc
import Media
import MediaTime
import Testing

@Suite struct AudioReaderTests {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  /// Two seconds of a chirp, different left and right. Every sample differs from its neighbours.
  static let chirp = ["-f", "lavfi", "-i", "aevalsrc=0.5*sin(300*t*t+200*t)|0.5*cos(170*t*t+90*t):s=48000:d=2"]

  @Test(arguments: [
    ("a.wav", "-c:a pcm_s16le"), ("a.flac", "-c:a flac"), ("a.m4a", "-c:a aac"), ("a.mov", "-c:a pcm_f32le"),
    ("a.mka", "-c:a pcm_s24le"),
    ("a.mp3", "-c:a libmp3lame"), ("a.ogg", "-c:a libvorbis"), ("a.opus", "-c:a libopus"), ("a.webm", "-c:a libopus"),
    ("a.ts", "-c:a aac"), ("a.ts", "-c:a ac3"), ("a.mka", "-c:a aac"), ("a.flv", "-c:a aac"),
  ])
  func `from any time, samples are the ones ffmpeg decodes`(_ name: String, _ codec: String) throws {
    let path = directory.file(name)
    try MediaTools.ffmpeg(Self.chirp + codec.split(separator: " ").map(String.init) + [path])
    let expected = try decoded(path)
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    for start in [Int64(0), 1, 4801, 47_999, 72_123] {
      let reader = try AudioReader(
        path: path, track: track, policy: policy, from: Rational(Int128(start), over: 48_000), sampleRate: 48_000, layout: .stereo
      )
      let found = try collect(reader, pieces: [5000])
      let wanted = expected.map { Array($0.dropFirst(Int(start)).prefix(5000)) }
      // Timestamps of Matroska and Flash are milliseconds, so a start within the file may be off by 48 samples.
      let slack = ["a.mka", "a.webm", "a.flv"].contains(name) ? 48 : 1
      #expect(closest(found, wanted, within: slack), "\(name) from sample \(start)")
    }
  }

  @Test(arguments: [
    ("a.wav", "pcm_s16le", 2), ("a.wav", "pcm_s16le", 1), ("a.wav", "pcm_s24le", 2), ("a.wav", "pcm_f32le", 2),
    ("a.wav", "pcm_s32le", 2), ("a.wav", "pcm_u8", 2), ("a.mov", "pcm_s32le", 2), ("a.aiff", "pcm_s16be", 2),
    ("a.aiff", "pcm_s24be", 1), ("a.aiff", "pcm_s32be", 2), ("a.aiff", "pcm_f32be", 2), ("a.aiff", "pcm_s16le", 2),
  ])
  func `samples that need no conversion are the file's own, wherever reading begins`(
    _ name: String, _ codec: String, channelCount: Int
  ) throws {
    let path = directory.file(name)
    let noise = (0..<channelCount).map { "random(\($0))-0.5" }.joined(separator: "|")
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "aevalsrc=\(noise):s=16000:d=22", "-c:a", codec, path])
    let raw = directory.file("raw.f32")
    try MediaTools.ffmpeg(["-i", path, "-f", "f32le", raw])
    let all = try unsafe read(raw).withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    // Other sound is decoded in blocks of ten seconds; a WAV is read in pieces of less than a second.
    for start in [0, 159_990, 160_001, 335_000] {
      let reader = try AudioReader(
        path: path, track: track, policy: policy, from: Rational(Int128(start), over: 16_000), sampleRate: 16_000,
        layout: channelCount == 1 ? .mono : .stereo)
      let found = try collect(reader, pieces: [1, 7, 4096, 333, 2100, 1999, 20_000])
      for channel in 0..<channelCount {
        let wanted = stride(from: start * channelCount + channel, to: all.count, by: channelCount).map { all[$0] }
        #expect(found[channel] == Array(wanted.prefix(28_536)), "\(name) from sample \(start)")
      }
    }
  }

  @Test func `a WAV that is cut off is heard to its last sample`() throws {
    let (whole, part) = (directory.file("whole.wav"), directory.file("part.wav"))
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "aevalsrc=0.5:s=48000:d=2", "-ac", "2", "-c:a", "pcm_s16le", whole])
    try write(try read(whole).dropLast(4 * 6144), to: part)
    let track = try AssetProbe.facts(of: part, policy: policy).first(.audio)
    let reader = try AudioReader(
      path: part, track: track, policy: policy, from: Rational(0), sampleRate: 48_000, layout: .stereo, damage: .conceal)
    let samples = try collect(reader, pieces: [96_000])[0]
    #expect(samples.lastIndex { $0 != 0 } == 96_000 - 6144 - 1)
  }

  @Test func `an AIFF of more than two gibibytes is heard to its end`() throws {
    let path = directory.file("a.aiff")
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "aevalsrc=0.5:s=48000:d=1", "-c:a", "pcm_s16be", path])
    var head = try read(path)
    let begin = try #require(head.firstRange(of: Array("SSND".utf8))).upperBound + 12
    let count = 1 << 30 | 4800
    // All but a head is a hole, which takes no room on the disk; the last tenth of a second is loud.
    head.removeSubrange(begin...)
    let frames = try #require(head.firstRange(of: Array("COMM".utf8))).upperBound + 6
    for (place, number) in [(4, begin + 2 * count - 8), (frames, count), (begin - 12, 2 * count + 8)] {
      for byte in 0..<4 { head[place + byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * byte)) }
    }
    try write(head, to: path)
    let file = unsafe open(path, O_WRONLY)
    defer { close(file) }
    let loud = [UInt8](repeating: 0x40, count: 9600)
    try #require(unsafe pwrite(file, loud, loud.count, off_t(begin + 2 * count - loud.count)) == loud.count)
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    #expect(track.timeRange.duration == (try MediaTime(Int64(count), 48_000)))
    let start = Int64(count) - 9600
    let reader = try AudioReader(
      path: path, track: track, policy: policy, from: Rational(Int128(start), over: 48_000), sampleRate: 48_000, layout: .mono)
    let samples = try collect(reader, pieces: [10_000])[0]
    #expect(samples == [Float](repeating: 0, count: 4800) + [Float](repeating: Float(0x4040) / 32768, count: 4800))
  }

  @Test(arguments: [false, true]) func `a WAV that becomes shorter while it is read is told`(isHanded: Bool) throws {
    let path = directory.file("a.wav")
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "aevalsrc=0.5|0.5:s=48000:d=5", "-c:a", "pcm_s16le", path])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    var reading = policy
    let descriptor = try policy.descriptor(of: path)
    defer { close(descriptor) }
    if isHanded { reading.hand([path], [descriptor]) }
    let reader = try AudioReader(
      path: path, track: track, policy: reading, from: Rational(0), sampleRate: 48_000, layout: .stereo, damage: .conceal)
    #expect(try collect(reader, pieces: [96_000])[0].allSatisfy { abs($0 - 0.5) < 1e-4 })
    try #require(unsafe truncate(path, 600_000) == 0)
    let error = #expect(throws: MediaError.self) { try collect(reader, pieces: [96_000]) }
    #expect(error?.kind == .changed && error?.place == path)
  }

  @Test func `how reading is split into calls changes no sample`() throws {
    let path = directory.file("a.m4a")
    try MediaTools.ffmpeg(Self.chirp + ["-c:a", "aac", "-ar", "44100", path])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    func read(_ pieces: [Int]) throws -> [[Float]] {
      let reader = try AudioReader(
        path: path, track: track, policy: policy, from: Rational(1, over: 3), rate: Rational(1001, over: 1000),
        sampleRate: 48_000,
        layout: .stereo)
      return try collect(reader, pieces: pieces)
    }
    let whole = try read([200_000])
    #expect(try read([1, 7, 4096, 333] + [Int](repeating: 911, count: 300)) == whole)
    // The sound lasts 2 s - 1/3 s, and is played 1001/1000 times as fast.
    let length = 48_000 * (2 - 1.0 / 3) * 1000 / 1001
    #expect(abs(Double(whole[0].count) - length) < 1100, "an AAC packet more at most")
  }

  @Test func `a track that begins late begins with silence, and gaps are silence`() throws {
    let path = directory.file("a.mkv")
    let late = "aselect='lt(t,0.5)+gte(t,1)',asetpts='N/SR/TB+gte(N,24000)*0.5/TB+0.25/TB'"
    try MediaTools.ffmpeg(
      [
        "-f", "lavfi", "-i", "aevalsrc=0.5:s=48000:d=2:n=480", "-f", "lavfi", "-i", "color=s=16x16:d=0.1", "-map", "1", "-map",
        "0",
        "-af", late, "-c:a", "pcm_f32le", "-c:v", "ffv1", path,
      ])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    let reader = try AudioReader(path: path, track: track, policy: policy, from: Rational(0), sampleRate: 48_000, layout: .mono)
    let samples = try collect(reader, pieces: [96_000])[0]
    func level(_ time: Double) -> Float { samples[Int(time * 48_000)] }
    #expect(level(0.1) == 0 && level(0.24) == 0)
    #expect(level(0.26) == 0.5 && level(0.74) == 0.5)
    #expect(level(0.76) == 0 && level(1.24) == 0)
    #expect(level(1.26) == 0.5)
  }

  @Test func `channels are mixed as the matrix says`() throws {
    func levels(_ expression: String, _ layout: String, to target: AudioCodecSettings.ChannelLayout) throws -> [Float] {
      let path = directory.file("a.wav")
      try MediaTools.ffmpeg(["-f", "lavfi", "-i", "aevalsrc=\(expression):c=\(layout):s=48000:d=0.1", "-c:a", "pcm_f32le", path])
      let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
      let reader = try AudioReader(
        path: path, track: track, policy: policy, from: Rational(0), sampleRate: 48_000, layout: target)
      return try collect(reader, pieces: [100]).map { $0[50] }
    }
    let half = Float(0.5).squareRoot()
    #expect(try levels("0.5", "mono", to: .stereo) == [0.5, 0.5])
    #expect(try levels("0.5", "mono", to: .surround51) == [0, 0, 0.5, 0, 0, 0])
    #expect(try levels("0.5|0.25", "stereo", to: .mono) == [0.375])
    #expect(try levels("0.5|0.25", "stereo", to: .surround51) == [0.5, 0.25, 0, 0, 0, 0])
    let down = try levels("0.1|0.2|0.3|0.9|0.05|0.15", "5.1", to: .stereo)
    #expect(abs(down[0] - (0.1 + half * 0.3 + half * 0.05)) < 1e-5)
    #expect(abs(down[1] - (0.2 + half * 0.3 + half * 0.15)) < 1e-5)
  }

  @Test func `varispeed keeps the ratio exactly`() throws {
    let path = directory.file("a.wav")
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=f=1000:r=44100:d=20", "-c:a", "pcm_s16le", path])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    for rate in [try Rational(2, over: 1), try Rational(1, over: 2), try Rational(1001, over: 1000), try Rational(24, over: 25)] {
      let reader = try AudioReader(
        path: path, track: track, policy: policy, from: Rational(0), rate: rate, sampleRate: 48_000, layout: .mono)
      let samples = try collect(reader, pieces: [48_000 * 60])[0]
      #expect(abs(Double(samples.count) - 48_000 * 20 / rate.approximation) < 64, "rate \(rate.approximation)")
      // There are 1000 rising zero crossings in each source second.
      let crossings = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
      #expect(abs(crossings - 20_000) <= 2, "rate \(rate.approximation)")
    }
  }

  // MARK: What ffmpeg decodes

  /// The whole track as ffmpeg decodes it from the start, from the asset's zero on.
  private func decoded(_ path: String) throws -> [[Float]] {
    let raw = directory.file("raw.f32")
    try MediaTools.ffmpeg(["-i", path, "-map", "0:a", "-ac", "2", "-ar", "48000", "-f", "f32le", raw])
    let bytes = try read(raw)
    let samples = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    return (0..<2).map { channel in stride(from: channel, to: samples.count, by: 2).map { samples[$0] } }
  }

  /// Reads pieces of the given sizes in turn, until the sizes or the track end.
  private func collect(_ reader: AudioReader, pieces: [Int]) throws -> [[Float]] {
    var all: [[Float]] = []
    for piece in pieces {
      let memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: piece * reader.channelCount)
      defer { unsafe memory.deallocate() }
      let planes = unsafe (0..<reader.channelCount).map {
        unsafe UnsafeMutableBufferPointer(rebasing: memory[($0 * piece)..<($0 + 1) * piece])
      }
      let count = try unsafe reader.read(piece, into: planes)
      if all.isEmpty { all = [[Float]](repeating: [], count: reader.channelCount) }
      for channel in all.indices { unsafe all[channel] += planes[channel].prefix(count) }
    }
    return all
  }

  /// Whether the samples agree within a hundredth, after a shift by at most `slack` samples.
  private func closest(_ found: [[Float]], _ wanted: [[Float]], within slack: Int) -> Bool {
    (-slack...slack).contains { shift in
      zip(found, wanted).allSatisfy { found, wanted in
        let (a, b) = (found.dropFirst(max(0, shift)), wanted.dropFirst(max(0, -shift)))
        return found.count == wanted.count && zip(a, b).allSatisfy { abs($0 - $1) < 0.01 }
      }
    }
  }
}
