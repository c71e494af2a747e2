/// The reading of a GIF's blocks.
struct GIFReader {
  struct File {
    var (width, height) = (0, 0)
    var loopCount: Int?
    var hasGlobalColors = false
    var parts: [GIFPictures.Part] = []
  }

  private let bytes: [UInt8]
  private var place = 0
  /// The facts that extensions told of the picture that follows them.
  private var next = GIFPictures.Part()

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads all blocks up to the trailer, or to where the file is cut off; nil without a header.
  mutating func read() -> File? {
    guard bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)) else { return nil }
    place = 6
    var file = File()
    guard let width = number(), let height = number(), let packed = byte(), byte() != nil, byte() != nil, width > 0, height > 0
    else { return nil }
    (file.width, file.height, file.hasGlobalColors) = (width, height, packed & 0x80 != 0)
    guard let global = file.hasGlobalColors ? colors(2 << (packed & 7)) : [] else { return nil }
    while let block = byte(), block != 0x3b {
      switch block {
      case 0x21: guard readExtension(&file) else { return file }
      case 0x2c: guard readPicture(global, &file) else { return file }
      default: return file
      }
    }
    return file
  }

  private mutating func byte() -> UInt8? {
    guard place < bytes.count else { return nil }
    defer { place += 1 }
    return bytes[place]
  }

  private mutating func number() -> Int? {
    guard let low = byte(), let high = byte() else { return nil }
    return Int(low) | Int(high) << 8
  }

  private mutating func colors(_ count: Int) -> [UInt32]? {
    guard place + count * 3 <= bytes.count else { return nil }
    defer { place += count * 3 }
    return (0..<count).map { index in
      let color = place + index * 3
      return 0xff00_0000 | UInt32(bytes[color]) << 16 | UInt32(bytes[color + 1]) << 8 | UInt32(bytes[color + 2])
    }
  }

  /// The places of the blocks that follow, up to an empty one; nil where they are cut off.
  private mutating func blocks() -> [Range<Int>]? {
    var blocks: [Range<Int>] = []
    while let count = byte() {
      if count == 0 { return blocks }
      guard place + Int(count) <= bytes.count else { return nil }
      blocks.append(place..<place + Int(count))
      place += Int(count)
    }
    return nil
  }

  private mutating func readExtension(_ file: inout File) -> Bool {
    guard let label = byte(), let blocks = blocks() else { return false }
    let first = blocks.first.map { Array(bytes[$0]) } ?? []
    switch label {
    case 0xf9 where first.count >= 4:
      next.delay = Int(first[1]) | Int(first[2]) << 8
      next.clear = first[0] & 1 != 0 ? Int(first[3]) : nil
      next.disposal = first[0] >> 2 & 7 == 2 ? .cleared : first[0] >> 2 & 7 == 3 ? .undone : .stays
    case 0xff where first == Array("NETSCAPE2.0".utf8) || first == Array("ANIMEXTS1.0".utf8):
      guard blocks.count > 1 else { break }
      let loop = Array(bytes[blocks[1]])
      if loop.count >= 3, loop[0] == 1 { file.loopCount = Int(loop[1]) | Int(loop[2]) << 8 }
    default: break
    }
    return true
  }

  private mutating func readPicture(_ global: [UInt32], _ file: inout File) -> Bool {
    var part = next
    next = GIFPictures.Part()
    guard let x = number(), let y = number(), let width = number(), let height = number(), let packed = byte(),
      let colors = packed & 0x80 != 0 ? colors(2 << (packed & 7)) : global, let codeSize = byte(), let blocks = blocks(),
      (2...8).contains(codeSize), width * height <= GIFPictures.mostPixels
    else { return false }
    (part.x, part.y, part.width, part.height) = (x, y, width, height)
    (part.colors, part.isInterlaced, part.codeSize, part.blocks) = (colors, packed & 0x40 != 0, Int(codeSize), blocks)
    file.parts.append(part)
    return true
  }
}

/// The codes of a GIF's picture (appendix F): a variant of LZW with codes of up to 12 bits.
enum GIFCodes {
  /// The colours' numbers of a picture, by rows as the file has them; nil where the codes make no sense or are too few.
  static func decode(_ part: GIFPictures.Part, _ bytes: [UInt8]) -> [UInt8]? {
    let count = part.width * part.height
    var made: [UInt8] = []
    made.reserveCapacity(count)
    let (clear, end) = (1 << part.codeSize, 1 << part.codeSize + 1)
    // Each entry is the entry before it and one number more. `lengths` tells how many it is in all.
    var (prefixes, suffixes) = ([Int](repeating: -1, count: 4096), [UInt8](repeating: 0, count: 4096))
    var lengths = [Int](repeating: 1, count: 4096)
    for code in 0..<clear { suffixes[code] = UInt8(code) }
    var (free, size, before) = (end + 1, part.codeSize + 1, -1)
    var (bits, held) = (0, 0)
    for block in part.blocks {
      for byte in bytes[block] {
        (bits, held) = (bits | Int(byte) << held, held + 8)
        while held >= size {
          let code = bits & (1 << size - 1)
          (bits, held) = (bits >> size, held - size)
          if code == clear {
            (free, size, before) = (end + 1, part.codeSize + 1, -1)
            continue
          }
          if code == end || made.count >= count { return made.count >= count ? made : nil }
          guard code < free || (code == free && before >= 0 && free < 4096) else { return nil }
          let start = made.count
          let known = code < free ? code : before
          made.append(contentsOf: repeatElement(0, count: lengths[known]))
          var (entry, place) = (known, made.count - 1)
          while entry >= 0 {
            made[place] = suffixes[entry]
            (entry, place) = (prefixes[entry], place - 1)
          }
          if code == free { made.append(made[start]) }
          if before >= 0, free < 4096 {
            (prefixes[free], suffixes[free], lengths[free]) = (before, made[start], lengths[before] + 1)
            free += 1
            if free == 1 << size, size < 12 { size += 1 }
          }
          before = code
        }
      }
    }
    return made.count >= count ? made : nil
  }
}
