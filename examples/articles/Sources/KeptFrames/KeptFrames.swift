import AVFoundation
import ImageIO
import UniformTypeIdentifiers

extension AVAssetExportSession {
  /// Writes frames of the edit as PNG into the folder that the variable ARTICLE_FRAMES names, if it does: `<milliseconds>.png` for each of
  /// the times in ARTICLE_TIMES, which are milliseconds with commas between them. They are rendered by this process, without an encoder.
  public func keepFrames() throws {
    let environment = ProcessInfo.processInfo.environment
    guard let folder = environment["ARTICLE_FRAMES"], let times = environment["ARTICLE_TIMES"] else { return }
    let generator = AVAssetImageGenerator(asset: asset)
    generator.videoComposition = videoComposition
    (generator.requestedTimeToleranceBefore, generator.requestedTimeToleranceAfter) = (.zero, .zero)
    for time in times.split(separator: ",").compactMap({ Int64($0) }) {
      let image = try generator.copyCGImage(at: CMTime(value: time, timescale: 1000), actualTime: nil)
      let url = URL(fileURLWithPath: folder).appendingPathComponent("\(time).png")
      guard let file = CGImageDestinationCreateWithURL(url as CFURL, UTType.png.identifier as CFString, 1, nil) else {
        throw CocoaError(.fileWriteUnknown)
      }
      CGImageDestinationAddImage(file, image, nil)
      guard CGImageDestinationFinalize(file) else { throw CocoaError(.fileWriteUnknown) }
    }
  }
}
