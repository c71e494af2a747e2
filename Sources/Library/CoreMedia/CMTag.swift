/// A fact about media: its eye, say, or its layer.
public class CMTag: Hashable, CustomStringConvertible, @unchecked Sendable {
  public typealias RawCategory = FourCharCode

  /// The value of a fact.
  public enum Value: Hashable, Sendable {
    case int64(Int64)
    case float64(Float64)
    case osType(OSType)
    case flags(UInt64)
  }

  /// The kind of fact, by four characters.
  public let rawCategory: RawCategory
  public let rawTagValue: Value

  public init(rawCategory: RawCategory, rawTagValue: Value) { (self.rawCategory, self.rawTagValue) = (rawCategory, rawTagValue) }

  /// The value, if the fact is of this category.
  public func value<T>(onlyIfMatching category: CMTypedTag<T>.Category) -> T? {
    rawCategory == category.rawCategory ? category.read(rawTagValue) : nil
  }

  public static func == (a: CMTag, b: CMTag) -> Bool { a.rawCategory == b.rawCategory && a.rawTagValue == b.rawTagValue }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(rawCategory)
    hasher.combine(rawTagValue)
  }

  public var description: String { "\(PixelLayout.name(of: rawCategory)) \(rawTagValue)" }
}

/// A fact about media with a value of a known type.
// All is constant after `init`.
public final class CMTypedTag<TypedValue: Sendable>: CMTag, @unchecked Sendable {
  /// The kind of fact that a tag tells, and the way in which values of the type are kept.
  public struct Category: Sendable {
    public let rawCategory: CMTag.RawCategory
    fileprivate let read: @Sendable (CMTag.Value) -> TypedValue?
    fileprivate let write: @Sendable (TypedValue) -> CMTag.Value

    public func tagValue(for value: TypedValue) -> CMTag.Value { write(value) }
  }

  public let typedValue: TypedValue

  public init(_ category: Category, value: TypedValue) {
    typedValue = value
    super.init(rawCategory: category.rawCategory, rawTagValue: category.write(value))
  }
}

extension CMTypedTag.Category where TypedValue == Int64 {
  fileprivate init(_ category: String) {
    self.init(rawCategory: category.tagCategory) {
      if case .int64(let value) = $0 { value } else { nil }
    } write: {
      .int64($0)
    }
  }
  public static var videoLayerID: CMTypedTag<Int64>.Category { .init("vlay") }
  public static var channelID: CMTypedTag<Int64>.Category { .init("vchn") }
}

extension CMTypedTag.Category where TypedValue == CMPersistentTrackID {
  public static var trackID: CMTypedTag<CMPersistentTrackID>.Category {
    .init(rawCategory: "trak".tagCategory) {
      if case .int64(let value) = $0 { Int32(exactly: value) } else { nil }
    } write: {
      .int64(Int64($0))
    }
  }
}

extension CMTypedTag.Category where TypedValue == OSType {
  public static var pixelFormat: CMTypedTag<OSType>.Category {
    .init(rawCategory: "pixf".tagCategory) {
      $0.type
    } write: {
      .osType($0)
    }
  }
}

extension CMTypedTag.Category where TypedValue: RawRepresentable, TypedValue.RawValue == UInt32 {
  fileprivate init(type category: String) {
    self.init(rawCategory: category.tagCategory) {
      $0.type.flatMap { TypedValue(rawValue: $0) }
    } write: {
      .osType($0.rawValue)
    }
  }
}

extension CMTypedTag.Category where TypedValue: OptionSet, TypedValue.RawValue == UInt64 {
  fileprivate init(flags category: String) {
    self.init(rawCategory: category.tagCategory) {
      if case .flags(let value) = $0 { TypedValue(rawValue: value) } else { nil }
    } write: {
      .flags($0.rawValue)
    }
  }
}

extension CMTypedTag.Category where TypedValue == CMFormatDescription.MediaType {
  public static var mediaType: CMTypedTag<CMFormatDescription.MediaType>.Category { .init(type: "mdia") }
}
extension CMTypedTag.Category where TypedValue == CMFormatDescription.MediaSubType {
  public static var mediaSubType: CMTypedTag<CMFormatDescription.MediaSubType>.Category { .init(type: "msub") }
}
extension CMTypedTag.Category where TypedValue == CMPackingType {
  public static var packingType: CMTypedTag<CMPackingType>.Category { .init(type: "pack") }
}
extension CMTypedTag.Category where TypedValue == CMProjectionType {
  public static var projectionType: CMTypedTag<CMProjectionType>.Category { .init(type: "proj") }
}
extension CMTypedTag.Category where TypedValue == CMStereoViewComponents {
  public static var stereoView: CMTypedTag<CMStereoViewComponents>.Category { .init(flags: "eyes") }
}
extension CMTypedTag.Category where TypedValue == CMStereoViewInterpretationOptions {
  public static var stereoViewInterpretation: CMTypedTag<CMStereoViewInterpretationOptions>.Category { .init(flags: "eyip") }
}

extension CMTag {
  public static func videoLayerID(_ value: Int64) -> CMTypedTag<Int64> { .init(.videoLayerID, value: value) }
  public static func channelID(_ value: Int64) -> CMTypedTag<Int64> { .init(.channelID, value: value) }
  public static func trackID(_ value: CMPersistentTrackID) -> CMTypedTag<CMPersistentTrackID> { .init(.trackID, value: value) }
  public static func pixelFormat(_ value: OSType) -> CMTypedTag<OSType> { .init(.pixelFormat, value: value) }
  public static func mediaType(_ value: CMFormatDescription.MediaType) -> CMTypedTag<CMFormatDescription.MediaType> {
    .init(.mediaType, value: value)
  }
  public static func mediaSubType(_ value: CMFormatDescription.MediaSubType) -> CMTypedTag<CMFormatDescription.MediaSubType> {
    .init(.mediaSubType, value: value)
  }
  public static func packingType(_ value: CMPackingType) -> CMTypedTag<CMPackingType> { .init(.packingType, value: value) }
  public static func projectionType(_ value: CMProjectionType) -> CMTypedTag<CMProjectionType> {
    .init(.projectionType, value: value)
  }
  public static func stereoView(_ value: CMStereoViewComponents) -> CMTypedTag<CMStereoViewComponents> {
    .init(.stereoView, value: value)
  }
  public static func stereoViewInterpretation(
    _ value: CMStereoViewInterpretationOptions
  ) -> CMTypedTag<CMStereoViewInterpretationOptions> { .init(.stereoViewInterpretation, value: value) }
}

extension Sequence where Element == CMTag {
  /// The first fact of a category; nil where there is none.
  public func first<T>(matchingCategory category: CMTypedTag<T>.Category) -> CMTypedTag<T>? {
    for tag in self {
      if let value = tag.value(onlyIfMatching: category) { return CMTypedTag(category, value: value) }
    }
    return nil
  }
}

/// The eyes that see a picture.
public struct CMStereoViewComponents: OptionSet, Hashable, Sendable {
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  public static let leftEye = CMStereoViewComponents(rawValue: 1)
  public static let rightEye = CMStereoViewComponents(rawValue: 2)
}

/// The order of eyes.
public struct CMStereoViewInterpretationOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  public static let stereoOrderReversed = CMStereoViewInterpretationOptions(rawValue: 1)
  public static let additionalViews = CMStereoViewInterpretationOptions(rawValue: 2)
}

/// The way in which the pictures of both eyes lie in one.
public enum CMPackingType: UInt32, Sendable {
  case none = 0x6E6F_6E65  // 'none'
  case sideBySide = 0x7369_6465  // 'side'
  case overUnder = 0x6F76_6572  // 'over'
}

/// The surface on which a picture is seen.
public enum CMProjectionType: UInt32, Sendable {
  case rectangular = 0x7265_6374  // 'rect'
  case equirectangular = 0x6571_7569  // 'equi'
  case halfEquirectangular = 0x6865_7175  // 'hequ'
  case fisheye = 0x6669_7368  // 'fish'
}

extension CMTag.Value {
  fileprivate var type: UInt32? { if case .osType(let value) = self { value } else { nil } }
}

extension String {
  fileprivate var tagCategory: CMTag.RawCategory { utf8.reduce(0) { $0 << 8 | UInt32($1) } }
}
