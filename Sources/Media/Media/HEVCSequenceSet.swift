/// The facts that a sequence's parameter set of HEVC states (ITU-T H.265, 7.3.2.2), as far as a decoder's configuration or a copy asks for
/// them.
struct HEVCSequenceSet: Hashable, Sendable {
  let id: Int
  /// The number of the video's parameter set that it belongs to.
  let videoID: Int
  let level: HEVCLevel
  /// The number of temporal layers.
  let layerCount: Int
  /// Whether decoding can change over to a higher temporal layer at any picture of it.
  let nestsLayers: Bool
  /// The number of the form of chroma: 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
  let chroma: Int
  let lumaDepth: Int
  let chromaDepth: Int
  /// Whether each picture is a field.
  let hasFields: Bool
  /// The number of bits of the payload before the set's number.
  let idPlace: Int

  /// - Parameter reader: stands behind the unit's header.
  /// - Returns: nil where it cannot be read.
  init?(_ reader: inout BitReader) {
    videoID = reader.bits(4)
    layerCount = reader.bits(3) + 1
    nestsLayers = reader.bit() == 1
    guard layerCount <= 7 else { return nil }
    level = HEVCLevel(&reader, layerCount: layerCount)
    idPlace = reader.place
    id = reader.number()
    chroma = reader.number()
    // Colours in planes of their own are decoded as three pictures.
    if chroma == 3, reader.bit() == 1 { return nil }
    _ = (reader.number(), reader.number())
    if reader.bit() == 1 { for _ in 0..<4 { _ = reader.number() } }
    (lumaDepth, chromaDepth) = (reader.number() + 8, reader.number() + 8)
    guard !reader.isPastEnd, id < 16, (0...3).contains(chroma), (8...15).contains(lumaDepth), (8...15).contains(chromaDepth),
      let places = Self.skipCoding(&reader, layerCount: layerCount),
      Self.skipReferences(&reader, placeBits: places)
    else { return nil }
    // Motion vectors over time, and the smoothing of flat blocks.
    _ = (reader.bit(), reader.bit())
    hasFields = reader.bit() == 1 && Self.usability(&reader)
    guard !reader.isPastEnd else { return nil }
  }

  /// Passes over the sizes of blocks and the tools of coding.
  ///
  /// - Returns: the number of bits by which slices tell a picture's place; nil where it cannot be read.
  private static func skipCoding(_ reader: inout BitReader, layerCount: Int) -> Int? {
    let places = reader.number() + 4
    guard places <= 16 else { return nil }
    for _ in 0..<(reader.bit() == 1 ? layerCount : 1) { _ = (reader.number(), reader.number(), reader.number()) }
    for _ in 0..<6 { _ = reader.number() }
    if reader.bit() == 1, reader.bit() == 1 { skipScalingLists(&reader) }
    // Partitions of unequal size, and offsets of samples; then the sizes of blocks of plain samples.
    _ = (reader.bit(), reader.bit())
    if reader.bit() == 1 { _ = (reader.bits(8), reader.number(), reader.number(), reader.bit()) }
    return reader.isPastEnd ? nil : places
  }

  /// Passes over lists of scaling (7.3.4).
  private static func skipScalingLists(_ reader: inout BitReader) {
    for size in 0..<4 {
      for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
        guard reader.bit() == 1 else {
          _ = reader.number()
          continue
        }
        if size > 1 { _ = reader.signedNumber() }
        for _ in 0..<min(64, 1 << (4 + 2 * size)) { _ = reader.signedNumber() }
      }
    }
  }

  /// Passes over the sets of reference pictures (7.3.7).
  ///
  /// - Returns: whether they can be read.
  private static func skipReferences(_ reader: inout BitReader, placeBits: Int) -> Bool {
    let count = reader.number()
    guard count <= 64 else { return false }
    var previous = 0
    for index in 0..<count {
      if index > 0, reader.bit() == 1 {
        _ = (reader.bit(), reader.number())
        var kept = 0
        // A picture that the set does not use may still be kept for others.
        for _ in 0...previous where reader.bit() == 1 || reader.bit() == 1 { kept += 1 }
        previous = kept
      } else {
        previous = reader.number() + reader.number()
        guard previous <= 32 else { return false }
        for _ in 0..<previous { _ = (reader.number(), reader.bit()) }
      }
    }
    guard reader.bit() == 1 else { return !reader.isPastEnd }
    let longTerm = reader.number()
    guard longTerm <= 32 else { return false }
    for _ in 0..<longTerm { _ = (reader.bits(placeBits), reader.bit()) }
    return !reader.isPastEnd
  }

  /// Reads what the set says of the use of its pictures (E.2.1).
  ///
  /// - Returns: whether each picture is a field.
  private static func usability(_ reader: inout BitReader) -> Bool {
    if reader.bit() == 1, reader.bits(8) == 255 { _ = reader.bits(32) }
    if reader.bit() == 1 { _ = reader.bit() }
    if reader.bit() == 1 {
      _ = reader.bits(4)
      if reader.bit() == 1 { _ = reader.bits(24) }
    }
    if reader.bit() == 1 { _ = (reader.number(), reader.number()) }
    _ = reader.bit()
    return reader.bit() == 1
  }
}

/// The profile, tier and level of a stream of HEVC (ITU-T H.265, 7.3.3).
struct HEVCLevel: Hashable, Sendable {
  /// The number of the rules by which the profile is read: 0.
  var space: Int
  /// Whether the stream has the high tier's bit rates.
  var hasHighTier: Bool
  var profile: Int
  /// The profiles whose decoders read the stream: that of number `n` by the bit `n` from the highest one on.
  var compatible: UInt32
  /// The flags of the constraints that the stream keeps to: 48 bits.
  var constraints: UInt64
  /// The level in thirtieths.
  var level: Int

  init(_ reader: inout BitReader, layerCount: Int) {
    (space, hasHighTier, profile) = (reader.bits(2), reader.bit() == 1, reader.bits(5))
    compatible = UInt32(reader.bits(32))
    constraints = UInt64(reader.bits(24)) << 24 | UInt64(reader.bits(24))
    level = reader.bits(8)
    guard layerCount > 1 else { return }
    let layers = (1..<layerCount).map { _ in (reader.bit(), reader.bit()) }
    _ = reader.bits(2 * (9 - layerCount))
    for layer in layers {
      if layer.0 == 1 { _ = (reader.bits(32), reader.bits(32), reader.bits(24)) }
      if layer.1 == 1 { _ = reader.bits(8) }
    }
  }

  /// The level of a stream that holds both: decoders of it read either.
  func joined(with other: HEVCLevel) -> HEVCLevel {
    var joined = self
    joined.hasHighTier = hasHighTier || other.hasHighTier
    joined.compatible = compatible & other.compatible
    joined.constraints = constraints & other.constraints
    joined.level = max(level, other.level)
    let common = (1..<32).first { joined.compatible << UInt32($0) & 0x8000_0000 != 0 }
    if profile != other.profile { joined.profile = common ?? max(profile, other.profile) }
    return joined
  }
}
