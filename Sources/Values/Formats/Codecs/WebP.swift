package import MediaTime

/// WebP by libwebp: each picture on its own, of 8 bits.
package struct WebP: VideoCoder {
  package enum Mode: String, Hashable, Sendable, CaseIterable {
    /// The picture in 4:2:0, in the matrix and range of BT.601 (VP8); alpha is lossless.
    case lossy
    /// Red, green and blue (VP8L). Pixels that are clear have no colour.
    case lossless
  }

  package var mode: Mode
  /// The quality, from 0 to 100 (best). Where pictures are lossless, it is the effort to make them small.
  package var quality: Double

  package init(mode: Mode = .lossy, quality: Double = 80) { (self.mode, self.quality) = (mode, quality) }

  package var fileTypes: [FileType] { [.webp] }
  package var isLossless: Bool { mode == .lossless }
  package var fieldObjection: String? { "webp has no fields" }
  package var needsEvenSides: Bool { mode == .lossy }
  package var bitDepths: [Int] { [8] }
  package var chroma: ChromaSampling { mode == .lossy ? .yuv420 : .rgb }
  // A WebP cannot say that it has another matrix or range.
  package func color(_ tags: ColorTags) -> ColorTags {
    mode == .lossy
      ? ColorTags(tags.primaries, tags.transfer, .smpte170m, .limited) : ColorTags(tags.primaries, tags.transfer, .rgb, .full)
  }
  package var packing: PixelPacking? { mode == .lossless ? .bgra : nil }
  package var hidesClearColors: Bool { true }
  package var alphaBitDepths: [Int] { [8] }
  package var keys: [CodecKey] {
    [
      CodecKey(name: "mode", form: .word(Mode.allCases.map(\.rawValue))),
      CodecKey(name: "quality", form: .number(0...100)),
    ]
  }

  package subscript(key: String) -> CodecKey.Value? {
    get {
      switch key {
      case "mode": .word(mode.rawValue)
      case "quality": .number(quality)
      default: nil
      }
    }
    set {
      switch (key, newValue) {
      case ("mode", .word(let word)): mode = Mode(rawValue: word) ?? mode
      case ("quality", .number(let number)): quality = number
      default: break
      }
    }
  }

  /// The largest side (14 bits), and the most pixels, which is what Spool reads of an animation: somewhat more than 8K.
  private static let (longestSide, mostPixels) = (16_383, 1 << 25)

  package func objection(to size: PixelSize, lasting _: MediaTime) -> PictureObjection? {
    guard max(size.width, size.height) > Self.longestSide || size.width * size.height > Self.mostPixels else { return nil }
    return .size(
      "webp has at most \(Self.longestSide) pixels a side and \(Self.mostPixels) in all, not \(size.width)x\(size.height)")
  }

  package var secondsPerPixel: Double { mode == .lossy ? 150e-9 : 1200e-9 }
  package var workWords: [String] { [mode.rawValue] }

  package var encoderName: String { "libwebp" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  package func keyInterval(_: MediaTime) -> Int64 { 1 }
  package func options(for _: EncodedPicture) -> [String: String] {
    ["lossless": mode == .lossless ? "1" : "0", "quality": "\(quality)"]
  }
}
