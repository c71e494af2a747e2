import FarmTesting
import Glibc
import Media
import MediaTime
import Rendering
import Scenes
import Testing

/// Pictures and sound along retiming curves, against the formula of the document's reference.
@Suite struct `Along a time map` {
  private let workshop = Workshop()

  private func edit(
    _ picture: String, sound: String = "", asset: String = "s.wav", layout: String = "mono", compositions: String = "{}"
  ) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}\(sound.isEmpty ? "" : #", "s": {"path": "\#(asset)"}"#)},
       "compositions": \(compositions),
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [\(picture)]}
         \(sound.isEmpty ? "" : #", {"id": "S", "media": "audio", "segments": [\#(sound)]}"#)]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}, "audio": {"codec": "flac", "channelLayout": "\(layout)"}}}
      """)
  }

  private func numbers(_ edit: ResolvedTimeline) throws -> [Int] {
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    return try (0..<edit.frameCount).map { SyntheticSource.number(in: try renderer.frame($0)) }
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

  private static let points = """
    {"at": "0", "source": "0"}, {"at": "2", "speed": "1/4"}, {"at": "3", "source": "1.5"}, {"at": "4", "speed": 0},
    {"at": "5", "source": "1.625"}, {"at": "6", "speed": -1}, {"at": "7", "source": "0.125"}
    """

  /// The number of the frame that is shown, in whole numbers. Backwards it is the last one before the source time.
  private static func number(_ frame: Int) -> Int {
    let j = frame % 25
    return switch frame {
    case ..<50: (400 * frame - 3 * frame * frame) / 400
    case ..<75: (125 + frame - 50) / 4
    case ..<100: (7500 + 50 * j - j * j) / 200
    case ..<125: 40
    case ..<150: (8124 - 4 * j * j) / 200
    default: 28 - j
    }
  }

  @Test func `each frame is the source's frame at the exact time, slowing, held and backwards`() throws {
    try workshop.clip("a.mp4", frameCount: 50)
    let expected = (0..<175).map(Self.number)
    #expect(try numbers(edit(#"{"asset": "a", "timeMap": [\#(Self.points)]}"#)) == expected)
    // A composition is followed as a clip is.
    let nested = #"{"n": {"tracks": [{"id": "U", "media": "video", "segments": [{"asset": "a"}]}]}}"#
    #expect(
      try numbers(edit(#"{"composition": "n", "timeMap": [\#(Self.points)]}"#, compositions: nested)) == expected)
  }

  @Test(arguments: [44_100, 48_000])
  func `a tone's phase is the one at the curve's source time, without a seam`(rate: Int) throws {
    try workshop.clip("a.mp4", frameCount: 100)
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.5*sin(2*PI*700*t)':s=\(rate):d=5", "-c:a", "pcm_f32le", workshop.file("s.wav"),
    ])
    let edit = try edit(#"{"asset": "a"}"#, sound: #"{"asset": "s", "timeMap": [\#(Self.upright)]}"#)
    let mixed = try samples(edit)[0]
    #expect(mixed.count == 48_000 * 4)
    var worst = 0.0
    for (index, sample) in mixed.enumerated() {
      let expected = 0.5 * sin(2 * .pi * 700 * Self.upright(Double(index) / 48_000))
      worst = max(worst, abs(Double(sample) - expected))
    }
    #expect(worst < 1e-6, "off by \(worst)")
  }

  private static let upright = """
    {"at": "0", "source": "1"}, {"at": "1", "speed": 3}, {"at": "1.5", "speed": 0}, {"at": "2.5", "speed": -2},
    {"at": "3", "source": "2"}, {"at": "4", "source": "3.5"}
    """

  /// The source time in floating point.
  private static func upright(_ t: Double) -> Double {
    switch t {
    case ..<1: 1 + t + t * t
    case ..<1.5: 3 + 3 * (t - 1) - 3 * (t - 1) * (t - 1)
    case ..<2.5: 3.75 - (t - 1.5) * (t - 1.5)
    case ..<3: 2.75 - 1.5 * (t - 2.5)
    default: 2 + 1.5 * (t - 3)
    }
  }

  @Test func `what lies above half the rate is taken away, not folded back`() throws {
    try workshop.clip("a.mp4", frameCount: 100)
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.5*sin(2*PI*15000*t)':s=48000:d=5", "-c:a", "pcm_f32le", workshop.file("s.wav"),
    ])
    func loudest(_ speed: Int) throws -> Float {
      let points = #"{"at": "0", "source": "0.5"}, {"at": "2", "source": "\#(speed * 2).5"}"#
      return try samples(edit(#"{"asset": "a"}"#, sound: #"{"asset": "s", "timeMap": [\#(points)]}"#))[0][1_000..<95_000]
        .map(abs).max() ?? 1
    }
    #expect(try loudest(2) < 1e-6)
    #expect(try loudest(1) > 0.49)
  }

  @Test func `where the source stands still nothing is heard, and sound fades beside it`() throws {
    try workshop.clip("a.mp4", frameCount: 100)
    // A constant shows the gain.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.5':s=48000:d=5", "-c:a", "pcm_f32le", workshop.file("s.wav"),
    ])
    let points =
      #"{"at": "0", "source": "1"}, {"at": "1", "source": "2"}, {"at": "2", "source": "2"}, {"at": "3", "source": "1.5"}"#
    let mixed = try samples(edit(#"{"asset": "a"}"#, sound: #"{"asset": "s", "timeMap": [\#(points)]}"#))[0]
    #expect(mixed[48_000..<96_000].allSatisfy { $0 == 0 })
    for (index, gain) in [(1_000, 1.0), (47_760, 1), (47_880, 0.5), (96_060, 0.25), (96_120, 0.5), (96_240, 1), (140_000, 1)] {
      #expect(abs(Double(mixed[index]) - 0.5 * gain) < 1e-4, "sample \(index): \(mixed[index])")
    }
  }

  @Test(arguments: ["s.wav", "s.mp3"])
  func `a part has the samples of the whole`(asset: String) throws {
    try workshop.clip("a.mp4", frameCount: 100)
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.3*sin(2*PI*(200+90*t)*t)|0.3*sin(2*PI*(300+50*t)*t)':s=44100:d=20", workshop.file(asset),
    ])
    let points = #"{"at": "0", "source": "1"}, {"at": "4", "speed": 4}, {"at": "5", "speed": 0}, {"at": "9", "speed": -3}"#
    let edit = try edit(
      #"{"asset": "a"}"#, sound: #"{"asset": "s", "timeMap": [\#(points)]}"#, asset: asset, layout: "stereo")
    let whole = try samples(edit)
    #expect(whole.count == 2 && whole[0].count == 48_000 * 9)
    let count = Int64(whole[0].count)
    for (lower, upper) in [(0, 100_000), (100_000, 234_567), (234_567, 300_001), (300_001, count)] as [(Int64, Int64)] {
      let mixed = max(0, lower - 50_000)..<min(count, upper + 9_000)
      let part = try samples(edit, SoundMix.Part(mixed: mixed, heard: lower..<upper))
      for channel in whole.indices {
        #expect(part[channel] == Array(whole[channel][Int(mixed.lowerBound)..<Int(mixed.upperBound)]))
      }
    }
  }

  @Test func `picture and sound stay together, in one chunk, three and seven`() throws {
    // A flash and a click at each second of the source.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "color=black:s=96x64:r=50:d=7,geq=lum='if(lt(mod(N,50),1),235,16)':cb=128:cr=128",
      "-f", "lavfi", "-i", "aevalsrc='0.9*lt(mod(t,1),0.002)':s=48000:d=7", "-c:v", "libx264", "-qp", "0", "-c:a", "pcm_f32le",
      workshop.file("a.mov"),
    ])
    let points = #"{"at": "0", "source": "0.5"}, {"at": "3", "speed": "1/2"}, {"at": "6", "speed": 2}"#
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mov"}}, "composition": {"tracks": [
        {"id": "V", "media": "video", "segments": [{"asset": "a", "timeMap": [\(points)]}]},
        {"id": "S", "media": "audio", "segments": [{"asset": "a", "timeMap": [\(points)]}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/100"},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}, "audio": {"codec": "flac", "channelLayout": "mono"}}}
      """)
    var digests: Set<String> = []
    for (index, borders) in [[0], [0, 200, 411], [0, 31, 99, 200, 310, 411, 599]].enumerated() {
      let movie = try workshop.movie(of: edit, borders: borders, output: "\(index).mkv")
      digests.insert(try MediaTools.ffmpeg(["-i", movie, "-f", "streamhash", "-hash", "md5", "-"]))
    }
    #expect(digests.count == 1)
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    let bright = try (0..<edit.frameCount).map { frame in
      let picture = try renderer.frame(frame)
      return unsafe picture.plane(0).base[0] > 128
    }
    let flashes = bright.indices.dropFirst().filter { bright[$0] && !bright[$0 - 1] }.map { Double($0) / 100 }
    let sound = try samples(edit)[0]
    var clicks: [Double] = []
    for index in sound.indices where abs(sound[index]) > 0.4 {
      let time = Double(index) / 48_000
      if clicks.last.map({ time - $0 > 0.2 }) ?? true { clicks.append(time) }
    }
    #expect(flashes.count == clicks.count && flashes.count >= 5)
    // A frame is shown from the first frame of the movie on that is not before it.
    for (flash, click) in zip(flashes, clicks) { #expect(flash - click > -0.001 && flash - click < 0.011, "\(flash), \(click)") }
  }
}
