/// A Matroska file as a tree of elements, of which some can be replaced.
struct MatroskaFile {
  private indirect enum Content {
    case bytes([UInt8])
    case children([Element])
  }

  private struct Element {
    let id: [UInt8]
    var content: Content
  }

  /// The elements that are looked into: Segment, Cluster, BlockGroup, BlockAdditions, BlockMore.
  private static let parents: [[UInt8]] = [[0x18, 0x53, 0x80, 0x67], [0x1f, 0x43, 0xb6, 0x75], [0xa0], [0x75, 0xa1], [0xa6]]
  /// The elements that hold positions in the file: SeekHead and Cues. They are left out.
  private static let positions: [[UInt8]] = [[0x11, 0x4d, 0x9b, 0x74], [0x1c, 0x53, 0xbb, 0x6b]]
  /// BlockAdditional.
  private static let addition: [UInt8] = [0xa5]

  private var elements: [Element]

  init(_ bytes: [UInt8]) { elements = Self.elements(bytes[...]) }

  private static func elements(_ bytes: ArraySlice<UInt8>) -> [Element] {
    var (found, next): ([Element], Int) = ([], bytes.startIndex)
    while next < bytes.endIndex {
      let id = Array(bytes[next..<next + bytes[next].leadingZeroBitCount + 1])
      next += id.count
      let length = bytes[next].leadingZeroBitCount + 1
      let size = bytes[next + 1..<next + length].reduce(Int(bytes[next]) & (0xff >> length)) { $0 << 8 | Int($1) }
      next += length
      let content = bytes[next..<next + size]
      found.append(Element(id: id, content: parents.contains(id) ? .children(elements(content)) : .bytes(Array(content))))
      next += size
    }
    return found
  }

  /// The data that lie beside the blocks, such as alpha, in the order of the file.
  var additions: [[UInt8]] { Self.additions(elements) }

  private static func additions(_ elements: [Element]) -> [[UInt8]] {
    elements.flatMap { element in
      switch element.content {
      case .bytes(let bytes): element.id == addition ? [bytes] : []
      case .children(let children): additions(children)
      }
    }
  }

  mutating func replaceAdditions(by others: [[UInt8]]) {
    var rest = others[...]
    elements = Self.replaced(elements, &rest)
  }

  private static func replaced(_ elements: [Element], _ rest: inout ArraySlice<[UInt8]>) -> [Element] {
    elements.map { element in
      var element = element
      switch element.content {
      case .bytes: if element.id == addition, let next = rest.popFirst() { element.content = .bytes(next) }
      case .children(let children): element.content = .children(replaced(children, &rest))
      }
      return element
    }
  }

  /// The file. Sizes have eight bytes.
  var bytes: [UInt8] { Self.bytes(elements) }

  private static func bytes(_ elements: [Element]) -> [UInt8] {
    elements.flatMap { element -> [UInt8] in
      if positions.contains(element.id) { return [] }
      let content =
        switch element.content {
        case .bytes(let bytes): bytes
        case .children(let children): bytes(children)
        }
      return element.id + [1] + (0..<7).map { UInt8(truncatingIfNeeded: content.count >> (48 - 8 * $0)) } + content
    }
  }
}
