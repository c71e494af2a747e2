package import MediaTime

/// A codec of a movie's picture. A new one is a case here and in `VideoCoding`, and a file such as H264.swift, which says what it
/// can do, what it costs, which settings it has, and how FFmpeg's encoder is set up.
package enum VideoCodec: String, Hashable, Sendable, CaseIterable {
  case h264, hevc, av1, vp9, prores, dnxhr, mpeg2, ffv1, v210, mjpeg, gif, png, webp, tiff

  /// The settings where a document names the codec only.
  package var usual: VideoCoding {
    switch self {
    case .h264: .h264(H264())
    case .hevc: .hevc(HEVC())
    case .av1: .av1(AV1())
    case .vp9: .vp9(VP9())
    case .prores: .prores(ProRes())
    case .dnxhr: .dnxhr(DNxHR())
    case .mpeg2: .mpeg2(MPEG2())
    case .ffv1: .ffv1(FFV1())
    case .v210: .v210(V210())
    case .mjpeg: .mjpeg(MJPEG())
    case .gif: .gif(GIF())
    case .png: .png(PNG())
    case .webp: .webp(WebP())
    case .tiff: .tiff(TIFF())
    }
  }

  /// The file types that hold it.
  package var fileTypes: [FileType] { usual.coder.fileTypes }
  package var isLossless: Bool { usual.coder.isLossless }
  /// FFmpeg's name of the codec, by which tracks of media have it.
  package var streamName: String {
    switch self {
    case .dnxhr: "dnxhd"
    case .mpeg2: "mpeg2video"
    default: rawValue
    }
  }
}

/// A codec of a movie's picture, with the settings that this codec has.
package enum VideoCoding: Hashable, Sendable {
  case h264(H264)
  case hevc(HEVC)
  case av1(AV1)
  case vp9(VP9)
  case prores(ProRes)
  case dnxhr(DNxHR)
  case mpeg2(MPEG2)
  case ffv1(FFV1)
  case v210(V210)
  case mjpeg(MJPEG)
  case gif(GIF)
  case png(PNG)
  case webp(WebP)
  case tiff(TIFF)

  package var codec: VideoCodec {
    switch self {
    case .h264: .h264
    case .hevc: .hevc
    case .av1: .av1
    case .vp9: .vp9
    case .prores: .prores
    case .dnxhr: .dnxhr
    case .mpeg2: .mpeg2
    case .ffv1: .ffv1
    case .v210: .v210
    case .mjpeg: .mjpeg
    case .gif: .gif
    case .png: .png
    case .webp: .webp
    case .tiff: .tiff
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
    case .mpeg2(let coder): coder
    case .ffv1(let coder): coder
    case .v210(let coder): coder
    case .mjpeg(let coder): coder
    case .gif(let coder): coder
    case .png(let coder): coder
    case .webp(let coder): coder
    case .tiff(let coder): coder
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
      case .mpeg2(let coder): .mpeg2(changed(coder))
      case .ffv1(let coder): .ffv1(changed(coder))
      case .v210(let coder): .v210(changed(coder))
      case .mjpeg(let coder): .mjpeg(changed(coder))
      case .gif(let coder): .gif(changed(coder))
      case .png(let coder): .png(changed(coder))
      case .webp(let coder): .webp(changed(coder))
      case .tiff(let coder): .tiff(changed(coder))
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
  /// The bits of a component with which it also holds alpha, its settings being as they are; none where it holds no alpha.
  var alphaBitDepths: [Int] { get }
  /// The bits of alpha in a movie whose components have `bitDepth` bits.
  func alphaBits(_ bitDepth: Int) -> Int
  /// The file types that hold its alpha.
  var alphaFileTypes: [FileType] { get }
  /// The bound of its bit rate that its settings state; nil where they state none.
  var rateCap: RateCap? { get }
  /// The bits of the whole picture that its settings ask for; nil where they ask for a quality.
  var rateTarget: RateTarget? { get }
  /// The quality that each chunk is to reach; nil where the settings state none.
  var qualityTarget: QualityTarget? { get }
  /// The values of `crf` among which a quality is searched, the finest first; none where the codec has no such search.
  var qualitySteps: [Double] { get }
  /// The rate factor, on the scale of x264, for which a value of `crf` stands.
  func rateFactor(ofCRF crf: Double) -> Double
  /// The settings with which the first pass over a movie with a target encodes; nil without a target.
  var surveyor: VideoCoding? { get }
  /// The rate factors between which a target is looked for.
  var rateFactors: ClosedRange<Double> { get }
  /// The parts of a chunk that together take the bits of a rate factor; nil where one factor does.
  func parting(_ rateFactor: Double, frameCount: Int) -> WholeSteps.Parting?
  /// Whether the rate factor of an open encoder can be changed from frame to frame.
  var isSteered: Bool { get }
  /// Whether packets of sources can stand beside those of the encoder.
  var copiesPackets: Bool { get }
  /// The bound within which pictures must keep, whether its settings state it or its own rules; nil where there is none.
  func rateCap(for picture: EncodedPicture) -> RateCap?
  /// The colour in which its samples are, for an edit of the colour `tags`.
  func color(_ tags: ColorTags) -> ColorTags
  /// The way in which pictures are brought to a palette; nil where they keep their colours.
  var palette: GIF.Dither? { get }
  /// The way in which the encoder takes the samples of a pixel together; nil where it takes planes.
  var packing: PixelPacking? { get }
  /// Whether pixels that are clear lose their colour.
  var hidesClearColors: Bool { get }
  /// The quantizer of all pictures; nil where the encoder chooses by its options. Where it is no whole number, it is the average of the two
  /// beside it.
  func quantizer(for picture: EncodedPicture) -> Double?
  /// The reason for which its frames are not made of fields, in words; nil where they can be.
  var fieldObjection: String? { get }
  /// The reason for which the codec's rules do not allow pictures of a size that last so long; nil where they do.
  func objection(to size: PixelSize, lasting frameDuration: MediaTime) -> PictureObjection?
  /// The key of a setting that contradicts another one, and why; nil where all go together.
  var contradiction: (key: String, reason: String)? { get }

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
  /// The steps of the quantizer by which a stream's first frame has to be finer than the encoder would have it, to be as fine as later keyframes;
  /// nil where the encoder's options see to it, or nothing does.
  var openingSteps: Double? { get }
  /// The four characters that name it in mp4 and mov; nil where FFmpeg's choice is right.
  var sampleEntry: String? { get }
  /// The largest number of frames from keyframe to keyframe. A seek decodes this many at most.
  func keyInterval(_ frameDuration: MediaTime) -> Int64
  /// The encoder's options, its own and FFmpeg's, by their names.
  func options(for picture: EncodedPicture) -> [String: String]
}

extension VideoCoder {
  package var leastSize: PixelSize { PixelSize(1, 1) }
  package var bitDepths: [Int] { [8, 10] }
  package var chroma: ChromaSampling { .yuv420 }
  package var alphaBitDepths: [Int] { [] }
  package func alphaBits(_ bitDepth: Int) -> Int { bitDepth }
  package var alphaFileTypes: [FileType] { fileTypes }
  package var rateCap: RateCap? { nil }
  package var rateTarget: RateTarget? { nil }
  package var surveyor: VideoCoding? { nil }
  package var qualityTarget: QualityTarget? { nil }
  package var qualitySteps: [Double] { [] }
  package func rateFactor(ofCRF crf: Double) -> Double { crf }
  /// Whether a chunk is encoded until it meets a target, of bits or of quality.
  package var hasTarget: Bool { rateTarget != nil || qualityTarget != nil }
  /// The words of work that has a target, of bits or of quality.
  var targetWords: [String] {
    qualityTarget != nil ? [QualityTarget.workWord] : rateTarget != nil ? [RateTarget.workWord] : []
  }
  package var rateFactors: ClosedRange<Double> { RateTarget.usualFactors }
  package func parting(_: Double, frameCount _: Int) -> WholeSteps.Parting? { nil }
  package var isSteered: Bool { false }
  package var copiesPackets: Bool { false }
  package func color(_ tags: ColorTags) -> ColorTags { tags }
  package var palette: GIF.Dither? { nil }
  package var packing: PixelPacking? { nil }
  package var hidesClearColors: Bool { palette != nil }
  package func rateCap(for _: EncodedPicture) -> RateCap? { rateCap }
  package func quantizer(for _: EncodedPicture) -> Double? { nil }
  package func objection(to _: PixelSize, lasting _: MediaTime) -> PictureObjection? { nil }
  package var contradiction: (key: String, reason: String)? { nil }
  package var reorderDepth: Int32? { nil }
  package var openingSteps: Double? { nil }
  package var sampleEntry: String? { nil }
}

/// A reason for which a codec does not take pictures, in words, by what of them is to be changed.
package enum PictureObjection: Hashable, Sendable {
  case size(String)
  case rate(String)
  case setting(_ key: String, String)

  package var words: String {
    switch self {
    case .size(let words), .rate(let words), .setting(_, let words): words
    }
  }
}

/// The facts of the pictures that an encoder will get.
package struct EncodedPicture: Sendable {
  package let size: PixelSize
  package let frameDuration: MediaTime
  package let hdrMetadata: HDRMetadata?
  package let hasAlpha: Bool
  /// Whether this machine's processor has AVX-512.
  package let hasAVX512: Bool
  /// The time that all pictures of the chunk take.
  package let seconds: Double
  /// The number of times that the chunk was encoded in vain, because it did not keep within the rate's bound.
  package let againCount: Int
  /// The rate factor in place of the settings'; nil leaves it to them.
  package var rateFactor: Double?
  /// The number of the stream's parameter sets, where packets of sources stand beside it in one track; nil elsewhere.
  package let parameterSetID: Int?
  /// Whether some frames are asked to become keyframes.
  package let forcesKeyframes: Bool
  /// The field that comes first in each frame; nil where frames are whole.
  package let fieldOrder: FieldOrder?
  package let wishes: StreamWishes

  package init(
    size: PixelSize, frameDuration: MediaTime, hdrMetadata: HDRMetadata?, hasAlpha: Bool = false, hasAVX512: Bool,
    seconds: Double, againCount: Int = 0, rateFactor: Double? = nil, parameterSetID: Int? = nil, forcesKeyframes: Bool = false,
    fieldOrder: FieldOrder? = nil, wishes: StreamWishes = StreamWishes()
  ) {
    self.fieldOrder = fieldOrder
    (self.size, self.frameDuration, self.hdrMetadata) = (size, frameDuration, hdrMetadata)
    (self.hasAlpha, self.hasAVX512) = (hasAlpha, hasAVX512)
    (self.seconds, self.againCount, self.rateFactor, self.parameterSetID) = (seconds, againCount, rateFactor, parameterSetID)
    (self.forcesKeyframes, self.wishes) = (forcesKeyframes, wishes)
  }
}

/// How a movie's picture is encoded.
package struct VideoCodecSettings: Hashable, Sendable {
  package var coding: VideoCoding
  /// The bits of a component: 8 or 10.
  package var bitDepth: Int
  /// Whether the movie has alpha. What nothing covers is clear then.
  package var hasAlpha = false
  /// The metadata of a movie in PQ or HLG. A part that is nil here is taken from its clips.
  package var hdrMetadata: HDRMetadata?
  /// Whether packets of sources become packets of the movie.
  package var copy = CopyRule.never
  /// The fields of which frames are made; nil where frames are whole.
  package var fields: FieldWeave?
  /// The width and the height of a pixel as it is shown, as two whole numbers without a common factor.
  package var pixelAspect = PixelSize(1, 1)

  /// - Parameter bitDepth: one that the codec has; nil is its usual one.
  package init(_ coding: VideoCoding, bitDepth: Int? = nil, hdrMetadata: HDRMetadata? = nil) {
    (self.coding, self.bitDepth) = (coding, bitDepth ?? coding.coder.bitDepths[0])
    self.hdrMetadata = hdrMetadata
  }

  package var codec: VideoCodec { coding.codec }
  /// The background where an edit states none: black, or nothing in a movie with alpha.
  package var usualBackground: RGBAColor { RGBAColor(0, 0, 0, alpha: hasAlpha ? 0 : 1) }
  /// The sampling of colour differences, in which frames are composited.
  package var chroma: ChromaSampling { coding.coder.chroma }

  package static func h264(crf: Double = 20, speed: H264.Speed = .medium, bitDepth: Int = 8) -> VideoCodecSettings {
    VideoCodecSettings(.h264(H264(crf: crf, speed: speed)), bitDepth: bitDepth)
  }

  package static let ffv1 = VideoCodecSettings(.ffv1(FFV1()))

  /// The settings of a codec where a document names the codec only.
  package static func usual(_ codec: VideoCodec) -> VideoCodecSettings { VideoCodecSettings(codec.usual) }
}
