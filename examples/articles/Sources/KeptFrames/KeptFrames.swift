import AVFoundation
import ImageIO
import UniformTypeIdentifiers

extension AVAssetExportSession {
  /// Writes frames of the edit as PNG into the folder that the variable ARTICLE_FRAMES names, if it does: `<milliseconds>.png` for each of
  /// the times in ARTICLE_TIMES, which are milliseconds with commas between them. They are rendered by this process, without an encoder.
  public func keepFrames() throws {
    let environment = ProcessInfo.processInfo.environment
    guard let folder = environment["ARTICLE_FRAMES"], let times = environment["ARTICLE_TIMES"] else { return }
    let wanted = times.split(separator: ",").compactMap { Int64($0) }.map { CMTime(value: $0, timescale: 1000) }
    let reader = try AVAssetReader(asset: asset)
    let (tracks, settings) = (
      asset.tracks(withMediaType: .video), [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA]
    )
    let output: AVAssetReaderOutput
    if let videoComposition {
      let composed = AVAssetReaderVideoCompositionOutput(videoTracks: tracks, videoSettings: settings)
      composed.videoComposition = videoComposition
      output = composed
    } else {
      output = AVAssetReaderTrackOutput(track: tracks[0], outputSettings: settings)
    }
    reader.add(output)
    guard reader.startReading() else { throw reader.error ?? CocoaError(.fileReadUnknown) }
    // A frame is seen until the next one comes.
    var (seen, place) = (CVPixelBuffer?.none, 0)
    while let sample = output.copyNextSampleBuffer() {
      while place < wanted.count, let frame = seen, wanted[place] < CMSampleBufferGetPresentationTimeStamp(sample) {
        try keep(frame, as: "\(folder)/\(wanted[place].value).png")
        place += 1
      }
      seen = CMSampleBufferGetImageBuffer(sample)
    }
    if let error = reader.error { throw error }
    for time in wanted[place...] { if let seen { try keep(seen, as: "\(folder)/\(time.value).png") } }
  }

  private func keep(_ frame: CVPixelBuffer, as path: String) throws {
    CVPixelBufferLockBaseAddress(frame, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(frame, .readOnly) }
    let context = CGContext(
      data: CVPixelBufferGetBaseAddress(frame), width: CVPixelBufferGetWidth(frame), height: CVPixelBufferGetHeight(frame),
      bitsPerComponent: 8, bytesPerRow: CVPixelBufferGetBytesPerRow(frame), space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGBitmapInfo.byteOrder32Little.rawValue | CGImageAlphaInfo.noneSkipFirst.rawValue)
    let url = URL(fileURLWithPath: path)
    guard let image = context?.makeImage(),
      let file = CGImageDestinationCreateWithURL(url as CFURL, UTType.png.identifier as CFString, 1, nil)
    else { throw CocoaError(.fileWriteUnknown) }
    CGImageDestinationAddImage(file, image, nil)
    guard CGImageDestinationFinalize(file) else { throw CocoaError(.fileWriteUnknown) }
  }
}
