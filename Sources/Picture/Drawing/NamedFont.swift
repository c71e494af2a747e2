/// A face of a TrueType or OpenType file as a file of its own, with another family's name.
///
/// libass finds fonts by the names in them. A script asks for fonts by the names that it has for them: a document's asset, or any name
/// of an installed family. So each face that was chosen gets that name, and no other face can be taken for it.
enum NamedFont {
  /// The file, with all of the original behind its own table of contents; nil where the original is no such file.
  static func bytes(_ file: [UInt8], face: Int, family: String) -> [UInt8]? {
    guard let start = start(of: face, in: file), let count = number(file, at: start + 4, length: 2) else { return nil }
    var tables: [(tag: [UInt8], checksum: Int, offset: Int, length: Int)] = []
    for index in 0..<count {
      let place = start + 12 + 16 * index
      guard let checksum = number(file, at: place + 4), let offset = number(file, at: place + 8),
        let length = number(file, at: place + 12), offset + length <= file.count
      else { return nil }
      let tag = Array(file[place..<place + 4])
      if tag != nameTag { tables.append((tag, checksum, offset, length)) }
    }
    let names = names(family)
    let head = (12 + 16 * (tables.count + 1) + 3) / 4 * 4
    let end = head + (file.count + 3) / 4 * 4
    guard end + names.count <= Int(Int32.max) else { return nil }
    // FreeType does not look at the sums of tables.
    tables = tables.map { ($0.tag, $0.checksum, $0.offset + head, $0.length) } + [(nameTag, 0, end, names.count)]
    tables.sort { $0.tag.lexicographicallyPrecedes($1.tag) }
    var made = Array(file[start..<start + 4])
    made.reserveCapacity(end + names.count)
    let power = Int.bitWidth - 1 - tables.count.leadingZeroBitCount
    for value in [tables.count, 16 << power, power, 16 * tables.count - 16 << power] { append(value, length: 2, to: &made) }
    for table in tables {
      made += table.tag
      for value in [table.checksum, table.offset, table.length] { append(value, length: 4, to: &made) }
    }
    made += [UInt8](repeating: 0, count: head - made.count) + file
    made += [UInt8](repeating: 0, count: end - made.count) + names
    return made
  }

  private static let nameTag = Array("name".utf8)

  /// The place of a face's table of contents; a collection has several.
  private static func start(of face: Int, in file: [UInt8]) -> Int? {
    guard file.count >= 12 else { return nil }
    let start: Int
    if file.starts(with: "ttcf".utf8) {
      guard let count = number(file, at: 8), face < count, let place = number(file, at: 12 + 4 * face) else { return nil }
      start = place
    } else {
      start = 0
    }
    return start + 12 <= file.count ? start : nil
  }

  /// A table of one name: Windows, Unicode, English, the family (OpenType, "name").
  private static func names(_ family: String) -> [UInt8] {
    let name = family.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    var table: [UInt8] = []
    for value in [0, 1, 18, 3, 1, 0x409, 1, name.count, 0] { append(value, length: 2, to: &table) }
    return table + name
  }

  private static func number(_ bytes: [UInt8], at place: Int, length: Int = 4) -> Int? {
    guard place >= 0, place + length <= bytes.count else { return nil }
    return bytes[place..<place + length].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func append(_ value: Int, length: Int, to bytes: inout [UInt8]) {
    for shift in (0..<length).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
  }
}
