/// The samples of metadata that changes with time, as QuickTime files hold them: items one after the other, each a box whose type is the number of
/// its key.
enum MetadataSamples {
  /// The box `keys` of the description of samples (QuickTime File Format, "Timed Metadata Sample Descriptions").
  static func box(of keys: [MetadataKey]) -> Data {
    let entries = keys.map { key in
      let type = key.dataTypeCode.map { number(0, 4) + number(UInt64($0), 4) } ?? number(1, 4) + Data(key.dataType.utf8)
      let language = key.languageTag.map { box("loca", Data($0.utf8) + [0]) } ?? Data()
      let name = box("keyd", Data(key.namespace.utf8) + Data(key.key.utf8))
      return box(key.localID, name + box("dtyp", type) + language)
    }
    return box("keys", Data(entries.joined()))
  }

  /// The keys of a description of samples; nil for one of another kind.
  ///
  /// - Parameter description: the content of `stsd`.
  static func keys(in description: Data) -> [MetadataKey]? {
    // Version, flags and the number of entries come first, and in the entry its reserved bytes and the place of its data.
    guard let (type, entry) = MovieAtoms(description.after(8)).first(where: { _ in true }), type == "mebx".fourCharCode,
      let table = MovieAtoms.body("keys", in: entry.after(8))
    else { return nil }
    return MovieAtoms(table).compactMap { id, body -> MetadataKey? in
      guard let name = MovieAtoms.body("keyd", in: body), name.count > 4, let type = MovieAtoms.body("dtyp", in: body),
        let space = type.number(at: 0, bytes: 4)
      else { return nil }
      let code = space == 0 ? type.number(at: 4, bytes: 4).flatMap { MetadataKey.dataType(of: UInt32($0)) } : nil
      let tag = MovieAtoms.body("loca", in: body).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return MetadataKey(
        id, namespace: String(decoding: name.prefix(4), as: UTF8.self), key: String(decoding: name.after(4), as: UTF8.self),
        dataType: space == 0 ? code ?? kCMMetadataBaseDataType_RawData : String(decoding: type.after(4), as: UTF8.self),
        languageTag: tag)
    }
  }

  /// A sample with these items.
  ///
  /// - Throws: an `AVError` for an item whose key is none of these, or whose value is not of the key's type.
  static func sample(of items: [AVMetadataItem], _ keys: [MetadataKey], at time: CMTime) throws(AVError) -> Data {
    var made = Data()
    for item in items {
      let name = item.identifier?.rawValue ?? "an item without identifier"
      let matching = keys.filter { $0.identifier == item.identifier?.rawValue }
      guard let key = matching.first(where: { $0.dataType == item.dataType }) ?? matching.first else {
        throw AVError(
          .operationNotAllowed, "append(_:): \(name) is none of the keys of the input's sourceFormatHint", property: "items",
          time: time)
      }
      guard let value = value(of: item, key.dataType) else {
        throw AVError(
          .operationNotAllowed, "append(_:): the value of \(name) is none of the type \(key.dataType)", property: "items",
          time: time)
      }
      made += box(key.localID, value)
    }
    return made
  }

  /// The items of a sample. Those whose keys are not known are left out.
  static func items(of sample: Data, _ keys: [MetadataKey], _ range: CMTimeRange) -> [AVMetadataItem] {
    MovieAtoms(sample).compactMap { id, body in
      guard let key = keys.first(where: { $0.localID == id }) else { return nil }
      var parts = AVMetadataItem.Parts()
      (parts.identifier, parts.dataType) = (AVMetadataIdentifier(key.identifier), key.dataType)
      (parts.time, parts.duration, parts.extendedLanguageTag) = (range.start, range.duration, key.languageTag)
      parts.value = value(body, key.dataType)
      let item = AVMetadataItem()
      item.take(parts)
      return item
    }
  }

  // MARK: Values

  private enum Number {
    case signed(Int)
    case unsigned(Int)
    case float(Int)
  }

  /// The number that a value of a type is, with its bytes; nil for other types.
  private static func number(of dataType: String) -> Number? {
    switch dataType {
    case kCMMetadataBaseDataType_SInt8: .signed(1)
    case kCMMetadataBaseDataType_SInt16: .signed(2)
    case kCMMetadataBaseDataType_SInt32: .signed(4)
    case kCMMetadataBaseDataType_SInt64: .signed(8)
    case kCMMetadataBaseDataType_UInt8: .unsigned(1)
    case kCMMetadataBaseDataType_UInt16: .unsigned(2)
    case kCMMetadataBaseDataType_UInt32: .unsigned(4)
    case kCMMetadataBaseDataType_UInt64: .unsigned(8)
    case kCMMetadataBaseDataType_Float32: .float(4)
    case kCMMetadataBaseDataType_Float64: .float(8)
    default: nil
    }
  }

  /// The bytes of an item's value; nil where it is none of the type.
  private static func value(of item: AVMetadataItem, _ dataType: String) -> Data? {
    guard let kind = number(of: dataType) else {
      // Types that are known by name alone, such as that of places, are texts or bytes.
      return item.dataValue
        ?? item.stringValue.map { text in
          dataType == kCMMetadataBaseDataType_UTF16
            ? Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }) : Data(text.utf8)
        }
    }
    guard let value = item.numberValue else { return nil }
    switch kind {
    case .float(4): return number(UInt64(value.floatValue.bitPattern), 4)
    case .float: return number(value.doubleValue.bitPattern, 8)
    case .signed(let size):
      guard size == 8 || (-1 << (8 * size - 1)..<1 << (8 * size - 1)).contains(value.int64Value) else { return nil }
      return number(UInt64(bitPattern: value.int64Value), size)
    case .unsigned(let size):
      guard value.int64Value >= 0 || size == 8, size == 8 || value.uint64Value < 1 << (8 * size) else { return nil }
      return number(value.uint64Value, size)
    }
  }

  /// The value of some bytes: a number, a text, or the bytes.
  private static func value(_ bytes: Data, _ dataType: String) -> Any {
    if let kind = number(of: dataType) {
      switch kind {
      case .float(let size):
        guard bytes.count == size, let bits = bytes.number(at: 0, bytes: size) else { return bytes }
        return size == 4 ? NSNumber(value: Float(bitPattern: UInt32(bits))) : NSNumber(value: Double(bitPattern: bits))
      case .signed(let size):
        guard bytes.count == size, let bits = bytes.number(at: 0, bytes: size) else { return bytes }
        return NSNumber(value: Int64(bitPattern: bits << UInt64(64 - 8 * size)) >> Int64(64 - 8 * size))
      case .unsigned(let size):
        guard bytes.count == size, let bits = bytes.number(at: 0, bytes: size) else { return bytes }
        return NSNumber(value: bits)
      }
    }
    let texts = [
      kCMMetadataBaseDataType_UTF8, kCMMetadataBaseDataType_JSON, kCMMetadataDataType_QuickTimeMetadataLocation_ISO6709,
    ]
    let isWide = dataType == kCMMetadataBaseDataType_UTF16
    guard isWide || texts.contains(dataType), let text = String(data: bytes, encoding: isWide ? .utf16BigEndian : .utf8) else {
      return bytes
    }
    return text
  }

  // MARK: Boxes

  private static func number(_ value: UInt64, _ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) })
  }

  private static func box(_ type: String, _ content: Data) -> Data { box(type.fourCharCode, content) }
  private static func box(_ type: UInt32, _ content: Data) -> Data {
    number(UInt64(content.count + 8), 4) + number(UInt64(type), 4) + content
  }
}
