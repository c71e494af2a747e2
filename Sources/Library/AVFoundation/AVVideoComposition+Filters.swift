/// A picture of a video track, to be filtered.
// The facts are constant, and the answer is given once.
/// - Partly: `applyingCIFiltersWithHandler` runs in your process, as compositors (docs/avfoundation.md#compositors-of-your-own)
///   do, on pictures of 8 bits
open class AVAsynchronousCIImageFilteringRequest: NSObject, NSCopying, @unchecked Sendable {
  public let renderSize: CGSize
  public let compositionTime: CMTime
  /// The picture of the first enabled video track, upright, with its corner at zero; black where the track shows nothing.
  public let sourceImage: CIImage
  private let answer: (CIImage, CIContext?) -> Void
  private let refusal: (any Error) -> Void

  init(
    renderSize: CGSize, at time: CMTime, _ image: CIImage, answer: @escaping (CIImage, CIContext?) -> Void,
    refusal: @escaping (any Error) -> Void
  ) {
    (self.renderSize, compositionTime, sourceImage) = (renderSize, time, image)
    (self.answer, self.refusal) = (answer, refusal)
  }

  /// Gives the filtered picture.
  ///
  /// - Parameters:
  ///   - filteredImage: the picture.
  ///   - context: the context that renders it; nil for the composition's own.
  open func finish(with filteredImage: CIImage, context: CIContext?) { answer(filteredImage, context) }
  open func finish(with error: any Error) { refusal(error) }
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A picture of a video track, to be filtered, as `AVAsynchronousCIImageFilteringRequest` has it.
/// - Partly: as `AVAsynchronousCIImageFilteringRequest`
public struct AVCIImageFilteringParameters {
  public let compositionTime: CMTime
  public let renderSize: CGSize
  public let sourceImage: CIImage
}

/// A filtered picture.
/// - Partly: as `AVAsynchronousCIImageFilteringRequest`
public struct AVCIImageFilteringResult {
  public let resultImage: CIImage
  /// The context that renders it; nil for the composition's own.
  public let ciContext: CIContext?
  public init(resultImage: CIImage, ciContext: CIContext? = nil) {
    (self.resultImage, self.ciContext) = (resultImage, ciContext)
  }
}

/// The threads on which asynchronous functions filter. They are not those of Swift's tasks, because a task may wait for a frame.
private final class FilteringThreads: TaskExecutor {
  static let shared = FilteringThreads()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue.global().async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

extension AVVideoComposition {
  /// Makes the composition that filters each picture of an asset's first enabled video track. It has that track's size, upright, and its
  /// rate.
  public convenience init(
    asset: AVAsset, applyingCIFiltersWithHandler applier: @escaping (AVAsynchronousCIImageFilteringRequest) -> Void
  ) {
    self.init(propertiesOf: asset)
    take(asset, applier)
  }

  /// Makes the composition that filters each picture of an asset, which is loaded for this.
  ///
  /// - Throws: an `AVError` where the asset cannot be read.
  public static func videoComposition(
    with asset: AVAsset, applyingCIFiltersWithHandler applier: @escaping (AVAsynchronousCIImageFilteringRequest) -> Void
  ) async throws -> AVMutableVideoComposition {
    _ = try asset.loadedTracks()
    return AVMutableVideoComposition(asset: asset, applyingCIFiltersWithHandler: applier)
  }

  /// Makes the composition that filters each picture of an asset, which is loaded for this, by an asynchronous function.
  ///
  /// - Parameters:
  ///   - asset: the asset whose pictures are filtered.
  ///   - applier: gives the filtered picture. Its failure ends the export.
  /// - Throws: an `AVError` where the asset cannot be read.
  public convenience init(
    applyingFiltersTo asset: AVAsset,
    applier: @escaping @Sendable (AVCIImageFilteringParameters) async throws -> AVCIImageFilteringResult
  ) async throws {
    _ = try asset.loadedTracks()
    self.init(asset: asset) { request in
      // Whoever made the request waits for its answer.
      Task(executorPreference: FilteringThreads.shared) {
        do {
          let result = try await applier(
            AVCIImageFilteringParameters(
              compositionTime: request.compositionTime, renderSize: request.renderSize, sourceImage: request.sourceImage))
          request.finish(with: result.resultImage, context: result.ciContext)
        } catch { request.finish(with: error) }
      }
    }
  }

  private func take(_ asset: AVAsset, _ applier: @escaping (AVAsynchronousCIImageFilteringRequest) -> Void) {
    let videos = asset.tracks.filter { $0.mediaType == .video && $0.isPlayable && $0.isEnabled }
    guard let track = videos.first else { return }
    let natural = track.naturalSize
    let seen = CGRect(origin: .zero, size: natural).applying(track.preferredTransform)
    parts.renderSize = seen.size.even
    parts.frameDuration = track.minFrameDuration.isNumeric ? track.minFrameDuration : CMTime(value: 1, timescale: 30)
    parts.instructions = [
      FilteringInstruction(
        timeRange: CMTimeRange(start: .zero, duration: asset.duration), trackID: track.trackID,
        upright: track.preferredTransform, size: natural, applier: applier)
    ]
    parts.compositor = FilteringCompositor.self
  }
}

/// The instruction to filter a track's pictures.
private final class FilteringInstruction: NSObject, AVVideoCompositionInstructionProtocol {
  let timeRange: CMTimeRange
  let enablePostProcessing = true
  let containsTweening = true
  let trackID: CMPersistentTrackID
  let passthroughTrackID = kCMPersistentTrackID_Invalid
  /// The map that lays the stored picture upright, and the stored size.
  let upright: CGAffineTransform
  let size: CGSize
  let applier: (AVAsynchronousCIImageFilteringRequest) -> Void

  init(
    timeRange: CMTimeRange, trackID: CMPersistentTrackID, upright: CGAffineTransform, size: CGSize,
    applier: @escaping (AVAsynchronousCIImageFilteringRequest) -> Void
  ) {
    (self.timeRange, self.trackID, self.upright, self.size, self.applier) = (timeRange, trackID, upright, size, applier)
  }

  var requiredSourceTrackIDs: [NSValue]? { [NSNumber(value: trackID)] }
}

/// The compositor that hands a track's pictures to a function which filters them.
final class FilteringCompositor: NSObject, AVVideoCompositing {
  private let filters = CIContext()

  private static let format: [String: OSType] = [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_32BGRA]
  var sourcePixelBufferAttributes: [String: Any]? { Self.format }
  var requiredPixelBufferAttributesForRenderContext: [String: Any] { Self.format }

  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) {}

  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    guard let instruction = request.videoCompositionInstruction as? FilteringInstruction else {
      return request.finish(
        with: AVError(
          .invalidVideoComposition, "instructions: those of a composition that filters pictures cannot be replaced",
          property: "instructions"))
    }
    let context = request.renderContext
    let filters = filters
    instruction.applier(
      AVAsynchronousCIImageFilteringRequest(
        renderSize: context.size, at: request.compositionTime,
        Self.image(request.sourceFrame(byTrackID: instruction.trackID), instruction),
        answer: { image, own in
          guard let picture = context.newPixelBuffer() else {
            return request.finish(with: AVError(.outOfMemory, "there is no memory for a picture"))
          }
          let scale = CGFloat(context.renderScale)
          (own ?? filters).render(
            scale == 1 ? image : image.transformed(by: CGAffineTransform(scaleX: scale, y: scale)), to: picture)
          request.finish(withComposedVideoFrame: picture)
        }, refusal: { request.finish(with: $0) }))
  }

  private static func image(_ picture: CVPixelBuffer?, _ instruction: FilteringInstruction) -> CIImage {
    let seen = CGRect(origin: .zero, size: instruction.size).applying(instruction.upright)
    guard let picture else {
      return CIImage(color: CIColor(red: 0, green: 0, blue: 0)).cropped(to: CGRect(origin: .zero, size: seen.size))
    }
    let stored = CIImage(cvPixelBuffer: picture)
    guard !instruction.upright.isIdentity else { return stored }
    // The map has y downwards, as stored pictures have, and Core Image has it upwards.
    let (before, after) = (
      CGAffineTransform(1, 0, 0, -1, 0, stored.extent.height), CGAffineTransform(1, 0, 0, -1, -seen.minX, seen.maxY)
    )
    return stored.transformed(by: before.concatenating(instruction.upright).concatenating(after))
  }
}
