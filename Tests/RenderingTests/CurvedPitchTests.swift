import FarmTesting
import Glibc
import Media
import MediaTime
import Rendering
import Scenes
import Testing

/// Sound along a retiming curve that keeps its pitch, against the curve and the tone that it is made of.
@Suite struct `The pitch along a time map` {
  private let workshop = Workshop()

  /// The curve: at its own speed, slowing to a half, going on so, up to twice the speed, and back to its own.
  private static let points = """
    {"at": "0", "source": "0"}, {"at": "1", "source": "1"}, {"at": "3", "speed": "1/2"}, {"at": "4", "speed": "1/2"},
    {"at": "6", "speed": 2}, {"at": "8", "speed": 1}, {"at": "12", "speed": 1}
    """

  /// The source time of `points` at a time.
  private static func source(_ t: Double) -> Double {
    switch t {
    case ..<1: t
    case ..<3: t - (t - 1) * (t - 1) / 8
    case ..<4: 2.5 + (t - 3) / 2
    case ..<6: 3 + (t - 4) / 2 + (t - 4) * (t - 4) * 3 / 8
    case ..<8: 5.5 + 2 * (t - 6) - (t - 6) * (t - 6) / 4
    default: 8.5 + t - 8
    }
  }

  /// The time at which the source of `points` is at a time.
  private static func time(_ source: Double) -> Double {
    var (low, high) = (0.0, 13.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if Self.source(middle) < source { low = middle } else { high = middle }
    }
    return low
  }

  private func edit(
    _ points: String, preserves: Bool = true, channel: String = "mono", range: String? = nil, compositions: String = "{}",
    segment: String? = nil
  ) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"s": {"path": "s.wav"}}, "compositions": \(compositions),
       "composition": {"tracks": [{"id": "S", "media": "audio",
         "segments": [\(segment ?? "{\"asset\": \"s\", \"timeMap\": [\(points)]}")]}]},
       "audioMix": [{"track": "S", "preservesPitch": \(preserves)}],
       "export": {"fileType": "wav", "audio": {"codec": "pcm", "channelLayout": "\(channel)"}
         \(range.map { ", \"timeRange\": \($0)" } ?? "")}}
      """)
  }

  private func samples(_ edit: ResolvedTimeline) throws -> [Float] {
    let mix = try SoundMix(edit: edit, policy: workshop.policy)
    var samples: [Float] = []
    while let block = try mix.next() { unsafe samples += Array(block.samples[0]) }
    return samples
  }

  private func source(_ expression: String, seconds: Int) throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='\(expression)':s=48000:d=\(seconds)", "-c:a", "pcm_f32le", workshop.file("s.wav"),
    ])
  }

  /// The cents by which the tone in a part is higher than `base`, by its rising zero crossings.
  private func cents(_ samples: ArraySlice<Float>, above base: Double) -> Double {
    let crossings = samples.indices.dropLast().filter { samples[$0] < 0 && samples[$0 + 1] >= 0 }
      .map { Double($0) + Double(samples[$0] / (samples[$0] - samples[$0 + 1])) }
    guard let first = crossings.first, let last = crossings.last, last > first else { return .infinity }
    return 1_200 * log2(Double(crossings.count - 1) * 48_000 / (last - first) / base)
  }

  @Test func `is kept to a cent while the speed changes, with the loudness, and the length to the sample`() throws {
    try source("0.5*sin(2*PI*440*t)", seconds: 13)
    let mixed = try samples(edit(Self.points))
    #expect(mixed.count == 12 * 48_000)
    for start in stride(from: 12_000, to: mixed.count - 24_000, by: 12_000) {
      let part = mixed[start..<start + 24_000]
      #expect(abs(cents(part, above: 440)) < 1, "at \(Double(start) / 48_000) s")
      let power = part.reduce(0) { $0 + Double($1) * Double($1) } / Double(part.count)
      #expect(abs((2 * power).squareRoot() - 0.5) < 0.02)
    }
  }

  @Test func `leaves flashes and clicks where the curve has them, in one chunk, three and seven`() throws {
    // A flash and a click at each second of the source.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "color=black:s=96x64:r=50:d=13,geq=lum='if(lt(mod(N,50),1),235,16)':cb=128:cr=128",
      "-f", "lavfi", "-i", "aevalsrc='0.9*lt(mod(t,1),0.002)':s=48000:d=13", "-c:v", "libx264", "-qp", "0", "-preset",
      "ultrafast",
      "-c:a", "pcm_f32le", workshop.file("a.mov"),
    ])
    let segment = "{\"asset\": \"a\", \"timeMap\": [\(Self.points)]}"
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mov"}}, "composition": {"tracks": [
        {"id": "V", "media": "video", "segments": [\(segment)]}, {"id": "S", "media": "audio", "segments": [\(segment)]}]},
       "audioMix": [{"track": "S", "preservesPitch": true}],
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/50"},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}, "audio": {"codec": "pcm", "sampleFormat": "float32",
         "channelLayout": "mono"}}}
      """)
    var movies: [String] = []
    for (index, borders) in [[0], [0, 200, 411], [0, 31, 99, 200, 310, 411, 599]].enumerated() {
      movies.append(try workshop.movie(of: edit, borders: borders, output: "\(index).mkv"))
    }
    let digests = try movies.map { try MediaTools.ffmpeg(["-i", $0, "-f", "streamhash", "-hash", "md5", "-"]) }
    #expect(Set(digests).count == 1)
    // Both are measured in what ffmpeg decodes.
    let (light, sound) = (workshop.file("light.raw"), workshop.file("sound.raw"))
    try MediaTools.ffmpeg(["-i", movies[0], "-map", "0:v", "-vf", "scale=1:1,format=gray", "-f", "rawvideo", light])
    try MediaTools.ffmpeg(["-i", movies[0], "-map", "0:a", "-f", "f32le", sound])
    let bright = try [UInt8](contentsOf: light).map { $0 > 128 }
    let flashes = bright.indices.filter { bright[$0] && ($0 == 0 || !bright[$0 - 1]) }.map { Double($0) / 50 }
    let heard = try unsafe [UInt8](contentsOf: sound).withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    #expect(heard.count == 12 * 48_000 && bright.count == 600 && flashes.count == 13)
    for (second, flash) in flashes.enumerated().dropFirst() {
      let due = Self.time(Double(second))
      #expect(flash - due > -1e-9 && flash - due < 0.02, "the flash of second \(second) is at \(flash), not \(due)")
      let middle = Self.time(Double(second) + 0.001)
      let around = Int((middle - 0.1) * 48_000)..<min(Int((middle + 0.1) * 48_000), heard.count)
      let energy = around.reduce(0) { $0 + Double(heard[$1]) * Double(heard[$1]) }
      let place = around.reduce(0) { $0 + Double($1) * Double(heard[$1]) * Double(heard[$1]) } / energy
      let off = place / 48_000 - middle
      #expect(energy > 1 && abs(off) < 0.008, "the click of second \(second) is off by \(off * 1000) ms")
      // At its own speed again, nothing of what came before has added up.
      if middle > 8.2 { #expect(abs(off) < 2.0 / 48_000, "the click of second \(second) is off by \(off * 48_000) samples") }
    }
  }

  @Test func `is kept backwards, and where the source stands still or crawls nothing is heard`() throws {
    try source("0.5*sin(2*PI*500*t)", seconds: 5)
    // Forwards, slower to a standstill, which lasts, and backwards, faster and faster.
    let points = """
      {"at": "0", "source": "1"}, {"at": "1", "source": "2"}, {"at": "2", "speed": 0}, {"at": "3", "source": "2.5"},
      {"at": "4", "speed": -1}, {"at": "5", "source": "1"}
      """
    let mixed = try samples(edit(points))
    #expect(mixed.count == 5 * 48_000)
    for (start, end) in [(0.2, 0.8), (0.9, 1.4), (4.2, 4.9)] {
      let part = mixed[Int(start * 48_000)..<Int(end * 48_000)]
      #expect(abs(cents(part, above: 500)) < 1 && part.map(abs).max() ?? 0 > 0.45, "\(start) s")
    }
    // The speed is an eighth 125 ms before the standstill and after it.
    #expect(mixed[Int(1.8751 * 48_000)..<Int(3.1249 * 48_000)].allSatisfy { $0 == 0 })
    // Nothing jumps where it fades: a tone of 500 Hz moves by 0.033 from sample to sample.
    for index in [Int(1.874 * 48_000)..<Int(1.876 * 48_000), Int(3.124 * 48_000)..<Int(3.126 * 48_000)].joined() {
      #expect(abs(mixed[index + 1] - mixed[index]) < 0.05, "\(index)")
    }
  }

  @Test func `a part has the samples of the whole`() throws {
    try source("0.3*sin(2*PI*(200+90*t)*t)", seconds: 13)
    let whole = try samples(edit(Self.points))
    let part = try samples(edit(Self.points, range: #"{"start": "4.5", "duration": "2"}"#))
    #expect(part == Array(whole[216_000..<312_000]))
    // What is far too slow or too fast to be stretched is silent or refused.
    let crawling = try samples(edit(#"{"at": "0", "source": "1"}, {"at": "2", "source": "1.2"}"#))
    #expect(crawling.count == 96_000 && crawling.allSatisfy { $0 == 0 })
  }

  @Test func `of nested speeds, those count whose track does not keep it`() throws {
    try source("0.5*sin(2*PI*440*t)", seconds: 13)
    func nested(inner: Bool, outer: Bool) throws -> [Float] {
      let compositions = """
        {"n": {"tracks": [{"id": "T", "media": "audio", "segments": [{"asset": "s", "timeMap": [\(Self.points)]}]}],
          "audioMix": [{"track": "T", "preservesPitch": \(inner)}]}}
        """
      let segment = #"{"composition": "n", "source": {"start": "0", "duration": "12"}, "duration": "6"}"#
      return try samples(edit("", preserves: outer, compositions: compositions, segment: segment))
    }
    let kept = try nested(inner: true, outer: true)
    #expect(kept.count == 6 * 48_000 && abs(cents(kept[24_000..<250_000], above: 440)) < 1)
    let octave = try nested(inner: true, outer: false)
    #expect(octave.count == 6 * 48_000 && abs(cents(octave[24_000..<250_000], above: 880)) < 1)
    let error = #expect(throws: (any Error).self) { try nested(inner: false, outer: true) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("let its track change the pitch, or let the track inside keep it, too"))
  }

  @Test func `a speed that leaves nothing of the sound is refused`() throws {
    try source("0.5*sin(2*PI*440*t)", seconds: 13)
    let error = #expect(throws: (any Error).self) {
      try edit(#"{"at": "0", "source": "0", "speed": 1}, {"at": "2", "speed": 9}"#)
    }
    let place = "composition.tracks[0].segments[0].timeMap: more than 8 times faster than the source, with preservesPitch"
    #expect("\(error.map { "\($0)" } ?? "")".contains(place))
  }
}
