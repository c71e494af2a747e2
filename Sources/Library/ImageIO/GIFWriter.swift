/// The pictures of a GIF as they are written, one after the other, each with its own colours.
///
/// The form is that of GIF89a (CompuServe, 1990). A picture with more than 256 colours gets those that median cut finds
/// (Heckbert, 1982), and each pixel the nearest of them. Nothing is dithered.
struct GIFWriter {
  private var bytes: [UInt8] = []
  private var hasOpening = false
  /// How often the pictures are shown; 0 for without end, and nil for once.
  var loopCount: Int?

  /// Adds a picture. The first one's size is that of the file.
  ///
  /// - Parameter delay: for how long it is shown, in seconds.
  /// - Returns: false where it has no pixels, and where a side is longer than 65,535.
  mutating func add(_ image: CGImage, delay: Double) -> Bool {
    guard image.width <= 0xffff, image.height <= 0xffff, let pixels = Self.pixels(of: image) else { return false }
    if !hasOpening { open(image.width, image.height) }
    let palette = GIFPalette(pixels)
    let hundredths = UInt16(clamping: Int((min(max(delay, 0), 655) * 100).rounded()))
    // A picture that is seen through is taken away before the next one; another one stays below it.
    bytes += [0x21, 0xf9, 4, palette.hasClear ? 0b1001 : 0b0100]
    number(hundredths)
    // The colour of pixels that are seen through, and the end of the block.
    bytes += [0, 0]
    bytes.append(0x2c)
    for value in [0, 0, UInt16(image.width), UInt16(image.height)] { number(value) }
    bytes.append(0x80 | UInt8(palette.bits - 1))
    for index in 0..<1 << palette.bits {
      let color = index < palette.colors.count ? palette.colors[index] : [0, 0, 0]
      bytes += color
    }
    var packer = GIFPacker(bits: max(2, palette.bits))
    packer.pack(pixels.map { palette.index(of: $0) })
    bytes.append(UInt8(max(2, palette.bits)))
    for start in stride(from: 0, to: packer.bytes.count, by: 255) {
      let block = packer.bytes[start..<min(start + 255, packer.bytes.count)]
      bytes.append(UInt8(block.count))
      bytes += block
    }
    bytes.append(0)
    return true
  }

  /// The file; nil without a picture.
  func file() -> Data? { hasOpening ? Data(bytes + [0x3b]) : nil }

  private mutating func open(_ width: Int, _ height: Int) {
    hasOpening = true
    bytes += Array("GIF89a".utf8)
    number(UInt16(width))
    number(UInt16(height))
    bytes += [0x70, 0, 0]
    guard let loopCount else { return }
    bytes += [0x21, 0xff, 11] + Array("NETSCAPE2.0".utf8) + [3, 1]
    number(UInt16(clamping: loopCount))
    bytes.append(0)
  }

  private mutating func number(_ value: UInt16) { bytes += [UInt8(value & 0xff), UInt8(value >> 8)] }

  /// The pixels from the top row on, each as red, green and blue from the highest byte down; nil of those that are seen through by more
  /// than half.
  private static func pixels(of image: CGImage) -> [UInt32?]? {
    let (width, height) = (image.width, image.height)
    guard
      let context = unsafe CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: width * 4,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    else { return nil }
    context.draw(image, in: CGRect(x: 0, y: 0, width: width, height: height))
    guard let data = context.makeImage()?.dataProvider?.data else { return nil }
    let bytes = [UInt8](data as Data)
    guard bytes.count >= width * height * 4 else { return nil }
    return (0..<width * height).map { place in
      let alpha = UInt32(bytes[place * 4 + 3])
      guard alpha >= 128 else { return nil }
      let parts = (0..<3).map { part in min(255, (UInt32(bytes[place * 4 + part]) * 255 + alpha / 2) / alpha) }
      return parts[0] << 16 | parts[1] << 8 | parts[2]
    }
  }
}

/// The packing of a GIF's numbers: codes for sequences that were there before, of a length that grows (LZW).
struct GIFPacker {
  private(set) var bytes: [UInt8] = []
  private let bits: Int
  private var pending: UInt32 = 0
  private var pendingCount = 0

  /// - Parameter bits: the bits of a number, from 2 to 8.
  init(bits: Int) { self.bits = bits }

  mutating func pack(_ numbers: [UInt8]) {
    let (clear, end) = (1 << bits, 1 << bits + 1)
    var (length, next) = (bits + 1, end + 1)
    var known: [Int: Int] = [:]
    write(clear, length)
    var code: Int?
    for number in numbers {
      guard let before = code else {
        code = Int(number)
        continue
      }
      let key = before << 8 | Int(number)
      if let longer = known[key] {
        code = longer
        continue
      }
      write(before, length)
      code = Int(number)
      if next < 4096 {
        known[key] = next
        if next == 1 << length { length += 1 }
        next += 1
      } else {
        write(clear, length)
        known.removeAll(keepingCapacity: true)
        (length, next) = (bits + 1, end + 1)
      }
    }
    if let code { write(code, length) }
    // The reader has learned a sequence by the last code, and may expect a longer one.
    if next == 1 << length, length < 12 { length += 1 }
    write(end, length)
    if pendingCount > 0 { bytes.append(UInt8(pending & 0xff)) }
  }

  private mutating func write(_ code: Int, _ length: Int) {
    pending |= UInt32(code) << UInt32(pendingCount)
    pendingCount += length
    while pendingCount >= 8 {
      bytes.append(UInt8(pending & 0xff))
      pending >>= 8
      pendingCount -= 8
    }
  }
}
