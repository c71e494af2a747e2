internal import Formats

/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable, AVBridgedWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
  public static let commonIdentifierTitle = AVMetadataIdentifier("common/title")
  public static let commonIdentifierCreator = AVMetadataIdentifier("common/creator")
  public static let commonIdentifierAuthor = AVMetadataIdentifier("common/author")
  public static let commonIdentifierArtist = AVMetadataIdentifier("common/artist")
  public static let commonIdentifierAlbumName = AVMetadataIdentifier("common/albumName")
  public static let commonIdentifierDescription = AVMetadataIdentifier("common/description")
  public static let commonIdentifierCopyrights = AVMetadataIdentifier("common/copyrights")
  public static let commonIdentifierCreationDate = AVMetadataIdentifier("common/creationDate")
  public static let commonIdentifierType = AVMetadataIdentifier("common/type")
  public static let commonIdentifierLocation = AVMetadataIdentifier("common/location")
  public static let commonIdentifierSoftware = AVMetadataIdentifier("common/software")
  public static let commonIdentifierArtwork = AVMetadataIdentifier("common/artwork")
  public static let quickTimeMetadataTitle = AVMetadataIdentifier("mdta/com.apple.quicktime.title")
  public static let quickTimeMetadataArtist = AVMetadataIdentifier("mdta/com.apple.quicktime.artist")
  public static let quickTimeMetadataAlbum = AVMetadataIdentifier("mdta/com.apple.quicktime.album")
  public static let quickTimeMetadataDescription = AVMetadataIdentifier("mdta/com.apple.quicktime.description")
  public static let quickTimeMetadataCopyright = AVMetadataIdentifier("mdta/com.apple.quicktime.copyright")
  public static let quickTimeMetadataCreationDate = AVMetadataIdentifier("mdta/com.apple.quicktime.creationdate")
  public static let quickTimeMetadataGenre = AVMetadataIdentifier("mdta/com.apple.quicktime.genre")
  public static let quickTimeMetadataLocationISO6709 = AVMetadataIdentifier("mdta/com.apple.quicktime.location.ISO6709")
  public static let quickTimeMetadataSoftware = AVMetadataIdentifier("mdta/com.apple.quicktime.software")
  public static let quickTimeMetadataMake = AVMetadataIdentifier("mdta/com.apple.quicktime.make")
  public static let quickTimeMetadataModel = AVMetadataIdentifier("mdta/com.apple.quicktime.model")
  public static let quickTimeMetadataAuthor = AVMetadataIdentifier("mdta/com.apple.quicktime.author")
  public static let quickTimeMetadataComment = AVMetadataIdentifier("mdta/com.apple.quicktime.comment")
  public static let quickTimeMetadataKeywords = AVMetadataIdentifier("mdta/com.apple.quicktime.keywords")
  public static let quickTimeMetadataDisplayName = AVMetadataIdentifier("mdta/com.apple.quicktime.displayname")
  public static let quickTimeMetadataContentIdentifier = AVMetadataIdentifier("mdta/com.apple.quicktime.content.identifier")
  public static let quickTimeUserDataTrackName = AVMetadataIdentifier("udta/tnam")
  public static let iTunesMetadataSongName = AVMetadataIdentifier("itsk/%A9nam")
  public static let iTunesMetadataArtist = AVMetadataIdentifier("itsk/%A9ART")
  public static let iTunesMetadataAlbum = AVMetadataIdentifier("itsk/%A9alb")
  public static let iTunesMetadataAlbumArtist = AVMetadataIdentifier("itsk/aART")
  public static let iTunesMetadataComposer = AVMetadataIdentifier("itsk/%A9wrt")
  public static let iTunesMetadataUserGenre = AVMetadataIdentifier("itsk/%A9gen")
  public static let iTunesMetadataReleaseDate = AVMetadataIdentifier("itsk/%A9day")
  public static let iTunesMetadataDescription = AVMetadataIdentifier("itsk/desc")
  public static let iTunesMetadataUserComment = AVMetadataIdentifier("itsk/%A9cmt")
  public static let iTunesMetadataCoverArt = AVMetadataIdentifier("itsk/covr")
  public static let iTunesMetadataCopyright = AVMetadataIdentifier("itsk/cprt")
}

/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable, AVBridgedWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
  public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
  public static let commonKeyAuthor = AVMetadataKey(rawValue: "author")
  public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
  public static let commonKeyAlbumName = AVMetadataKey(rawValue: "albumName")
  public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
  public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
  public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
  public static let commonKeyLocation = AVMetadataKey(rawValue: "location")
  public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
  public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")
  public static let commonKeySubject = AVMetadataKey(rawValue: "subject")
  public static let commonKeyPublisher = AVMetadataKey(rawValue: "publisher")
  public static let commonKeyContributor = AVMetadataKey(rawValue: "contributor")
  public static let commonKeyLastModifiedDate = AVMetadataKey(rawValue: "lastModifiedDate")
  public static let commonKeyType = AVMetadataKey(rawValue: "type")
  public static let commonKeyFormat = AVMetadataKey(rawValue: "format")
  public static let commonKeyIdentifier = AVMetadataKey(rawValue: "identifier")
  public static let commonKeySource = AVMetadataKey(rawValue: "source")
  public static let commonKeyLanguage = AVMetadataKey(rawValue: "language")
  public static let commonKeyRelation = AVMetadataKey(rawValue: "relation")
  public static let commonKeyMake = AVMetadataKey(rawValue: "make")
  public static let commonKeyModel = AVMetadataKey(rawValue: "model")
  public static let quickTimeMetadataKeyTitle = AVMetadataKey(rawValue: "com.apple.quicktime.title")
  public static let quickTimeMetadataKeyCreationDate = AVMetadataKey(rawValue: "com.apple.quicktime.creationdate")
  public static let quickTimeMetadataKeyDescription = AVMetadataKey(rawValue: "com.apple.quicktime.description")
  public static let quickTimeMetadataKeySoftware = AVMetadataKey(rawValue: "com.apple.quicktime.software")
  public static let quickTimeMetadataKeyMake = AVMetadataKey(rawValue: "com.apple.quicktime.make")
  public static let quickTimeMetadataKeyModel = AVMetadataKey(rawValue: "com.apple.quicktime.model")
  public static let quickTimeMetadataKeyLocationISO6709 = AVMetadataKey(rawValue: "com.apple.quicktime.location.ISO6709")
  public static let quickTimeMetadataKeyContentIdentifier = AVMetadataKey(rawValue: "com.apple.quicktime.content.identifier")
}

/// A thing that is said of a word beside its value.
/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
public struct AVMetadataExtraAttributeKey: RawRepresentable, Hashable, Sendable, AVBridgedWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.init(rawValue: rawValue) }
  public static let valueURI = AVMetadataExtraAttributeKey(rawValue: "uri")
  public static let baseURI = AVMetadataExtraAttributeKey(rawValue: "base")
  public static let info = AVMetadataExtraAttributeKey(rawValue: "info")
}

/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
public struct AVMetadataKeySpace: RawRepresentable, Hashable, Sendable, AVBridgedWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let common = AVMetadataKeySpace(rawValue: "comn")
  public static let quickTimeMetadata = AVMetadataKeySpace(rawValue: "mdta")
  public static let quickTimeUserData = AVMetadataKeySpace(rawValue: "udta")
  public static let iTunes = AVMetadataKeySpace(rawValue: "itsk")
  public static let id3 = AVMetadataKeySpace(rawValue: "org.id3")
  public static let isoUserData = AVMetadataKeySpace(rawValue: "uiso")
  public static let icy = AVMetadataKeySpace(rawValue: "icy")
  public static let hlsDateRange = AVMetadataKeySpace(rawValue: "lsdr")
  public static let audioFile = AVMetadataKeySpace(rawValue: "caaf")

  /// The words with which identifiers of this space begin. Two spaces are called otherwise there.
  fileprivate var prefix: String { Self.prefixes[self] ?? rawValue }
  fileprivate init(prefix: String) { self = Self.prefixes.first { $0.value == prefix }?.key ?? Self(rawValue: prefix) }
  private static let prefixes: [Self: String] = [.common: "common", .id3: "id3"]
}

/// A word that describes a movie.
// A mutable one is its owner's.
/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
open class AVMetadataItem: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
  struct Parts {
    var identifier: AVMetadataIdentifier?
    var keySpace: AVMetadataKeySpace?
    var key: (any NSObjectProtocol & NSCopying)?
    var value: Any?
    var time = CMTime.invalid
    var duration = CMTime.invalid
    var locale: Locale?
    var extendedLanguageTag: String?
    var dataType: String?
    var extraAttributes: [AVMetadataExtraAttributeKey: Any]?
    var startDate: Date?
  }

  fileprivate(set) var parts = Parts()
  func take(_ parts: Parts) { self.parts = parts }

  public override init() { super.init() }

  /// The word as it is now.
  open func copy(with zone: NSZone? = nil) -> Any { filled(AVMetadataItem()) }
  /// The word as it is now, to be changed: an `AVMutableMetadataItem`.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { filled(AVMutableMetadataItem()) }

  private func filled(_ copy: AVMetadataItem) -> AVMetadataItem {
    copy.parts = parts
    return copy
  }

  /// The identifier, else the one that key space and key make.
  open var identifier: AVMetadataIdentifier? {
    parts.identifier ?? Self.identifier(forKey: parts.key ?? "" as NSString, keySpace: parts.keySpace ?? .common)
  }
  open var keySpace: AVMetadataKeySpace? {
    parts.keySpace ?? parts.identifier.map { AVMetadataKeySpace(prefix: String($0.rawValue.prefix { $0 != "/" })) }
  }
  open var key: (any NSObjectProtocol & NSCopying)? {
    parts.key ?? parts.identifier.map { String($0.rawValue.drop { $0 != "/" }.dropFirst()) as NSString }
  }
  open var commonKey: AVMetadataKey? {
    let titles: [String: AVMetadataKey] = [
      "title": .commonKeyTitle, "artist": .commonKeyArtist, "album": .commonKeyAlbumName, "description": .commonKeyDescription,
      "copyright": .commonKeyCopyrights, "date": .commonKeyCreationDate,
    ]
    guard let identifier else { return nil }
    if identifier.rawValue.hasPrefix("common/") { return AVMetadataKey(rawValue: String(identifier.rawValue.dropFirst(7))) }
    return tag.flatMap { titles[$0.rawValue] } ?? Self.commonKeys[identifier.rawValue]
  }

  /// The common keys of the words that movies do not get here, and of those that ID3 and QuickTime's user data name otherwise.
  private static let commonKeys: [String: AVMetadataKey] = [
    "mdta/com.apple.quicktime.location.ISO6709": .commonKeyLocation, "mdta/com.apple.quicktime.software": .commonKeySoftware,
    "mdta/com.apple.quicktime.make": .commonKeyMake, "mdta/com.apple.quicktime.model": .commonKeyModel,
    "mdta/com.apple.quicktime.author": .commonKeyAuthor, "mdta/com.apple.quicktime.artwork": .commonKeyArtwork,
    "itsk/covr": .commonKeyArtwork, "itsk/%A9too": .commonKeySoftware, "itsk/%A9cmt": .commonKeyDescription,
    "udta/%A9nam": .commonKeyTitle, "udta/%A9ART": .commonKeyArtist, "udta/%A9alb": .commonKeyAlbumName,
    "udta/%A9aut": .commonKeyAuthor, "udta/%A9cpy": .commonKeyCopyrights, "udta/%A9day": .commonKeyCreationDate,
    "udta/%A9des": .commonKeyDescription, "udta/%A9xyz": .commonKeyLocation, "udta/%A9mak": .commonKeyMake,
    "udta/%A9mod": .commonKeyModel, "udta/%A9swr": .commonKeySoftware, "id3/TIT2": .commonKeyTitle, "id3/TPE1": .commonKeyArtist,
    "id3/TALB": .commonKeyAlbumName, "id3/TCOP": .commonKeyCopyrights, "id3/TENC": .commonKeySoftware,
    "id3/TDRC": .commonKeyCreationDate,
  ]
  open var value: (any NSObjectProtocol & NSCopying)? {
    switch parts.value {
    case let text as String: text as NSString
    case let bytes as Data: bytes as NSData
    case let value as any NSObjectProtocol & NSCopying: value
    default: nil
    }
  }
  open var stringValue: String? {
    switch parts.value {
    case let text as String: text
    case let text as NSString: text.description
    case let number as NSNumber: number.stringValue
    default: nil
    }
  }
  open var numberValue: NSNumber? { parts.value as? NSNumber }
  /// The value as a date, or the date that a text such as "2026-11-26T02:30:00+0100" says.
  open var dateValue: Date? {
    if let date = parts.value as? Date ?? (parts.value as? NSDate).map({ $0 as Date }) { return date }
    guard let text = parts.value as? String else { return nil }
    let reader = ISO8601DateFormatter()
    for options: ISO8601DateFormatter.Options in [
      .withInternetDateTime, [.withFullDate, .withTime, .withTimeZone, .withColonSeparatorInTime, .withDashSeparatorInDate],
    ] {
      reader.formatOptions = options
      if let date = reader.date(from: text) { return date }
    }
    return nil
  }
  open var dataValue: Data? { parts.value as? Data ?? (parts.value as? NSData).map { $0 as Data } }
  open var time: CMTime { parts.time }
  open var duration: CMTime { parts.duration }
  open var locale: Locale? { parts.locale }
  open var extendedLanguageTag: String? { parts.extendedLanguageTag }
  open var dataType: String? { parts.dataType }
  open var extraAttributes: [AVMetadataExtraAttributeKey: Any]? { parts.extraAttributes }
  open var startDate: Date? { parts.startDate }

  /// The identifier of a key in a key space.
  open class func identifier(forKey key: Any, keySpace: AVMetadataKeySpace) -> AVMetadataIdentifier? {
    let text = (key as? AVMetadataKey)?.rawValue ?? key as? String ?? (key as? NSString)?.description ?? ""
    return text.isEmpty ? nil : AVMetadataIdentifier("\(keySpace.prefix)/\(text)")
  }

  open class func metadataItems(
    from metadataItems: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
  ) -> [AVMetadataItem] {
    metadataItems.filter { item in
      item.identifier == identifier
        || item.tag != nil && item.tag == identifierTag(identifier) && identifier.rawValue.hasPrefix("common/")
    }
  }

  open class func metadataItems(
    from metadataItems: [AVMetadataItem], withKey key: Any?, keySpace: AVMetadataKeySpace?
  ) -> [AVMetadataItem] {
    let text = (key as? AVMetadataKey)?.rawValue ?? key as? String
    return metadataItems.filter { item in
      if keySpace == .common { return item.commonKey?.rawValue == text }
      return (keySpace == nil || item.keySpace == keySpace) && (text == nil || (item.key as? NSString)?.description == text)
    }
  }

  open class func metadataItems(
    from metadataItems: [AVMetadataItem], filteredBy metadataItemFilter: AVMetadataItemFilter
  ) -> [AVMetadataItem] { metadataItems.filter { item in !metadataItemFilter.hides(item) } }
}

/// A word that describes a movie, and can be changed.
/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
open class AVMutableMetadataItem: AVMetadataItem, @unchecked Sendable {
  open override var identifier: AVMetadataIdentifier? {
    get { super.identifier }
    set { parts.identifier = newValue }
  }
  open override var keySpace: AVMetadataKeySpace? {
    get { super.keySpace }
    set { parts.keySpace = newValue }
  }
  open override var key: (any NSObjectProtocol & NSCopying)? {
    get { super.key }
    set { parts.key = newValue }
  }
  open override var value: (any NSObjectProtocol & NSCopying)? {
    get { super.value }
    set { parts.value = newValue }
  }
  open override var time: CMTime {
    get { parts.time }
    set { parts.time = newValue }
  }
  open override var duration: CMTime {
    get { parts.duration }
    set { parts.duration = newValue }
  }
  open override var locale: Locale? {
    get { parts.locale }
    set { parts.locale = newValue }
  }
  open override var extendedLanguageTag: String? {
    get { parts.extendedLanguageTag }
    set { parts.extendedLanguageTag = newValue }
  }
  open override var dataType: String? {
    get { parts.dataType }
    set { parts.dataType = newValue }
  }
  open override var extraAttributes: [AVMetadataExtraAttributeKey: Any]? {
    get { parts.extraAttributes }
    set { parts.extraAttributes = newValue }
  }
  open override var startDate: Date? {
    get { parts.startDate }
    set { parts.startDate = newValue }
  }
}

/// The choice of words that a movie keeps.
/// - Partly: which words are written and read is in docs/avfoundation.md#metadata
open class AVMetadataItemFilter: NSObject {
  private override init() { super.init() }
  /// Hides where a movie was taken, and with what.
  open class func forSharing() -> AVMetadataItemFilter { AVMetadataItemFilter() }

  func hides(_ item: AVMetadataItem) -> Bool {
    let hidden = ["location", "make", "model", "software"]
    return hidden.contains { item.identifier?.rawValue.lowercased().contains($0) ?? false }
  }
}

extension AVMetadataItem {
  /// The word's key in documents; nil for one that movies do not have here.
  var tag: MovieTags.Key? { identifier.flatMap(Self.identifierTag) }

  fileprivate static func identifierTag(_ identifier: AVMetadataIdentifier) -> MovieTags.Key? {
    switch identifier {
    case .commonIdentifierTitle, .quickTimeMetadataTitle, .iTunesMetadataSongName: .title
    case .commonIdentifierArtist, .commonIdentifierAuthor, .commonIdentifierCreator, .quickTimeMetadataArtist,
      .iTunesMetadataArtist:
      .artist
    case .commonIdentifierAlbumName, .quickTimeMetadataAlbum, .iTunesMetadataAlbum: .album
    case .iTunesMetadataAlbumArtist: .albumArtist
    case .iTunesMetadataComposer: .composer
    case .quickTimeMetadataGenre, .iTunesMetadataUserGenre: .genre
    case .commonIdentifierDescription, .quickTimeMetadataDescription, .iTunesMetadataDescription: .description
    case .commonIdentifierCopyrights, .quickTimeMetadataCopyright, .iTunesMetadataCopyright: .copyright
    case .commonIdentifierCreationDate, .quickTimeMetadataCreationDate, .iTunesMetadataReleaseDate: .date
    default: nil
    }
  }
}

extension MovieTags {
  /// The words of a movie of this type.
  ///
  /// - Throws: an error that names a word that such a movie does not have.
  init(_ items: [AVMetadataItem], in fileType: FileType) throws(AVError) {
    self.init()
    for item in items {
      let name = item.identifier?.rawValue ?? "without identifier"
      let isPlace = [.commonIdentifierLocation, .quickTimeMetadataLocationISO6709].contains(item.identifier)
      guard let text = item.stringValue ?? item.dateValue.map({ ISO8601DateFormatter().string(from: $0) }) else {
        throw AVError(.operationNotAllowed, "metadata: \(name): its value is no text", property: "metadata")
      }
      if isPlace, fileType.holdsLocation, let place = MovieTags.Location(iso6709: text) {
        location = place
        continue
      }
      guard let tag = item.tag, fileType.tagKeys.contains(tag) else {
        throw AVError(.operationNotAllowed, "metadata: \(name) is not written into \(fileType.rawValue)", property: "metadata")
      }
      texts[tag] = text
    }
  }
}
