/// Words that belong together.
// A mutable one is its owner's.
/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
open class AVMetadataGroup: NSObject, @unchecked Sendable {
  fileprivate var words: [AVMetadataItem] = []
  open var items: [AVMetadataItem] { words }
  /// A word by which groups of one kind are known, and one by which this group is; nil for groups of files.
  open var classifyingLabel: String? { nil }
  open var uniqueID: String? { nil }
}

/// Words that describe a part of a movie, such as a chapter.
/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
open class AVTimedMetadataGroup: AVMetadataGroup, NSCopying, NSMutableCopying, @unchecked Sendable {
  fileprivate var part: CMTimeRange

  public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
    part = timeRange
    super.init()
    words = items
  }

  open var timeRange: CMTimeRange { part }

  /// The group as it is now, with the same words.
  open func copy(with zone: NSZone? = nil) -> Any { AVTimedMetadataGroup(items: words, timeRange: part) }
  /// The group as it is now, to be changed: an `AVMutableTimedMetadataGroup` with the same words.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { AVMutableTimedMetadataGroup(items: words, timeRange: part) }
}

/// Words that describe a part of a movie, and can be changed.
/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
open class AVMutableTimedMetadataGroup: AVTimedMetadataGroup, @unchecked Sendable {
  open override var items: [AVMetadataItem] {
    get { words }
    set { words = newValue }
  }
  open override var timeRange: CMTimeRange {
    get { part }
    set { part = newValue }
  }
}

/// Words that describe a time by the calendar.
/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
open class AVDateRangeMetadataGroup: AVMetadataGroup, NSCopying, NSMutableCopying, @unchecked Sendable {
  fileprivate var (begin, end): (Date, Date?)

  public init(items: [AVMetadataItem], start startDate: Date, end endDate: Date?) {
    (begin, end) = (startDate, endDate)
    super.init()
    words = items
  }

  open var startDate: Date { begin }
  open var endDate: Date? { end }

  /// The group as it is now, with the same words.
  open func copy(with zone: NSZone? = nil) -> Any { AVDateRangeMetadataGroup(items: words, start: begin, end: end) }
  /// The group as it is now, to be changed: an `AVMutableDateRangeMetadataGroup` with the same words.
  open func mutableCopy(with zone: NSZone? = nil) -> Any {
    AVMutableDateRangeMetadataGroup(items: words, start: begin, end: end)
  }
}

/// Words that describe a time by the calendar, and can be changed.
/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
open class AVMutableDateRangeMetadataGroup: AVDateRangeMetadataGroup, @unchecked Sendable {
  open override var items: [AVMetadataItem] {
    get { words }
    set { words = newValue }
  }
  open override var startDate: Date {
    get { begin }
    set { begin = newValue }
  }
  open override var endDate: Date? {
    get { end }
    set { end = newValue }
  }
}

/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
public struct AVMetadataFormat: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
  public static let quickTimeMetadata = AVMetadataFormat("com.apple.quicktime.mdta")
  public static let quickTimeUserData = AVMetadataFormat("com.apple.quicktime.udta")
  public static let iTunesMetadata = AVMetadataFormat("com.apple.itunes")
  public static let id3Metadata = AVMetadataFormat("org.id3")
  public static let isoUserData = AVMetadataFormat("org.mp4ra")
  public static let hlsMetadata = AVMetadataFormat("com.apple.quicktime.HLS")
  public static let unknown = AVMetadataFormat("public.unknown")
}

extension AVMetadataItem: AVAsynchronousKeyValueLoading {}

extension AVPartialAsyncProperty where Root: AVMetadataItem {
  public static var value: AVAsyncProperty<Root, (any NSObjectProtocol & NSCopying)?> { .init { $0.value } }
  public static var stringValue: AVAsyncProperty<Root, String?> { .init { $0.stringValue } }
  public static var numberValue: AVAsyncProperty<Root, NSNumber?> { .init { $0.numberValue } }
  public static var dateValue: AVAsyncProperty<Root, Date?> { .init { $0.dateValue } }
  public static var dataValue: AVAsyncProperty<Root, Data?> { .init { $0.dataValue } }
}
