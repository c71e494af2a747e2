import Arguments
import Document
import Formats
import MediaTime
import Timeline

/// The help of the options that ask for export settings beside a document.
enum ExportWishes {
  static let range = """
    The part of the edit that becomes the movie, in seconds as decimals or fractions, such as 60s..62.5s. It replaces the document's \
    export.timeRange.
    """
  static let size = """
    The size that the picture does not exceed, upright or turned by a quarter; a larger one is scaled down. It replaces the \
    document's export.maximumSize.
    """
  static let quality = """
    The quality that each chunk of the picture reaches, such as ssim=0.98 or xpsnr=42; the encoder's crf is found for it. It replaces \
    the document's export.video.quality, crf, bitRate and fileSize.
    """
  static let scale = "The factor of the picture's size, such as 1/2, 0.5 or 50%, for a preview."
}

extension ExportWish {
  init(preset: ExportPreset?, range: MediaTimeRange?, size: PixelSize?, scale: Double?, quality: QualityTarget? = nil) {
    self.init()
    self.quality = quality
    (self.preset, timeRange, maximumSize, renderScale) = (preset, range, size, scale)
  }
}

extension Format where Value == MediaTimeRange {
  /// A half-open range of seconds, `As..Bs`.
  static let seconds = Format("As..Bs", expectation: "a range of seconds such as 60s..62.5s, without its end") { text in
    guard let dots = text.firstRange(of: ".."), text.hasSuffix("s") else { return nil }
    let (first, last) = (text[..<dots.lowerBound], text[dots.upperBound...].dropLast())
    guard first.hasSuffix("s") || first == "0" else { return nil }
    do throws(TimeError) {
      let start = try MediaTime(parsing: String(first.hasSuffix("s") ? first.dropLast() : first))
      let end = try MediaTime(parsing: String(last))
      return .zero <= start && start < end ? try MediaTimeRange(start: start, end: end) : nil
    } catch { return nil }
  }
}

extension Format where Value == PixelSize {
  /// A size in pixels, `WxH`, of even sides.
  static let pixels: Format<PixelSize> = {
    let sides = DocumentLimits.renderSide
    let words = "a size such as 1280x720, of even sides from \(sides.lowerBound) to \(sides.upperBound)"
    return Format("WxH", expectation: words) { text in
      let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
      guard parts.count == 2, let width = parts[0], let height = parts[1],
        [width, height].allSatisfy({ sides.contains($0) && $0.isMultiple(of: 2) })
      else { return nil }
      return PixelSize(width, height)
    }
  }()
}

extension Format where Value == QualityTarget {
  /// A measure of quality and its value, `ssim=N` or `xpsnr=N`.
  static let quality: Format<QualityTarget> = {
    func text(_ bound: Double) -> String { bound == bound.rounded() ? "\(Int(bound))" : "\(bound)" }
    let bounds = QualityTarget.Measure.allCases.map { measure in
      "\(measure.rawValue)=N with N from \(text(measure.range.lowerBound)) to \(text(measure.range.upperBound))"
    }
    return Format("MEASURE=N", expectation: bounds.joined(separator: ", or ")) { text in
      let parts = text.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, let measure = QualityTarget.Measure(rawValue: String(parts[0])), let value = Double(parts[1]),
        measure.range.contains(value)
      else { return nil }
      return QualityTarget(measure, value)
    }
  }()
}

extension Format where Value == Double {
  /// A factor of a size: a number, a fraction or a percentage.
  static let scale = Format("SCALE", expectation: "a factor from 0.01 to 1 such as 1/2, 0.5 or 50%") { text in
    let isPercentage = text.hasSuffix("%")
    // What is no number is told as what is no factor.
    guard let number = try? MediaTime(parsing: isPercentage ? String(text.dropLast()) : text) else { return nil }
    let factor = number.seconds / (isPercentage ? 100 : 1)
    return DocumentLimits.renderScale.contains(factor) ? factor : nil
  }
}
