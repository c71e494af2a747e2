/// The configuration of a stream of FFV1 that stands before its first picture, as far as pictures cannot be read without it (RFC 9043, 4.3).
struct FFV1Configuration: Hashable {
  /// The state of the range coder after a bit that is set, for each state.
  fileprivate let next: [UInt8]

  /// - Returns: nil for what is no configuration of version 3: streams of earlier versions have none that is of use here.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard var reader = unsafe FFV1Symbols(Array(bytes.prefix(4096)), FFV1Symbols.usualNext) else { return nil }
    var states = FFV1Symbols.unread
    // The versions come first, then the coder. The third kind of coder has a table of its own, told by what it differs from the usual one.
    guard reader.number(&states) == 3, reader.number(&states) != nil, let coder = reader.number(&states), coder <= 2 else {
      return nil
    }
    var next = FFV1Symbols.usualNext
    if coder == 2 {
      for state in 1..<256 {
        guard let difference = reader.signedNumber(&states), 1..<256 ~= Int(next[state]) + difference else { return nil }
        next[state] = UInt8(Int(next[state]) + difference)
      }
    }
    self.next = next
  }
}

/// The beginning of a picture of FFV1 of version 3: whether it stands by itself, and whether it is made of two fields (RFC 9043, 4.5 and 4.6).
struct FFV1Header {
  let isKey: Bool
  let hasFields: Bool

  /// - Returns: nil for bytes that are too few, or no such picture.
  init?(picture bytes: UnsafeBufferPointer<UInt8>, _ configuration: FFV1Configuration) {
    guard var reader = unsafe FFV1Symbols(Array(bytes.prefix(64)), FFV1Symbols.usualNext) else { return nil }
    var state: UInt8 = 128
    isKey = reader.bit(&state)
    reader.next = configuration.next
    var states = FFV1Symbols.unread
    // The first slice has its place and size, and the numbers of its tables: one for luma and one for chroma.
    for _ in 0..<6 where reader.number(&states) == nil { return nil }
    guard let structure = reader.number(&states), structure <= 3 else { return nil }
    hasFields = structure == 1 || structure == 2
  }
}

/// Reads symbols of FFV1's range coder (RFC 9043, 3.8.1).
private struct FFV1Symbols {
  /// The states of the bits of numbers before the first number is read.
  static let unread = [UInt8](repeating: 128, count: 32)

  /// The state after a bit that is set, for each state. After one that is not set it is the mirrored one. States are 1...255.
  var next: [UInt8]
  private let bytes: [UInt8]
  private var place = 2
  private var low: UInt32
  private var range: UInt32 = 0xff00

  init?(_ bytes: [UInt8], _ next: [UInt8]) {
    guard bytes.count > 8 else { return nil }
    (self.bytes, self.next) = (bytes, next)
    low = UInt32(bytes[0]) << 8 | UInt32(bytes[1])
    guard low < range else { return nil }
  }

  mutating func bit(_ state: inout UInt8) -> Bool {
    let part = (range * UInt32(state)) >> 8
    range -= part
    let isSet = low >= range
    if isSet {
      low -= range
      range = part
      state = next[Int(state)]
    } else {
      state = UInt8(256 - Int(next[256 - Int(state)]))
    }
    if range < 0x100 {
      range <<= 8
      low <<= 8
      if place < bytes.count { low += UInt32(bytes[place]) }
      place += 1
    }
    return isSet
  }

  /// A number of at most 31 bits; nil for a larger one.
  mutating func number(_ states: inout [UInt8]) -> Int? { magnitude(&states)?.value }

  mutating func signedNumber(_ states: inout [UInt8]) -> Int? {
    guard let (value, length) = magnitude(&states) else { return nil }
    return value != 0 && bit(&states[11 + min(length, 10)]) ? -value : value
  }

  private mutating func magnitude(_ states: inout [UInt8]) -> (value: Int, length: Int)? {
    if bit(&states[0]) { return (0, 0) }
    var length = 0
    while bit(&states[1 + min(length, 9)]) {
      length += 1
      guard length < 31 else { return nil }
    }
    var value = 1
    for index in (0..<length).reversed() { value = 2 * value + (bit(&states[22 + min(index, 9)]) ? 1 : 0) }
    return (value, length)
  }

  /// The state after a bit that is set, for each state, where a stream has no table of its own (RFC 9043, 3.8.1.4).
  static let usualNext: [UInt8] = [
    0, 0, 0, 0, 0, 0, 0, 0, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
    36, 37, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 56, 57,
    58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 75, 76, 77, 78, 79, 80,
    81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103,
    104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126,
    127, 128, 129, 130, 131, 132, 133, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149,
    150, 151, 152, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 171,
    172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 190, 191, 192, 194, 194,
    195, 196, 197, 198, 199, 200, 201, 202, 202, 204, 205, 206, 207, 208, 209, 209, 210, 211, 212, 213, 215, 215, 216, 217,
    218, 219, 220, 220, 222, 223, 224, 225, 226, 227, 227, 229, 229, 230, 231, 232, 234, 234, 235, 236, 237, 238, 239, 240,
    241, 242, 243, 244, 245, 246, 247, 248, 248, 0, 0, 0, 0, 0, 0, 0,
  ]
}
