/// Reads bits, the highest of each byte first, of the payload of a unit of H.264 or HEVC (ITU-T H.264, 7.2 and 9.1). Bytes that only keep start
/// codes from appearing are left out. Behind the end it reads zeros, and says so.
struct BitReader {
  private let bytes: [UInt8]
  /// The number of bits read so far.
  private(set) var place = 0
  private(set) var isPastEnd = false

  /// - Parameter unit: a unit with its header.
  init(unit: some Sequence<UInt8>, headerSize: Int = 1) {
    var (bytes, zeros): ([UInt8], Int) = ([], 0)
    for byte in unit.dropFirst(headerSize) {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    self.bytes = bytes
  }

  mutating func bit() -> Int {
    guard place < 8 * bytes.count else {
      isPastEnd = true
      return 0
    }
    defer { place += 1 }
    return Int(bytes[place / 8] >> (7 - place % 8)) & 1
  }

  /// The number of bits before the one that ends the payload, which is the last that is set; nil where none is.
  var payloadLength: Int? {
    guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return nil }
    return 8 * last + 7 - bytes[last].trailingZeroBitCount
  }

  /// - Parameter count: at most 32.
  mutating func bits(_ count: Int) -> Int { (0..<count).reduce(0) { value, _ in value << 1 | bit() } }

  /// A whole number of Exp-Golomb's code, at most 2^32 - 2.
  mutating func number() -> Int {
    var zeros = 0
    while bit() == 0 {
      zeros += 1
      if zeros > 31 || isPastEnd {
        isPastEnd = true
        return 0
      }
    }
    return (1 << zeros) - 1 + bits(zeros)
  }

  /// A number with a sign of Exp-Golomb's code.
  mutating func signedNumber() -> Int {
    let number = number()
    return number % 2 == 0 ? -(number / 2) : (number + 1) / 2
  }
}
