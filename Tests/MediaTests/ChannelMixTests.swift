import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// Each channel of sources of many layouts in each layout of a movie, against the factors that docs/export.md states.
@Suite struct `Channels of a source` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  /// FFmpeg's names of layouts, and of their channels.
  static let layouts = [
    ("mono", "FC"), ("stereo", "FL FR"), ("2.1", "FL FR LFE"), ("3.0", "FL FR FC"), ("4.0", "FL FR FC BC"),
    ("quad", "FL FR BL BR"),
    ("quad(side)", "FL FR SL SR"), ("5.0", "FL FR FC BL BR"), ("5.1", "FL FR FC LFE BL BR"), ("5.1(side)", "FL FR FC LFE SL SR"),
    ("6.1", "FL FR FC LFE BC SL SR"), ("hexagonal", "FL FR FC BL BR BC"), ("7.0", "FL FR FC BL BR SL SR"),
    ("7.1", "FL FR FC LFE BL BR SL SR"), ("7.1(wide)", "FL FR FC LFE BL BR FLC FRC"),
    ("FL+FR+FC+LFE+BL+BR+TFL+TFR", "FL FR FC LFE BL BR TFL TFR"),
    ("FL+FR+FC+LFE+BL+BR+SL+SR+TFL+TFR+TBL+TBR", "FL FR FC LFE BL BR SL SR TFL TFR TBL TBR"),
    ("22.2", "FL FR FC LFE BL BR FLC FRC BC SL SR TC TFL TFC TFR TBL TBC TBR LFE2 TSL TSR BFC BFL BFR"),
  ]

  private static let h = 0.5.squareRoot()

  /// The factors of a channel for the movie's channels, by their names; those that are not here are 0.
  private static func factors(
    of channel: String, in layout: AudioCodecSettings.ChannelLayout, from source: [String]
  ) -> [String: Double] {
    let h = h
    if source.count == 1 { return layout == .stereo ? ["FL": 1, "FR": 1] : ["FC": 1] }
    if layout == .mono { return mono(channel, isStereo: source == ["FL", "FR"]) }
    if layout == .stereo { return stereo(channel) }
    let back = source.contains("BL") ? h : 1
    let places = Set(Self.names(layout))
    if places.contains(channel), !(places.contains("SL") && ["BL", "BR"].contains(channel)) { return [channel: 1] }
    let side = source.contains("SL")
    return switch (channel, layout) {
    case ("BL", _): side ? ["BL": 1] : ["SL": 1]
    case ("BR", _): side ? ["BR": 1] : ["SR": 1]
    case ("SL", _): ["BL": back]
    case ("SR", _): ["BR": back]
    case ("FLC", _): ["FL": 1]
    case ("FRC", _): ["FR": 1]
    case ("BC", _): ["BL": h, "BR": h]
    case ("LFE2", _): ["LFE": 1]
    case ("BFL", _): ["FL": h]
    case ("BFC", _): ["FC": h]
    case ("BFR", _): ["FR": h]
    case ("TFC", .surround714): ["TFL": h, "TFR": h]
    case ("TC", .surround714): ["TFL": 0.5, "TFR": 0.5, "TBL": 0.5, "TBR": 0.5]
    case ("TSL", .surround714): ["TFL": h, "TBL": h]
    case ("TSR", .surround714): ["TFR": h, "TBR": h]
    case ("TBC", .surround714): ["TBL": h, "TBR": h]
    case ("TFL", _): ["FL": h]
    case ("TFC", _): ["FC": h]
    case ("TFR", _): ["FR": h]
    case ("TC", _): ["FL": 0.5, "FR": 0.5]
    case ("TBC", _): ["BL": 0.5, "BR": 0.5]
    case ("TSL", .surround51): ["BL": h * back]
    case ("TSR", .surround51): ["BR": h * back]
    case ("TSL", _): ["SL": h]
    case ("TSR", _): ["SR": h]
    case ("TBL", _): ["BL": h]
    case ("TBR", _): ["BR": h]
    default: ["?": .nan]
    }
  }

  private static func stereo(_ channel: String) -> [String: Double] {
    let h = h
    let table: [String: (Double, Double)] = [
      "FL": (1, 0), "FR": (0, 1), "FC": (h, h), "LFE": (0, 0), "BL": (h, 0), "BR": (0, h), "SL": (h, 0), "SR": (0, h),
      "FLC": (1, 0), "FRC": (0, 1), "BC": (0.5, 0.5), "TFL": (h, 0), "TFR": (0, h), "TFC": (0.5, 0.5), "TC": (0.5, 0.5),
      "TBL": (0.5, 0), "TBR": (0, 0.5), "TBC": (h / 2, h / 2), "TSL": (0.5, 0), "TSR": (0, 0.5), "LFE2": (0, 0),
      "BFL": (h, 0), "BFR": (0, h), "BFC": (0.5, 0.5),
    ]
    let (left, right) = table[channel] ?? (.nan, .nan)
    return ["FL": left, "FR": right]
  }

  private static func mono(_ channel: String, isStereo: Bool) -> [String: Double] {
    let h = h
    let table: [String: Double] = [
      "FL": isStereo ? 0.5 : h, "FR": isStereo ? 0.5 : h, "FC": 1, "LFE": 0, "BL": 0.5, "BR": 0.5, "SL": 0.5, "SR": 0.5, "FLC": h,
      "FRC": h, "BC": 0.5, "TFL": 0.5, "TFR": 0.5, "TFC": h, "TC": h, "TBL": h / 2, "TBR": h / 2, "TBC": h / 2, "TSL": h / 2,
      "TSR": h / 2, "LFE2": 0, "BFL": 0.5, "BFR": 0.5, "BFC": h,
    ]
    return ["FC": table[channel] ?? .nan]
  }

  private static func names(_ layout: AudioCodecSettings.ChannelLayout) -> [String] {
    let list =
      switch layout {
      case .mono: "FC"
      case .stereo: "FL FR"
      case .surround51: "FL FR FC LFE BL BR"
      case .surround71: "FL FR FC LFE BL BR SL SR"
      case .surround714: "FL FR FC LFE BL BR SL SR TFL TFR TBL TBR"
      }
    return list.split(separator: " ").map(String.init)
  }

  @Test(arguments: layouts)
  func `are heard in the movie's by the stated factors, and none is left out`(layout: String, channels: String) throws {
    let names = channels.split(separator: " ").map(String.init)
    let path = directory.file("a.wav")
    // Each channel sounds by itself for 50 samples of 100.
    let levels = names.indices.map { "between(n,\(100 * $0),\(100 * $0 + 49))" }.joined(separator: "|")
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='\(levels)':c=\(layout):s=48000:d=0.1", "-c:a", "pcm_f32le", path,
    ])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    for target in AudioCodecSettings.ChannelLayout.allCases {
      let heard = try read(path, track, target, count: 100 * names.count)
      for (index, name) in names.enumerated() {
        let expected = Self.factors(of: name, in: target, from: names)
        for (channel, place) in Self.names(target).enumerated() {
          let (found, wanted) = (Double(heard[channel][100 * index + 25]), expected[place] ?? 0)
          #expect(abs(found - wanted) < 1e-6, "\(name) of \(layout) in \(place) of \(target.rawValue): \(found), not \(wanted)")
        }
        if !name.hasPrefix("LFE") { #expect(expected.values.contains { $0 > 0 }) }
      }
    }
  }

  @Test func `that belong to no known loudspeakers are refused, with a way out`() throws {
    let path = directory.file("a.wav")
    let nine = (0..<9).map { "0.0\($0 + 1)" }.joined(separator: "|")
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='\(nine)':s=48000:d=0.1", "-c:a", "pcm_f32le", path,
    ])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    #expect {
      try read(path, track, .stereo, count: 10)
    } throws: { ($0 as? MediaError)?.reason.contains(#"9 channels are for: choose some with "channels""#) == true }
    let chosen = try read(path, track, .stereo, channels: ChannelMap([ChannelMap.row(of: 8), ChannelMap.row(of: 3)]), count: 10)
    #expect(abs(chosen[0][5] - 0.09) < 1e-6 && abs(chosen[1][5] - 0.04) < 1e-6)
  }

  private func read(
    _ path: String, _ track: TrackFacts, _ layout: AudioCodecSettings.ChannelLayout, channels: ChannelMap? = nil, count: Int
  ) throws -> [[Float]] {
    let reader = try AudioReader(
      path: path, track: track, policy: policy, from: Rational(0), sampleRate: 48_000, layout: layout, channels: channels)
    let memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: count * layout.channelCount)
    defer { unsafe memory.deallocate() }
    let planes = unsafe (0..<layout.channelCount).map {
      unsafe UnsafeMutableBufferPointer(rebasing: memory[($0 * count)..<($0 + 1) * count])
    }
    #expect(try unsafe reader.read(count, into: planes) == count)
    return unsafe planes.map { unsafe Array($0) }
  }
}
