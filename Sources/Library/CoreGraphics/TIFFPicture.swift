/// The first picture of a TIFF file (Adobe, "TIFF", revision 6.0) of eight bits without compression, as AppKit hands pictures on in memory.
struct TIFFPicture {
  /// The tags of a directory that are read and written.
  private enum Tag: Int {
    case width = 256, height, bits, compression, photometric = 262, places = 273, orientation, samples = 277, rows, counts
    case planes = 284, extraSamples = 338
  }

  private let bytes: [UInt8]
  private let isLittle: Bool
  /// The numbers of each tag.
  private var values: [Int: [Int]] = [:]

  /// Reads the first directory; nil where the bytes are no TIFF.
  private init?(_ data: Data) {
    guard data.count > 8, [[0x49, 0x49, 42, 0], [0x4d, 0x4d, 0, 42]].contains(Array(data.prefix(4))) else { return nil }
    (bytes, isLittle) = ([UInt8](data), data.first == 0x49)
    // A directory ends with the place of the next one.
    guard let place = number(at: 4, 4), let count = number(at: place, 2), number(at: place + 2 + 12 * count, 4) != nil
    else { return nil }
    for index in 0..<count {
      let entry = place + 2 + 12 * index
      guard let tag = number(at: entry, 2), let type = number(at: entry + 2, 2), let many = number(at: entry + 4, 4),
        many <= bytes.count
      else { return nil }
      guard let size = [3: 2, 4: 4][type] else { continue }  // Other types are those of words and fractions.
      guard let first = many * size <= 4 ? entry + 8 : number(at: entry + 8, 4) else { return nil }
      let numbers = (0..<many).compactMap { number(at: first + $0 * size, size) }
      guard numbers.count == many else { return nil }
      values[tag] = numbers
    }
  }

  private func number(at place: Int, _ size: Int) -> Int? {
    guard place >= 0, place + size <= bytes.count else { return nil }
    let part = bytes[place..<place + size]
    return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
  }

  private func one(_ tag: Tag, _ usual: Int) -> Int { values[tag.rawValue]?.first ?? usual }

  /// Decodes a file; nil where it is none, is damaged, or is of another kind: compressed, of other bits, or turned.
  static func raster(_ data: Data) -> Raster? { TIFFPicture(data)?.raster }

  private var raster: Raster? {
    let (width, height, samples) = (one(.width, 0), one(.height, 0), one(.samples, 1))
    let photometric = one(.photometric, -1)
    guard one(.compression, 1) == 1, one(.planes, 1) == 1, one(.orientation, 1) == 1,
      (values[Tag.bits.rawValue] ?? [1]).allSatisfy({ $0 == 8 }), (0...2).contains(photometric),
      ((photometric == 2 ? 3 : 1)...4).contains(samples),
      (1...Raster.longestSide).contains(width), (1...Raster.longestSide).contains(height)
    else { return nil }
    var pixels: [UInt8] = []
    for (place, count) in zip(values[Tag.places.rawValue] ?? [], values[Tag.counts.rawValue] ?? []) {
      guard place + count <= bytes.count, pixels.count <= width * height * samples else { return nil }
      pixels += bytes[place..<place + count]
    }
    guard pixels.count >= width * height * samples, let raster = Raster(width: width, height: height) else { return nil }
    let stride = raster.stride
    let isMultiplied = values[Tag.extraSamples.rawValue]?.first == 1
    let filled: Void? = unsafe raster.withBytes { target in
      for y in 0..<height {
        for x in 0..<width {
          let pixel = native(pixels[((y * width + x) * samples)...].prefix(samples), photometric, isMultiplied)
          unsafe target.storeBytes(of: pixel, toByteOffset: y * stride + x * 4, as: UInt32.self)
        }
      }
    }
    return filled == nil ? nil : raster
  }

  /// A pixel as Cairo has it: alpha, red, green and blue in a number, multiplied by alpha.
  private func native(_ parts: ArraySlice<UInt8>, _ photometric: Int, _ isMultiplied: Bool) -> UInt32 {
    let all = parts.map { photometric == 0 ? UInt32(255 - $0) : UInt32($0) }
    let colors = photometric == 2 ? Array(all.prefix(3)) : [all[0], all[0], all[0]]
    let hasAlpha = all.count > (photometric == 2 ? 3 : 1) && [1, 2].contains(one(.extraSamples, 0))
    let alpha = hasAlpha ? UInt32(parts[parts.startIndex + (photometric == 2 ? 3 : 1)]) : 255
    let made = colors.map { isMultiplied ? min($0, alpha) : ($0 * alpha + 127) / 255 }
    return alpha << 24 | made[0] << 16 | made[1] << 8 | made[2]
  }

  /// The file of a raster, with alpha, which the colours are multiplied by.
  static func file(of raster: Raster) -> Data? {
    let (width, height, stride) = (raster.width, raster.height, raster.stride)
    var file = Data([0x49, 0x49, 42, 0])
    file.append(contentsOf: little(8 + width * height * 4 + 8, 4))
    let filled: Void? = unsafe raster.withBytes { source in
      for y in 0..<height {
        for x in 0..<width {
          let pixel = unsafe source.load(fromByteOffset: y * stride + x * 4, as: UInt32.self)
          file.append(contentsOf: [16, 8, 0, 24].map { UInt8(truncatingIfNeeded: pixel >> $0) })
        }
      }
    }
    guard filled != nil else { return nil }
    // The bits of the four samples stand behind the pixels, because they are more than an entry can hold.
    file.append(contentsOf: (0..<4).flatMap { _ in little(8, 2) })
    let entries: [(Tag, type: Int, count: Int, value: Int)] = [
      (.width, 4, 1, width), (.height, 4, 1, height), (.bits, 3, 4, 8 + width * height * 4), (.compression, 3, 1, 1),
      (.photometric, 3, 1, 2), (.places, 4, 1, 8), (.orientation, 3, 1, 1), (.samples, 3, 1, 4), (.rows, 4, 1, height),
      (.counts, 4, 1, width * height * 4), (.planes, 3, 1, 1), (.extraSamples, 3, 1, 1),
    ]
    file.append(contentsOf: little(entries.count, 2))
    for (tag, type, count, value) in entries {
      file.append(contentsOf: little(tag.rawValue, 2) + little(type, 2) + little(count, 4) + little(value, 4))
    }
    file.append(contentsOf: little(0, 4))
    return file
  }

  private static func little(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

extension CGImage {
  /// Makes a picture of the bytes of a TIFF of eight bits without compression; nil for others.
  package convenience init?(tiff data: Data) {
    guard let raster = TIFFPicture.raster(data) else { return nil }
    self.init(raster, CGColorSpace(name: CGColorSpace.sRGB))
  }

  /// The picture as a TIFF without compression; nil where it is damaged.
  package var tiffData: Data? { raster.flatMap(TIFFPicture.file(of:)) }
}
