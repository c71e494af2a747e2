import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// Tests that the samples at a time depend on file and time alone.
@Suite struct `The place of each sample` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  /// Noise on the left, in whose place codecs make up noise of their own, and a chirp on the right.
  private func source(_ seconds: Int) -> [String] {
    ["-f", "lavfi", "-i", "aevalsrc='0.3*random(0)|0.5*sin(30*t*t+200*t)':s=48000:d=\(seconds)"]
  }

  @Test(arguments: [
    ("a.mp4", "-c:a aac"), ("a.mov", "-c:a pcm_s16le"), ("a.mov", "-c:a alac -ar 44100"), ("a.mka", "-c:a aac"),
    ("a.mkv", "-f lavfi -i testsrc=s=64x64:d=24 -c:v libx264 -preset ultrafast -g 50 -c:a ac3"),
    ("a.mka", "-c:a libmp3lame -ar 44100"), ("a.mka", "-c:a flac"), ("a.mka", "-c:a libvorbis"), ("a.mka", "-c:a pcm_s16le"),
    ("a.webm", "-c:a libopus"), ("a.webm", "-c:a libopus -live 1"), ("a.webm", "-c:a libopus -application voip -b:a 16k"),
    ("a.webm", "-c:a libvorbis"), ("a.ts", "-c:a aac"), ("a.ts", "-c:a aac -ar 44100"), ("a.ts", "-c:a mp2"),
    ("a.flv", "-c:a aac -ar 44100"), ("a.ogg", "-c:a libvorbis"), ("a.opus", "-c:a libopus"), ("a.flac", "-c:a flac"),
    ("a.mp3", "-c:a libmp3lame"), ("a.wav", "-c:a pcm_s24le"), ("a.wma", "-c:a wmav2"), ("a.mxf", "MXF"),
  ])
  func `is the same from wherever reading begins`(_ name: String, _ arguments: String) throws {
    let path = directory.file(name)
    let mxf = "-f lavfi -i testsrc=s=64x64:d=24:r=30000/1001 -c:v mpeg2video -c:a pcm_s16le"
    try MediaTools.ffmpeg(
      source(24) + (arguments == "MXF" ? mxf : arguments).split(separator: " ").map(String.init) + [path])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    let whole = try samples(path, track, from: 0, count: 24 * 48_000)
    var random = SeededRandom(seed: 14)
    let starts = [1, 144_000, 479_999, 480_000, 960_001] + (0..<6).map { _ in Int.random(in: 0..<1_100_000, using: &random) }
    for start in starts {
      let found = try samples(path, track, from: start, count: 30_000)
      #expect(found.map(\.count) == found.map { _ in 30_000 }, "\(name) from \(start)")
      let isSame = zip(found, whole).allSatisfy { $0.elementsEqual($1[start..<min(start + 30_000, $1.count)]) }
      #expect(isSame, "\(name) \(arguments) from sample \(start), seed 14")
    }
  }

  @Test(arguments: ["a.mp4", "a.mka"])
  func `is by count where timestamps tremble by less than a frame`(_ name: String) throws {
    let (plain, uneven) = (directory.file("plain-" + name), directory.file(name))
    try MediaTools.ffmpeg(source(24) + ["-c:a", "aac", plain])
    try MediaTools.ffmpeg([
      "-i", plain, "-c", "copy", "-bsf:a", "setts=ts=PTS+gte(N\\,2)*(mod(N*7\\,11)-5)*60/48000/TB", uneven,
    ])
    let (even, track) = try (
      samples(plain, AssetProbe.facts(of: plain, policy: policy).first(.audio), from: 0, count: 1_100_000),
      AssetProbe.facts(of: uneven, policy: policy).first(.audio)
    )
    let found = try samples(uneven, track, from: 0, count: 1_100_000)
    // Only the chirp is compared. The noise that a decoder makes up depends on the packet that it began with.
    let difference = zip(found[1].dropLast(2000), even[1].dropLast(2000)).map { abs($0 - $1) }.max() ?? 1
    #expect(found[1].count > 1_090_000 && difference < 0.05)
    let later = try samples(uneven, track, from: 700_001, count: 9000)
    let isSame = later[0].elementsEqual(found[0][700_001..<709_001])
    #expect(isSame)
  }

  @Test(arguments: ["a.mp4", "a.mka"])
  func `keeps a gap that is longer than a frame`(_ name: String) throws {
    let (plain, torn) = (directory.file("plain-" + name), directory.file(name))
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=f=440:r=48000:d=20", "-c:a", "aac", plain])
    try MediaTools.ffmpeg(["-i", plain, "-c", "copy", "-bsf:a", "setts=ts=PTS+gte(N\\,200)*4800/48000/TB", torn])
    let track = try AssetProbe.facts(of: torn, policy: policy).first(.audio)
    let found = try samples(torn, track, from: 0, count: 900_000)[0]
    let length = silences(found, atLeast: 500)
    #expect(length.count == 1)
    #expect(abs((length.first?.count ?? 0) - 4800) < 100)
    let isSame = try samples(torn, track, from: 700_001, count: 9000)[0].elementsEqual(found[700_001..<709_001])
    #expect(isSame)
  }

  @Test(arguments: [("a.mov", "ac3"), ("a.mp4", "eac3"), ("a.3gp", "amr_nb")])
  func `a packet of several frames is heard whole`(_ name: String, _ codec: String) throws {
    let (single, several) = (directory.file("single-" + name), directory.file(name))
    if codec == "amr_nb" {
      // FFmpeg has no encoder here, so these are frames of 12.2 kbit/s with random bits.
      var random = SeededRandom(seed: 18)
      let frames = (0..<200).flatMap { _ in [0x3c] + (0..<31).map { _ in UInt8.random(in: 0...255, using: &random) } }
      try write(Array("#!AMR\n".utf8) + frames, to: directory.file("a.amr"))
      try MediaTools.ffmpeg(["-i", directory.file("a.amr"), "-c", "copy", single])
    } else {
      try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=r=48000:d=4", "-c:a", codec, "-b:a", "96k", single])
    }
    var file = ISOBox.all(in: try read(single)[...])
    for index in file.indices {
      file[index].change("stsz") { ($0[4], $0[8]) = ($0[4] * 5, $0[8] / 5) }
      file[index].change("stts") { ($0[8], $0[12]) = ($0[8] / 5, $0[12] * 5) }
      file[index].change("stsc") { $0[12] /= 5 }
    }
    try write(file.flatMap(\.bytes), to: several)
    let rate = codec == "amr_nb" ? 8000 : 48_000
    let (one, five) = try (
      AssetProbe.facts(of: single, policy: policy).first(.audio), AssetProbe.facts(of: several, policy: policy).first(.audio)
    )
    let expected = try samples(single, one, from: 0, count: rate * 39 / 10, rate: rate)
    let isSame = try samples(several, five, from: 0, count: rate * 39 / 10, rate: rate) == expected
    #expect(isSame)
  }

  // MARK: Reading

  private func samples(
    _ path: String, _ track: TrackFacts, from start: Int, count: Int, rate: Int = 48_000
  ) throws -> [[Float]] {
    let reader = try AudioReader(
      path: path, track: track, policy: policy, from: Rational(Int128(start), over: Int128(rate)), sampleRate: Int32(rate),
      layout: .stereo)
    let memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: count * 2)
    defer { unsafe memory.deallocate() }
    let planes = unsafe (0..<2).map { unsafe UnsafeMutableBufferPointer(rebasing: memory[($0 * count)..<($0 + 1) * count]) }
    let found = try unsafe reader.read(count, into: planes)
    return unsafe planes.map { unsafe Array($0.prefix(found)) }
  }

  private func silences(_ samples: [Float], atLeast length: Int) -> [Range<Int>] {
    var (found, start): ([Range<Int>], Int?) = ([], nil)
    for (index, sample) in samples.enumerated() {
      if abs(sample) < 1e-6 {
        start = start ?? index
      } else if let first = start {
        if index - first >= length { found.append(first..<index) }
        start = nil
      }
    }
    return found
  }
}
