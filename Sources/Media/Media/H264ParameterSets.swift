internal import CFFmpeg

/// The parameter sets of an H.264 stream, which say how its slices are read (ITU-T H.264, 7.3.2.1 and 7.3.2.2).
package struct H264ParameterSets: Hashable, Sendable {
  /// The units of the sequence's sets, by their numbers.
  private(set) var sequences: [Int: [UInt8]] = [:]
  /// The units of the pictures' sets, by their numbers.
  private(set) var pictures: [Int: [UInt8]] = [:]
  /// The facts that each of the sequence's sets states.
  private(set) var facts: [Int: Facts] = [:]

  /// The facts that a sequence's set states.
  package struct Facts: Hashable, Sendable {
    package let profile: UInt8
    /// The flags of the constraints that the stream keeps to, beside its profile.
    package let constraints: UInt8
    /// The level in tenths.
    package let level: UInt8
    /// The number of the form of chroma: 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    package let chroma: Int
    package let bitDepth: Int
    /// Whether all pictures are whole frames.
    package let hasFramesAlone: Bool
  }

  /// Reads the sets that a stream's parameters hold, in either form.
  ///
  /// - Returns: nil where there are none, or one cannot be read.
  init?(extradata: UnsafeBufferPointer<UInt8>) {
    guard extradata.count > 4 else { return nil }
    if unsafe extradata[0] == 1 {
      guard unsafe read(configuration: extradata) else { return nil }
    } else {
      guard let places = unsafe CodedUnits.places(in: extradata, lengthSize: nil) else { return nil }
      for place in places { guard unsafe add(Array(extradata[place])) else { return nil } }
    }
    guard !sequences.isEmpty, !pictures.isEmpty else { return nil }
  }

  /// The bytes of the length before each unit, as a stream's parameters state them; nil where units stand behind start codes.
  static func lengthSize(of extradata: UnsafeBufferPointer<UInt8>) -> Int? {
    unsafe extradata.count > 4 && extradata[0] == 1 ? unsafe Int(extradata[4] & 3) + 1 : nil
  }

  /// Reads a decoder's configuration as mp4 has it (ISO/IEC 14496-15, 5.3.3.1).
  private mutating func read(configuration bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var index = 5
    for mask in [UInt8(0x1f), 0xff] {
      guard index < bytes.count else { return false }
      let count = unsafe bytes[index] & mask
      index += 1
      for _ in 0..<count {
        guard index + 2 <= bytes.count else { return false }
        let length = unsafe Int(bytes[index]) << 8 | Int(bytes[index + 1])
        index += 2
        guard length > 0, index + length <= bytes.count, unsafe add(Array(bytes[index..<(index + length)])) else { return false }
        index += length
      }
    }
    return true
  }

  /// Adds a unit. Others than parameter sets are left out.
  ///
  /// - Returns: false where it cannot be read, or another one has its number.
  private mutating func add(_ unit: [UInt8]) -> Bool {
    guard unit.count <= Self.longest else { return false }
    var reader = BitReader(unit: unit)
    switch unit[0] & 31 {
    case H264Units.Kind.sequence:
      guard let (id, found) = Self.sequence(&reader), sequences[id] == nil || sequences[id] == unit else { return false }
      (sequences[id], facts[id]) = (unit, found)
    case H264Units.Kind.picture:
      let id = reader.number()
      guard !reader.isPastEnd, id < 256, pictures[id] == nil || pictures[id] == unit else { return false }
      pictures[id] = unit
    default: break
    }
    return true
  }

  /// Whether the unit is one of these sets.
  func holds(_ unit: UnsafeBufferPointer<UInt8>.SubSequence) -> Bool {
    sequences.values.contains { unsafe $0.elementsEqual(unit) } || pictures.values.contains { unsafe $0.elementsEqual(unit) }
  }

  private static func sequence(_ reader: inout BitReader) -> (id: Int, Facts)? {
    let (profile, constraints, level) = (reader.bits(8), reader.bits(8), reader.bits(8))
    let id = reader.number()
    var (chroma, bitDepth) = (1, 8)
    if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
      chroma = reader.number()
      // Colours in planes of their own are decoded as three pictures.
      if chroma == 3, reader.bit() == 1 { return nil }
      bitDepth = reader.number() + 8
      guard reader.number() + 8 == bitDepth else { return nil }
      _ = reader.bit()
      if reader.bit() == 1 { skipScalingLists(&reader, count: chroma == 3 ? 12 : 8) }
    }
    _ = reader.number()
    switch reader.number() {
    case 0: _ = reader.number()
    case 1:
      _ = (reader.bit(), reader.signedNumber(), reader.signedNumber())
      let count = reader.number()
      guard count < 256 else { return nil }
      for _ in 0..<count { _ = reader.signedNumber() }
    default: break
    }
    // The number of reference frames, whether numbers may be left out, the width and the height.
    _ = (reader.number(), reader.bit(), reader.number(), reader.number())
    let hasFramesAlone = reader.bit() == 1
    guard !reader.isPastEnd, id < 32, (0...3).contains(chroma), (8...14).contains(bitDepth) else { return nil }
    return (
      id,
      Facts(
        profile: UInt8(profile), constraints: UInt8(constraints), level: UInt8(level), chroma: chroma, bitDepth: bitDepth,
        hasFramesAlone: hasFramesAlone)
    )
  }

  private static func skipScalingLists(_ reader: inout BitReader, count: Int) {
    for index in 0..<count where reader.bit() == 1 {
      var (last, next) = (8, 8)
      for _ in 0..<(index < 6 ? 16 : 64) {
        if next != 0 { next = (last + reader.signedNumber() + 256) & 255 }
        if next != 0 { last = next }
      }
    }
  }

  /// The most sets of each kind, and the most bytes of one, that a decoder's configuration holds (ISO/IEC 14496-15, 5.3.3.1).
  private static let (mostSequences, mostPictures, longest) = (31, 255, 65535)

  /// The sets of both streams together; nil where one number stands for different sets, or where there are too many.
  package func joined(with other: H264ParameterSets) -> H264ParameterSets? {
    guard other.sequences.allSatisfy({ sequences[$0.key] == nil || sequences[$0.key] == $0.value }),
      other.pictures.allSatisfy({ pictures[$0.key] == nil || pictures[$0.key] == $0.value })
    else { return nil }
    var joined = self
    joined.sequences.merge(other.sequences) { first, _ in first }
    joined.pictures.merge(other.pictures) { first, _ in first }
    joined.facts.merge(other.facts) { first, _ in first }
    return joined.sequences.count <= Self.mostSequences && joined.pictures.count <= Self.mostPictures ? joined : nil
  }

  /// The lowest number that none of the sets has; nil where there is none, or no room for another set. Encoders give both kinds of set
  /// one number.
  package var freeNumber: Int? {
    guard sequences.count < Self.mostSequences, pictures.count < Self.mostPictures else { return nil }
    return (0..<32).first { sequences[$0] == nil && pictures[$0] == nil }
  }

  /// Whether one of the sets allows pictures of two fields.
  package var hasFields: Bool { facts.values.contains { !$0.hasFramesAlone } }

  /// Whether one of the sets has 4:4:4.
  var hasFullChroma: Bool { facts.values.contains { $0.chroma == 3 } }

  /// The sets of a stream with start codes.
  var annexB: [UInt8] {
    (sequences.sorted { $0.key < $1.key } + pictures.sorted { $0.key < $1.key }).flatMap { [0, 0, 0, 1] + $0.value }
  }

  /// The decoder's configuration as mp4 and Matroska have it (ISO/IEC 14496-15, 5.3.3.1). Lengths of units have four bytes.
  var configuration: [UInt8] {
    let all = Array(facts.values)
    let profile = all.map(\.profile).max() ?? 0
    let constraints = all.map(\.constraints).reduce(0xff, &)
    // The configuration's level is at least that of each set.
    let level = all.map(\.level).max() ?? 0
    var bytes: [UInt8] = [1, profile, constraints, level, 0xff, 0xe0 | UInt8(sequences.count)]
    func add(_ units: [Int: [UInt8]]) {
      for (_, unit) in units.sorted(by: { $0.key < $1.key }) {
        bytes += [UInt8(unit.count >> 8), UInt8(unit.count & 255)] + unit
      }
    }
    add(sequences)
    bytes.append(UInt8(pictures.count))
    add(pictures)
    if ![66, 77, 88].contains(profile), let first = all.first {
      bytes += [0xfc | UInt8(first.chroma), 0xf8 | UInt8(first.bitDepth - 8), 0xf8 | UInt8(first.bitDepth - 8), 0]
    }
    return bytes
  }
}
