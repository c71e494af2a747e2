import AVFoundation
import SpoolHost

/// The form of packed pictures, as compositors name it.
let packedForm: [String: any Sendable] = [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA]

/// The error of a track that shows nothing.
struct MissingFrame: Error, CustomStringConvertible {
  let description: String

  init(_ track: CMPersistentTrackID, in request: AVAsynchronousVideoCompositionRequest) {
    let names = (request.videoCompositionInstruction as? DocumentInstruction)?.trackNames
    let name = request.requiredTracks.firstIndex(of: track).flatMap { names?[$0] }
    description = "track \(name ?? "\(track)") has no frame"
  }
}

/// The error of a picture for which there is no memory.
struct NoPicture: Error {}

extension AVAsynchronousVideoCompositionRequest {
  /// The tracks that the instruction needs.
  var requiredTracks: [CMPersistentTrackID] {
    (videoCompositionInstruction.requiredSourceTrackIDs ?? []).compactMap { ($0 as? NSNumber)?.int32Value }
  }

  /// The share of the instruction's range that has passed.
  var share: Double {
    let range = videoCompositionInstruction.timeRange
    return (compositionTime - range.start).seconds / range.duration.seconds
  }

  func newPicture() throws -> CVPixelBuffer {
    guard let picture = renderContext.newPixelBuffer() else { throw NoPicture() }
    return picture
  }

  /// Finishes with what a closure returns or throws.
  func finish(_ compose: () throws -> CVPixelBuffer) {
    do { finish(withComposedVideoFrame: try compose()) } catch { finish(with: error) }
  }
}

extension CVPixelBuffer {
  /// The rows of a plane: the first byte's address, and the bytes from one row to the next.
  @unsafe func rows(_ plane: Int = 0) -> (base: UnsafeMutableRawPointer, stride: Int) {
    guard let base = unsafe CVPixelBufferGetBaseAddressOfPlane(self, plane) ?? CVPixelBufferGetBaseAddress(self) else {
      preconditionFailure("the picture has memory")
    }
    let isPlanar = CVPixelBufferGetPlaneCount(self) > 0
    return unsafe (base, isPlanar ? CVPixelBufferGetBytesPerRowOfPlane(self, plane) : CVPixelBufferGetBytesPerRow(self))
  }

  var width: Int { CVPixelBufferGetWidth(self) }
  var height: Int { CVPixelBufferGetHeight(self) }

  /// Fills a packed picture with a mix of two, each stretched over it. Where one is nil, there is black.
  func mix(_ from: CVPixelBuffer?, _ to: CVPixelBuffer?, share: Double) {
    let weight = Int(share * 256)
    let target = unsafe rows()
    let sources = unsafe [from, to].map { picture in unsafe picture.map { unsafe ($0.rows(), $0.width, $0.height) } }
    func value(_ source: Int, _ x: Int, _ y: Int, _ component: Int) -> Int {
      guard let ((base, stride), width, height) = unsafe sources[source] else { return 0 }
      let place = y * height / self.height * stride + x * width / self.width * 4 + component
      return Int(unsafe base.load(fromByteOffset: place, as: UInt8.self))
    }
    for y in 0..<height {
      for x in 0..<width {
        for component in 0..<4 {
          let mixed =
            component == 3 ? 255 : (value(0, x, y, component) * (256 - weight) + value(1, x, y, component) * weight) / 256
          unsafe target.base.storeBytes(of: UInt8(mixed), toByteOffset: y * target.stride + x * 4 + component, as: UInt8.self)
        }
      }
    }
  }
}
