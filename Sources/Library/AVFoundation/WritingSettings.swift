internal import Formats
internal import SampleStream

/// AVFoundation's settings of a track, as the program has them.
enum WritingSettings {
  /// - Parameter settings: AVFoundation's; nil for the highest quality, since nothing is copied.
  static func coding(
    _ settings: [String: Any]?, _ mediaType: AVMediaType, _ fileType: FileType
  ) throws(AVError) -> WritingOrder.Coding {
    switch mediaType {
    case .video: return .pictures(try pictures(settings, fileType))
    case .audio: return .sound(try sound(settings, fileType))
    case .text, .subtitle:
      guard fileType == .mp4 || fileType == .mov else { throw fault("mediaType", "\(fileType.rawValue) holds no texts") }
      guard settings?.isEmpty ?? true else { throw fault("mediaType", "texts have no settings") }
      return .text(WritingOrder.TextCoding())
    case .metadata:
      guard fileType == .mov else {
        throw fault("mediaType", "\(fileType.rawValue) holds no metadata that changes with time: mov does")
      }
      guard settings?.isEmpty ?? true else { throw fault("mediaType", "metadata has no settings") }
      return .metadata(WritingOrder.MetadataCoding(keys: []))
    case .closedCaption:
      throw fault("mediaType", "tracks of clcp are not written: \(AVCaption.instead)", .operationNotAllowed)
    default: throw fault("mediaType", "tracks of \(mediaType.rawValue) are not written")
    }
  }

  static func fault(_ key: String, _ words: String, _ code: AVError.Code = .unsupportedOutputSettings) -> AVError {
    AVError(code, "outputSettings: \(key): \(words)", property: key)
  }

  private static func pictures(
    _ settings: [String: Any]?, _ fileType: FileType
  ) throws(AVError) -> WritingOrder.PictureCoding {
    guard fileType.holdsPicture else { throw fault("mediaType", "\(fileType.rawValue) holds no picture") }
    guard let settings else {
      var coding = WritingOrder.PictureCoding(codec: "h264")
      coding.numbers["crf"] = 16
      return coding
    }
    let name = (settings[AVVideoCodecKey] as? AVVideoCodecType)?.rawValue ?? settings[AVVideoCodecKey] as? String
    guard let name else { throw fault(AVVideoCodecKey, "is not set") }
    var coding = try coding(of: AVVideoCodecType(rawValue: name), fileType)
    if let width = AnyNumber.whole(settings[AVVideoWidthKey]), let height = AnyNumber.whole(settings[AVVideoHeightKey]) {
      guard (2...32_768).contains(width), (2...32_768).contains(height) else {
        throw fault(AVVideoWidthKey, "\(width) x \(height) is no size of a movie")
      }
      // An encoder of halved colours takes even sides only, as AVFoundation's do.
      coding.size = PixelSize(width + width % 2, height + height % 2)
    }
    switch settings[AVVideoScalingModeKey] as? String {
    case nil, AVVideoScalingModeResizeAspectFill: coding.scaling = .resizeAspectFill
    case AVVideoScalingModeResize: coding.scaling = .resize
    case AVVideoScalingModeResizeAspect: coding.scaling = .resizeAspect
    case AVVideoScalingModeFit: coding.scaling = .fit
    case let mode?: throw fault(AVVideoScalingModeKey, "\(mode) is no way of scaling")
    }
    if let color = settings[AVVideoColorPropertiesKey] as? [String: Any] {
      guard let primaries = (color[AVVideoColorPrimariesKey] as? String).flatMap({ ColorNames.primaries[$0] }),
        let transfer = (color[AVVideoTransferFunctionKey] as? String).flatMap({ ColorNames.transfers[$0] }),
        let matrix = (color[AVVideoYCbCrMatrixKey] as? String).flatMap({ ColorNames.matrices[$0] })
      else { throw fault(AVVideoColorPropertiesKey, "all three colours must be set, to values that this library has") }
      coding.color = ColorTags(primaries, transfer, matrix, .limited)
    }
    let compression = settings[AVVideoCompressionPropertiesKey] as? [String: Any] ?? [:]
    try CompressionSettings(compression, coding.codec).apply(to: &coding)
    for shape in [settings, compression] {
      if let part = try CompressionSettings.aperture(shape, coding.size, in: fileType) { coding.aperture = part }
      if let aspect = try CompressionSettings.pixelAspect(shape) { coding.pixelAspect = aspect }
    }
    return coding
  }

  private static func coding(of codec: AVVideoCodecType, _ fileType: FileType) throws(AVError) -> WritingOrder.PictureCoding {
    let profiles: [AVVideoCodecType: String] = [
      .proRes422: "standard", .proRes422HQ: "hq", .proRes422LT: "lt", .proRes422Proxy: "proxy", .proRes4444: "4444",
    ]
    var coding: WritingOrder.PictureCoding
    switch codec {
    case .h264: coding = .init(codec: "h264")
    case .hevc: coding = .init(codec: "hevc")
    default:
      guard let profile = profiles[codec] else {
        throw fault(AVVideoCodecKey, "\(codec.rawValue) has no encoder here", .encoderNotFound)
      }
      coding = .init(codec: "prores")
      coding.words["profile"] = profile
    }
    guard let known = VideoCodec(rawValue: coding.codec), known.fileTypes.contains(fileType) else {
      throw fault(AVVideoCodecKey, "\(coding.codec) does not go into \(fileType.rawValue)")
    }
    return coding
  }

  private static func sound(
    _ settings: [String: Any]?, _ fileType: FileType
  ) throws(AVError) -> WritingOrder.SoundCoding {
    guard let settings else {
      var coding = WritingOrder.SoundCoding(codec: fileType == .wav ? "pcm" : fileType == .mp3 ? "mp3" : "aac")
      if coding.codec == "aac" { coding.bitRate = 256_000 }
      return coding
    }
    guard let format = AnyNumber.whole(settings[AVFormatIDKey]).flatMap({ AudioFormatID(exactly: $0) }) else {
      throw fault(AVFormatIDKey, "is not set")
    }
    let names: [AudioFormatID: String] = [
      kAudioFormatLinearPCM: "pcm", kAudioFormatMPEG4AAC: "aac", kAudioFormatAppleLossless: "alac", kAudioFormatFLAC: "flac",
      kAudioFormatOpus: "opus", kAudioFormatAC3: "ac3", kAudioFormatEnhancedAC3: "eac3", kAudioFormatMPEGLayer3: "mp3",
    ]
    guard let name = names[format] else { throw fault(AVFormatIDKey, "\(PixelLayout.name(of: format)) has no encoder here") }
    guard AudioCodec(rawValue: name)?.fileTypes.contains(fileType) ?? false else {
      throw fault(AVFormatIDKey, "\(name) does not go into \(fileType.rawValue)")
    }
    var coding = WritingOrder.SoundCoding(codec: name)
    coding.sampleRate = AnyNumber.whole(settings[AVSampleRateKey]).flatMap { Int32(exactly: $0) }
    coding.channelCount = AnyNumber.whole(settings[AVNumberOfChannelsKey])
    if let count = coding.channelCount, ![1, 2, 6].contains(count) {
      throw fault(AVNumberOfChannelsKey, "\(count) channels are not written; 1, 2 and 6 are")
    }
    coding.bitRate = AnyNumber.whole(settings[AVEncoderBitRateKey])
    if let rate = AnyNumber.whole(settings[AVEncoderBitRatePerChannelKey]) { coding.bitRate = rate * (coding.channelCount ?? 2) }
    if name == "pcm" { coding.samples = try samples(settings) }
    return coding
  }

  private static func samples(_ settings: [String: Any]) throws(AVError) -> String {
    guard AnyNumber.truth(settings[AVLinearPCMIsBigEndianKey]) != true else {
      throw fault(AVLinearPCMIsBigEndianKey, "samples are written little-endian")
    }
    guard AnyNumber.truth(settings[AVLinearPCMIsNonInterleaved]) != true else {
      throw fault(AVLinearPCMIsNonInterleaved, "channels are written beside each other")
    }
    let isFloat = AnyNumber.truth(settings[AVLinearPCMIsFloatKey]) ?? false
    switch (isFloat, AnyNumber.whole(settings[AVLinearPCMBitDepthKey]) ?? (isFloat ? 32 : 16)) {
    case (true, 32): return "float32"
    case (false, 16): return "int16"
    case (false, 24): return "int24"
    case (false, 32): return "int32"
    case (_, let depth): throw fault(AVLinearPCMBitDepthKey, "samples of \(depth) bits are not written")
    }
  }

  /// The turn that a transform stands for. Its place does not matter: players lay the picture's corner at zero.
  static func orientation(of transform: CGAffineTransform) throws(AVError) -> Int {
    let turns: [[CGFloat]: Orientation] = [
      [1, 0, 0, 1]: .up, [-1, 0, 0, 1]: .mirrored, [-1, 0, 0, -1]: .rotated180, [1, 0, 0, -1]: .flipped,
      [0, 1, 1, 0]: .transposed,
      [0, 1, -1, 0]: .rotated90, [0, -1, -1, 0]: .transversed, [0, -1, 1, 0]: .rotated270,
    ]
    // The sine of half a turn is not quite zero in floating point.
    let terms = [transform.a, transform.b, transform.c, transform.d].map { term in
      let whole = term.rounded()
      return abs(term - whole) < 1e-9 ? (whole == 0 ? 0 : whole) : term
    }
    guard let turn = turns[terms] else {
      throw AVError(.operationNotAllowed, "transform: \(terms) is no quarter turn and no mirroring", property: "transform")
    }
    return turn.rawValue
  }
}
