/// Writes zip archives, and ones that are broken as a test says.
struct ZipWriter {
  struct Entry {
    var name: String
    /// The bytes as they stand in the archive.
    var data: [UInt8]
    var method = 0
    var flags = 0
    /// The values that the directory states, where they are not true.
    var count: Int?
    var checksum: UInt32?
    /// The name where the data are.
    var localName: String?
    /// The number of the entry at whose place it claims to be.
    var place: Int?

    init(_ name: String, _ data: [UInt8]) { (self.name, self.data) = (name, data) }
  }

  var entries: [Entry]
  var comment: [UInt8] = []
  /// The number of entries that the end states.
  var stated: Int?

  init(_ entries: [Entry]) { self.entries = entries }

  init(_ files: [(String, String)]) { entries = files.map { Entry($0, Array($1.utf8)) } }

  var bytes: [UInt8] {
    var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
    var places: [Int] = []
    for entry in entries {
      places.append(bytes.count)
      let facts =
        Self.half(20) + Self.half(entry.flags) + Self.half(entry.method) + Self.word(0)
        + Self.word(Int(entry.checksum ?? Self.checksum(entry.data))) + Self.word(entry.data.count)
        + Self.word(entry.count ?? entry.data.count)
      let local = Array((entry.localName ?? entry.name).utf8)
      bytes += Self.word(0x0403_4b50) + facts + Self.half(local.count) + Self.half(0) + local + entry.data
      let name = Array(entry.name.utf8)
      directory += Self.word(0x0201_4b50) + Self.half(20) + facts + Self.half(name.count) + [UInt8](repeating: 0, count: 12)
      directory += Self.word(places[entry.place ?? places.count - 1]) + name
    }
    let count = stated ?? entries.count
    let end = Self.word(0x0605_4b50) + Self.word(0) + Self.half(count) + Self.half(count)
    return bytes + directory + end + Self.word(directory.count) + Self.word(bytes.count) + Self.half(comment.count) + comment
  }

  private static func half(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

  private static func word(_ value: Int) -> [UInt8] { half(value & 0xffff) + half(value >> 16) }

  /// The CRC-32, bit by bit.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var value: UInt32 = ~0
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
    }
    return ~value
  }
}
