internal import CHeif

/// Decodes still pictures of the HEIF family (ISO/IEC 23008-12) with libheif: HEIC and AVIF, of one tile or a grid. The pictures
/// come turned and cropped as the file says.
enum HEIFPicture {
  private static let brands = [
    "heic": "hevc", "heix": "hevc", "heim": "hevc", "heis": "hevc", "mif1": "hevc", "mif2": "hevc", "avif": "av1",
  ]

  /// The codec that the picture most likely has; nil for a file of another kind.
  static func codec(_ head: ArraySlice<UInt8>) -> String? {
    guard head.count >= 12, head.dropFirst(4).prefix(4).elementsEqual("ftyp".utf8) else { return nil }
    let brand = String(decoding: head.dropFirst(8).prefix(4), as: UTF8.self)
    guard let codec = brands[brand] else { return nil }
    // The brand 'mif1' or 'mif2' names no codec. Brands that name one may follow it.
    let others = stride(from: 16, to: head.count - 3, by: 4).map { String(decoding: head.dropFirst($0).prefix(4), as: UTF8.self) }
    return brand.hasPrefix("mif") && others.contains("avif") ? "av1" : codec
  }

  /// - Throws: `MediaError`: `unsupported` for a picture that libheif does not decode, and for too many pixels before they are
  ///   decoded; `corrupt`.
  static func decode(_ bytes: [UInt8], _ codec: String, at path: String) throws(MediaError) -> ForeignPicture {
    guard let context = unsafe heif_context_alloc() else {
      throw MediaError(.outOfMemory, at: path, "there is not enough memory for it")
    }
    defer { unsafe heif_context_free(context) }
    // Zero means no threads of libheif's own: the process already has a thread for each source.
    unsafe heif_context_set_max_decoding_threads(context, 0)
    try unsafe check(heif_context_read_from_memory(context, bytes, bytes.count, nil), path)
    var handle: OpaquePointer?
    try unsafe check(heif_context_get_primary_image_handle(context, &handle), path)
    defer { unsafe heif_image_handle_release(handle) }
    try unsafe ForeignPicture.check(
      Int(heif_image_handle_get_ispe_width(handle)), Int(heif_image_handle_get_ispe_height(handle)), at: path)
    let (width, height) = unsafe (Int(heif_image_handle_get_width(handle)), Int(heif_image_handle_get_height(handle)))
    try ForeignPicture.check(width, height, at: path)

    let hasAlpha = unsafe heif_image_handle_has_alpha_channel(handle) != 0
    let isPremultiplied = unsafe hasAlpha && heif_image_handle_is_premultiplied_alpha(handle) != 0
    let depth = unsafe Int(heif_image_handle_get_luma_bits_per_pixel(handle))
    let chroma =
      depth > 8
      ? (hasAlpha ? heif_chroma_interleaved_RRGGBBAA_BE : heif_chroma_interleaved_RRGGBB_BE)
      : (hasAlpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB)
    let options = unsafe heif_decoding_options_alloc()
    defer { unsafe heif_decoding_options_free(options) }
    unsafe options?.pointee.strict_decoding = 1
    var image: OpaquePointer?
    try unsafe check(heif_decode_image(handle, &image, heif_colorspace_RGB, chroma, options), path)
    defer { unsafe heif_image_release(image) }
    let size = unsafe (
      Int(heif_image_get_width(image, heif_channel_interleaved)), Int(heif_image_get_height(image, heif_channel_interleaved))
    )
    guard size == (width, height) else {
      throw MediaError(.corrupt, at: path, "holds a picture of \(size.0)x\(size.1), and says it has \(width)x\(height)")
    }
    let components = hasAlpha ? 4 : 3
    let row = width * components * (depth > 8 ? 2 : 1)
    var samples = try unsafe samples(of: image, bytesPerRow: row, height: height, at: path)
    if depth > 8 { spread(&samples, unsafe Int(heif_image_get_bits_per_pixel_range(image, heif_channel_interleaved))) }
    if isPremultiplied { divide(&samples, isWide: depth > 8) }
    return ForeignPicture(
      samples, width: width, height: height, components: components, bytesPerSample: depth > 8 ? 2 : 1, container: "heif_pipe",
      codec: codec, color: unsafe color(of: handle))
  }

  private static func samples(
    of image: OpaquePointer?, bytesPerRow row: Int, height: Int, at path: String
  ) throws(MediaError) -> [UInt8] {
    var stride: Int32 = 0
    guard let plane = unsafe heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride), Int(stride) >= row else {
      throw MediaError(.corrupt, at: path, "its picture cannot be decoded")
    }
    return unsafe [UInt8](unsafeUninitializedCapacity: row * height) { target, count in
      for line in 0..<height {
        // The plane has `height` rows of `stride` bytes, and `row` is at most `stride`.
        unsafe (target.baseAddress! + line * row).update(from: plane + line * Int(stride), count: row)
      }
      count = row * height
    }
  }

  /// Divides the colours of pixels R, G, B, A by their alpha. A clear pixel becomes black. Samples are bytes, or big-endian words.
  private static func divide(_ samples: inout [UInt8], isWide: Bool) {
    let (size, top) = isWide ? (2, 65535) : (1, 255)
    for pixel in stride(from: 0, to: samples.count, by: 4 * size) {
      func sample(_ component: Int) -> Int {
        let start = pixel + component * size
        return isWide ? Int(samples[start]) << 8 | Int(samples[start + 1]) : Int(samples[start])
      }
      let alpha = sample(3)
      for component in 0..<3 {
        let code = alpha == 0 ? 0 : min((sample(component) * top + alpha / 2) / alpha, top)
        let start = pixel + component * size
        if isWide { samples[start] = UInt8(code >> 8) }
        samples[start + size - 1] = UInt8(code & 255)
      }
    }
  }

  /// Spreads big-endian samples of `depth` bits over 16 bits: the largest value stays the largest.
  private static func spread(_ samples: inout [UInt8], _ depth: Int) {
    guard 9...15 ~= depth else { return }
    for index in stride(from: 0, to: samples.count - 1, by: 2) {
      let sample = UInt32(samples[index]) << 8 | UInt32(samples[index + 1])
      let spread = UInt16(truncatingIfNeeded: sample << (16 - UInt32(depth)) | sample >> (2 * UInt32(depth) - 16))
      (samples[index], samples[index + 1]) = (UInt8(spread >> 8), UInt8(truncatingIfNeeded: spread))
    }
  }

  // MARK: Colour

  /// The colour that the file states by number. Without one an ICC profile with Display P3's colorants counts as Display P3; all
  /// else is unknown, and is taken for sRGB.
  private static func color(of handle: OpaquePointer?) -> ForeignPicture.Color {
    var nclx: UnsafeMutablePointer<heif_color_profile_nclx>?
    _ = unsafe heif_image_handle_get_nclx_color_profile(handle, &nclx)
    defer { unsafe heif_nclx_color_profile_free(nclx) }
    if let nclx = unsafe nclx {
      return unsafe ForeignPicture.Color(
        primaries: nclx.pointee.color_primaries.rawValue, transfer: nclx.pointee.transfer_characteristics.rawValue)
    }
    let size = unsafe heif_image_handle_get_raw_color_profile_size(handle)
    guard 128..<(1 << 20) ~= size else { return ForeignPicture.Color() }
    var profile = [UInt8](repeating: 0, count: size)
    guard unsafe heif_image_handle_get_raw_color_profile(handle, &profile).code == heif_error_Ok else {
      return ForeignPicture.Color()
    }
    return isDisplayP3(profile) ? ForeignPicture.Color(primaries: 12, transfer: 13) : ForeignPicture.Color()
  }

  /// Whether an ICC profile has the red and green colorants of Display P3 (relative to D50).
  private static func isDisplayP3(_ profile: [UInt8]) -> Bool {
    func number(_ offset: Int) -> Int? {
      guard offset >= 0, offset + 4 <= profile.count else { return nil }
      return profile[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    func x(_ tag: String) -> Double? {
      let name = tag.utf8.reduce(0) { $0 << 8 | Int($1) }
      for entry in 0..<min(number(128) ?? 0, 100) where number(132 + 12 * entry) == name {
        return number(136 + 12 * entry).flatMap { number($0 + 8) }.map { Double(Int32(truncatingIfNeeded: $0)) / 65536 }
      }
      return nil
    }
    guard let red = x("rXYZ"), let green = x("gXYZ") else { return false }
    return abs(red - 0.5151) < 0.005 && abs(green - 0.2920) < 0.005
  }

  private static func check(_ error: heif_error, _ path: String) throws(MediaError) {
    guard unsafe error.code != heif_error_Ok else { return }
    switch unsafe error.code {
    case heif_error_Unsupported_feature, heif_error_Unsupported_filetype, heif_error_Color_profile_does_not_exist:
      throw MediaError(.unsupported, at: path, "is a HEIF picture of a kind that is not read")
    case heif_error_Memory_allocation_error:
      throw MediaError(.outOfMemory, at: path, "there is not enough memory for its picture")
    default: throw MediaError(.corrupt, at: path, "is a HEIF picture that is cut off or damaged")
    }
  }
}
