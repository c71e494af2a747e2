import AVFoundation

/// Writes a time into each frame of a movie, and the frames into another one, as an article does with those of a camera.
public final class TimestampWriter {
  var assetWriter: AVAssetWriter!
  var videoAssetInput: AVAssetWriterInput!
  var pixelBuffer: AVAssetWriterInputPixelBufferAdaptor!
  var startTime: CMTime!
  var endTime: CMTime!
  var frameNumber: Int64 = 0

  public init() {}

  /// Gives the frames of a movie to `captureOutput`, as a camera would.
  public func run(_ movie: URL, to output: URL, completion: @escaping (AVAssetWriter) -> Void) throws {
    let asset = AVURLAsset(url: movie)
    let reader = try AVAssetReader(asset: asset)
    let track = asset.tracks(withMediaType: .video)[0]
    let frames = AVAssetReaderTrackOutput(
      track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA])
    reader.add(frames)
    guard reader.startReading() else { throw reader.error! }
    startCapture(to: output, size: track.naturalSize)
    while let sampleBuffer = frames.copyNextSampleBuffer() {
      captureOutput(didOutput: sampleBuffer)
    }
    if reader.status == .failed { throw reader.error! }
    stopCapture(completion)
  }

  func startCapture(to fileURL: URL, size: CGSize) {
    let videoSettings =
      [
        AVVideoWidthKey: Int(size.width),
        AVVideoHeightKey: Int(size.height),
        AVVideoCodecKey: AVVideoCodecType.h264,
      ] as [String: Any]

    videoAssetInput = AVAssetWriterInput(mediaType: .video, outputSettings: videoSettings)

    pixelBuffer = AVAssetWriterInputPixelBufferAdaptor(
      assetWriterInput: videoAssetInput,
      sourcePixelBufferAttributes: [kCVPixelBufferPixelFormatTypeKey as String: Int(kCVPixelFormatType_32BGRA)])

    frameNumber = 0

    do {
      try assetWriter = AVAssetWriter(outputURL: fileURL, fileType: .mp4)
      videoAssetInput.expectsMediaDataInRealTime = true
      assetWriter.add(videoAssetInput)
      assetWriter.startWriting()
      assetWriter.startSession(atSourceTime: CMTime.zero)
    } catch {
      print("could not start video recording ", error)
    }
  }

  func stopCapture(_ completion: @escaping (AVAssetWriter) -> Void) {
    videoAssetInput.markAsFinished()
    assetWriter.endSession(atSourceTime: endTime)
    let writer = assetWriter!
    assetWriter.finishWriting {
      completion(writer)
    }
  }

  func captureOutput(didOutput sampleBuffer: CMSampleBuffer) {
    if !CMSampleBufferDataIsReady(sampleBuffer) {
      return
    }

    if frameNumber == 0 {
      startTime = CMSampleBufferGetPresentationTimeStamp(sampleBuffer)
    }

    let timestamp = CMSampleBufferGetPresentationTimeStamp(sampleBuffer)
    let frameTime = CMTimeSubtract(timestamp, startTime)

    if videoAssetInput.isReadyForMoreMediaData {
      if let pxBuffer: CVPixelBuffer = composeVideo(buffer: sampleBuffer, frameTime) {
        pixelBuffer.append(pxBuffer, withPresentationTime: frameTime)
      }
      frameNumber += 1
    }
    endTime = frameTime
  }

  /// Copies a BGRA picture into one in ARGB, with the time at its lower left.
  private func composeVideo(buffer: CMSampleBuffer, _ time: CMTime) -> CVPixelBuffer? {
    let imageBuffer = CMSampleBufferGetImageBuffer(buffer)!
    CVPixelBufferLockBaseAddress(imageBuffer, CVPixelBufferLockFlags(rawValue: 0))
    defer { CVPixelBufferUnlockBaseAddress(imageBuffer, CVPixelBufferLockFlags(rawValue: 0)) }
    let base = CVPixelBufferGetBaseAddressOfPlane(imageBuffer, 0)!
    let bytesPerRow = CVPixelBufferGetBytesPerRow(imageBuffer)
    let width = CVPixelBufferGetWidth(imageBuffer)
    let height = CVPixelBufferGetHeight(imageBuffer)

    let options = [
      kCVPixelBufferCGImageCompatibilityKey as String: true, kCVPixelBufferCGBitmapContextCompatibilityKey as String: true,
    ]
    var pxBuffer: CVPixelBuffer? = nil
    let status = CVPixelBufferCreate(
      kCFAllocatorDefault, width, height, kCVPixelFormatType_32ARGB, options as CFDictionary?, &pxBuffer)
    if status != kCVReturnSuccess {
      return nil
    }
    CVPixelBufferLockBaseAddress(pxBuffer!, CVPixelBufferLockFlags(rawValue: 0))
    let pxData = CVPixelBufferGetBaseAddress(pxBuffer!)!
    let bytePerRow = CVPixelBufferGetBytesPerRow(pxBuffer!)
    for y in 0..<height {
      let source = (base + y * bytesPerRow).assumingMemoryBound(to: UInt8.self)
      let target = (pxData + y * bytePerRow).assumingMemoryBound(to: UInt8.self)
      for x in 0..<width {
        // Blue, green, red, alpha become alpha, red, green, blue.
        for component in 0..<4 { target[4 * x + component] = source[4 * x + 3 - component] }
      }
    }
    let text = "\(time.value * 1000 / Int64(time.timescale))"
    draw(text, at: (8, height - 38), scale: 4, pxData, bytePerRow, width, height)
    CVPixelBufferUnlockBaseAddress(pxBuffer!, CVPixelBufferLockFlags(rawValue: 0))

    return pxBuffer
  }

  /// Digits of 3 × 5 dots, five rows of three bits each.
  private static let digits: [UInt16] = [
    0b111_101_101_101_111, 0b010_110_010_010_111, 0b111_001_111_100_111, 0b111_001_111_001_111, 0b101_101_111_001_001,
    0b111_100_111_001_111, 0b111_100_111_101_111, 0b111_001_001_001_001, 0b111_101_111_101_111, 0b111_101_111_001_111,
  ]

  /// Draws digits in orange.
  private func draw(
    _ text: String, at place: (x: Int, y: Int), scale: Int, _ data: UnsafeMutableRawPointer, _ stride: Int, _ width: Int,
    _ height: Int
  ) {
    for (index, digit) in text.compactMap(\.wholeNumberValue).enumerated() {
      for dot in 0..<15 where Self.digits[digit] >> UInt16(14 - dot) & 1 == 1 {
        for step in 0..<scale * scale {
          let x = place.x + (index * 4 + dot % 3) * scale + step % scale
          let y = place.y + dot / 3 * scale + step / scale
          guard x < width, y < height else { continue }
          for (offset, value) in [UInt8(255), 255, 149, 0].enumerated() {
            data.storeBytes(of: value, toByteOffset: y * stride + x * 4 + offset, as: UInt8.self)
          }
        }
      }
    }
  }
}
