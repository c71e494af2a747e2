/// Puts descriptions of metadata (`mebx`) into the index of a QuickTime movie, within its bytes.
///
/// FFmpeg 5.1 does not write such tracks. It is told to write tracks of a camera's data (`gpmd`), whose handlers have names that are long enough.
/// A free box takes the place of what is left of these.
struct MetadataBoxes {
  static let foreignTag = "gpmd"
  /// The name that Apple's writers give the handler.
  private static let handlerName = Array("Core Media Metadata".utf8)

  private var rest: ArraySlice<[UInt8]>

  /// The name of a handler that leaves room for a description.
  static func room(for keys: [UInt8]) -> String { String(repeating: "x", count: keys.count + 64) }

  /// The index (`moov`) with the descriptions.
  ///
  /// - Parameter keys: the box `keys` of each track of metadata, in their order.
  /// - Returns: nil where the index has other tracks, or no room.
  static func described(_ index: [UInt8], by keys: [[UInt8]]) -> [UInt8]? {
    var boxes = MetadataBoxes(rest: keys[...])
    guard let made = boxes.edited(index[...], in: ""), boxes.rest.isEmpty, made.count == index.count else { return nil }
    return made
  }

  /// The content of the box `parent` with the descriptions in it.
  private mutating func edited(_ boxes: ArraySlice<UInt8>, in parent: String) -> [UInt8]? {
    var (start, made) = (boxes.startIndex, [UInt8]())
    while start < boxes.endIndex {
      guard let (type, size) = MovieIndex.header(boxes[start...]), size <= boxes.endIndex - start else { return nil }
      let whole = boxes[start..<start + Int(size)]
      let content = whole.dropFirst(8)
      start = whole.endIndex
      switch (parent, type) {
      case ("", "moov"), ("trak", "mdia"), ("mdia", "minf"), ("minf", "stbl"):
        guard let inner = edited(content, in: type) else { return nil }
        made += BoxBytes.box(type, inner)
      case ("moov", "trak") where Self.isForeign(content):
        guard let inner = edited(content, in: type), case let left = content.count - inner.count, left >= 8 else { return nil }
        made += BoxBytes.box(type, inner + BoxBytes.box("free", Array(repeating: 0, count: left - 8)))
      case ("mdia", "hdlr"):
        // The name of a QuickTime handler stands behind its length, after 24 bytes.
        made += BoxBytes.box(type, content.prefix(24) + [UInt8(Self.handlerName.count)] + Self.handlerName)
      case ("minf", "gmhd"):
        guard let place = MovieIndex.content("gmin", in: Array(content), 0..<content.count) else { return nil }
        made += BoxBytes.box(type, BoxBytes.box("gmin", Array(Array(content)[place])))
      case ("stbl", "stsd"):
        guard let keys = rest.popFirst() else { return nil }
        // Version and flags, one entry; of the entry, its reserved bytes and the place of its data.
        let entry = BoxBytes.box("mebx", [0, 0, 0, 0, 0, 0, 0, 1] + keys)
        made += BoxBytes.box(type, [0, 0, 0, 0, 0, 0, 0, 1] + entry)
      default: made += whole
      }
    }
    return made
  }

  /// Whether a track is one whose description is to be replaced.
  private static func isForeign(_ track: ArraySlice<UInt8>) -> Bool {
    let boxes = Array(track)
    var range: Range<Int>? = boxes.indices
    for type in ["mdia", "minf", "stbl", "stsd"] { range = range.flatMap { MovieIndex.content(type, in: boxes, $0) } }
    guard let range, range.count >= 16 else { return false }
    return boxes[range.lowerBound + 12..<range.lowerBound + 16].elementsEqual(foreignTag.utf8)
  }
}
