internal import CFFmpeg
internal import Formats

// This file matches this project's values with FFmpeg's numbers by FFmpeg's own names, which are the raw values in `ColorTags`.

extension PixelFormat {
  /// FFmpeg's number of the planar format, in this machine's byte order.
  var code: AVPixelFormat {
    let code = unsafe av_get_pix_fmt(description)
    precondition(code != AV_PIX_FMT_NONE, "no pixel format \(description)")
    return code
  }

  /// FFmpeg's number of the planar format with a plane of alpha after the others; nil where FFmpeg has none.
  var codeWithAlpha: AVPixelFormat? { Self.besideAlpha[self] }

  private static let besideAlpha = Dictionary(
    allBesideAlpha.map { ($0.value, AVPixelFormat(rawValue: $0.key)) }, uniquingKeysWith: { first, _ in first })

  /// The format that FFmpeg numbers `code`; nil for one that must be repacked, since no `PixelFormat` has its layout in memory.
  init?(_ code: AVPixelFormat) {
    guard let found = Self.all[code.rawValue] else { return nil }
    self = found
  }

  /// The formats by FFmpeg's numbers. The full-range formats of old codecs (yuvj420p…) have the same layout in memory as the
  /// plain ones.
  private static let all: [Int32: PixelFormat] = {
    var all: [Int32: PixelFormat] = [
      AV_PIX_FMT_YUVJ420P.rawValue: PixelFormat(.yuv420), AV_PIX_FMT_YUVJ422P.rawValue: PixelFormat(.yuv422),
      AV_PIX_FMT_YUVJ444P.rawValue: PixelFormat(.yuv444),
    ]
    for layout in Layout.allCases {
      for bitDepth in [8, 9, 10, 12, 14, 16] {
        let format = PixelFormat(layout, bitDepth: bitDepth)
        all[format.code.rawValue] = format
      }
    }
    return all
  }()

  /// The format of the first planes of a frame whose last plane is alpha; nil where FFmpeg's number `code` means another kind.
  init?(besideAlphaPlane code: AVPixelFormat) {
    guard let found = Self.allBesideAlpha[code.rawValue] else { return nil }
    self = found
  }

  private static let allBesideAlpha: [Int32: PixelFormat] = {
    var all: [Int32: PixelFormat] = [:]
    for layout in [Layout.yuv420, .yuv422, .yuv444, .gbr] {
      for bitDepth in [8, 9, 10, 12, 14, 16] {
        let depth = bitDepth > 8 ? "\(bitDepth)" : ""
        let name = layout == .gbr ? "gbrap\(depth)" : "yuva\(layout.rawValue.dropFirst(3))p\(depth)"
        let code = unsafe av_get_pix_fmt(name)
        if code != AV_PIX_FMT_NONE { all[code.rawValue] = PixelFormat(layout, bitDepth: bitDepth) }
      }
    }
    return all
  }()
}

extension ColorTags {
  /// Tags of which nothing is written.
  static let untagged = ColorTags(.unknown, .unknown, .unknown, .full)

  /// Tags that only FFmpeg has become unknown. A range without a tag is limited for YUV, and full for RGB.
  init(
    primaries: AVColorPrimaries, transfer: AVColorTransferCharacteristic, matrix: AVColorSpace, range: AVColorRange, isRGB: Bool
  ) {
    self.init(
      Primaries(rawValue: unsafe Self.name(av_color_primaries_name(primaries))) ?? .unknown,
      Transfer(rawValue: unsafe Self.name(av_color_transfer_name(transfer))) ?? .unknown,
      isRGB ? .rgb : Matrix(rawValue: unsafe Self.name(av_color_space_name(matrix))) ?? .unknown,
      range == AVCOL_RANGE_JPEG || (isRGB && range == AVCOL_RANGE_UNSPECIFIED) ? .full : .limited)
  }

  private static func name(_ text: UnsafePointer<CChar>?) -> String {
    guard let text = unsafe text else { return "" }
    return unsafe String(cString: text)
  }

  /// FFmpeg's numbers of the tags. It knows the raw values as names; "unknown" is its number 2, unspecified.
  var codes: (primaries: AVColorPrimaries, transfer: AVColorTransferCharacteristic, matrix: AVColorSpace, range: AVColorRange) {
    unsafe (
      AVColorPrimaries(rawValue: UInt32(av_color_primaries_from_name(primaries.rawValue))),
      AVColorTransferCharacteristic(rawValue: UInt32(av_color_transfer_from_name(transfer.rawValue))),
      AVColorSpace(rawValue: UInt32(av_color_space_from_name(matrix.rawValue))),
      range == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    )
  }
}

extension AVFrame {
  mutating func setTags(_ tags: ColorTags) {
    unsafe (color_primaries, color_trc, colorspace, color_range) = tags.codes
  }
}
