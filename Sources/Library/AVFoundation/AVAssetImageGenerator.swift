internal import Formats
internal import MediaTime
internal import Timeline

/// The maker of single pictures of an asset.
// The settings are the owner's until a picture is asked for.
open class AVAssetImageGenerator: NSObject, @unchecked Sendable {
  public let asset: AVAsset
  /// Whether pictures stand upright; else they are as they are stored.
  open var appliesPreferredTrackTransform = false
  /// The sides that a picture must fit into; a side of 0 is no bound. Pictures are never enlarged.
  open var maximumSize = CGSize.zero
  /// The time by which a picture may be early. Pictures are always exact.
  open var requestedTimeToleranceBefore = CMTime.positiveInfinity
  open var requestedTimeToleranceAfter = CMTime.positiveInfinity
  open var videoComposition: AVVideoComposition?

  public init(asset: AVAsset) {
    self.asset = asset
    super.init()
  }

  /// Makes the picture that is shown at a time.
  ///
  /// - Parameter actualTime: is given the time at which that picture begins.
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

  private func picture(at time: CMTime) throws(AVError) -> (image: CGImage, actualTime: CMTime) {
    let wanted = try MediaTime(time, "time")
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
    let (png, begin) = try ExportJob(request).frame(at: wanted)
    guard let source = CGDataProvider(data: png),
      let image = unsafe CGImage(pngDataProviderSource: source, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
    else { throw AVError(.unknown, "the picture at \(wanted) is no PNG", time: time) }
    return (image, CMTime(begin, preferredTimescale: time.timescale))
  }
}
