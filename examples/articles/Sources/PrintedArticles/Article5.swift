import AVFoundation
import UIKit

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

  // フレーム合成メソッド
  private func composeVideo(buffer: CMSampleBuffer, _ time: CMTime) -> CVPixelBuffer? {
    let image = uiImageFromSampleBuffer(buffer: buffer)
    let width = image.size.width
    let height = image.size.height
    let rect = CGRect(x: 0, y: 0, width: width, height: height)
    let font = UIFont.systemFont(ofSize: 14.0)

    UIGraphicsBeginImageContext(image.size)

    let timestampRect = CGRect(x: 8, y: height - 38, width: 180, height: 30)
    let textStyle = NSMutableParagraphStyle.default.mutableCopy() as! NSMutableParagraphStyle
    let textAttributes = [
      NSAttributedString.Key.font: font,
      NSAttributedString.Key.foregroundColor: UIColor.orange,
      NSAttributedString.Key.paragraphStyle: textStyle,
    ]

    let timestampText = "\(time.value * 1000 / Int64(time.timescale)) ms"

    image.draw(in: rect)
    timestampText.draw(in: timestampRect, withAttributes: textAttributes)

    let composedImage = UIGraphicsGetImageFromCurrentImageContext()
    UIGraphicsEndImageContext()

    return pixelBufferFromUIImage(image: composedImage!)
  }

  private func uiImageFromSampleBuffer(buffer: CMSampleBuffer) -> UIImage {
    let imageBuffer = CMSampleBufferGetImageBuffer(buffer)!

    CVPixelBufferLockBaseAddress(imageBuffer, CVPixelBufferLockFlags(rawValue: 0))

    let base = CVPixelBufferGetBaseAddressOfPlane(imageBuffer, 0)!
    let bytesPerRow = UInt(CVPixelBufferGetBytesPerRow(imageBuffer))
    let width = UInt(CVPixelBufferGetWidth(imageBuffer))
    let height = UInt(CVPixelBufferGetHeight(imageBuffer))

    let colorSpace = CGColorSpaceCreateDeviceRGB()
    let bitsPerCompornent = 8
    let bitmapInfo = CGBitmapInfo(
      rawValue: (CGBitmapInfo.byteOrder32Little.rawValue | CGImageAlphaInfo.premultipliedFirst.rawValue) as UInt32)
    let newContext =
      CGContext(
        data: base, width: Int(width), height: Int(height), bitsPerComponent: Int(bitsPerCompornent),
        bytesPerRow: Int(bytesPerRow), space: colorSpace, bitmapInfo: bitmapInfo.rawValue)! as CGContext

    let imageRef = newContext.makeImage()!
    let image = UIImage(cgImage: imageRef, scale: 1.0, orientation: UIImage.Orientation.up)

    CVPixelBufferUnlockBaseAddress(imageBuffer, CVPixelBufferLockFlags(rawValue: 0))

    return image
  }

  private func pixelBufferFromUIImage(image: UIImage) -> CVPixelBuffer? {
    let cgImage = image.cgImage!
    let options = [
      kCVPixelBufferCGImageCompatibilityKey as String: true, kCVPixelBufferCGBitmapContextCompatibilityKey as String: true,
    ]
    var pxBuffer: CVPixelBuffer? = nil
    let width = cgImage.width
    let height = cgImage.height
    let status = CVPixelBufferCreate(
      kCFAllocatorDefault, width, height, kCVPixelFormatType_32ARGB, options as CFDictionary?, &pxBuffer)
    if status != kCVReturnSuccess {
      return nil
    }
    CVPixelBufferLockBaseAddress(pxBuffer!, CVPixelBufferLockFlags(rawValue: 0))
    let pxData = CVPixelBufferGetBaseAddress(pxBuffer!)!
    let bitsPerComponent: size_t = 8
    let bytePerRow: size_t = CVPixelBufferGetBytesPerRow(pxBuffer!)
    let rgbColorSpace: CGColorSpace = CGColorSpaceCreateDeviceRGB()
    let context: CGContext = CGContext(
      data: pxData, width: width, height: height, bitsPerComponent: bitsPerComponent, bytesPerRow: bytePerRow,
      space: rgbColorSpace, bitmapInfo: CGImageAlphaInfo.noneSkipFirst.rawValue)!
    context.draw(cgImage, in: CGRect(x: 0, y: 0, width: CGFloat(width), height: CGFloat(height)))
    CVPixelBufferUnlockBaseAddress(pxBuffer!, CVPixelBufferLockFlags(rawValue: 0))

    return pxBuffer
  }
}
