/// A zip archive in memory (PKWARE's APPNOTE.TXT 6.3), of which nothing is unpacked before it is asked for.
///
/// Readers of one archive may see other files in it where its two directories contradict each other, entries overlap, or a name stands
/// twice. Such archives are refused, and so are names that lead out of a folder.
struct ZipArchive {
  private struct Entry {
    let method: Int
    let checksum: UInt32
    let packed: Range<Int>
    let count: Int
  }

  private let bytes: [UInt8]
  private var entries: [String: Entry] = [:]

  /// Whether bytes begin as such an archive does, an empty one too.
  static func isOne(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4b, 3, 4]) || bytes.starts(with: [0x50, 0x4b, 5, 6])
  }

  /// Reads the directory.
  init(_ bytes: [UInt8]) throws(LottieFault) {
    self.bytes = bytes
    let fields = LittleEndian(bytes)
    guard let end = Self.end(of: fields) else {
      throw LottieFault(path: "", reason: "is no whole zip archive: its directory is missing. Was it cut off?")
    }
    let (count, start) = (fields.half(end + 10), fields.word(end + 16))
    guard fields.half(end + 4) == 0, fields.half(end + 6) == 0, fields.half(end + 8) == count else {
      throw LottieFault(path: "", reason: "is a part of a zip archive in several files")
    }
    guard count != 0xffff, start != 0xffff_ffff else { throw LottieFault(path: "", reason: Self.zip64) }
    guard count <= LottieLimits.entries else {
      throw LottieFault(path: "", reason: "has \(count) entries; \(LottieLimits.entries) are accepted")
    }
    var (place, spans): (Int, [(name: String, range: Range<Int>)]) = (start, [])
    for number in 0..<count {
      guard place + 46 <= end, fields.word(place) == 0x0201_4b50 else {
        let reason = number == 0 ? "is not where the archive says" : "breaks off after \(number) of \(count) entries"
        throw LottieFault(path: "", reason: "the archive is damaged: its directory \(reason)")
      }
      let lengths = (name: fields.half(place + 28), others: fields.half(place + 30) + fields.half(place + 32))
      guard place + 46 + lengths.name + lengths.others <= end else {
        throw LottieFault(
          path: "", reason: "the archive is damaged: its directory breaks off within entry \(number + 1) of \(count)")
      }
      let name = String(decoding: bytes[place + 46..<place + 46 + lengths.name], as: UTF8.self)
      let span = try read(name, at: place, fields, before: start)
      spans.append((name, span))
      place += 46 + lengths.name + lengths.others
    }
    spans.sort { $0.range.lowerBound < $1.range.lowerBound }
    for (one, next) in zip(spans, spans.dropFirst()) where next.range.lowerBound < one.range.upperBound {
      throw LottieFault(path: Self.shown(next.name), reason: "overlaps the entry '\(Self.shown(one.name))'")
    }
  }

  func contains(_ name: String) -> Bool { entries[name] != nil }

  /// The number of bytes of an entry, as the directory states it; nil for one that is not there.
  func count(of name: String) -> Int? { entries[name]?.count }

  /// The bytes of an entry.
  ///
  /// - Parameter limit: how many there may be.
  /// - Returns: nil for one that is not there.
  func contents(of name: String, atMost limit: Int) throws(LottieFault) -> [UInt8]? {
    guard let entry = entries[name] else { return nil }
    func fault(_ reason: String) -> LottieFault { LottieFault(path: Self.shown(name), reason: reason) }
    guard entry.count <= limit else { throw fault("unpacks to \(entry.count) bytes; \(limit) are accepted") }
    let contents: [UInt8]
    switch entry.method {
    case 0:
      guard entry.packed.count == entry.count else { throw fault("has \(entry.packed.count) bytes instead of \(entry.count)") }
      contents = Array(bytes[entry.packed])
    case 8:
      do throws(Inflation.Fault) { contents = try Inflation.bytes(of: bytes[entry.packed], count: entry.count) } catch {
        throw fault("its packed data \(error.reason)")
      }
    default: throw fault("is packed by method \(entry.method); stored (0) and deflated (8) entries are accepted")
    }
    guard CyclicChecksum.of(contents) == entry.checksum else { throw fault("is damaged: its checksum (CRC-32) is another one") }
    return contents
  }

  /// A name for messages.
  static func shown(_ name: String) -> String {
    let plain = String(String.UnicodeScalarView(name.unicodeScalars.map { isControl($0) ? "?" : $0 }))
    return plain.count > 80 ? "\(plain.prefix(80))…" : plain
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 32 || 127..<160 ~= scalar.value }

  private static let zip64 = "is a zip archive in the form for more than 4 GiB (zip64), which is not accepted"

  /// The place of the record at the end.
  private static func end(of fields: LittleEndian) -> Int? {
    let last = fields.count - 22
    guard last >= 0 else { return nil }
    // A comment may follow it.
    return (max(last - 0xffff, 0)...last).reversed().first { place in
      fields.word(place) == 0x0605_4b50 && place + 22 + fields.half(place + 20) == fields.count
    }
  }

  /// Reads an entry of the directory.
  ///
  /// - Parameter start: the place of the directory.
  /// - Returns: the bytes that the entry takes, with its own header.
  private mutating func read(
    _ name: String, at place: Int, _ fields: LittleEndian, before start: Int
  ) throws(LottieFault) -> Range<Int> {
    func fault(_ reason: String) -> LottieFault { LottieFault(path: Self.shown(name), reason: reason) }
    if let reason = Self.refusal(of: name) { throw fault(reason) }
    // Bit 0 encrypts an entry's data, bit 13 the directory.
    guard fields.half(place + 8) & 0x2001 == 0 else { throw fault("is encrypted") }
    let (packed, count, header) = (fields.word(place + 20), fields.word(place + 24), fields.word(place + 42))
    guard ![packed, count, header].contains(0xffff_ffff) else { throw fault(Self.zip64) }
    guard header + 30 <= start, fields.word(header) == 0x0403_4b50 else { throw fault("is not where the directory says") }
    let length = fields.half(header + 26)
    let data = header + 30 + length + fields.half(header + 28)
    guard data + packed <= start else { throw fault("is not where the directory says") }
    guard length == fields.half(place + 28), bytes[header + 30..<header + 30 + length] == bytes[place + 46..<place + 46 + length]
    else { throw fault("has another name where its data are") }
    if !name.hasSuffix("/") {
      let entry = Entry(
        method: fields.half(place + 10), checksum: UInt32(fields.word(place + 16)), packed: data..<data + packed, count: count)
      guard entries.updateValue(entry, forKey: name) == nil else { throw fault("stands twice in the archive") }
    }
    return header..<data + packed
  }

  /// The reason why a name is not accepted; nil where it is.
  private static func refusal(of name: String) -> String? {
    if name.isEmpty { return "an entry has no name" }
    if name.unicodeScalars.contains(where: isControl) { return "has a name with control characters" }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let leads = name.hasPrefix("/") || name.contains("\\") || parts[0].contains(":") || parts.contains("..")
    return leads ? "has a name that leads out of the archive's folder" : nil
  }
}

/// The numbers in an archive, lowest byte first.
private struct LittleEndian {
  private let bytes: [UInt8]
  var count: Int { bytes.count }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func half(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }

  func word(_ place: Int) -> Int { half(place) | half(place + 2) << 16 }
}

/// The CRC-32 of zip archives (ISO 3309, the polynomial 0xEDB88320 with its lowest bit first).
private enum CyclicChecksum {
  private static let table = (0..<256 as Range<UInt32>).map { byte in
    (0..<8).reduce(byte) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
  }

  static func of(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { value, byte in table[Int((value ^ UInt32(byte)) & 0xff)] ^ value >> 8 }
  }
}
