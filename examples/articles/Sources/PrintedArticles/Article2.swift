import AVFoundation
import CoreImage

// The compositor of an article about transitions of one's own. README.md lists where it differs from what is printed there.

struct CoreImageVideoCompositionLayer {
  let trackID: CMPersistentTrackID
  var transform: CGAffineTransform?
  var cropRect: CGRect?

  init(
    trackID: CMPersistentTrackID,
    transform: CGAffineTransform? = nil,
    cropRect: CGRect? = nil
  ) {
    self.trackID = trackID
    self.transform = transform
    self.cropRect = cropRect
  }
}

class CoreImageVideoCompositionInstruction: NSObject, AVVideoCompositionInstructionProtocol {
  let passthroughTrackID: CMPersistentTrackID = kCMPersistentTrackID_Invalid
  var requiredSourceTrackIDs: [NSValue]? {
    return [self.sourceLayer.trackID] as [NSValue]
  }
  let containsTweening: Bool = true
  let timeRange: CMTimeRange
  let enablePostProcessing: Bool = false

  let sourceLayer: CoreImageVideoCompositionLayer

  init(sourceLayer: CoreImageVideoCompositionLayer, for timeRange: CMTimeRange) {
    self.sourceLayer = sourceLayer
    self.timeRange = timeRange
  }
}

class CoreImageTransitionVideoCompositionInstruction: NSObject, AVVideoCompositionInstructionProtocol {
  let passthroughTrackID: CMPersistentTrackID = kCMPersistentTrackID_Invalid
  var requiredSourceTrackIDs: [NSValue]? {
    return [self.sourceLayer.trackID, self.destinationLayer.trackID] as [NSValue]
  }
  let containsTweening: Bool = true
  let timeRange: CMTimeRange
  let enablePostProcessing: Bool = false

  let sourceLayer: CoreImageVideoCompositionLayer
  let destinationLayer: CoreImageVideoCompositionLayer
  let transitionFilter: CoreImageTransitionFilter

  init(
    sourceLayer: CoreImageVideoCompositionLayer,
    destinationLayer: CoreImageVideoCompositionLayer,
    transitionFilter: CoreImageTransitionFilter,
    for timeRange: CMTimeRange
  ) {
    self.sourceLayer = sourceLayer
    self.destinationLayer = destinationLayer
    self.transitionFilter = transitionFilter
    self.timeRange = timeRange
  }
}

protocol CoreImageTransitionFilter: AnyObject {
  func transitionImage(
    sourceImage: CIImage,
    destinationImage: CIImage,
    progress: CGFloat,
    request: AVAsynchronousVideoCompositionRequest
  ) throws -> CIImage
}

/// A cross dissolve.
class CrossDissolveTransitionFilter: CoreImageTransitionFilter {
  func transitionImage(
    sourceImage: CIImage, destinationImage: CIImage, progress: CGFloat, request: AVAsynchronousVideoCompositionRequest
  ) throws -> CIImage {
    let filter = CIFilter(
      name: "CIDissolveTransition",
      parameters: [
        kCIInputImageKey: sourceImage,
        kCIInputTargetImageKey: destinationImage,
        kCIInputTimeKey: progress,
      ]
    )!

    return filter.outputImage!
  }
}

extension AVAsynchronousVideoCompositionRequest {
  /// The progress of the instruction, from 0 to 1.
  var progressInComposition: Double {
    let range = videoCompositionInstruction.timeRange
    return (compositionTime - range.start).seconds / range.duration.seconds
  }
}

class CoreImageVideoCompositor: NSObject, AVVideoCompositing {
  private var context: CIContext = .init()
  private var renderContext: AVVideoCompositionRenderContext!
  private let renderingQueue: DispatchQueue
  private let renderContextQueue: DispatchQueue
  private var shouldCancelAllRequests: Bool = false

  override init() {
    self.renderingQueue = DispatchQueue(label: "com.example.app.renderingqueue")
    self.renderContextQueue = DispatchQueue(label: "com.example.app.rendercontextqueue")

    super.init()
  }

  var sourcePixelBufferAttributes: [String: Any]? {
    return [
      kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
      kCVPixelBufferMetalCompatibilityKey as String: true,
    ]
  }

  var requiredPixelBufferAttributesForRenderContext: [String: Any] {
    return sourcePixelBufferAttributes!
  }

  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) {
    self.renderContextQueue.sync {
      self.renderContext = newRenderContext
    }
  }

  func cancelAllPendingVideoCompositionRequests() {
    self.shouldCancelAllRequests = true
    self.renderingQueue.async(flags: .barrier) {
      self.shouldCancelAllRequests = false
    }
  }

  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    self.renderingQueue.async {
      if self.shouldCancelAllRequests {
        request.finishCancelledRequest()
      } else {
        autoreleasepool {
          let output = self.newRenderedPixelBuffer(for: request)
          request.finish(withComposedVideoFrame: output)
        }
      }
    }
  }

  private func newRenderedPixelBuffer(for request: AVAsynchronousVideoCompositionRequest) -> CVPixelBuffer {
    let outputImage: CIImage = {
      switch request.videoCompositionInstruction {
      case let instruction as CoreImageVideoCompositionInstruction:
        guard let sourceImage = instruction.sourceLayer.normalizedImage(for: request) else {
          fatalError()
        }

        return sourceImage
      case let instruction as CoreImageTransitionVideoCompositionInstruction:
        guard
          let sourceImage = instruction.sourceLayer.normalizedImage(for: request),
          let destinationImage = instruction.destinationLayer.normalizedImage(for: request)
        else {
          fatalError()
        }

        guard
          let outputImage = try? instruction.transitionFilter.transitionImage(
            sourceImage: sourceImage,
            destinationImage: destinationImage,
            progress: CGFloat(request.progressInComposition),
            request: request
          )
        else {
          fatalError()
        }

        return outputImage
      default:
        fatalError()
      }
    }()

    // Render to output buffer
    guard let outputPixelBuffer = self.renderContext.newPixelBuffer() else {
      fatalError()
    }

    self.context.render(outputImage, to: outputPixelBuffer)

    return outputPixelBuffer
  }
}

extension CoreImageVideoCompositionLayer {
  fileprivate func normalizedImage(for request: AVAsynchronousVideoCompositionRequest) -> CIImage? {
    guard let pixelBuffer = request.sourceFrame(byTrackID: self.trackID) else {
      return nil
    }

    var image = CIImage(cvPixelBuffer: pixelBuffer)
    if let cropRect = self.cropRect {
      image = image.cropped(to: cropRect)
    }
    if let transform = self.transform {
      image = image.transformed(by: transform)
    }

    return image
  }
}

/// Dissolves from one movie to another, with the sound of both.
public func dissolve(
  _ first: URL, _ second: URL, to output: URL, completion: @escaping @Sendable (AVAssetExportSession) -> Void
) throws {
  let mixerComposition = AVMutableComposition()
  let assets = [AVURLAsset(url: first), AVURLAsset(url: second)]
  let (length, overlap) = (CMTime(value: 3, timescale: 1), CMTime(value: 1, timescale: 1))
  var (start, layers, audioParameters) = (CMTime.zero, [CoreImageVideoCompositionLayer](), [AVAudioMixInputParameters]())
  for asset in assets {
    let range = CMTimeRange(start: .zero, duration: length)
    let track = mixerComposition.addMutableTrack(withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid)!
    try track.insertTimeRange(range, of: asset.tracks(withMediaType: .video)[0], at: start)
    layers.append(CoreImageVideoCompositionLayer(trackID: track.trackID))
    if let sound = asset.tracks(withMediaType: .audio).first {
      let audio = mixerComposition.addMutableTrack(withMediaType: .audio, preferredTrackID: kCMPersistentTrackID_Invalid)!
      try audio.insertTimeRange(range, of: sound, at: start)
      let parameters = AVMutableAudioMixInputParameters(track: audio)
      let fade = CMTimeRange(start: length - overlap, duration: overlap)
      let isFirst = start == .zero
      parameters.setVolumeRamp(fromStartVolume: isFirst ? 1 : 0, toEndVolume: isFirst ? 0 : 1, timeRange: fade)
      audioParameters.append(parameters)
    }
    start = start + length - overlap
  }
  let borders = [.zero, length - overlap, length, length + length - overlap]
  let instructions: [AVVideoCompositionInstructionProtocol] = [
    CoreImageVideoCompositionInstruction(sourceLayer: layers[0], for: CMTimeRange(start: borders[0], end: borders[1])),
    CoreImageTransitionVideoCompositionInstruction(
      sourceLayer: layers[0], destinationLayer: layers[1], transitionFilter: CrossDissolveTransitionFilter(),
      for: CMTimeRange(start: borders[1], end: borders[2])),
    CoreImageVideoCompositionInstruction(sourceLayer: layers[1], for: CMTimeRange(start: borders[2], end: borders[3])),
  ]

  let mainComposition = AVMutableVideoComposition()
  mainComposition.customVideoCompositorClass = CoreImageVideoCompositor.self  // (1)
  mainComposition.instructions = instructions  // (2)
  mainComposition.frameDuration = CMTime(value: 1, timescale: 30)  // 30fps
  mainComposition.renderSize = assets[0].tracks(withMediaType: .video)[0].naturalSize

  let audioMix = AVMutableAudioMix()
  audioMix.inputParameters = audioParameters

  guard
    let exportSession = AVAssetExportSession(
      asset: mixerComposition,
      presetName: AVAssetExportPresetHighestQuality
    )
  else {
    fatalError()
  }
  exportSession.outputURL = output
  exportSession.outputFileType = .mov
  exportSession.videoComposition = mainComposition
  exportSession.audioMix = audioMix
  exportSession.shouldOptimizeForNetworkUse = true

  exportSession.exportAsynchronously {
    DispatchQueue.main.async {
      switch exportSession.status {
      case .completed, .cancelled, .failed: completion(exportSession)
      default: completion(exportSession)
      }
    }
  }
}
