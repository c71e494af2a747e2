// Packed formats: the components of a pixel lie beside each other.
public let kCVPixelFormatType_24RGB: OSType = 24
public let kCVPixelFormatType_24BGR: OSType = 0x3234_4247  // '24BG'
public let kCVPixelFormatType_32ARGB: OSType = 32
public let kCVPixelFormatType_32BGRA: OSType = 0x4247_5241  // 'BGRA'
public let kCVPixelFormatType_32RGBA: OSType = 0x5247_4241  // 'RGBA'
public let kCVPixelFormatType_32ABGR: OSType = 0x4142_4752  // 'ABGR'
/// 16 bits a component, big-endian.
public let kCVPixelFormatType_64ARGB: OSType = 0x6236_3461  // 'b64a'
/// 16 bits a component, little-endian.
public let kCVPixelFormatType_64RGBALE: OSType = 0x6C36_3472  // 'l64r'
public let kCVPixelFormatType_48RGB: OSType = 0x6234_3872  // 'b48r'
public let kCVPixelFormatType_64RGBAHalf: OSType = 0x5247_6841  // 'RGhA'
public let kCVPixelFormatType_128RGBAFloat: OSType = 0x5247_6641  // 'RGfA'
public let kCVPixelFormatType_422YpCbCr8: OSType = 0x3276_7579  // '2vuy'
public let kCVPixelFormatType_422YpCbCr8_yuvs: OSType = 0x7975_7673  // 'yuvs'

// Formats of one or two components.
public let kCVPixelFormatType_OneComponent8: OSType = 0x4C30_3038  // 'L008'
public let kCVPixelFormatType_OneComponent16Half: OSType = 0x4C30_3068  // 'L00h'
public let kCVPixelFormatType_OneComponent32Float: OSType = 0x4C30_3066  // 'L00f'
public let kCVPixelFormatType_TwoComponent8: OSType = 0x3243_3038  // '2C08'
public let kCVPixelFormatType_DisparityFloat32: OSType = 0x6664_6973  // 'fdis'
public let kCVPixelFormatType_DepthFloat32: OSType = 0x6664_6570  // 'fdep'

// Three planes: Y, Cb, Cr.
public let kCVPixelFormatType_420YpCbCr8Planar: OSType = 0x7934_3230  // 'y420'
public let kCVPixelFormatType_420YpCbCr8PlanarFullRange: OSType = 0x6634_3230  // 'f420'

// Two planes: Y, and Cb beside Cr.
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: OSType = 0x3432_3076  // '420v'
public let kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: OSType = 0x3432_3066  // '420f'
public let kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange: OSType = 0x3432_3276  // '422v'
public let kCVPixelFormatType_422YpCbCr8BiPlanarFullRange: OSType = 0x3432_3266  // '422f'
public let kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange: OSType = 0x3434_3476  // '444v'
public let kCVPixelFormatType_444YpCbCr8BiPlanarFullRange: OSType = 0x3434_3466  // '444f'
/// Samples of 10 bits stand in the upper bits of 16, little-endian.
public let kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange: OSType = 0x7834_3230  // 'x420'
public let kCVPixelFormatType_420YpCbCr10BiPlanarFullRange: OSType = 0x7866_3230  // 'xf20'
public let kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange: OSType = 0x7834_3232  // 'x422'
public let kCVPixelFormatType_422YpCbCr10BiPlanarFullRange: OSType = 0x7866_3232  // 'xf22'
public let kCVPixelFormatType_444YpCbCr10BiPlanarVideoRange: OSType = 0x7834_3434  // 'x444'
public let kCVPixelFormatType_444YpCbCr10BiPlanarFullRange: OSType = 0x7866_3434  // 'xf44'

// Refused: no picture is made in these formats, and a reader and a writer refuse them by name
public let kCVPixelFormatType_422YpCbCr10: OSType = 0x7632_3130  // 'v210'
public let kCVPixelFormatType_422YpCbCr16: OSType = 0x7632_3136  // 'v216'
public let kCVPixelFormatType_444YpCbCr10: OSType = 0x7634_3130  // 'v410'
public let kCVPixelFormatType_4444AYpCbCr16: OSType = 0x7934_3136  // 'y416'

/// The layout of a pixel format in memory.
package struct PixelLayout: Hashable, Sendable {
  /// The samples of a plane.
  package struct Plane: Hashable, Sendable {
    /// The bytes of one sample of the plane, with all components that stand beside each other in it.
    package var bytes: Int
    /// The pixels of a row and a column that one sample stands for, as log2.
    package var shift: (x: Int, y: Int)

    package static func == (a: Plane, b: Plane) -> Bool { a.bytes == b.bytes && a.shift == b.shift }
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
  }

  /// The kinds of samples.
  package enum Kind: Hashable, Sendable {
    /// The places of red, green, blue and alpha among a pixel's components; alpha is nil where there is none.
    case rgb(red: Int, green: Int, blue: Int, alpha: Int?, component: Component)
    case yuv(Chroma, bitDepth: Int, isFullRange: Bool, form: Form)
    /// Components without a colour.
    case components(Int, Component)
  }

  package enum Component: Hashable, Sendable { case byte, bigEndian16, littleEndian16, half, float }
  package enum Chroma: String, Hashable, Sendable { case yuv420, yuv422, yuv444 }
  /// The ways in which Y, Cb and Cr stand: in three planes, in two, or beside each other in pairs of pixels.
  package enum Form: Hashable, Sendable { case planar, biplanar, uyvy, yuyv }

  package var kind: Kind
  package var planes: [Plane]

  /// Whether the format has planes, as Core Video counts: packed ones have none.
  package var isPlanar: Bool { planes.count > 1 }

  /// The layout of a format; nil for one that this library does not have.
  package init?(_ type: OSType) {
    guard let kind = Self.kinds[type] else { return nil }
    self.kind = kind
    switch kind {
    case .rgb(_, _, _, let alpha, let component):
      planes = [Plane(bytes: (alpha == nil ? 3 : 4) * component.bytes, shift: (0, 0))]
    case .components(let count, let component): planes = [Plane(bytes: count * component.bytes, shift: (0, 0))]
    case .yuv(let chroma, let depth, _, let form):
      let (bytes, shift) = (depth > 8 ? 2 : 1, chroma.shift)
      switch form {
      case .planar: planes = [Plane(bytes: bytes, shift: (0, 0))] + Array(repeating: Plane(bytes: bytes, shift: shift), count: 2)
      case .biplanar: planes = [Plane(bytes: bytes, shift: (0, 0)), Plane(bytes: 2 * bytes, shift: shift)]
      // A sample is a pair of pixels in four bytes.
      case .uyvy, .yuyv: planes = [Plane(bytes: 4, shift: (1, 0))]
      }
    }
  }

  private static func rgb(_ r: Int, _ g: Int, _ b: Int, _ a: Int?, _ component: Component = .byte) -> Kind {
    .rgb(red: r, green: g, blue: b, alpha: a, component: component)
  }

  private static func pair(_ chroma: Chroma, _ depth: Int, full: Bool) -> Kind {
    .yuv(chroma, bitDepth: depth, isFullRange: full, form: .biplanar)
  }

  /// All formats of this library.
  package static let kinds: [OSType: Kind] = [
    kCVPixelFormatType_24RGB: rgb(0, 1, 2, nil), kCVPixelFormatType_24BGR: rgb(2, 1, 0, nil),
    kCVPixelFormatType_32ARGB: rgb(1, 2, 3, 0), kCVPixelFormatType_32BGRA: rgb(2, 1, 0, 3),
    kCVPixelFormatType_32RGBA: rgb(0, 1, 2, 3), kCVPixelFormatType_32ABGR: rgb(3, 2, 1, 0),
    kCVPixelFormatType_64ARGB: rgb(1, 2, 3, 0, .bigEndian16), kCVPixelFormatType_64RGBALE: rgb(0, 1, 2, 3, .littleEndian16),
    kCVPixelFormatType_48RGB: rgb(0, 1, 2, nil, .bigEndian16), kCVPixelFormatType_64RGBAHalf: rgb(0, 1, 2, 3, .half),
    kCVPixelFormatType_128RGBAFloat: rgb(0, 1, 2, 3, .float),
    kCVPixelFormatType_422YpCbCr8: .yuv(.yuv422, bitDepth: 8, isFullRange: false, form: .uyvy),
    kCVPixelFormatType_422YpCbCr8_yuvs: .yuv(.yuv422, bitDepth: 8, isFullRange: false, form: .yuyv),
    kCVPixelFormatType_OneComponent8: .components(1, .byte), kCVPixelFormatType_OneComponent16Half: .components(1, .half),
    kCVPixelFormatType_OneComponent32Float: .components(1, .float), kCVPixelFormatType_TwoComponent8: .components(2, .byte),
    kCVPixelFormatType_DisparityFloat32: .components(1, .float), kCVPixelFormatType_DepthFloat32: .components(1, .float),
    kCVPixelFormatType_420YpCbCr8Planar: .yuv(.yuv420, bitDepth: 8, isFullRange: false, form: .planar),
    kCVPixelFormatType_420YpCbCr8PlanarFullRange: .yuv(.yuv420, bitDepth: 8, isFullRange: true, form: .planar),
    kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: pair(.yuv420, 8, full: false),
    kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: pair(.yuv420, 8, full: true),
    kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange: pair(.yuv422, 8, full: false),
    kCVPixelFormatType_422YpCbCr8BiPlanarFullRange: pair(.yuv422, 8, full: true),
    kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange: pair(.yuv444, 8, full: false),
    kCVPixelFormatType_444YpCbCr8BiPlanarFullRange: pair(.yuv444, 8, full: true),
    kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange: pair(.yuv420, 10, full: false),
    kCVPixelFormatType_420YpCbCr10BiPlanarFullRange: pair(.yuv420, 10, full: true),
    kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange: pair(.yuv422, 10, full: false),
    kCVPixelFormatType_422YpCbCr10BiPlanarFullRange: pair(.yuv422, 10, full: true),
    kCVPixelFormatType_444YpCbCr10BiPlanarVideoRange: pair(.yuv444, 10, full: false),
    kCVPixelFormatType_444YpCbCr10BiPlanarFullRange: pair(.yuv444, 10, full: true),
  ]

  /// The name of a format as people write it: its four characters, or its number.
  package static func name(of type: OSType) -> String {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: type >> (24 - 8 * $0)) }
    return bytes.allSatisfy { 0x20...0x7E ~= $0 } ? "'\(String(decoding: bytes, as: UTF8.self))'" : "\(type)"
  }
}

extension PixelLayout.Component {
  package var bytes: Int {
    switch self {
    case .byte: 1
    case .bigEndian16, .littleEndian16, .half: 2
    case .float: 4
    }
  }
}

extension PixelLayout.Chroma {
  package var shift: (x: Int, y: Int) {
    switch self {
    case .yuv420: (1, 1)
    case .yuv422: (1, 0)
    case .yuv444: (0, 0)
    }
  }
}
