internal import CFFmpeg
internal import Formats

/// Still pictures that FFmpeg decodes and whose colours an ICC profile tells, which FFmpeg leaves alone.
///
/// Such a picture is decoded, turned upright and converted to Display P3 in 16 bits, whose colours are those of phones and of most displays that
/// show more than sRGB. It is then a `ForeignPicture`. What says sRGB stays as it is, and so do pictures with profiles of other samples than
/// RGB, because FFmpeg has made RGB of those by a rule of its own (decision 0179).
enum ProfiledPicture {
  /// The primaries of P3 and the curve of sRGB, which converted pictures have, by H.273.
  private static let color = ForeignPicture.Color(primaries: 12, transfer: 13)

  /// The kinds of files, as FFmpeg names their containers and codecs.
  private enum Kind: String {
    case jpeg, png, tiff, webp

    var codec: String { self == .jpeg ? "mjpeg" : rawValue }

    init?(_ head: ArraySlice<UInt8>) {
      if head.starts(with: [0xff, 0xd8, 0xff]) {
        self = .jpeg
      } else if head.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
        self = .png
      } else if head.starts(with: [0x49, 0x49, 42, 0]) || head.starts(with: [0x4d, 0x4d, 0, 42]) {
        self = .tiff
      } else if head.starts(with: "RIFF".utf8), head.dropFirst(8).starts(with: "WEBPVP8X".utf8) {
        self = .webp
      } else {
        return nil
      }
    }
  }

  /// Whether the file may be such a picture, by its first bytes.
  static func isBegun(by head: ArraySlice<UInt8>) -> Bool { Kind(head) != nil }

  /// - Parameter bytes: the whole file.
  /// - Returns: nil for a picture that stays as it is, and for one that is damaged.
  /// - Throws: `MediaError` where there is not enough memory.
  static func read(_ bytes: [UInt8], at path: String) throws(MediaError) -> ForeignPicture? {
    guard let kind = Kind(bytes[...]), hasProfile(bytes, kind) else { return nil }
    let frame: OwnedFrame
    let tags: ColorTags
    let orientation: Orientation
    do throws(MediaError) {
      let demuxer = try Demuxer(RemoteFile(bytes), at: path)
      guard demuxer.formatName == "\(kind.rawValue)_pipe", demuxer.streamCount == 1 else { return nil }
      let picture = try FirstPicture(of: demuxer, track: 0)
      guard !picture.isDamaged else { return nil }
      (frame, tags, orientation) = (picture.frame, demuxer.colorTags(ofTrack: 0), picture.orientation)
    } catch {
      // Whoever reads the file itself finds that, too, and says so.
      if error.kind == .outOfMemory { throw error }
      return nil
    }
    let raw = unsafe frame.pointer.pointee
    let aspect = unsafe raw.sample_aspect_ratio
    guard aspect.num == aspect.den || aspect.num <= 0, let data = frame.profile, let profile = ColorProfile(data),
      !profile.isSRGB,
      let wide = ColorProfile(.smpte432, .srgb)
    else { return nil }
    let form = ColorProfile.Form(isWide: frame.hasWideSamples, hasAlpha: frame.hasAlpha)
    let size = unsafe PixelSize(Int(raw.width), Int(raw.height))
    let samples = try RGBSamples.of(frame, form, tags, at: path)
    let result = ColorProfile.Form(isWide: true, hasAlpha: form.hasAlpha)
    guard let converted = profile.converted(samples, form, to: wide, result, isBigEndian: true) else { return nil }
    let upright = orientation.swapsAxes ? PixelSize(size.height, size.width) : size
    return ForeignPicture(
      orientation.upright(converted, size, bytesPerPixel: result.bytesPerPixel), width: upright.width, height: upright.height,
      components: form.hasAlpha ? 4 : 3, bytesPerSample: 2, container: "\(kind.rawValue)_pipe", codec: kind.codec, color: color)
  }

  // MARK: Where profiles are

  /// Whether the file says that it has a profile. What is cut off or not well formed has none.
  private static func hasProfile(_ bytes: [UInt8], _ kind: Kind) -> Bool {
    switch kind {
    case .jpeg: jpegHasProfile(bytes)
    case .png: pngHasProfile(bytes)
    case .tiff: tiffHasProfile(bytes)
    // The flags of VP8X: 32 for a profile, 2 for an animation.
    case .webp: bytes.count > 20 && bytes[20] & 0x22 == 0x20
    }
  }

  /// ICC.1, B.4: segments APP2 that begin with "ICC_PROFILE".
  private static func jpegHasProfile(_ bytes: [UInt8]) -> Bool {
    var place = 2
    while place + 4 <= bytes.count, bytes[place] == 0xff {
      let marker = bytes[place + 1]
      // Any number of fill bytes may stand before a marker. The samples begin behind SOS.
      if marker == 0xff {
        place += 1
        continue
      }
      if marker == 0xda || marker == 0xd9 { return false }
      if marker == 0xe2, bytes[(place + 4)...].starts(with: "ICC_PROFILE\0".utf8) { return true }
      place += 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
    }
    return false
  }

  /// A chunk iCCP before the samples; not in an animation, which has acTL.
  private static func pngHasProfile(_ bytes: [UInt8]) -> Bool {
    var (place, isFound) = (8, false)
    while place + 8 <= bytes.count {
      let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      switch String(decoding: bytes[place + 4..<place + 8], as: UTF8.self) {
      case "iCCP": isFound = true
      case "acTL": return false
      case "IDAT": return isFound
      default: break
      }
      place += 12 + length
    }
    return false
  }

  /// The tag 34675 in the first directory (TIFF 6.0, section 2).
  private static func tiffHasProfile(_ bytes: [UInt8]) -> Bool {
    func number(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place + count <= bytes.count else { return nil }
      let word = bytes[place..<place + count]
      return bytes[0] == 0x49 ? word.reversed().reduce(0) { $0 << 8 | Int($1) } : word.reduce(0) { $0 << 8 | Int($1) }
    }
    guard let directory = number(4, 4), let count = number(directory, 2) else { return false }
    return (0..<count).contains { number(directory + 2 + 12 * $0, 2) == 34675 }
  }
}

extension OwnedFrame {
  /// The bytes of the ICC profile that the decoder found; nil where there is none.
  fileprivate var profile: [UInt8]? {
    guard let side = unsafe av_frame_get_side_data(pointer, AV_FRAME_DATA_ICC_PROFILE), let data = unsafe side.pointee.data else {
      return nil
    }
    return unsafe Array(UnsafeBufferPointer(start: data, count: Int(side.pointee.size)))
  }

  private var descriptor: UnsafePointer<AVPixFmtDescriptor>? {
    unsafe av_pix_fmt_desc_get(AVPixelFormat(rawValue: pointer.pointee.format))
  }

  fileprivate var hasAlpha: Bool {
    unsafe descriptor.map { unsafe $0.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 } ?? false
  }

  fileprivate var hasWideSamples: Bool { unsafe descriptor.map { unsafe $0.pointee.comp.0.depth > 8 } ?? false }
}
