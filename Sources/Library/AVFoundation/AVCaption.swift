/// A text that is shown for some time.
// A mutable one is its owner's.
/// - Partly: a text and its time alone: docs/avfoundation.md#captions
open class AVCaption: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
  fileprivate var words: String
  fileprivate var part: CMTimeRange

  public init(_ text: String, timeRange: CMTimeRange) {
    (words, part) = (text, timeRange)
    super.init()
  }

  open var text: String { words }
  open var timeRange: CMTimeRange { part }
  open func copy(with zone: NSZone? = nil) -> Any { AVCaption(words, timeRange: part) }
  open func mutableCopy(with zone: NSZone? = nil) -> Any { AVMutableCaption(words, timeRange: part) }
}

/// A text that is shown for some time, and can be changed.
/// - Partly: as `AVCaption`
open class AVMutableCaption: AVCaption, @unchecked Sendable {
  open override var text: String {
    get { words }
    set { words = newValue }
  }
  open override var timeRange: CMTimeRange {
    get { part }
    set { part = newValue }
  }
}

/// The texts that are shown in a time.
/// - Partly: as `AVCaption`
open class AVCaptionGroup: NSObject, @unchecked Sendable {
  public let captions: [AVCaption]
  public let timeRange: CMTimeRange

  public init(captions: [AVCaption], timeRange: CMTimeRange) {
    (self.captions, self.timeRange) = (captions, timeRange)
    super.init()
  }

  public convenience init(timeRange: CMTimeRange) { self.init(captions: [], timeRange: timeRange) }
}

/// The settings of a conversion of captions.
/// - Refused: as `AVCaptionFormatConformer`
public struct AVCaptionSettingsKey: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let mediaType = AVCaptionSettingsKey(rawValue: "AVCaptionMediaTypeKey")
  public static let mediaSubType = AVCaptionSettingsKey(rawValue: "AVCaptionMediaSubTypeKey")
  public static let timeCodeFrameDuration = AVCaptionSettingsKey(rawValue: "AVCaptionTimeCodeFrameDurationKey")
  public static let useDropFrameTimeCode = AVCaptionSettingsKey(rawValue: "AVCaptionUseDropFrameTimeCodeKey")
}

/// Fits captions to a form such as CEA-608. No such form is written here.
/// - Refused: no captions of such forms are written, and its function throws
open class AVCaptionFormatConformer: NSObject {
  private let settings: [AVCaptionSettingsKey: Any]
  open var conformsCaptionsToTimeRange = false

  public init(conversionSettings settings: [AVCaptionSettingsKey: Any]) {
    self.settings = settings
    super.init()
  }

  open func conformedCaption(for caption: AVCaption) throws -> AVCaption {
    throw AVError(.operationNotAllowed, "conformedCaption(for:): \(AVCaption.instead)", time: caption.timeRange.start)
  }
}

/// Appends captions to an input of texts or subtitles, one after the other. A writer does not take an input of closed captions (CEA-608).
/// - Partly: texts and subtitles in mp4 and mov: docs/avfoundation.md#captions
open class AVAssetWriterInputCaptionAdaptor: NSObject {
  public let assetWriterInput: AVAssetWriterInput
  public init(assetWriterInput input: AVAssetWriterInput) {
    assetWriterInput = input
    super.init()
  }

  /// Appends a caption, which begins with the one before or later.
  ///
  /// - Returns: false where it cannot be written; the writer's `error` says why.
  @discardableResult
  open func append(_ caption: AVCaption) -> Bool { assetWriterInput.isOfText && assetWriterInput.append(caption) }

  /// Appends the captions of a group.
  @discardableResult
  open func append(_ captionGroup: AVCaptionGroup) -> Bool { captionGroup.captions.allSatisfy { append($0) } }
}

/// Reads captions. A reader does not take the output of such a track, and its error says so.
/// - Refused: tracks of captions are not read: a reader fails when it begins
open class AVAssetReaderOutputCaptionAdaptor: NSObject {
  public let assetReaderTrackOutput: AVAssetReaderTrackOutput
  public init(assetReaderTrackOutput trackOutput: AVAssetReaderTrackOutput) {
    assetReaderTrackOutput = trackOutput
    super.init()
  }

  /// Nothing: the reader's `error` says why.
  open func nextCaptionGroup() -> AVCaptionGroup? { nil }
  open func captionsNotPresentInPreviousGroups(in captionGroup: AVCaptionGroup) -> [AVCaption] { captionGroup.captions }
}

extension AVCaption {
  /// The words of what does in place of a track of closed captions.
  static let instead = "closed captions are not made; an input of the media type subtitle takes captions"
}
