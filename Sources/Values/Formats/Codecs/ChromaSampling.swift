/// How finely a movie's picture holds its colour differences: halved in both directions, across only, or not at all. Or it holds red, green
/// and blue.
package enum ChromaSampling: String, Hashable, Sendable, Encodable, CaseIterable {
  case yuv420 = "4:2:0"
  case yuv422 = "4:2:2"
  case yuv444 = "4:4:4"
  case rgb

  /// The key of codecs that leave the choice to the document.
  static let key = CodecKey(name: "chroma", form: .word([Self.yuv420, .yuv422, .yuv444].map(\.rawValue)))

  /// The sampling that a value of `key` names; nil for any other value.
  init?(_ value: CodecKey.Value?) {
    guard case .word(let word) = value, let sampling = ChromaSampling(rawValue: word) else { return nil }
    self = sampling
  }

  /// The sampling of planes by their layout's name: "yuv420", "yuv422" or "yuv444"; nil for any other layout.
  package init?(layout: String) {
    switch layout {
    case "yuv420": self = .yuv420
    case "yuv422": self = .yuv422
    case "yuv444": self = .yuv444
    default: return nil
    }
  }

  /// FFmpeg's name of the samples, such as "yuv422p10le".
  package func pixelFormat(bitDepth: Int) -> String {
    let layout =
      switch self {
      case .yuv420: "yuv420p"
      case .yuv422: "yuv422p"
      case .yuv444: "yuv444p"
      case .rgb: "gbrp"
      }
    return bitDepth == 8 ? layout : "\(layout)\(bitDepth)le"
  }
}
