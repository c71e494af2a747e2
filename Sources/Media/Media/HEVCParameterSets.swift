internal import CFFmpeg

/// The parameter sets of an HEVC stream, which say how its slices are read (ITU-T H.265, 7.3.2.1 to 7.3.2.3).
package struct HEVCParameterSets: Hashable, Sendable {
  /// The units of the video's sets, by their numbers.
  private(set) var videos: [Int: [UInt8]] = [:]
  /// The units of the sequence's sets, by their numbers.
  private(set) var sequences: [Int: [UInt8]] = [:]
  /// The units of the pictures' sets, by their numbers.
  private(set) var pictures: [Int: [UInt8]] = [:]
  /// The units beside the sets, which tell of the whole stream: the metadata of HDR.
  private(set) var supplements: [[UInt8]] = []
  /// The facts that each of the sequence's sets states.
  private(set) var facts: [Int: HEVCSequenceSet] = [:]

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
    guard !videos.isEmpty, !sequences.isEmpty, !pictures.isEmpty else { return nil }
  }

  /// The bytes of the length before each unit, as a stream's parameters state them; nil where units stand behind start codes.
  static func lengthSize(of extradata: UnsafeBufferPointer<UInt8>) -> Int? {
    unsafe extradata.count > fixedSize && extradata[0] == 1 ? unsafe Int(extradata[fixedSize - 2] & 3) + 1 : nil
  }

  /// The bytes of a decoder's configuration before its arrays of units.
  private static let fixedSize = 23
  /// The most sets of each kind that have numbers, and the most bytes of one that a decoder's configuration holds.
  private static let (mostVideos, mostSequences, mostPictures, longest) = (16, 16, 64, 65535)

  /// Reads a decoder's configuration as mp4 has it (ISO/IEC 14496-15, 8.3.3.1).
  private mutating func read(configuration bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count >= Self.fixedSize else { return false }
    var index = Self.fixedSize
    func length() -> Int { unsafe Int(bytes[index]) << 8 | Int(bytes[index + 1]) }
    for _ in unsafe 0..<bytes[Self.fixedSize - 1] {
      guard index + 3 <= bytes.count else { return false }
      index += 1
      let count = length()
      index += 2
      for _ in 0..<count {
        guard index + 2 <= bytes.count else { return false }
        let size = length()
        index += 2
        guard size > 0, index + size <= bytes.count, unsafe add(Array(bytes[index..<(index + size)])) else { return false }
        index += size
      }
    }
    return true
  }

  /// Adds a unit. Others than parameter sets and what tells of the whole stream are left out.
  ///
  /// - Returns: false where it cannot be read, or another one has its number.
  private mutating func add(_ unit: [UInt8]) -> Bool {
    guard unit.count > HEVCUnits.headerSize, unit.count <= Self.longest else { return false }
    // Units of other layers are passed over by decoders of the first one.
    guard unit[0] & 1 == 0, unit[1] >> 3 == 0 else { return true }
    var reader = BitReader(unit: unit, headerSize: HEVCUnits.headerSize)
    switch HEVCUnits.kind(of: unit[0]) {
    case HEVCUnits.Kind.video:
      return Self.put(unit, reader.bits(4), into: &videos, most: Self.mostVideos)
    case HEVCUnits.Kind.sequence:
      guard let found = HEVCSequenceSet(&reader) else { return false }
      facts[found.id] = found
      return Self.put(unit, found.id, into: &sequences, most: Self.mostSequences)
    case HEVCUnits.Kind.picture:
      let id = reader.number()
      return !reader.isPastEnd && Self.put(unit, id, into: &pictures, most: Self.mostPictures)
    case HEVCUnits.Kind.supplements.lowerBound:
      if !supplements.contains(unit) { supplements.append(unit) }
    default: break
    }
    return true
  }

  private static func put(_ unit: [UInt8], _ id: Int, into sets: inout [Int: [UInt8]], most: Int) -> Bool {
    guard id < most, sets[id] == nil || sets[id] == unit else { return false }
    sets[id] = unit
    return true
  }

  /// Whether the unit is one of these sets.
  func holds(_ unit: UnsafeBufferPointer<UInt8>.SubSequence) -> Bool {
    [videos, sequences, pictures].contains { $0.values.contains { unsafe $0.elementsEqual(unit) } }
  }

  /// The sets alone. What a source says beside them, such as its encoder's settings, is not the movie's.
  var withoutSupplements: HEVCParameterSets {
    var sets = self
    sets.supplements = []
    return sets
  }

  /// The sets of both streams together; nil where one number stands for different sets.
  func joined(with other: HEVCParameterSets) -> HEVCParameterSets? {
    func agree(_ first: [Int: [UInt8]], _ second: [Int: [UInt8]]) -> Bool {
      second.allSatisfy { first[$0.key] == nil || first[$0.key] == $0.value }
    }
    guard agree(videos, other.videos), agree(sequences, other.sequences), agree(pictures, other.pictures) else { return nil }
    var joined = self
    joined.videos.merge(other.videos) { first, _ in first }
    joined.sequences.merge(other.sequences) { first, _ in first }
    joined.pictures.merge(other.pictures) { first, _ in first }
    joined.facts.merge(other.facts) { first, _ in first }
    joined.supplements += other.supplements.filter { !supplements.contains($0) }
    return joined
  }

  /// The lowest of `HEVCNumbers` that none of the sets has; nil where there is none.
  var freeNumber: Int? {
    HEVCNumbers.all.first { numbers in
      videos[numbers.others] == nil && sequences[numbers.others] == nil && pictures[numbers.picture] == nil
    }?.picture
  }

  /// Whether pictures may be fields.
  var hasFields: Bool { facts.values.contains(where: \.hasFields) }

  /// The sets in their order, as each kind is written.
  private var ordered: [[[UInt8]]] {
    [videos, sequences, pictures].map { $0.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// The sets of a stream with start codes, and what tells of all of it.
  var annexB: [UInt8] { CodedUnits.withStartCodes(ordered.flatMap(\.self) + supplements) }

  /// The decoder's configuration as mp4 and Matroska have it (ISO/IEC 14496-15, 8.3.3.1). Lengths of units have four bytes. Packets hold
  /// no sets of their own.
  var configuration: [UInt8] {
    let all = facts.sorted { $0.key < $1.key }.map(\.value)
    guard let first = all.first else { preconditionFailure("a stream has a sequence's set") }
    let level = all.dropFirst().reduce(first.level) { $0.joined(with: $1.level) }
    func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
    var written: [UInt8] = [1, UInt8(level.space << 6 | (level.hasHighTier ? 0x20 : 0) | level.profile)]
    written += bytes(UInt64(level.compatible), 4) + bytes(level.constraints, 6) + [UInt8(level.level)]
    // It is not told how pictures are divided, how they could be decoded side by side, and at which rate they come.
    written += [
      0xf0, 0, 0xfc, 0xfc | UInt8(first.chroma), 0xf8 | UInt8(first.lumaDepth - 8), 0xf8 | UInt8(first.chromaDepth - 8),
    ]
    let layers = all.map(\.layerCount).max() ?? 1
    written += [0, 0, UInt8(layers << 3) | (all.allSatisfy(\.nestsLayers) ? 4 : 0) | 3]
    let arrays = zip([HEVCUnits.Kind.video, HEVCUnits.Kind.sequence, HEVCUnits.Kind.picture], ordered).map { ($0 | 0x80, $1) }
    let beside: [(UInt8, [[UInt8]])] = supplements.isEmpty ? [] : [(HEVCUnits.Kind.supplements.lowerBound, supplements)]
    written.append(UInt8(arrays.count + beside.count))
    for (kind, units) in arrays + beside {
      written += [kind] + bytes(UInt64(units.count), 2)
      for unit in units { written += bytes(UInt64(unit.count), 2) + unit }
    }
    return written
  }
}
