internal import CLCMS
internal import Formats

/// The colours of RGB samples as an ICC profile (ISO 15076-1) or primaries and a curve tell them, read by Little CMS.
@safe final class ColorProfile {
  /// The form of packed samples, red, green, blue and perhaps alpha.
  struct Form: Hashable {
    /// Whether a sample has 16 bits, in this machine's order of bytes, instead of 8.
    var isWide: Bool
    var hasAlpha: Bool

    var bytesPerPixel: Int { (hasAlpha ? 4 : 3) * (isWide ? 2 : 1) }
  }

  /// The largest profile that is read, in bytes. Those of printers have some megabytes.
  static let maxBytes = 16 << 20

  private let handle: cmsHPROFILE

  private init(owning handle: cmsHPROFILE) { unsafe self.handle = handle }

  deinit { _ = unsafe cmsCloseProfile(handle) }

  /// - Returns: nil for what is no profile, or one of samples that are not RGB.
  convenience init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.maxBytes,
      let handle = unsafe cmsOpenProfileFromMem(bytes, cmsUInt32Number(bytes.count))
    else { return nil }
    unsafe self.init(owning: handle)
    guard unsafe cmsGetColorSpace(handle) == cmsSigRgbData else { return nil }
  }

  /// The profile of samples with known primaries, D65 as white, and a known curve; nil where one of them is unknown, or the curve is one
  /// of high dynamic range.
  convenience init?(_ primaries: ColorTags.Primaries, _ transfer: ColorTags.Transfer) {
    // The chromaticities are those of ITU-T H.273.
    let points: [(Double, Double)]
    switch primaries {
    case .bt709: points = [(0.64, 0.33), (0.3, 0.6), (0.15, 0.06)]
    case .bt470bg: points = [(0.64, 0.33), (0.29, 0.6), (0.15, 0.06)]
    case .smpte170m: points = [(0.63, 0.34), (0.31, 0.595), (0.155, 0.07)]
    case .bt2020: points = [(0.708, 0.292), (0.17, 0.797), (0.131, 0.046)]
    case .smpte432: points = [(0.68, 0.32), (0.265, 0.69), (0.15, 0.06)]
    case .unknown: return nil
    }
    let curve: OpaquePointer?
    switch transfer {
    // IEC 61966-2-1, as Little CMS' parametric curve 4.
    case .srgb: unsafe curve = cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    // The display's curve, as for moving pictures.
    case .bt709, .smpte170m, .bt2020_10, .bt2020_12: unsafe curve = cmsBuildGamma(nil, 2.4)
    case .bt470bg: unsafe curve = cmsBuildGamma(nil, 2.8)
    case .linear: unsafe curve = cmsBuildGamma(nil, 1)
    case .pq, .hlg, .unknown: return nil
    }
    guard let curve = unsafe curve else { return nil }
    defer { unsafe cmsFreeToneCurve(curve) }
    var white = cmsCIExyY(x: 0.3127, y: 0.329, Y: 1)
    func point(_ index: Int) -> cmsCIExyY { cmsCIExyY(x: points[index].0, y: points[index].1, Y: 1) }
    var colorants = cmsCIExyYTRIPLE(Red: point(0), Green: point(1), Blue: point(2))
    var curves: [OpaquePointer?] = unsafe [curve, curve, curve]
    guard let handle = unsafe cmsCreateRGBProfile(&white, &colorants, &curves) else { return nil }
    unsafe self.init(owning: handle)
  }

  static var sRGB: ColorProfile? { ColorProfile(.bt709, .srgb) }

  /// Whether no sample of 8 bits changes by more than one when it becomes sRGB.
  var isSRGB: Bool {
    let steps = stride(from: UInt8(0), through: 255, by: 51)
    let samples = steps.flatMap { red in steps.flatMap { green in steps.flatMap { blue in [red, green, blue] } } }
    let form = Form(isWide: false, hasAlpha: false)
    guard let target = Self.sRGB, let same = converted(samples, form, to: target, form) else { return false }
    return zip(samples, same).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
  }

  /// Converts samples to the colours of another profile: relative to white, with black as black. Colours that the other one does not
  /// have are cut off. Alpha stays.
  ///
  /// - Parameters:
  ///   - form: the form of `samples`.
  ///   - result: the form of the result, which has alpha if `form` has.
  ///   - isBigEndian: whether samples of 16 bits of the result are big-endian.
  /// - Returns: nil where Little CMS cannot connect the profiles.
  func converted(
    _ samples: [UInt8], _ form: Form, to other: ColorProfile, _ result: Form, isBigEndian: Bool = false
  ) -> [UInt8]? {
    precondition(form.hasAlpha == result.hasAlpha && (!isBigEndian || result.isWide))
    let flags = cmsUInt32Number(cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION | (form.hasAlpha ? cmsFLAGS_COPY_ALPHA : 0))
    guard
      let transform = unsafe cmsCreateTransform(
        handle, Self.code(form), other.handle, Self.code(result, isBigEndian: isBigEndian),
        cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC), flags)
    else { return nil }
    defer { unsafe cmsDeleteTransform(transform) }
    let pixels = samples.count / form.bytesPerPixel
    return unsafe [UInt8](unsafeUninitializedCapacity: pixels * result.bytesPerPixel) { target, count in
      unsafe cmsDoTransform(transform, samples, target.baseAddress, cmsUInt32Number(pixels))
      count = pixels * result.bytesPerPixel
    }
  }

  private static func code(_ form: Form, isBigEndian: Bool = false) -> cmsUInt32Number {
    switch (form.isWide, form.hasAlpha) {
    case (false, false): SPOOL_TYPE_RGB_8
    case (false, true): SPOOL_TYPE_RGBA_8
    case (true, false): isBigEndian ? SPOOL_TYPE_RGB_16_SE : SPOOL_TYPE_RGB_16
    case (true, true): isBigEndian ? SPOOL_TYPE_RGBA_16_SE : SPOOL_TYPE_RGBA_16
    }
  }
}
