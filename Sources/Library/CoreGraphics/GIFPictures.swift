internal import Synchronization

/// The pictures of a GIF (CompuServe, "Graphics Interchange Format", version 89a), each as it is seen: laid over what the ones before it left.
package final class GIFPictures: Sendable {
  /// One picture: its place in the file's area, its colours and its time.
  struct Part: Sendable {
    /// The picture's end, when the next one is laid.
    enum Disposal: Sendable { case stays, cleared, undone }

    var (x, y, width, height) = (0, 0, 0, 0)
    /// The colours as Cairo has them: alpha, red, green and blue in the bytes of a number.
    var colors: [UInt32] = []
    var clear: Int?
    var disposal = Disposal.stays
    var delay = 0
    var isInterlaced = false
    var codeSize = 0
    /// The places of the blocks of codes in the file.
    var blocks: [Range<Int>] = []
  }

  /// The number of pixels of the area, and of a picture, above which a file is refused.
  static let mostPixels = 1 << 26

  package let width: Int
  package let height: Int
  /// How often the pictures are shown, 0 for ever; nil where the file says nothing, which means once.
  package let loopCount: Int?
  package let hasGlobalColors: Bool
  let parts: [Part]
  private let bytes: [UInt8]
  /// The area after the last picture that was made, so that a row of pictures costs no more than each once.
  private let last = Mutex<(index: Int, canvas: GIFCanvas)?>(nil)

  /// Reads the file; nil where it is no GIF, has no picture, or is too large. A file that is cut off has the pictures before that.
  package init?(_ data: Data) {
    let bytes = [UInt8](data)
    var reader = GIFReader(bytes)
    guard let file = reader.read(), file.width * file.height <= Self.mostPixels, !file.parts.isEmpty else { return nil }
    (width, height, loopCount, hasGlobalColors) = (file.width, file.height, file.loopCount, file.hasGlobalColors)
    (parts, self.bytes) = (file.parts, bytes)
  }

  package var count: Int { parts.count }

  /// The seconds for which a picture is shown, as the file says it.
  package func delay(at index: Int) -> Double { Double(parts[index].delay) / 100 }

  /// Whether some of a picture may be clear.
  package func hasAlpha(at index: Int) -> Bool {
    parts.prefix(index + 1).contains { part in
      part.clear != nil || part.disposal != .stays || part.width < width || part.height < height
    }
  }

  /// The picture with this index; nil where there is none, or it is damaged.
  package func picture(at index: Int) -> CGImage? {
    guard parts.indices.contains(index) else { return nil }
    let canvas: GIFCanvas? = last.withLock { last in
      var (next, canvas) = (0, GIFCanvas(width: width, height: height))
      if let known = last, known.index <= index { (next, canvas) = (known.index + 1, known.canvas) }
      while next <= index {
        guard canvas.lay(parts[next], bytes) else { return nil }
        next += 1
      }
      last = (index, canvas)
      return canvas
    }
    guard let canvas, let raster = Raster(width: width, height: height) else { return nil }
    let (stride, row) = (raster.stride, width * 4)
    unsafe raster.withBytes { target in
      unsafe canvas.pixels.withUnsafeBytes { source in
        for y in 0..<height {
          unsafe (target + y * stride).copyMemory(from: source.baseAddress! + y * row, byteCount: row)
        }
      }
    }
    return CGImage(raster, CGColorSpace(name: CGColorSpace.sRGB))
  }
}

/// The area of a GIF, on which its pictures are laid one after the other.
struct GIFCanvas: Sendable {
  let width: Int
  let height: Int
  private(set) var pixels: [UInt32]
  /// The picture that was laid last, and how it ends before the next one is laid.
  private var pending: (disposal: GIFPictures.Part.Disposal, part: GIFPictures.Part, before: [UInt32])?

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    pixels = [UInt32](repeating: 0, count: width * height)
  }

  /// Lays a picture; false where its codes are damaged.
  mutating func lay(_ part: GIFPictures.Part, _ bytes: [UInt8]) -> Bool {
    dispose()
    guard let codes = GIFCodes.decode(part, bytes) else { return false }
    let before = part.disposal == .undone ? pixels : []
    let rows = part.isInterlaced ? Self.interlaced(part.height) : Array(0..<part.height)
    for (index, y) in rows.enumerated() where part.y + y < height {
      for x in 0..<min(part.width, max(0, width - part.x)) {
        let code = Int(codes[index * part.width + x])
        guard code != part.clear, code < part.colors.count else { continue }
        pixels[(part.y + y) * width + part.x + x] = part.colors[code]
      }
    }
    pending = (part.disposal, part, before)
    return true
  }

  private mutating func dispose() {
    switch pending?.disposal {
    case .undone?: pixels = pending?.before ?? pixels
    case .cleared?:
      guard let part = pending?.part, part.x < width else { break }
      for y in part.y..<max(part.y, min(height, part.y + part.height)) {
        for x in part.x..<min(width, part.x + part.width) { pixels[y * width + x] = 0 }
      }
    case .stays?, nil: break
    }
    pending = nil
  }

  /// The rows in the order in which an interlaced picture has them (appendix E): every eighth, the ones between these, and so on.
  private static func interlaced(_ height: Int) -> [Int] {
    [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { start, step in Array(stride(from: start, to: height, by: step)) }
  }
}
