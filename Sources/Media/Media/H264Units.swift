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
}
