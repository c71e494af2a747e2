package import MediaTime

/// A codec of a movie's picture. A new one is a case here and in `VideoCoding`, and a file such as H264.swift, which says what it
/// can do, what it costs, which settings it has, and how FFmpeg's encoder is set up.
package enum VideoCodec: String, Hashable, Sendable, CaseIterable {
  case h264, hevc, av1, vp9, prores, dnxhr, ffv1

  /// The settings where a document names the codec only.
  package var usual: VideoCoding {
    switch self {
    case .h264: .h264(H264())
    case .hevc: .hevc(HEVC())
    case .av1: .av1(AV1())
    case .vp9: .vp9(VP9())
    case .prores: .prores(ProRes())
    case .dnxhr: .dnxhr(DNxHR())
    case .ffv1: .ffv1(FFV1())
    }
  }

  /// The file types that hold it.
  package var fileTypes: [FileType] { usual.coder.fileTypes }
  package var isLossless: Bool { usual.coder.isLossless }
}

/// A codec of a movie's picture, with the settings that this codec has.
package enum VideoCoding: Hashable, Sendable {
  case h264(H264)
  case hevc(HEVC)
  case av1(AV1)
  case vp9(VP9)
  case prores(ProRes)
  case dnxhr(DNxHR)
  case ffv1(FFV1)

  package var codec: VideoCodec {
    switch self {
    case .h264: .h264
    case .hevc: .hevc
    case .av1: .av1
    case .vp9: .vp9
    case .prores: .prores
    case .dnxhr: .dnxhr
    case .ffv1: .ffv1
    }
  }

  package var coder: any VideoCoder {
    switch self {
    case .h264(let coder): coder
    case .hevc(let coder): coder
    case .av1(let coder): coder
    case .vp9(let coder): coder
    case .prores(let coder): coder
    case .dnxhr(let coder): coder
    case .ffv1(let coder): coder
    }
  }

  /// The value of one of the codec's own settings; nil where the codec has no such setting.
  package func value(of key: String) -> CodecKey.Value? { coder[key] }

  /// Gives one of the codec's own settings a value of its form. Other settings are left alone.
  package mutating func set(_ key: String, to value: CodecKey.Value) {
    func changed<Coder: VideoCoder>(_ coder: Coder) -> Coder {
      var coder = coder
      coder[key] = value
      return coder
    }
    self =
      switch self {
      case .h264(let coder): .h264(changed(coder))
      case .hevc(let coder): .hevc(changed(coder))
      case .av1(let coder): .av1(changed(coder))
      case .vp9(let coder): .vp9(changed(coder))
      case .prores(let coder): .prores(changed(coder))
      case .dnxhr(let coder): .dnxhr(changed(coder))
      case .ffv1(let coder): .ffv1(changed(coder))
      }
  }
}

/// The facts of a codec of pictures, with its settings as they are.
package protocol VideoCoder: Hashable, Sendable {
  /// The file types that hold it, as the encoders and muxers of FFmpeg 5.1 have them.
  var fileTypes: [FileType] { get }
  var isLossless: Bool { get }
  /// The settings that it has beside those of every codec.
  var keys: [CodecKey] { get }
  /// The value of one of `keys`; nil for any other.
  subscript(key: String) -> CodecKey.Value? { get set }
  /// Whether chroma that is halved needs even sides.
  var needsEvenSides: Bool { get }
  /// The smallest picture that it encodes.
  var leastSize: PixelSize { get }
  /// The bits of a component that it can have with its settings as they are; the usual number first.
  var bitDepths: [Int] { get }
  /// The sampling of its colour differences, in which frames are composited.
  var chroma: ChromaSampling { get }

  /// The seconds of one core that a pixel takes. They were measured with x264 and libavcodec on one thread of a server core of the
  /// 2020s. A plan depends on their proportions only.
  var secondsPerPixel: Double { get }
  /// The settings on which the time for a pixel depends, in words.
  var workWords: [String] { get }

  /// FFmpeg's name of the encoder.
  var encoderName: String { get }
  /// The number of threads; nil where the encoder's bytes do not depend on it, and FFmpeg chooses.
  var threads: Int32? { get }
  /// FFmpeg's `level`; nil where FFmpeg chooses.
  var level: Int32? { get }
  /// The most frames by which its decoding runs ahead of showing, where the encoder does not tell; nil where it does.
  var reorderDepth: Int32? { get }
  /// The four characters that name it in mp4 and mov; nil where FFmpeg's choice is right.
  var sampleEntry: String? { get }
  /// The largest number of frames from keyframe to keyframe. A seek decodes this many at most.
  func keyInterval(_ frameDuration: MediaTime) -> Int64
  /// The encoder's own options, by their names.
  func options(for picture: EncodedPicture) -> [String: String]
}

extension VideoCoder {
  package var leastSize: PixelSize { PixelSize(1, 1) }
  package var bitDepths: [Int] { [8, 10] }
  package var chroma: ChromaSampling { .yuv420 }
  package var reorderDepth: Int32? { nil }
  package var sampleEntry: String? { nil }
}

/// The facts of the pictures that an encoder will get.
package struct EncodedPicture: Sendable {
  package let size: PixelSize
  package let hdrMetadata: HDRMetadata?
  /// Whether this machine's processor has AVX-512.
  package let hasAVX512: Bool

  package init(size: PixelSize, hdrMetadata: HDRMetadata?, hasAVX512: Bool) {
    (self.size, self.hdrMetadata, self.hasAVX512) = (size, hdrMetadata, hasAVX512)
  }
}

/// How a movie's picture is encoded.
package struct VideoCodecSettings: Hashable, Sendable {
  package var coding: VideoCoding
  /// The bits of a component: 8 or 10.
  package var bitDepth: Int
  /// The metadata of a movie in PQ or HLG. A part that is nil here is taken from its clips.
  package var hdrMetadata: HDRMetadata?

  /// - Parameter bitDepth: one that the codec has; nil is its usual one.
  package init(_ coding: VideoCoding, bitDepth: Int? = nil, hdrMetadata: HDRMetadata? = nil) {
    (self.coding, self.bitDepth) = (coding, bitDepth ?? coding.coder.bitDepths[0])
    self.hdrMetadata = hdrMetadata
  }

  package var codec: VideoCodec { coding.codec }
  /// The sampling of colour differences, in which frames are composited.
  package var chroma: ChromaSampling { coding.coder.chroma }

  package static func h264(crf: Double = 20, speed: H264.Speed = .medium, bitDepth: Int = 8) -> VideoCodecSettings {
    VideoCodecSettings(.h264(H264(crf: crf, speed: speed)), bitDepth: bitDepth)
  }

  package static let ffv1 = VideoCodecSettings(.ffv1(FFV1()))

  /// The settings of a codec where a document names the codec only.
  package static func usual(_ codec: VideoCodec) -> VideoCodecSettings { VideoCodecSettings(codec.usual) }
}
