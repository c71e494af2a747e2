/// A box of an ISO base media file (ISO/IEC 14496-12). Tests use it to make files that ffmpeg does not write.
struct ISOBox {
  var type: String
  var payload: [UInt8] = []
  var children: [ISOBox] = []

  private static let containers: Set = ["moov", "trak", "mdia", "minf", "stbl", "moof", "traf"]

  /// The boxes that follow each other in `bytes`. Their sizes are 32-bit numbers.
  static func all(in bytes: ArraySlice<UInt8>) -> [ISOBox] {
    var (boxes, rest): ([ISOBox], ArraySlice<UInt8>) = ([], bytes)
    while rest.count >= 8 {
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
      let payload = rest.dropFirst(8).prefix(size - 8)
      boxes.append(
        containers.contains(type) ? ISOBox(type: type, children: all(in: payload)) : ISOBox(type: type, payload: Array(payload)))
      rest = rest.dropFirst(size)
    }
    return boxes
  }

  var bytes: [UInt8] {
    let content = payload + children.flatMap(\.bytes)
    return Self.number(content.count + 8, 4) + Array(type.utf8) + content
  }

  /// A big-endian number of `width` bytes.
  static func number(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The big-endian 32-bit number at an offset of the payload.
  subscript(offset: Int) -> Int {
    get { payload[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    set { payload.replaceSubrange(offset..<offset + 4, with: Self.number(newValue, 4)) }
  }

  /// All boxes of a type: this one, and those below it at any depth.
  func all(_ type: String) -> [ISOBox] {
    (self.type == type ? [self] : []) + children.flatMap { $0.all(type) }
  }

  /// Changes every box of a type: this one, and those below it at any depth.
  mutating func change(_ type: String, _ body: (inout ISOBox) -> Void) {
    if self.type == type { body(&self) }
    for index in children.indices { children[index].change(type, body) }
  }

  /// The bytes after a table's version, flags and count.
  var entries: [UInt8] { Array(payload.dropFirst(8)) }
}
