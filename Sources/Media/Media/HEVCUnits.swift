/// The units of HEVC in a packet (ITU-T H.265, 7.3.1 and table 7-1).
enum HEVCUnits {
  /// The types of units that matter here.
  enum Kind {
    /// Pictures that are shown before the one at which decoding began, and refer to what came before that.
    static let skipped: ClosedRange<UInt8> = 8...9
    static let slices: ClosedRange<UInt8> = 0...9
    /// Pictures from which decoding can begin.
    static let entries: ClosedRange<UInt8> = 16...21
    /// Entries at which a decoder forgets all that came before: broken links, and IDR pictures.
    static let independent: ClosedRange<UInt8> = 16...20
    /// A broken link without pictures that are shown before it.
    static let brokenLink: UInt8 = 18
    static let cleanEntry: UInt8 = 21
    static let video: UInt8 = 32
    static let sequence: UInt8 = 33
    static let picture: UInt8 = 34
    static let sets: ClosedRange<UInt8> = 32...34
    static let delimiter: UInt8 = 35
    static let filler: UInt8 = 38
    static let supplements: ClosedRange<UInt8> = 39...40
    /// Dolby Vision's description of a picture, which stands in a type that the standard leaves to others. Decoders pass over it.
    static let dolbyVision: UInt8 = 62
  }

  /// The bytes of a unit's header.
  static let headerSize = 2

  static func kind(of header: UInt8) -> UInt8 { header >> 1 & 63 }

  /// Reads in the units at these places whether their packet can be copied.
  static func look(
    at bytes: UnsafeBufferPointer<UInt8>, _ places: [Range<Int>], _ sets: HEVCParameterSets
  ) -> (role: PacketSource.Role, objection: String?) {
    var (first, objection): (UInt8?, String?) = (nil, nil)
    for place in places {
      guard place.count > headerSize else { return (.follows, "the file is damaged there") }
      let kind = unsafe Self.kind(of: bytes[place.lowerBound])
      if unsafe bytes[place.lowerBound] & 1 != 0 || bytes[place.lowerBound + 1] >> 3 != 0 {
        return (.follows, "its pictures have more than one layer")
      }
      switch kind {
      case Kind.slices, Kind.entries:
        first = first ?? kind
        if first != kind { objection = "a picture is of two types" }
        // The bit after the first one of an entry's slice: `no_output_of_prior_pics_flag`.
        if Kind.entries.contains(kind), unsafe bytes[place.lowerBound + headerSize] & 0x40 != 0 {
          objection = "a picture forbids to show those before it"
        }
      case Kind.delimiter, Kind.filler, Kind.supplements, Kind.dolbyVision: break
      case Kind.sets: if unsafe !sets.holds(bytes[place]) { objection = "its parameter sets change" }
      default: objection = "it has units of HEVC of type \(kind)"
      }
    }
    guard let first else { return (.follows, "a packet has no picture") }
    return (role(of: first), objection)
  }

  private static func role(of kind: UInt8) -> PacketSource.Role {
    switch kind {
    case Kind.independent: .begins
    case Kind.cleanEntry: .beginsBehindLink
    case Kind.skipped: .leads
    default: .follows
    }
  }

  /// The units as a copy has them: without parameter sets, which stand in the track's description, and without Dolby Vision's, which the
  /// movie does not announce.
  ///
  /// - Parameter breaksLink: whether a clean entry becomes a broken link, because other pictures come before it. A decoder then begins
  ///   anew. The slices of both are written alike (7.3.6.1).
  static func copied(_ bytes: UnsafeBufferPointer<UInt8>, _ places: [Range<Int>], breaksLink: Bool) -> [UInt8] {
    CodedUnits.withStartCodes(
      places.compactMap { place in
        let kind = unsafe kind(of: bytes[place.lowerBound])
        guard !Kind.sets.contains(kind), kind != Kind.dolbyVision else { return nil }
        var unit = unsafe Array(bytes[place])
        if breaksLink, kind == Kind.cleanEntry { unit[0] = unit[0] & 0x81 | Kind.brokenLink << 1 }
        return unit
      })
  }

  /// Whether the first slice at these places is one of a picture at which a decoder forgets all that came before.
  static func beginsIndependently(_ bytes: UnsafeBufferPointer<UInt8>, _ places: [Range<Int>]) -> Bool {
    let kinds = places.lazy.map { unsafe kind(of: bytes[$0.lowerBound]) }
    return kinds.first { $0 < Kind.video }.map(Kind.independent.contains) ?? false
  }
}
