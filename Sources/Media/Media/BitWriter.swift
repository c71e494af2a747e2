/// Writes the payload of a unit of H.264 or HEVC bit by bit (ITU-T H.264, 7.4.1 and 9.1).
struct BitWriter {
  private var bytes: [UInt8] = []
  private var place = 0

  mutating func add(_ bit: Int) {
    if place % 8 == 0 { bytes.append(0) }
    if bit != 0 { bytes[place / 8] |= 0x80 >> UInt8(place % 8) }
    place += 1
  }

  mutating func add(_ value: Int, count: Int) {
    for shift in (0..<count).reversed() { add(value >> shift & 1) }
  }

  /// - Parameter number: a whole number, at most 2^31, in Exp-Golomb's code.
  mutating func add(number: Int) {
    let length = Int.bitWidth - (number + 1).leadingZeroBitCount
    add(number + 1, count: 2 * length - 1)
  }

  /// Copies bits from where a reader stands to the place `end` of its payload.
  mutating func add(from reader: inout BitReader, to end: Int) {
    while reader.place < end { add(reader.bit()) }
  }

  /// The unit of these bits: the payload is ended, and bytes keep start codes from appearing in it.
  func unit(header: some Sequence<UInt8>) -> [UInt8] {
    var ended = self
    ended.add(1)
    var (unit, zeros) = (Array(header), 0)
    for byte in ended.bytes {
      if zeros >= 2, byte <= 3 {
        unit.append(3)
        zeros = 0
      }
      zeros = byte == 0 ? zeros + 1 : 0
      unit.append(byte)
    }
    return unit
  }
}
