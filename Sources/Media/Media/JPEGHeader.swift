/// The headers of a packet of Motion JPEG, which tell whether its picture stands on its own (ITU-T T.81, annex B).
///
/// Decoders keep the tables of one picture for the next one, and programs have left them out of pictures for that. So a picture that does not bring
/// all of its tables would become another one behind another one.
struct JPEGHeader {
  private static let damaged = "the file is damaged there"

  private let bytes: [UInt8]
  private var position = 0
  /// The tables of quantizers and of Huffman codes that were defined, by their numbers; those of codes for AC have 16 more.
  private var (quantizers, codes): (Set<UInt8>, Set<UInt8>) = ([], [])
  /// The components of the frame with the tables of their quantizers.
  private var components: [(id: UInt8, quantizer: UInt8)] = []

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The reason for which a packet cannot be copied; nil where it can.
  static func objection(to packet: some Sequence<UInt8>) -> String? {
    var header = JPEGHeader(Array(packet))
    return header.objection()
  }

  private mutating func objection() -> String? {
    guard marker() == 0xd8 else { return Self.damaged }
    while let marker = marker() {
      guard let end = segmentEnd() else { return Self.damaged }
      switch marker {
      case 0xc0: if let objection = takeFrame(until: end) { return objection }
      case 0xc1...0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf: return "a picture is not baseline JPEG"
      case 0xc4: guard takeCodes(until: end) else { return Self.damaged }
      case 0xdb: guard takeQuantizers(until: end) else { return Self.damaged }
      case 0xda: return objectionToScan(until: end)
      case 0xe0 where holds("AVI1", until: end) && byte(at: position + 4) != 0: return Self.fields
      case 0xee where holds("Adobe", until: end) && byte(at: position + 11) != 1:
        return "a picture is not made of luma and chroma"
      case 0xd8, 0xd9: return Self.damaged
      default: break
      }
      position = end
    }
    return Self.damaged
  }

  private static let fields = "a picture is made of two fields"

  private func byte(at place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

  /// Takes a marker, with the bytes that fill up before it.
  private mutating func marker() -> UInt8? {
    guard byte(at: position) == 0xff else { return nil }
    while byte(at: position) == 0xff { position += 1 }
    defer { position += 1 }
    return byte(at: position)
  }

  /// Takes the length of a segment.
  ///
  /// - Returns: the place behind it; nil where it does not fit.
  private mutating func segmentEnd() -> Int? {
    // The beginning of a picture inside of another one has no length.
    guard let high = byte(at: position), let low = byte(at: position + 1) else { return nil }
    let end = position + Int(high) << 8 + Int(low)
    guard end >= position + 2, end <= bytes.count else { return nil }
    position += 2
    return end
  }

  private func holds(_ word: String, until end: Int) -> Bool {
    position + word.utf8.count < end && word.utf8.enumerated().allSatisfy { byte(at: position + $0) == $1 }
  }

  private mutating func takeFrame(until end: Int) -> String? {
    guard components.isEmpty, end - position >= 6, byte(at: position) == 8, let count = byte(at: position + 5).map(Int.init),
      end - position == 6 + 3 * count
    else { return Self.damaged }
    guard count == 3 else { return "a picture is not made of luma and chroma" }
    for place in stride(from: position + 6, to: end, by: 3) {
      guard let id = byte(at: place), let quantizer = byte(at: place + 2) else { return Self.damaged }
      components.append((id, quantizer))
    }
    return nil
  }

  private mutating func takeCodes(until end: Int) -> Bool {
    while position < end {
      guard end - position >= 17, let number = byte(at: position) else { return false }
      let count = (1...16).reduce(0) { $0 + Int(byte(at: position + $1) ?? 0) }
      codes.insert(number)
      position += 17 + count
    }
    return position == end
  }

  private mutating func takeQuantizers(until end: Int) -> Bool {
    while position < end, let number = byte(at: position) {
      quantizers.insert(number & 15)
      position += number >> 4 == 0 ? 65 : 129
    }
    return position == end
  }

  /// Looks at the header of the scan, which must hold all components, and for the end of the picture behind it.
  private func objectionToScan(until end: Int) -> String? {
    guard components.count == 3 else { return Self.damaged }
    guard byte(at: position) == 3, end - position == 10 else { return "the parts of a picture stand one after the other" }
    for (index, component) in components.enumerated() {
      guard let id = byte(at: position + 1 + 2 * index), let tables = byte(at: position + 2 + 2 * index), id == component.id
      else {
        return Self.damaged
      }
      guard quantizers.contains(component.quantizer), codes.contains(tables >> 4), codes.contains(0x10 | tables & 15) else {
        return "a picture does not bring its own tables"
      }
    }
    return objectionToEnd(from: end)
  }

  /// Looks for the end of the picture, and for another picture behind it.
  private func objectionToEnd(from start: Int) -> String? {
    var place = start
    var hasEnded = false
    while place + 1 < bytes.count {
      guard bytes[place] == 0xff else {
        place += 1
        continue
      }
      switch bytes[place + 1] {
      case 0xd9: hasEnded = true
      case 0xd8 where hasEnded: return Self.fields
      case 0, 0xd0...0xd7, 0xff: break
      default: if !hasEnded { return Self.damaged }
      }
      place += bytes[place + 1] == 0xff ? 1 : 2
    }
    return hasEnded ? nil : Self.damaged
  }
}
