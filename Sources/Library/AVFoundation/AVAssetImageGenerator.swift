internal import Formats
internal import MediaTime
internal import Synchronization
internal import Timeline

/// The maker of single pictures of an asset.
// The settings are the owner's until a picture is asked for.
/// - Partly: always exact. An `apertureMode` is refused where it is another part of the medium than its clean aperture
open class AVAssetImageGenerator: NSObject, @unchecked Sendable {
  public let asset: AVAsset
  /// Whether pictures stand upright; else they are as they are stored.
  open var appliesPreferredTrackTransform = false
  /// The sides that a picture must fit into; a side of 0 is no bound. Pictures are never enlarged.
  open var maximumSize = CGSize.zero
  /// The time by which a picture may be early. Pictures are always exact.
  open var requestedTimeToleranceBefore = CMTime.positiveInfinity
  open var requestedTimeToleranceAfter = CMTime.positiveInfinity
  /// The composition, copied when it is set, as on Apple's systems: it stays as it is then when a mutable one is changed.
  open var videoComposition: AVVideoComposition? { didSet { videoComposition = videoComposition?.unchanging } }
  /// The part of the stored picture that is made; nil for the clean aperture. A medium that has another part than that in the wanted
  /// aperture is refused.
  open var apertureMode: ApertureMode?
  open var customVideoCompositor: (any AVVideoCompositing)? { nil }
  /// The files without names, copied once for all pictures.
  private let lent = LentFiles()
  /// The number of times that all pictures were given up.
  private let rounds = Mutex(0)

  public init(asset: AVAsset) {
    self.asset = asset
    super.init()
  }

  /// Makes the picture that is shown at a time.
  ///
  /// - Parameters:
  ///   - requestedTime: a time of the asset.
  ///   - actualTime: is given the time at which that picture begins.
  /// - Throws: an `AVError`; `.noImageAtTime` from the asset's end on.
  open func copyCGImage(at requestedTime: CMTime, actualTime: UnsafeMutablePointer<CMTime>?) throws -> CGImage {
    let made = try picture(at: requestedTime)
    unsafe actualTime?.pointee = made.actualTime
    return made.image
  }

  /// Makes the picture that is shown at a time.
  open func image(at time: CMTime) async throws -> (image: CGImage, actualTime: CMTime) { try picture(at: time) }

  open func generateCGImageAsynchronously(
    for requestedTime: CMTime, completionHandler handler: @escaping @Sendable (CGImage?, CMTime, (any Error)?) -> Void
  ) {
    DispatchQueue.global().async {
      do {
        let made = try self.picture(at: requestedTime)
        handler(made.image, made.actualTime, nil)
      } catch { handler(nil, .invalid, error) }
    }
  }

  /// A part of stored pictures, and their shape.
  public struct ApertureMode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The part that is to be seen, with square pixels.
    public static let cleanAperture = ApertureMode(rawValue: "CleanAperture")
    /// All of the picture, with square pixels.
    public static let productionAperture = ApertureMode(rawValue: "ProductionAperture")
    /// All of the picture, pixel by pixel.
    public static let encodedPixels = ApertureMode(rawValue: "EncodedPixels")
  }

  /// The end of a wish for a picture.
  public enum Result: Int, Sendable { case succeeded = 0, failed, cancelled }

  /// Makes the pictures of times, one after the other, on another thread. The handler is called for each.
  open func generateCGImagesAsynchronously(
    forTimes requestedTimes: [NSValue], completionHandler handler: @escaping AVAssetImageGeneratorCompletionHandler
  ) {
    let (times, round) = (requestedTimes.map(\.timeValue), rounds.withLock(\.self))
    DispatchQueue.global().async {
      for time in times {
        guard self.rounds.withLock({ $0 == round }) else {
          handler(time, nil, .invalid, .cancelled, AVError(.operationCancelled, "the pictures were cancelled", time: time))
          continue
        }
        do {
          let made = try self.picture(at: time)
          handler(time, made.image, made.actualTime, .succeeded, nil)
        } catch { handler(time, nil, .invalid, .failed, error) }
      }
    }
  }

  /// Gives up the pictures that were asked for and are not made yet.
  open func cancelAllCGImageGeneration() { rounds.withLock { $0 += 1 } }

  /// The pictures of times, one after the other.
  open func images(for times: [CMTime]) -> Images { Images(generator: self, times: times) }

  /// Pictures that are made as they are asked for.
  public struct Images: AsyncSequence, Sendable {
    let generator: AVAssetImageGenerator
    let times: [CMTime]

    /// A picture, or the reason why there is none.
    public enum Element: Sendable {
      case success(requestedTime: CMTime, image: CGImage, actualTime: CMTime)
      case failure(requestedTime: CMTime, error: any Error)

      public var requestedTime: CMTime {
        switch self {
        case .success(let time, _, _), .failure(let time, _): time
        }
      }
      public var image: CGImage {
        get throws {
          switch self {
          case .success(_, let image, _): return image
          case .failure(_, let error): throw error
          }
        }
      }
      public var actualTime: CMTime {
        get throws {
          switch self {
          case .success(_, _, let time): return time
          case .failure(_, let error): throw error
          }
        }
      }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      let generator: AVAssetImageGenerator
      var rest: ArraySlice<CMTime>

      public mutating func next() async -> Element? {
        guard let time = rest.popFirst() else { return nil }
        do {
          let made = try await generator.image(at: time)
          return .success(requestedTime: time, image: made.image, actualTime: made.actualTime)
        } catch { return .failure(requestedTime: time, error: error) }
      }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(generator: generator, rest: times[...]) }
  }

  /// - Throws: an `AVError` where a medium has another clean aperture, or other pixels, than the wanted aperture.
  private func checkAperture() throws(AVError) {
    guard let apertureMode, apertureMode != .cleanAperture, videoComposition == nil else { return }
    for track in try asset.loadedTracks() where track.mediaType == .video {
      let media = (track as? AVCompositionTrack)?.media.map(\.facts) ?? track.facts.map { [$0] } ?? []
      for video in media.compactMap(\.video) {
        let isSquare = video.pixelAspect.width == video.pixelAspect.height
        guard video.cleanAperture == nil, apertureMode == .productionAperture || isSquare else {
          throw AVError(
            .operationNotSupportedForAsset,
            "apertureMode: \(apertureMode.rawValue) of this medium is not made: only its clean aperture is",
            property: "apertureMode")
        }
      }
    }
  }

  private func picture(at time: CMTime) throws(AVError) -> (image: CGImage, actualTime: CMTime) {
    let wanted = try MediaTime(time, "time")
    try checkAperture()
    var request = Lowering.Request(asset: asset, videoComposition: videoComposition)
    request.liesAsStored = !appliesPreferredTrackTransform && videoComposition == nil
    if maximumSize != .zero {
      let side = { (length: CGFloat) in length > 0 ? length : CGFloat(DocumentLimits.renderSide.upperBound) }
      request.bounds = CGSize(width: side(maximumSize.width), height: side(maximumSize.height))
      request.turnsBounds = false
    }
    guard wanted >= .zero, time < (try asset.loadedDuration()) else {
      throw AVError(.noImageAtTime, "there is no picture at \(wanted)", property: "time", time: time)
    }
    let (png, begin) = try ExportJob(request, lent: lent).frame(at: wanted)
    guard let source = CGDataProvider(data: png),
      let image = unsafe CGImage(pngDataProviderSource: source, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
    else { throw AVError(.unknown, "the picture at \(wanted) is no PNG", time: time) }
    return (image, CMTime(begin, preferredTimescale: time.timescale))
  }
}

public typealias AVAssetImageGeneratorCompletionHandler =
  @Sendable (
    CMTime, CGImage?, CMTime, AVAssetImageGenerator.Result, (any Error)?
  ) -> Void
