/// The name of a codec with its profile and level, by which players know beforehand whether they can play a track (RFC 6381).
package enum CodecName {
  /// The codec of the track whose opening (`ftyp` and `moov`) this is; nil where it is none that is known here.
  package static func of(opening: [UInt8]) -> String? {
    let path = ["moov", "trak", "mdia", "minf", "stbl", "stsd"]
    var content = opening[...]
    for type in path {
      guard let box = boxes(content).first(where: { $0.type == type }) else { return nil }
      content = box.content
    }
    // The description has a version, flags and the number of its entries before them.
    guard let entry = boxes(content.dropFirst(8)).first else { return nil }
    switch entry.type {
    case "mp4a": return "mp4a.40.2"
    case "Opus": return "opus"
    case "avc1": return inside(entry, "avcC").flatMap(h264)
    case "hvc1", "hev1": return inside(entry, "hvcC").flatMap { hevc($0, entry.type) }
    case "av01": return inside(entry, "av1C").flatMap(av1)
    default: return nil
    }
  }

  private typealias Box = (type: String, content: ArraySlice<UInt8>)

  private static func boxes(_ bytes: ArraySlice<UInt8>) -> [Box] {
    var (rest, found) = (bytes, [Box]())
    while rest.count >= 8 {
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard size >= 8, size <= rest.count else { break }
      found.append((String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self), rest.prefix(size).dropFirst(8)))
      rest = rest.dropFirst(size)
    }
    return found
  }

  /// A box in the entry of a codec of pictures, whose own fields take 78 bytes.
  private static func inside(_ entry: Box, _ type: String) -> [UInt8]? {
    boxes(entry.content.dropFirst(78)).first { $0.type == type }.map { Array($0.content) }
  }

  /// Profile, constraints and level in hexadecimal (ISO/IEC 14496-15, 5.3.3).
  private static func h264(_ record: [UInt8]) -> String? {
    record.count > 3 ? "avc1." + record[1...3].map { hexadecimal(UInt32($0), 2) }.joined() : nil
  }

  /// The name as annex E of ISO/IEC 14496-15 has it.
  private static func hevc(_ record: [UInt8], _ entry: String) -> String? {
    guard record.count > 12 else { return nil }
    let space = ["", "A", "B", "C"][Int(record[1] >> 6)]
    var (compatible, reversed): (UInt32, UInt32) = (0, 0)
    for byte in record[2...5] { compatible = compatible << 8 | UInt32(byte) }
    // The flags are told from the last to the first.
    for _ in 0..<32 {
      reversed = reversed << 1 | compatible & 1
      compatible >>= 1
    }
    var constraints = Array(record[6...11])
    while constraints.last == 0 { constraints.removeLast() }
    let tier = record[1] >> 5 & 1 == 0 ? "L" : "H"
    let words = ["\(entry).\(space)\(record[1] & 31)", hexadecimal(reversed, 1), "\(tier)\(record[12])"]
    return (words + constraints.map { hexadecimal(UInt32($0), 1) }).joined(separator: ".")
  }

  /// Profile, level with tier, and bits of a component (AV1 in ISO base media file format, 5).
  private static func av1(_ record: [UInt8]) -> String? {
    guard record.count > 2 else { return nil }
    let (profile, level) = (record[1] >> 5, String(record[1] & 31))
    let depth = record[2] & 0x20 != 0 ? "12" : record[2] & 0x40 != 0 ? "10" : "08"
    return "av01.\(profile).\(level.count < 2 ? "0" : "")\(level)\(record[2] & 0x80 == 0 ? "M" : "H").\(depth)"
  }

  private static func hexadecimal(_ number: UInt32, _ digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
