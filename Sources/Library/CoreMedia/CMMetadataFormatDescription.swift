public let kCMMetadataFormatType_Boxed: FourCharCode = 0x6D65_6278  // 'mebx'
public let kCMMetadataFormatType_ID3: FourCharCode = 0x6964_3320  // 'id3 '
public let kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier: CFString = "MetadataIdentifier"
public let kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType: CFString = "MetadataDataType"
public let kCMMetadataFormatDescriptionMetadataSpecificationKey_ExtendedLanguageTag: CFString = "MetadataExtendedLanguageTag"
public let kCMFormatDescriptionExtensionKey_MetadataKeyTable: CFString = "MetadataKeyTable"
public let kCMMetadataFormatDescriptionKey_Namespace: CFString = "MetadataKeyNamespace"
public let kCMMetadataFormatDescriptionKey_Value: CFString = "MetadataKeyValue"
public let kCMMetadataFormatDescriptionKey_LocalID: CFString = "MetadataKeyLocalID"
public let kCMMetadataFormatDescriptionKey_DataType: CFString = "MetadataKeyDataType"
public let kCMMetadataFormatDescriptionKey_DataTypeNamespace: CFString = "MetadataKeyDataTypeNamespace"
public let kCMMetadataFormatDescriptionKey_LanguageTag: CFString = "MetadataKeyLanguageTag"
public let kCMMetadataIdentifier_QuickTimeMetadataLocation_ISO6709: CFString = "mdta/com.apple.quicktime.location.ISO6709"
public let kCMMetadataBaseDataType_RawData: CFString = "com.apple.metadata.datatype.raw-data"
public let kCMMetadataBaseDataType_UTF8: CFString = "com.apple.metadata.datatype.UTF-8"
public let kCMMetadataBaseDataType_UTF16: CFString = "com.apple.metadata.datatype.UTF-16"
public let kCMMetadataBaseDataType_JPEG: CFString = "com.apple.metadata.datatype.JPEG"
public let kCMMetadataBaseDataType_PNG: CFString = "com.apple.metadata.datatype.PNG"
public let kCMMetadataBaseDataType_Float32: CFString = "com.apple.metadata.datatype.float32"
public let kCMMetadataBaseDataType_Float64: CFString = "com.apple.metadata.datatype.float64"
public let kCMMetadataBaseDataType_BMP: CFString = "com.apple.metadata.datatype.BMP"
public let kCMMetadataBaseDataType_SInt8: CFString = "com.apple.metadata.datatype.int8"
public let kCMMetadataBaseDataType_SInt16: CFString = "com.apple.metadata.datatype.int16"
public let kCMMetadataBaseDataType_SInt32: CFString = "com.apple.metadata.datatype.int32"
public let kCMMetadataBaseDataType_PointF32: CFString = "com.apple.metadata.datatype.point-float32"
public let kCMMetadataBaseDataType_DimensionsF32: CFString = "com.apple.metadata.datatype.dimensions-float32"
public let kCMMetadataBaseDataType_RectF32: CFString = "com.apple.metadata.datatype.rect-float32"
public let kCMMetadataBaseDataType_SInt64: CFString = "com.apple.metadata.datatype.int64"
public let kCMMetadataBaseDataType_UInt8: CFString = "com.apple.metadata.datatype.uint8"
public let kCMMetadataBaseDataType_UInt16: CFString = "com.apple.metadata.datatype.uint16"
public let kCMMetadataBaseDataType_UInt32: CFString = "com.apple.metadata.datatype.uint32"
public let kCMMetadataBaseDataType_UInt64: CFString = "com.apple.metadata.datatype.uint64"
public let kCMMetadataBaseDataType_AffineTransformF64: CFString = "com.apple.metadata.datatype.affine-transform-float64"
public let kCMMetadataBaseDataType_PolygonF32: CFString = "com.apple.metadata.datatype.polygon-float32"
public let kCMMetadataBaseDataType_PolylineF32: CFString = "com.apple.metadata.datatype.polyline-float32"
public let kCMMetadataBaseDataType_JSON: CFString = "com.apple.metadata.datatype.JSON"
public let kCMMetadataDataType_QuickTimeMetadataLocation_ISO6709: CFString =
  "com.apple.metadata.datatype.quicktime-metadata.location.ISO6709"

/// A key of metadata that changes with time, and the type of its values.
package struct MetadataKey: Hashable, Sendable {
  /// The number by which samples name the key, from 1.
  package var localID: UInt32
  /// Four characters, such as "mdta".
  package var namespace: String
  package var key: String
  /// The type's name, such as "com.apple.metadata.datatype.int8".
  package var dataType: String
  /// The language of the values, as a BCP 47 tag; nil where it is not told.
  package var languageTag: String?

  package init(_ localID: UInt32, namespace: String, key: String, dataType: String, languageTag: String? = nil) {
    (self.localID, self.namespace, self.key) = (localID, namespace, key)
    (self.dataType, self.languageTag) = (dataType, languageTag)
  }

  package var identifier: String { "\(namespace)/\(key)" }

  /// The number of a type that QuickTime knows; nil for one that is known by its name alone.
  package var dataTypeCode: UInt32? { Self.codes[dataType] }

  /// The name of a type of QuickTime's number; nil for one that is not known here.
  package static func dataType(of code: UInt32) -> String? { codes.first { $0.value == code }?.key }

  /// The numbers of types (QuickTime File Format, "Well-Known Types").
  private static let codes: [String: UInt32] = [
    kCMMetadataBaseDataType_RawData: 0,
    kCMMetadataBaseDataType_UTF8: 1,
    kCMMetadataBaseDataType_UTF16: 2,
    kCMMetadataBaseDataType_JPEG: 13,
    kCMMetadataBaseDataType_PNG: 14,
    kCMMetadataBaseDataType_Float32: 23,
    kCMMetadataBaseDataType_Float64: 24,
    kCMMetadataBaseDataType_BMP: 27,
    kCMMetadataBaseDataType_SInt8: 65,
    kCMMetadataBaseDataType_SInt16: 66,
    kCMMetadataBaseDataType_SInt32: 67,
    kCMMetadataBaseDataType_PointF32: 70,
    kCMMetadataBaseDataType_DimensionsF32: 71,
    kCMMetadataBaseDataType_RectF32: 72,
    kCMMetadataBaseDataType_SInt64: 74,
    kCMMetadataBaseDataType_UInt8: 75,
    kCMMetadataBaseDataType_UInt16: 76,
    kCMMetadataBaseDataType_UInt32: 77,
    kCMMetadataBaseDataType_UInt64: 78,
    kCMMetadataBaseDataType_AffineTransformF64: 79,
    kCMMetadataBaseDataType_PolygonF32: 81,
    kCMMetadataBaseDataType_PolylineF32: 82,
  ]

  /// Reads a specification.
  ///
  /// - Returns: nil for what names no key and no type.
  fileprivate init?(_ specification: Any, _ localID: UInt32) {
    guard let facts = specification as? [String: Any],
      let identifier = facts[kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier].flatMap(Self.text),
      let dataType = facts[kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType].flatMap(Self.text),
      let slash = identifier.firstIndex(of: "/"), case let key = identifier[identifier.index(after: slash)...], !key.isEmpty,
      case let namespace = String(identifier[..<slash]), namespace.utf8.count == 4
    else { return nil }
    let tag = facts[kCMMetadataFormatDescriptionMetadataSpecificationKey_ExtendedLanguageTag].flatMap(Self.text)
    self.init(localID, namespace: namespace, key: String(key), dataType: dataType, languageTag: tag)
  }

  /// A text, or the text of a word such as an identifier.
  private static func text(_ value: Any) -> String? {
    value as? String ?? (value as? NSString)?.description ?? (value as? any RawRepresentable)?.rawValue as? String
  }

  /// The key as the description's extensions tell it.
  var facts: [String: Any] {
    var facts: [String: Any] = [
      kCMMetadataFormatDescriptionKey_LocalID: NSNumber(value: localID), kCMMetadataFormatDescriptionKey_Namespace: namespace,
      kCMMetadataFormatDescriptionKey_Value: key, kCMMetadataFormatDescriptionKey_DataType: dataType,
    ]
    if let languageTag { facts[kCMMetadataFormatDescriptionKey_LanguageTag] = languageTag }
    return facts
  }
}

/// Makes the description of metadata that changes with time, of the kinds that the specifications name: each a dictionary with an identifier, such
/// as "mdta/com.apple.quicktime.still-image-time", and a type of values. Keys are numbered from 1 in their order.
///
/// - Returns: `kCMFormatDescriptionError_InvalidParameter` for specifications that name none.
@discardableResult
public func CMMetadataFormatDescriptionCreateWithMetadataSpecifications(
  allocator: CFAllocator?, metadataType: FourCharCode, metadataSpecifications: CFArray,
  formatDescriptionOut: UnsafeMutablePointer<CMFormatDescription?>
) -> OSStatus {
  let keys = zip(metadataSpecifications, 1...).compactMap { MetadataKey($0, $1) }
  guard keys.count == metadataSpecifications.count, !keys.isEmpty else { return kCMFormatDescriptionError_InvalidParameter }
  unsafe formatDescriptionOut.initialize(to: CMFormatDescription(metadata: metadataType, keys))
  return noErr
}

/// The identifiers of a description's keys; nil where it has none.
public func CMMetadataFormatDescriptionGetIdentifiers(_ desc: CMMetadataFormatDescription) -> CFArray? {
  desc.metadataKeys.isEmpty ? nil : desc.metadataKeys.map(\.identifier)
}
