internal import CAss
internal import Formats
internal import Media
internal import Scenes

/// The picture of a script at one time, drawn by libass.
///
/// Each picture has a renderer of its own. libass keeps in a renderer what it found for the frames before: places of events, and faces
/// for letters. A picture that depended on them would depend on where a chunk begins (decision 0198).
struct ScriptPicture {
  /// The position of the top left pixel in the frame.
  let (x, y): (Int, Int)
  let (width, height): (Int, Int)
  /// Red, green, blue and straight alpha, a byte each, in sRGB.
  let rgba: [UInt8]

  /// - Parameter size: the size of the frame, whose pixels are square.
  /// - Returns: nil when nothing is seen.
  /// - Throws: `DrawingError` when a font is missing, or there is not enough memory.
  init?(_ script: Scene.Script, in size: PixelSize, _ fonts: FontBook) throws(DrawingError) {
    let library = try unsafe fonts.scriptLibrary(script.faces).library
    guard let renderer = unsafe ass_renderer_init(library) else { throw .outOfMemory(call: "ass_renderer_init") }
    defer { unsafe ass_renderer_done(renderer) }
    unsafe ass_set_frame_size(renderer, Int32(size.width), Int32(size.height))
    unsafe ass_set_storage_size(renderer, Int32(size.width), Int32(size.height))
    unsafe ass_set_fonts(renderer, nil, nil, Int32(ASS_FONTPROVIDER_NONE.rawValue), nil, 0)
    var text = ([script.setup] + script.events).joined(separator: "\n").utf8.map { CChar(bitPattern: $0) }
    let count = text.count
    guard let track = unsafe ass_read_memory(library, &text, count, nil) else { throw .outOfMemory(call: "ass_read_memory") }
    defer { unsafe ass_free_track(track) }
    for time in script.before { _ = unsafe ass_render_frame(renderer, track, time, nil) }
    let masks = unsafe Masks(ass_render_frame(renderer, track, script.time, nil))
    guard let area = masks.area(in: size) else { return nil }
    (x, y) = (area.columns.lowerBound, area.rows.lowerBound)
    (width, height) = (area.columns.count, area.rows.count)
    rgba = masks.laidTogether(area.columns, area.rows)
  }
}

/// A mask for one colour, of which libass makes several.
// @safe: the mask is read while its renderer lives, within the sides that it states.
@safe private struct Mask {
  let columns: Range<Int>
  let rows: Range<Int>
  /// The components in 16 bits.
  let color: [UInt32]
  /// The opacity, 0...255.
  let opacity: UInt32
  private let pixels: UnsafeMutablePointer<UInt8>
  private let stride: Int

  init(_ image: UnsafeMutablePointer<ASS_Image>) {
    let (left, top) = unsafe (Int(image.pointee.dst_x), Int(image.pointee.dst_y))
    unsafe (columns, rows) = (left..<left + Int(image.pointee.w), top..<top + Int(image.pointee.h))
    // The lowest byte is the transparency.
    let bits = unsafe image.pointee.color
    (color, opacity) = ([bits >> 24, bits >> 16 & 255, bits >> 8 & 255].map { $0 * 257 }, 255 - (bits & 255))
    unsafe (pixels, stride) = (image.pointee.bitmap, Int(image.pointee.stride))
  }

  /// The share of a pixel that is covered, at most 255 times 255.
  func share(_ column: Int, _ row: Int) -> UInt32 {
    unsafe UInt32(pixels[(row - rows.lowerBound) * stride + column - columns.lowerBound]) * opacity
  }
}

/// The masks of a picture, the bottommost first.
private struct Masks {
  private var masks: [Mask] = []

  init(_ first: UnsafeMutablePointer<ASS_Image>?) {
    var next = unsafe first
    while let image = unsafe next {
      if unsafe image.pointee.w > 0, unsafe image.pointee.h > 0 { masks.append(unsafe Mask(image)) }
      unsafe next = image.pointee.next
    }
  }

  /// The pixels of the frame that the masks cover; nil where there are none.
  func area(in size: PixelSize) -> (columns: Range<Int>, rows: Range<Int>)? {
    guard let left = masks.map(\.columns.lowerBound).min(), let right = masks.map(\.columns.upperBound).max(),
      let top = masks.map(\.rows.lowerBound).min(), let bottom = masks.map(\.rows.upperBound).max()
    else { return nil }
    let (columns, rows) = ((left..<right).clamped(to: 0..<size.width), (top..<bottom).clamped(to: 0..<size.height))
    return columns.isEmpty || rows.isEmpty ? nil : (columns, rows)
  }

  /// The masks' colours over each other. They are computed in 16 bits with premultiplied alpha.
  func laidTogether(_ columns: Range<Int>, _ rows: Range<Int>) -> [UInt8] {
    var sum = [UInt32](repeating: 0, count: columns.count * rows.count * 4)
    for mask in masks {
      for row in mask.rows.clamped(to: rows) {
        let start = (row - rows.lowerBound) * columns.count - columns.lowerBound
        for column in mask.columns.clamped(to: columns) {
          let share = mask.share(column, row)
          guard share > 0 else { continue }
          let place = (start + column) * 4
          for component in 0..<3 {
            sum[place + component] = Self.mixed(sum[place + component], mask.color[component], share)
          }
          sum[place + 3] = Self.mixed(sum[place + 3], 65_535, share)
        }
      }
    }
    return Self.straight(sum)
  }

  private static func mixed(_ below: UInt32, _ above: UInt32, _ share: UInt32) -> UInt32 {
    (below * (65_025 - share) + above * share + 32_512) / 65_025
  }

  /// Bytes with straight alpha, from premultiplied numbers of 16 bits.
  private static func straight(_ sum: [UInt32]) -> [UInt8] {
    var rgba = [UInt8](repeating: 0, count: sum.count)
    for place in stride(from: 0, to: sum.count, by: 4) where sum[place + 3] > 0 {
      let alpha = sum[place + 3]
      for component in 0..<3 { rgba[place + component] = UInt8(min((sum[place + component] * 255 + alpha / 2) / alpha, 255)) }
      rgba[place + 3] = UInt8((alpha * 255 + 32_767) / 65_535)
    }
    return rgba
  }
}

extension PlacedPicture {
  /// Draws a script.
  ///
  /// - Returns: nil when nothing is seen.
  init?(script: Scene.Script, in size: PixelSize, fonts: FontBook) throws(DrawingError) {
    guard let drawn = try ScriptPicture(script, in: size, fonts) else { return nil }
    do throws(MediaError) {
      try self.init(x: drawn.x, y: drawn.y, width: drawn.width, height: drawn.height, rgba: drawn.rgba)
    } catch { throw DrawingError(error) }
  }
}
