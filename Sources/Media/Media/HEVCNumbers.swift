internal import CFFmpeg

/// The numbers of an encoder's parameter sets beside those of copied packets. x265 numbers each of its sets 0, as everybody does, so its
/// stream is written anew with others (docs/decisions/0199-encoded-hevc-is-numbered-anew.md).
///
/// A slice begins with one or two flags and the number of its picture's set. The number 0 is one bit, and a number of these nine bits
/// (ITU-T H.265, 7.3.6.1 and 9.2). So all that follows moves by one byte, and stays as it is. The byte before it is never 0 with these
/// numbers, as it was not, so the bytes that keep start codes from appearing stay, too.
package struct HEVCNumbers: Hashable, Sendable {
  /// The number of the picture's sets.
  package let picture: Int
  /// The number of the video's and the sequence's sets, which are below 16.
  var others: Int { picture - 16 }

  /// The numbers whose code has nine bits, of which the last two are not both 0.
  package static let all = (16...30).filter { ($0 + 1) & 3 != 0 }.map { HEVCNumbers(picture: $0) }

  private init(picture: Int) { self.picture = picture }

  /// A unit's number, or what it needs to be read, is not as x265 writes it.
  package struct Objection: Error, CustomStringConvertible {
    package let reason: String
    package var description: String { "HEVC that is numbered anew: \(reason)" }
  }

  /// Writes all units anew.
  ///
  /// - Parameter bytes: units behind start codes.
  /// - Throws: `Objection` where a unit has another number than 0, or cannot be read.
  package func renumber(_ bytes: UnsafeBufferPointer<UInt8>) throws(Objection) -> [UInt8] {
    guard let places = unsafe CodedUnits.places(in: bytes, lengthSize: nil) else {
      throw Objection(reason: "a packet is no sequence of units")
    }
    var units: [[UInt8]] = []
    for place in places { units.append(try renumber(unsafe Array(bytes[place]))) }
    return CodedUnits.withStartCodes(units)
  }

  /// Writes a unit anew.
  private func renumber(_ unit: [UInt8]) throws(Objection) -> [UInt8] {
    guard unit.count > HEVCUnits.headerSize else { throw Objection(reason: "a unit is empty") }
    let kind = HEVCUnits.kind(of: unit[0])
    switch kind {
    case HEVCUnits.Kind.slices, HEVCUnits.Kind.entries: return try slice(unit, isEntry: HEVCUnits.Kind.entries.contains(kind))
    case HEVCUnits.Kind.video, HEVCUnits.Kind.sequence, HEVCUnits.Kind.picture: return try set(unit, kind)
    case HEVCUnits.Kind.supplements:
      guard Self.namesNoSet(unit) else { throw Objection(reason: "a supplement names a parameter set") }
      return unit
    case HEVCUnits.Kind.delimiter, HEVCUnits.Kind.filler: return unit
    default: throw Objection(reason: "a unit has the type \(kind)")
    }
  }

  /// Makes two bytes of a slice's first one: its flags, the number, and the bits behind it.
  private func slice(_ unit: [UInt8], isEntry: Bool) throws(Objection) -> [UInt8] {
    let (place, flagCount) = (HEVCUnits.headerSize, isEntry ? 2 : 1)
    let (byte, restCount) = (UInt16(unit[place]), 7 - flagCount)
    guard byte >> UInt16(restCount) & 1 == 1 else { throw Objection(reason: "a slice's set has another number than 0") }
    let flags = byte >> UInt16(8 - flagCount), rest = byte & (1 << UInt16(restCount) - 1)
    let written = flags << UInt16(16 - flagCount) | UInt16(picture + 1) << UInt16(restCount) | rest
    return Array(unit[..<place]) + [UInt8(written >> 8), UInt8(written & 0xff)] + unit[(place + 1)...]
  }

  /// Writes a set with its own number, and that of the set to which it belongs, anew.
  private func set(_ unit: [UInt8], _ kind: UInt8) throws(Objection) -> [UInt8] {
    var reader = BitReader(unit: unit, headerSize: HEVCUnits.headerSize)
    guard let end = reader.payloadLength else { throw Objection(reason: "a parameter set is empty") }
    var (writer, found) = (BitWriter(), 0)
    if kind == HEVCUnits.Kind.picture {
      found = reader.number() + reader.number()
      writer.add(number: picture)
      writer.add(number: others)
    } else {
      found = reader.bits(4)
      writer.add(others, count: 4)
    }
    if kind == HEVCUnits.Kind.sequence {
      var copy = BitReader(unit: unit, headerSize: HEVCUnits.headerSize)
      guard let facts = HEVCSequenceSet(&copy) else { throw Objection(reason: "a parameter set cannot be read") }
      writer.add(from: &reader, to: facts.idPlace)
      found += reader.number()
      writer.add(number: others)
    }
    guard found == 0, !reader.isPastEnd else { throw Objection(reason: "a parameter set has another number than 0") }
    writer.add(from: &reader, to: end)
    return writer.unit(header: unit[..<HEVCUnits.headerSize])
  }

  /// Whether no message of the unit names a parameter set (D.2.1). Those of buffers and of active sets do.
  private static func namesNoSet(_ unit: [UInt8]) -> Bool {
    var reader = BitReader(unit: unit, headerSize: HEVCUnits.headerSize)
    guard let end = reader.payloadLength else { return false }
    func number() -> Int {
      var (sum, byte) = (0, 255)
      while byte == 255, !reader.isPastEnd {
        byte = reader.bits(8)
        sum += byte
      }
      return sum
    }
    while reader.place < end {
      let (kind, size) = (number(), number())
      guard kind != 0, kind != 129, !reader.isPastEnd, reader.place + 8 * size <= end else { return false }
      for _ in 0..<size { _ = reader.bits(8) }
    }
    return true
  }
}

extension HEVCNumbers {
  /// - Throws: `MediaError` `unsupported` for a number that is none of `all`.
  static func numbered(_ picture: Int) throws(MediaError) -> HEVCNumbers {
    guard let numbers = all.first(where: { $0.picture == picture }) else {
      throw MediaError(
        .unsupported, at: "export.copies.parameterSets", "no parameter sets of HEVC can have the number \(picture)")
    }
    return numbers
  }

  /// Writes all units of a packet anew.
  ///
  /// - Throws: `MediaError` `internal` where the encoder wrote something else than is expected of it.
  func renumbered(_ bytes: UnsafeBufferPointer<UInt8>) throws(MediaError) -> [UInt8] {
    do throws(Objection) { return try unsafe renumber(bytes) } catch {
      throw MediaError(.internal, at: "encoder libx265", error.reason)
    }
  }
}

extension CodecParameters {
  /// The parameters of the stream with other numbers.
  ///
  /// - Throws: `MediaError`.
  func renumbered(_ numbers: HEVCNumbers) throws(MediaError) -> CodecParameters {
    let bytes = unsafe UnsafeBufferPointer(
      start: codec.pointee.extradata.map { unsafe UnsafePointer($0) }, count: Int(codec.pointee.extradata_size))
    return try unsafe CodecParameters(
      copying: codec, timeBase: timeBase, extradata: numbers.renumbered(bytes), reorderDepth: Int(reorderDepth))
  }
}
