internal import Formats
internal import MediaTime
internal import Timeline

/// A track of an asset.
// The facts never change. Tracks of edits are their owner's.
/// - Partly: `estimatedDataRate` and `totalSampleDataLength` are those of MP4 and QuickTime files, and 0 for others.
///   `canProvideSampleCursors` is false for other files, URLs, and edits of several parts
open class AVAssetTrack: NSObject, AVTrackOfSegments, @unchecked Sendable {
  open private(set) weak var asset: AVAsset?
  /// The facts of a medium's track; nil for a track of an edit.
  let facts: MediaProbe.Track?
  /// The position among the asset's tracks of this kind that can be decoded; nil where this one cannot.
  let position: Int?
  /// The place of the medium, which outlives the asset.
  let url: URL?
  /// The tables of the medium's file.
  let tables: MovieTablesCache
  /// The medium's file; nil where it is not held open.
  let file: KeptFile?

  init(of asset: AVAsset, _ facts: MediaProbe.Track?, position: Int?, file: KeptFile? = nil) {
    (self.asset, self.facts, self.position, self.file) = (asset, facts, position, file)
    url = (asset as? AVURLAsset)?.url
    tables = (asset as? AVURLAsset)?.tables ?? MovieTablesCache()
    super.init()
  }

  open var trackID: CMPersistentTrackID { CMPersistentTrackID((facts?.index ?? -1) + 1) }
  open var mediaType: AVMediaType { facts?.video != nil ? .video : .audio }
  open var isEnabled: Bool { true }
  open var isPlayable: Bool { facts?.rejection == nil }
  open var isDecodable: Bool { isPlayable }
  open var isSelfContained: Bool { true }

  open var timeRange: CMTimeRange {
    facts.map { CMTimeRange($0.timeRange, preferredTimescale: $0.naturalTimeScale) } ?? .zero
  }
  open var naturalTimeScale: CMTimeScale { facts?.naturalTimeScale ?? 600 }
  /// The size of the picture as it is stored, with square pixels; zero for sound.
  open var naturalSize: CGSize { facts?.video?.storedSize ?? .zero }
  open var preferredTransform: CGAffineTransform { facts?.video?.preferredTransform ?? .identity }
  open var preferredVolume: Float { 1 }
  /// The pictures in a second; 0 where they are unknown.
  open var nominalFrameRate: Float { Float(facts?.video?.nominalFrameRate?.seconds ?? 0) }
  /// The exact duration of a picture; invalid where it is unknown.
  open var minFrameDuration: CMTime {
    guard let rate = facts?.video?.nominalFrameRate, let ticks = Int32(exactly: rate.value) else { return .invalid }
    return CMTime(value: Int64(rate.timescale), timescale: ticks)
  }
  /// The language of the track, one of ISO 639-2, as an MP4 or QuickTime file of this machine tells it; nil for other media.
  open var languageCode: String? { fileTables?.language }
  /// The language of the track, one of IETF BCP 47, where the file tells it so.
  open var extendedLanguageTag: String? { fileTables?.fullLanguage }

  /// The segments of the track.
  // An edit's track has segments of another type under the same name. So the name is not in the class.
  var parts: [AVAssetTrackSegment] {
    [AVAssetTrackSegment(CMTimeMapping(source: timeRange, target: timeRange), isEmpty: false)]
  }

  /// The descriptions of what the track has: CMFormatDescriptions.
  open var formatDescriptions: [Any] { facts.map { [$0.formatDescription] } ?? [] }
  open func hasMediaCharacteristic(_ mediaCharacteristic: AVMediaCharacteristic) -> Bool {
    switch mediaCharacteristic {
    case .visual: mediaType == .video
    case .audible: mediaType == .audio
    case .frameBased: mediaType == .video
    case .containsAlphaChannel: facts?.video?.alpha != nil
    case .containsHDRVideo: (facts?.video?.color.transfer).map { $0 == .pq || $0 == .hlg } ?? false
    case .usesWideGamutColorSpace: (facts?.video?.color.primaries).map { $0 == .bt2020 || $0 == .smpte432 } ?? false
    default: false
    }
  }

  /// The parts that the track plays in a range of its time, as segments from zero on, and the tracks that they play.
  func material(in range: MediaTimeRange) throws(AVError) -> Material {
    guard let facts, let position, let url else {
      throw AVError(.invalidSourceMedia, "track \(trackID) cannot be decoded: \(facts?.rejection ?? "")", url: url)
    }
    do {
      // Times that the track does not have are played as a gap.
      let known = facts.timeRange.isEmpty ? range : facts.timeRange
      let (start, end) = (max(range.start, known.start), min(range.end, known.end))
      guard start < end else {
        throw AVError(
          .invalidCompositionTrackSegmentSourceStartTime, "\(range) lies outside of the track, which has \(known)",
          property: "timeRange", url: url, time: CMTime(range.start, preferredTimescale: 600))
      }
      let source = try MediaTimeRange(start: start, end: end)
      let head = try start - range.start
      let target = try MediaTimeRange(start: head, duration: source.duration)
      let medium = SegmentSource(asset: AssetID(of: url, file), trackPosition: position)
      let segment = try TrackSegment.media(medium, TimeMapping(source: source, target: target))
      let gap: [TrackSegment] = head > .zero ? [.empty(try MediaTimeRange(start: .zero, duration: head))] : []
      return Material(segments: gap + [segment], sources: [medium: SourceTrack(url: url, facts: facts, file: file)])
    } catch let error as AVError {
      throw error
    } catch { throw AVError(.unknown, "the range \(range): \(error)", property: "timeRange", url: url) }
  }
}

/// The kind of object that has segments of a track.
public protocol AVTrackOfSegments: AnyObject {}

extension AVTrackOfSegments where Self: AVAssetTrack {
  /// The segments, in order of the track's time.
  @_disfavoredOverload
  public var segments: [AVAssetTrackSegment] { parts }

  /// The segment at a time of the track; the last one from its end on, and nil where there is none.
  public func segment(forTrackTime trackTime: CMTime) -> AVAssetTrackSegment? {
    parts.first { $0.timeMapping.target.containsTime(trackTime) } ?? (trackTime >= timeRange.end ? parts.last : nil)
  }
}

/// Segments from zero on, and the tracks that they play.
struct Material {
  var segments: [TrackSegment]
  var sources: [SegmentSource: SourceTrack]
}

/// A track of a medium that segments play.
struct SourceTrack {
  var url: URL
  var facts: MediaProbe.Track
  /// The medium's file; nil where it is not held open.
  var file: KeptFile?
}

extension AssetID {
  /// The name of a medium in an edit: its place, and for a file what tells it from others that had this place before or after it.
  init(of url: URL, _ file: KeptFile?) { self.init(file.map { "\($0.place) \($0.identity)" } ?? url.mediaPlace) }
}

/// A range of a track, and what it plays.
open class AVAssetTrackSegment: NSObject {
  public let timeMapping: CMTimeMapping
  public let isEmpty: Bool

  init(_ timeMapping: CMTimeMapping, isEmpty: Bool) {
    (self.timeMapping, self.isEmpty) = (timeMapping, isEmpty)
    super.init()
  }
}

public struct AVMediaCharacteristic: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let visual = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicVisual")
  public static let audible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicAudible")
  public static let legible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicLegible")
  public static let frameBased = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicFrameBased")
  public static let containsAlphaChannel = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicContainsAlphaChannel")
  public static let containsHDRVideo = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicContainsHDRVideo")
  public static let usesWideGamutColorSpace = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicUsesWideGamutColorSpace")
}

// Media files are not asked for these, and no track of one has them.
extension AVMediaCharacteristic {
  public static let isMainProgramContent = AVMediaCharacteristic(rawValue: "public.main-program-content")
  public static let isAuxiliaryContent = AVMediaCharacteristic(rawValue: "public.auxiliary-content")
  public static let isOriginalContent = AVMediaCharacteristic(rawValue: "public.original-content")
  public static let containsOnlyForcedSubtitles = AVMediaCharacteristic(rawValue: "public.subtitles.forced-only")
  public static let transcribesSpokenDialogForAccessibility = AVMediaCharacteristic(
    rawValue: "public.accessibility.transcribes-spoken-dialog")
  public static let describesMusicAndSoundForAccessibility = AVMediaCharacteristic(
    rawValue: "public.accessibility.describes-music-and-sound")
  public static let describesVideoForAccessibility = AVMediaCharacteristic(rawValue: "public.accessibility.describes-video")
  public static let easyToRead = AVMediaCharacteristic(rawValue: "public.easy-to-read")
  public static let languageTranslation = AVMediaCharacteristic(rawValue: "public.translation")
  public static let dubbedTranslation = AVMediaCharacteristic(rawValue: "public.translation.dubbed")
  public static let voiceOverTranslation = AVMediaCharacteristic(rawValue: "public.translation.voice-over")
  public static let containsStereoMultiviewVideo = AVMediaCharacteristic(
    rawValue: "AVMediaCharacteristicContainsStereoMultiviewVideo")
  public static let carriesVideoStereoMetadata = AVMediaCharacteristic(
    rawValue: "AVMediaCharacteristicCarriesVideoStereoMetadata")
  public static let indicatesHorizontalFieldOfView = AVMediaCharacteristic(
    rawValue: "AVMediaCharacteristicIndicatesHorizontalFieldOfView")
}

extension VideoFacts {
  /// The attachments that say which part of the stored picture is shown, and how wide its pixels are; none where that is all of it,
  /// with square ones.
  fileprivate var shape: [String: Any] {
    var found: [String: Any] = [:]
    if pixelAspect.width != pixelAspect.height {
      found[kCMFormatDescriptionExtension_PixelAspectRatio] = [
        kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing: NSNumber(value: pixelAspect.width),
        kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing: NSNumber(value: pixelAspect.height),
      ]
    }
    if let part = cleanAperture {
      found[kCMFormatDescriptionExtension_CleanAperture] = [
        kCMFormatDescriptionKey_CleanApertureWidth: NSNumber(value: part.width),
        kCMFormatDescriptionKey_CleanApertureHeight: NSNumber(value: part.height),
        kCMFormatDescriptionKey_CleanApertureHorizontalOffset:
          NSNumber(value: part.x + part.width / 2 - Double(naturalSize.width) / 2),
        kCMFormatDescriptionKey_CleanApertureVerticalOffset:
          NSNumber(value: part.y + part.height / 2 - Double(naturalSize.height) / 2),
      ]
    }
    return found
  }
}

extension MediaProbe.Track {
  /// The description of the track's samples, as they are stored.
  var formatDescription: CMFormatDescription {
    if let video {
      let codecs: [String: CMVideoCodecType] = [
        "h264": kCMVideoCodecType_H264, "hevc": kCMVideoCodecType_HEVC, "mjpeg": kCMVideoCodecType_JPEG,
        "mpeg4": kCMVideoCodecType_MPEG4Video, "vp9": kCMVideoCodecType_VP9, "av1": kCMVideoCodecType_AV1,
        "prores": kCMVideoCodecType_AppleProRes422,
      ]
      let color = video.color.resolved(height: video.naturalSize.height)
      return CMFormatDescription(
        video: codecs[codec] ?? 0,
        CMVideoDimensions(width: Int32(video.naturalSize.width), height: Int32(video.naturalSize.height)),
        Dictionary(color.attachments.map { ($0.0, $0.1 as Any) }) { $1 }.merging(video.shape) { $1 })
    }
    let codecs: [String: AudioFormatID] = [
      "aac": kAudioFormatMPEG4AAC, "alac": kAudioFormatAppleLossless, "mp3": kAudioFormatMPEGLayer3, "ac3": kAudioFormatAC3,
      "eac3": kAudioFormatEnhancedAC3,
      "flac": kAudioFormatFLAC, "opus": kAudioFormatOpus,
    ]
    var sound = AudioStreamBasicDescription()
    sound.mSampleRate = Double(audio?.sampleRate ?? 0)
    sound.mFormatID = codecs[codec] ?? (codec.hasPrefix("pcm") ? kAudioFormatLinearPCM : 0)
    sound.mChannelsPerFrame = UInt32(clamping: audio?.channelCount ?? 0)
    if codec == "aac" { sound.mFramesPerPacket = 1024 }
    return CMFormatDescription(sound: sound)
  }
}

extension AVTrackOfSegments where Self: AVCompositionTrack {
  /// The segments, in order of the track's time. Those of a mutable track are set in another type.
  public var segments: [AVCompositionTrackSegment] { played }
}
