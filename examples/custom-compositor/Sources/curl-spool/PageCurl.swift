import AVFoundation

/// A transition that rolls the first track's picture off the second one's, as a page is turned.
final class PageCurl: NSObject, AVVideoCompositing {
  private struct Failure: Error, CustomStringConvertible { let description: String }

  private static let form: [String: any Sendable] = [
    kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA
  ]
  var sourcePixelBufferAttributes: [String: any Sendable]? { Self.form }
  var requiredPixelBufferAttributesForRenderContext: [String: any Sendable] { Self.form }
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) {}

  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    do { request.finish(withComposedVideoFrame: try composed(request)) } catch { request.finish(with: error) }
  }

  private func composed(_ request: AVAsynchronousVideoCompositionRequest) throws -> CVPixelBuffer {
    let tracks = (request.videoCompositionInstruction.requiredSourceTrackIDs ?? []).compactMap { ($0 as? NSNumber)?.int32Value }
    guard let curl = request.videoCompositionInstruction as? Curl, tracks.count == 2 else {
      throw Failure(description: "a page curl goes from one track to another: it needs two")
    }
    let frames = try tracks.map { track in
      guard let frame = request.sourceFrame(byTrackID: track) else { throw Failure(description: "track \(track) has no frame") }
      return frame
    }
    guard let target = request.renderContext.newPixelBuffer() else { throw Failure(description: "there is no memory") }
    let (width, height) = (CVPixelBufferGetWidth(target), CVPixelBufferGetHeight(target))
    let (page, ground) = (Sheet(frames[0], filling: width, height), Sheet(frames[1], filling: width, height))
    let passed = (request.compositionTime - curl.timeRange.start).seconds / curl.timeRange.duration.seconds
    let sights = CurledSheet(
      width: width, height: height, radius: curl.radius, slant: curl.slant, progress: passed
    ).sights()
    guard let base = CVPixelBufferGetBaseAddress(target) else { throw Failure(description: "the picture has no memory") }
    let rowBytes = CVPixelBufferGetBytesPerRow(target)
    for y in 0..<height {
      for x in 0..<width {
        let pixel = base + y * rowBytes + x * 4
        for component in 0..<3 {
          // The parts stand as blue, green and red.
          let value = Self.value(sights[y * width + x], x, y, component, page, ground, paper: curl.paper[2 - component])
          pixel.storeBytes(of: UInt8(min(max(value + 0.5, 0), 255)), toByteOffset: component, as: UInt8.self)
        }
        pixel.storeBytes(of: 255, toByteOffset: 3, as: UInt8.self)
      }
    }
    return target
  }

  private static func value(
    _ sight: CurledSheet.Sight, _ x: Int, _ y: Int, _ component: Int, _ page: Sheet, _ ground: Sheet, paper: Double
  ) -> Double {
    switch sight {
    case .ground(let light): ground.value(Double(x), Double(y), component) * light
    case .front(let pageX, let pageY, let light): page.value(pageX, pageY, component) * light
    case .back(let pageX, let pageY, let light):
      // Paper is not quite opaque: the picture shows through.
      (0.8 * paper * 255 + 0.2 * page.value(pageX, pageY, component)) * light
    }
  }
}

/// A picture that is laid over the frame, which it fills. What does not fit is cut off.
private struct Sheet {
  private let picture: CVPixelBuffer
  private let base: UnsafeRawPointer
  private let rowBytes: Int
  private let width: Int
  private let height: Int
  /// The pixels of the picture for one of the frame, and the place of the frame's corner.
  private let scale: Double
  private let corner: (x: Double, y: Double)

  init(_ picture: CVPixelBuffer, filling frameWidth: Int, _ frameHeight: Int) {
    guard let base = CVPixelBufferGetBaseAddress(picture) else { preconditionFailure("the picture has memory") }
    (self.picture, self.base, rowBytes) = (picture, UnsafeRawPointer(base), CVPixelBufferGetBytesPerRow(picture))
    (width, height) = (CVPixelBufferGetWidth(picture), CVPixelBufferGetHeight(picture))
    scale = min(Double(width) / Double(frameWidth), Double(height) / Double(frameHeight))
    corner = (
      (Double(width) - Double(frameWidth) * scale) / 2 + (scale - 1) / 2,
      (Double(height) - Double(frameHeight) * scale) / 2 + (scale - 1) / 2
    )
  }

  /// The value at a place of the frame, between four samples. Places are those of samples' middles.
  func value(_ frameX: Double, _ frameY: Double, _ component: Int) -> Double {
    let (x, y) = (
      min(max(corner.x + frameX * scale, 0), Double(width - 1)), min(max(corner.y + frameY * scale, 0), Double(height - 1))
    )
    let (left, top) = (Int(x), Int(y))
    let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
    func sample(_ x: Int, _ y: Int) -> Double {
      Double(base.load(fromByteOffset: y * rowBytes + x * 4 + component, as: UInt8.self))
    }
    let (toRight, toBottom) = (x - Double(left), y - Double(top))
    let upper = sample(left, top) * (1 - toRight) + sample(right, top) * toRight
    let lower = sample(left, bottom) * (1 - toRight) + sample(right, bottom) * toRight
    return upper * (1 - toBottom) + lower * toBottom
  }
}
