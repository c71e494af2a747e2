/// Unpacks a DEFLATE stream (RFC 1951), as zip archives have them.
///
/// Each byte that is read or written is checked, so that a stranger's stream can at most be refused.
struct Inflation {
  /// The reason why a stream is none.
  struct Fault: Error { let reason: String }

  private let packed: ArraySlice<UInt8>
  /// The next byte that is not in `bits` yet.
  private var place: Int
  /// The bits that were read and not used, the next one lowest.
  private var bits: UInt64 = 0
  private var bitCount = 0
  private let count: Int
  private var bytes: [UInt8] = []

  /// The bytes of a stream.
  ///
  /// - Parameter count: how many there are. No more are unpacked.
  static func bytes(of packed: ArraySlice<UInt8>, count: Int) throws(Fault) -> [UInt8] {
    var inflation = Inflation(packed, count: count)
    try inflation.run()
    return inflation.bytes
  }

  private init(_ packed: ArraySlice<UInt8>, count: Int) {
    (self.packed, place, self.count) = (packed, packed.startIndex, count)
    bytes.reserveCapacity(count)
  }

  private mutating func run() throws(Fault) {
    var isLast = false
    while !isLast {
      isLast = try take(1) == 1
      switch try take(2) {
      case 0: try copyStored()
      case 1: try unpack(Self.fixedLiterals, Self.fixedDistances)
      case 2:
        let (literals, distances) = try readCodes()
        try unpack(literals, distances)
      default: throw Fault(reason: "has a block of an unknown kind")
      }
    }
    guard bytes.count == count else { throw Fault(reason: "unpacks to \(bytes.count) bytes instead of \(count)") }
  }

  // MARK: - Blocks

  /// A block of bytes as they are.
  private mutating func copyStored() throws(Fault) {
    _ = try take(bitCount % 8)
    let (length, complement) = (try take(16), try take(16))
    guard length == ~complement & 0xffff else { throw Fault(reason: "has a block whose length contradicts itself") }
    // Whole bytes that were read ahead are read again.
    place -= bitCount / 8
    (bits, bitCount) = (0, 0)
    guard length <= packed.endIndex - place else { throw Self.breaksOff }
    try requireRoom(length)
    bytes += packed[place..<place + length]
    place += length
  }

  private mutating func unpack(_ literals: Code, _ distances: Code) throws(Fault) {
    while true {
      let symbol = try symbol(of: literals)
      if symbol < 256 {
        try requireRoom(1)
        bytes.append(UInt8(symbol))
        continue
      }
      if symbol == 256 { return }
      guard symbol - 257 < Self.lengths.count else { throw Fault(reason: "has an unknown length") }
      let length = Self.lengths[symbol - 257] + (try take(Self.lengthBits[symbol - 257]))
      let far = try self.symbol(of: distances)
      guard far < Self.distances.count else { throw Fault(reason: "has an unknown distance") }
      let distance = Self.distances[far] + (try take(Self.distanceBits[far]))
      guard distance <= bytes.count else { throw Fault(reason: "repeats bytes from before its beginning") }
      try requireRoom(length)
      // The bytes that are repeated may be among those that are being written.
      let from = bytes.count - distance
      for index in from..<from + length { bytes.append(bytes[index]) }
    }
  }

  private func requireRoom(_ more: Int) throws(Fault) {
    guard more <= count - bytes.count else { throw Fault(reason: "unpacks to more than the \(count) bytes that are stated") }
  }

  /// The codes that stand at the beginning of a block.
  private mutating func readCodes() throws(Fault) -> (literals: Code, distances: Code) {
    let (literalCount, distanceCount) = (try take(5) + 257, try take(5) + 1)
    let ordered = try take(4) + 4
    guard literalCount <= 286, distanceCount <= 30 else { throw Fault(reason: "has too many codes") }
    var lengths = [Int](repeating: 0, count: 19)
    for symbol in Self.order.prefix(ordered) { lengths[symbol] = try take(3) }
    let code = try Code(lengths)
    lengths = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try symbol(of: code)
      switch symbol {
      case 16:
        guard let last = lengths.last else { throw Fault(reason: "repeats a length before the first") }
        lengths += repeatElement(last, count: try take(2) + 3)
      case 17: lengths += repeatElement(0, count: try take(3) + 3)
      case 18: lengths += repeatElement(0, count: try take(7) + 11)
      default: lengths.append(symbol)
      }
    }
    guard lengths.count == literalCount + distanceCount else { throw Fault(reason: "has more lengths than codes") }
    return (try Code(Array(lengths[..<literalCount])), try Code(Array(lengths[literalCount...])))
  }

  // MARK: - Bits

  private static let breaksOff = Fault(reason: "breaks off")

  private mutating func fill() {
    while bitCount <= 48, place < packed.endIndex {
      bits |= UInt64(packed[place]) << UInt64(bitCount)
      place += 1
      bitCount += 8
    }
  }

  /// - Parameter count: at most 16.
  private mutating func take(_ count: Int) throws(Fault) -> Int {
    if bitCount < count { fill() }
    guard bitCount >= count else { throw Self.breaksOff }
    let value = bits & (1 << UInt64(count) - 1)
    bits >>= UInt64(count)
    bitCount -= count
    return Int(value)
  }

  private mutating func symbol(of code: Code) throws(Fault) -> Int {
    if bitCount < Code.longest { fill() }
    let entry = code.table[Int(bits & code.mask)]
    let length = Int(entry & 15)
    guard length > 0 else { throw Fault(reason: "has bits that are no code") }
    guard length <= bitCount else { throw Self.breaksOff }
    bits >>= UInt64(length)
    bitCount -= length
    return Int(entry >> 4)
  }

  // MARK: - Tables (RFC 1951, 3.2.5 to 3.2.7)

  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  private static let lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
  private static let lengths = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ]
  private static let distanceBits = (0..<30).map { $0 < 4 ? 0 : $0 / 2 - 1 }
  private static let distances = distanceBits.indices.map { code in
    code < 4 ? code + 1 : (2 + code % 2) << distanceBits[code] + 1
  }
  private static let fixedLiterals = Code(
    complete: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
  private static let fixedDistances = Code(complete: [Int](repeating: 5, count: 32))
}

/// A prefix code of DEFLATE, as a table that is looked up by the next bits.
private struct Code {
  static let longest = 15
  /// For each value of the next bits the symbol, times 16, and the bits that it takes; 0 where no symbol begins so.
  let table: [UInt16]
  let mask: UInt64

  /// - Parameter lengths: the bits that each symbol takes, at most 15; 0 for one that does not occur.
  init(_ lengths: [Int]) throws(Inflation.Fault) {
    let taken = lengths.reduce(0) { $0 + ($1 > 0 ? 1 << (Self.longest - $1) : 0) }
    let used = lengths.count { $0 > 0 }
    // A code of one symbol, or of none, leaves some bits without a meaning. All others are complete.
    guard taken == 1 << Self.longest || used <= 1 else { throw Inflation.Fault(reason: "has a code that is not complete") }
    self.init(complete: lengths)
  }

  init(complete lengths: [Int]) {
    let most = lengths.max() ?? 0
    var table = [UInt16](repeating: 0, count: 1 << most)
    var next = 0
    for length in 1..<max(most + 1, 2) {
      for (symbol, own) in lengths.enumerated() where own == length {
        // A code comes with its highest bit first.
        var (reversed, rest) = (0, next)
        for _ in 0..<length { (reversed, rest) = (reversed << 1 | rest & 1, rest >> 1) }
        for index in stride(from: reversed, to: table.count, by: 1 << length) {
          table[index] = UInt16(symbol << 4 | length)
        }
        next += 1
      }
      next <<= 1
    }
    (self.table, mask) = (table, UInt64(table.count - 1))
  }
}
