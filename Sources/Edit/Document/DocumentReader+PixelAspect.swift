internal import Formats
internal import JSON
internal import Timeline

extension DocumentReader {
  /// The longest and the shortest pixels.
  private static let aspects = 0.25...4.0

  /// The shape of the movie's pixels, `[horizontal, vertical]`, as two numbers without a common factor.
  func pixelAspect(_ node: DocumentNode) -> PixelSize? {
    guard let numbers = node.numbers(["horizontal", "vertical"], in: 1...10_000) else { return nil }
    guard numbers.allSatisfy({ $0 == $0.rounded() }) else {
      return node.refuse(because: "has two whole numbers, such as [64, 45]")
    }
    guard Self.aspects.contains(numbers[0] / numbers[1]) else {
      return node.refuse(because: "a pixel is at most four times as wide as high, or as high as wide")
    }
    var (divisor, rest) = (Int(numbers[0]), Int(numbers[1]))
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    return PixelSize(Int(numbers[0]) / divisor, Int(numbers[1]) / divisor)
  }

  /// Checks whether movies of the type say which shape their pixels have.
  func checkPixelAspect(_ settings: ExportSettings, _ object: DocumentObject) {
    let type = settings.fileType
    guard settings.video.pixelAspect != PixelSize(1, 1), type.holdsPicture else { return }
    let path = object.node.path["video"]["pixelAspectRatio"]
    if type == .mxf, settings.video.codec == .dnxhr {
      return log.note("FFmpeg does not read it of dnxhr in mxf: use mov, or leave it out", at: path)
    }
    guard !type.holdsPixelAspect else { return }
    let types = FileType.allCases.filter(\.holdsPixelAspect).list
    let reason =
      type == .cmaf ? "players of HLS and DASH expect square pixels" : "\(type) does not say which shape its pixels have"
    log.note("\(reason): use \(types), or leave it out", at: path)
  }
}
