/// Completes the opening of a movie in fragments, which FFmpeg's muxer writes without a word about what is not to be played.
///
/// An edit list behind each track's header takes away the priming of sound and the delay of reordered pictures. A duration of 0 stands for
/// all fragments that follow. FFmpeg 5.1 takes the priming of AAC in fragments from what iTunes writes (`iTunSMPB`) alone, so that is there, too.
struct OpeningBoxes {
  /// The words of a track that are added to it.
  struct Track {
    /// The ticks before the first frame or sample that is played.
    var skipped: UInt32
    /// The samples that are heard, where a player may need to be told by iTunes's field; nil elsewhere.
    var sampleCount: Int64?
  }

  private var rest: ArraySlice<Track>
  private let duration: MediaDuration?
  private let isPiece: Bool

  /// The length of all fragments, in seconds as a fraction.
  typealias MediaDuration = (value: Int64, timescale: Int64)

  /// - Parameters:
  ///   - boxes: `ftyp` and `moov`.
  ///   - tracks: those of the movie, in their order.
  ///   - duration: the movie's duration; nil leaves it out.
  ///   - isPiece: whether the fragments follow in files of their own, as CMAF has them (ISO/IEC 23000-19).
  /// - Returns: nil where the boxes are not whole, or have other tracks.
  static func completed(_ boxes: [UInt8], _ tracks: [Track], lasting duration: MediaDuration?, isPiece: Bool = false) -> [UInt8]?
  {
    var opening = OpeningBoxes(rest: tracks[...], duration: duration, isPiece: isPiece)
    guard let made = opening.edited(boxes[...], in: ""), opening.rest.isEmpty else { return nil }
    return made
  }

  /// The content of the box `parent` with what is added to it.
  private mutating func edited(_ boxes: ArraySlice<UInt8>, in parent: String) -> [UInt8]? {
    var (start, made, timescale) = (boxes.startIndex, [UInt8](), Int64(1000))
    while start < boxes.endIndex {
      guard let (type, content) = Self.box(at: start, in: boxes) else { return nil }
      start = content.endIndex
      switch (parent, type) {
      case ("", "ftyp"): made += BoxBytes.box(type, Array(content) + (isPiece ? Array("cmfc".utf8) : []))
      case ("", "moov"), ("moov", "trak"):
        guard let inner = edited(content, in: type) else { return nil }
        made += BoxBytes.box(type, inner + (type == "trak" ? trackEnd() : []))
      case ("moov", "mvhd"):
        // Version 0 has its timescale behind two dates of 32 bits; FFmpeg writes no other while the duration is 0.
        guard content.count >= 16, content[content.startIndex] == 0 else { return nil }
        timescale = Self.number(content.dropFirst(12).prefix(4))
        made += BoxBytes.box(type, Array(content))
      case ("moov", "mvex"): made += BoxBytes.box(type, header(in: timescale) + content)
      case ("trak", "tkhd"): made += BoxBytes.box(type, Array(content)) + editList()
      default: made += BoxBytes.box(type, Array(content))
      }
    }
    return made
  }

  private static func box(at start: Int, in boxes: ArraySlice<UInt8>) -> (type: String, content: ArraySlice<UInt8>)? {
    guard start + 8 <= boxes.endIndex else { return nil }
    let size = Int(number(boxes[start..<start + 4]))
    guard size >= 8, size <= boxes.endIndex - start else { return nil }
    return (String(decoding: boxes[start + 4..<start + 8], as: UTF8.self), boxes[start + 8..<start + size])
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }

  private func editList() -> [UInt8] {
    guard let skipped = rest.first?.skipped, skipped > 0 else { return [] }
    var list = BoxBytes(full: "elst", version: 0, flags: 0)
    for number in [1, 0, skipped, 0x0001_0000] { list.add(number) }
    return BoxBytes.box("edts", list.bytes)
  }

  /// The duration of all fragments, in the movie's ticks.
  private func header(in timescale: Int64) -> [UInt8] {
    guard let duration else { return [] }
    let ticks = (Int128(duration.value) * Int128(timescale) + Int128(duration.timescale) - 1) / Int128(duration.timescale)
    var header = BoxBytes(full: "mehd", version: 1, flags: 0)
    header.add(UInt64(clamping: ticks))
    return header.bytes
  }

  /// The end of a track, which takes the next one's words.
  private mutating func trackEnd() -> [UInt8] {
    guard let track = rest.popFirst(), let count = track.sampleCount, track.skipped > 0 else { return [] }
    return BoxBytes.box("udta", Self.gapless(skipping: track.skipped, of: count))
  }

  /// The words of iTunes that tell how many samples come before those that are heard, as a box of metadata.
  static func gapless(skipping skipped: UInt32, of count: Int64) -> [UInt8] {
    func digits(_ number: UInt64, _ count: Int) -> String {
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let numbers = [digits(0, 8), digits(UInt64(skipped), 8), digits(0, 8), digits(UInt64(clamping: count), 16)]
    let text = " " + (numbers + Array(repeating: digits(0, 8), count: 8)).joined(separator: " ")
    func word(_ type: String, _ text: String) -> [UInt8] {
      BoxBytes(full: type, version: 0, flags: 0).bytes(with: Array(text.utf8))
    }
    var value = BoxBytes(full: "data", version: 0, flags: 1)
    value.add(UInt32(0))
    let entry = word("mean", "com.apple.iTunes") + word("name", "iTunSMPB") + value.bytes(with: Array(text.utf8))
    var handler = BoxBytes(full: "hdlr", version: 0, flags: 0)
    handler.add(UInt32(0))
    let owner = handler.bytes(with: Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9))
    let list = BoxBytes.box("ilst", BoxBytes.box("----", entry))
    return BoxBytes(full: "meta", version: 0, flags: 0).bytes(with: owner + list)
  }
}
