/// The units of H.264 in a packet.
enum H264Units {
  /// The types of units that matter here (ITU-T H.264, table 7-1).
  enum Kind {
    static let slice: UInt8 = 1
    static let independentSlice: UInt8 = 5
    static let supplement: UInt8 = 6
    static let sequence: UInt8 = 7
    static let picture: UInt8 = 8
    static let delimiter: UInt8 = 9
    static let filler: UInt8 = 12
  }

  /// Reads in the units at these places whether their packet can be copied.
  static func look(
    at bytes: UnsafeBufferPointer<UInt8>, _ places: [Range<Int>], _ sets: H264ParameterSets
  ) -> (role: PacketSource.Role, objection: String?) {
    var (first, objection): (UInt8?, String?) = (nil, nil)
    for place in places {
      let kind = unsafe bytes[place.lowerBound] & 31
      switch kind {
      case Kind.slice, Kind.independentSlice:
        first = first ?? kind
        if first != kind { objection = "a picture is in part an IDR picture" }
      case Kind.supplement, Kind.delimiter, Kind.filler: break
      case Kind.sequence, Kind.picture:
        if unsafe !sets.holds(bytes[place]) { objection = "its parameter sets change" }
      default: objection = "it has units of H.264 of type \(kind)"
      }
    }
    return (first == Kind.independentSlice ? .begins : .follows, first == nil ? "a packet has no picture" : objection)
  }

  /// Whether the first slice at these places is one of an IDR picture.
  static func beginsIndependently(_ bytes: UnsafeBufferPointer<UInt8>, _ places: [Range<Int>]) -> Bool {
    let kinds = places.lazy.map { unsafe bytes[$0.lowerBound] & 31 }
    return kinds.first { (1...5).contains($0) } == Kind.independentSlice
  }

  /// The identifier of what x264 writes of itself (ITU-T H.264, D.1.7: user data that is not registered).
  private static let wordsIdentifier: [UInt8] = [
    0xdc, 0x45, 0xe9, 0xbd, 0xe6, 0xd9, 0x48, 0xb7, 0x96, 0x2c, 0xd8, 0x20, 0xd9, 0x23, 0xee, 0xef,
  ]
  /// The type of a supplement's message that is user data without registration.
  private static let userData: UInt8 = 5

  /// The length of what x264 writes about itself and its settings in front of a stream's first picture: a supplement that holds nothing else.
  /// Decoders show the same pictures without it.
  ///
  /// - Parameter bytes: a packet with units behind start codes.
  /// - Returns: the bytes up to the next unit's start code; 0 where the packet begins with anything else.
  static func wordsLength(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard let start = unsafe bytes.firstIndex(where: { $0 != 0 }), start >= 2 else { return 0 }
    // The start code, the unit's header, the message's type, and its size: as many 255 as it has, and a rest.
    let type = start + 2
    guard type + 1 < bytes.count else { return 0 }
    let head = unsafe (bytes[start], bytes[start + 1] & 31, bytes[type])
    guard head == (1, Kind.supplement, userData) else { return 0 }
    guard let rest = unsafe bytes[(type + 1)...].firstIndex(where: { $0 != 255 }) else { return 0 }
    let (size, first) = unsafe (255 * (rest - type - 1) + Int(bytes[rest]), rest + 1)
    guard size >= wordsIdentifier.count, first + size + 4 < bytes.count else { return 0 }
    guard unsafe bytes[first..<first + wordsIdentifier.count].elementsEqual(wordsIdentifier) else { return 0 }
    // The unit ends behind the message, with the bit that ends every unit. x264's words have no zeros but the last, so none were put in.
    let end = first + size + 1
    guard unsafe bytes[end - 1] == 0x80, unsafe bytes[end] == 0, unsafe bytes[end + 1] == 0 else { return 0 }
    return end
  }
}
