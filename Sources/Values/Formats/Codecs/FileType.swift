package import MediaTime

/// The format of a movie's file, or of a file of sound alone.
package enum FileType: String, Hashable, Sendable, CaseIterable {
  case mp4, mov, mkv, webm, mxf, mpegts, avi, cmaf, gif, apng, webp, pngSequence, jpegSequence, tiffSequence
  case m4a, mp3, wav, aiff, flac, ogg

  /// Whether a picture goes into it. An edit's picture is left out of the others.
  package var holdsPicture: Bool {
    switch self {
    case .mp4, .mov, .mkv, .webm, .mxf, .mpegts, .avi, .cmaf, .gif, .apng, .webp, .pngSequence,
      .jpegSequence, .tiffSequence:
      true
    case .m4a, .mp3, .wav, .aiff, .flac, .ogg: false
    }
  }

  /// Whether it is a picture that moves, as browsers show it among still ones.
  package var isAnimation: Bool { [.gif, .apng, .webp].contains(self) }

  /// Whether it is a folder of numbered pictures, and no single file.
  package var isSequence: Bool { [.pngSequence, .jpegSequence, .tiffSequence].contains(self) }

  /// Whether it is a folder of files, and no single one.
  package var isFolder: Bool { isSequence || self == .cmaf }

  /// Whether sound goes into it. An edit's sound is left out of the others.
  package var holdsSound: Bool { !isAnimation && !isSequence }

  /// Whether it holds several sounds, of which players play one. The others hold one at most.
  package var holdsSounds: Bool { [.mp4, .mov, .mkv, .webm, .mpegts, .cmaf, .m4a].contains(self) }

  /// Whether it holds titles of its sounds, and says which of them is played where nobody chooses. In others that is the first.
  package var describesSounds: Bool { holdsSounds && self != .mpegts }

  /// The most bytes of a sound's title; nil is any number. QuickTime counts those of a track's name in one byte, of which FFmpeg and MediaInfo
  /// read seven bits.
  package var longestSoundTitle: Int? { self == .mov ? 127 : nil }

  /// Whether it holds the picture in several versions, of which players choose one by the speed of the line.
  package var holdsRenditions: Bool { self == .cmaf }

  /// Whether it says which part of its picture is shown.
  package var holdsCleanAperture: Bool { [.mp4, .mov].contains(self) }

  /// Whether it says which shape its pixels have.
  package var holdsPixelAspect: Bool { [.mp4, .mov, .mkv, .webm, .mxf, .mpegts].contains(self) }

  /// Whether a movie of this type may have a poster and thumbnails beside it, or in its folder.
  package var hasStills: Bool { holdsPicture && !isAnimation && !isSequence }

  /// Whether a file without a picture is none of this type.
  package var needsPicture: Bool { self == .mxf || isAnimation || isSequence }

  /// Whether pictures may stand at any times. In others each lasts as long as the next.
  package var holdsAnyTimes: Bool { ![.mxf, .avi, .apng, .webp].contains(self) && !isSequence }

  /// The sample rates of its sound, where it has fewer than the codec.
  package var sampleRates: [Int32]? { self == .mxf ? [48_000] : nil }

  /// The samples of PCM that it holds.
  package var pcmSamples: [PCM.Samples] { self == .mxf ? [.int16, .int24] : PCM.Samples.allCases }

  /// The reason for which sound of a layout has no place in it; nil where it has.
  package func objection(to layout: AudioCodecSettings.ChannelLayout, of codec: AudioCodec) -> String? {
    switch (self, layout) {
    case (.mxf, .surround71), (.mxf, .surround714): "mxf holds sound of at most 5.1: use mov or wav"
    case (.mkv, .surround714) where codec == .pcm:
      "mkv does not say which channels pcm has, and twelve have no usual order: use mov, wav or aiff"
    default: nil
    }
  }

  /// The reason for which so many samples of PCM, a channel, have no place in it; nil where they have.
  ///
  /// - Parameter stride: the bytes of a sample of all channels.
  package func objection(toSamples count: Int64, of stride: Int64) -> String? {
    switch self {
    case .aiff:
      // A chunk's size is a number of 32 bits ("Audio Interchange File Format", 1989). Words of the movie stand beside the sound.
      let most = (Int64(1) << 32 - 1 << 16) / stride
      return count > most ? "aiff holds at most \(most) samples of \(stride) bytes, not \(count): use wav" : nil
    case .mov, .avi:
      // Tables count the samples in 32 bits.
      return count > UInt32.max ? "\(self) holds at most \(UInt32.max) samples of pcm, not \(count): use mkv or wav" : nil
    default: return nil
    }
  }

  /// The reason for which it does not hold pictures that last so long, in words; nil where it does.
  package func objection(to frameDuration: MediaTime) -> String? {
    switch self {
    case .mxf: Self.objectionOfMXF(to: frameDuration)
    // An APNG states the duration of a picture as a fraction of two numbers of 16 bits (PNG, third edition, 11.3.6.2).
    case .apng where frameDuration.value > UInt16.max || frameDuration.timescale > UInt16.max:
      "apng states times as fractions of numbers up to 65535: no frame lasts \(frameDuration)"
    case .webp where frameDuration.value > Int64(frameDuration.timescale) * 16_777: "webp has frames of at most 16777 s"
    default: nil
    }
  }

  private static func objectionOfMXF(to frameDuration: MediaTime) -> String? {
    // The rates for which an MXF has a number (SMPTE ST 326), some of them divided by 1.001.
    let divided: [Int64] = [24, 30, 48, 60, 72, 90, 96, 120], whole: [Int64] = [25, 50, 75, 100]
    let rates = divided.map { ($0 * 1000, Int64(1001)) } + (divided + whole).map { ($0, 1) }
    let (value, timescale) = (frameDuration.value, Int64(frameDuration.timescale))
    guard !rates.contains(where: { value * $0.0 == timescale * $0.1 }) else { return nil }
    return "mxf has 24, 30, 48, 60, 72, 90, 96 or 120 frames a second, whole or divided by 1.001, or 25, 50, 75 or 100: no frame "
      + "lasts \(frameDuration)"
  }

  /// The most pictures that it shows in a second; nil is any number. Browsers show more of them ten times a second: a picture that lasts
  /// 10 ms or less lasts 100.
  package var mostFramesPerSecond: Int64? {
    switch self {
    case .gif: 50
    case .apng, .webp: 90
    default: nil
    }
  }

  /// The most pictures that it holds; nil is any number. Spool reads so many of an animated WebP: eleven minutes at 24 a second. File systems
  /// become slow where a folder has more files.
  package var mostFrames: Int? { self == .webp ? 1 << 14 : isSequence ? 1_000_000 : nil }

  /// Whether it has an index that can stand before the media.
  package var hasMovableIndex: Bool { [.mp4, .mov, .m4a].contains(self) }

  /// Whether it says which colours its codes are. Players take those of BT.709 where a file says nothing.
  package var tellsPrimaries: Bool { self != .avi }

  /// Whether it says by which label the movie's first frame is known.
  package var holdsTimecode: Bool { [.mp4, .mov, .mxf].contains(self) }

  /// The endings of names that promise it, the usual one first.
  package var endings: [String] {
    switch self {
    case .mp4: ["mp4", "m4v"]
    case .mov: ["mov", "qt"]
    case .mkv: ["mkv", "mk3d"]
    case .m4a: ["m4a", "m4b", "m4r"]
    case .aiff: ["aiff", "aif", "aifc"]
    case .ogg: ["ogg", "oga", "opus"]
    case .mpegts: ["ts"]
    case .cmaf: ["m3u8", "mpd"]
    case .pngSequence: ["png"]
    case .jpegSequence: ["jpg", "jpeg"]
    case .tiffSequence: ["tif", "tiff"]
    case .webm, .mxf, .avi, .gif, .apng, .webp, .mp3, .wav, .flac: [rawValue]
    }
  }
}
