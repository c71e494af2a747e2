/// The layer instructions of a range of time.
open class AVVideoCompositionInstruction: NSObject, NSCopying, NSMutableCopying, AVVideoCompositionInstructionProtocol {
  var range = CMTimeRange.zero
  var background: CGColor?
  var layers: [AVVideoCompositionLayerInstruction] = []
  var isPostProcessed = true

  public override init() { super.init() }

  /// The instruction as it is now, with the same layer instructions.
  open func copy(with zone: NSZone? = nil) -> Any { filled(AVVideoCompositionInstruction()) }
  /// The instruction as it is now, to be changed: an `AVMutableVideoCompositionInstruction`.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { filled(AVMutableVideoCompositionInstruction()) }

  private func filled(_ copy: AVVideoCompositionInstruction) -> AVVideoCompositionInstruction {
    (copy.range, copy.background, copy.layers, copy.isPostProcessed) = (range, background, layers, isPostProcessed)
    return copy
  }

  open var timeRange: CMTimeRange { range }
  open var backgroundColor: CGColor? { background }
  open var layerInstructions: [AVVideoCompositionLayerInstruction] { layers }
  open var enablePostProcessing: Bool { isPostProcessed }
  open var containsTweening: Bool { true }
  open var requiredSourceTrackIDs: [NSValue]? { layers.map { NSNumber(value: $0.trackID) } }
  open var passthroughTrackID: CMPersistentTrackID { kCMPersistentTrackID_Invalid }
}

open class AVMutableVideoCompositionInstruction: AVVideoCompositionInstruction {
  open override var timeRange: CMTimeRange {
    get { range }
    set { range = newValue }
  }
  open override var backgroundColor: CGColor? {
    get { background }
    set { background = newValue }
  }
  /// The layers, topmost first.
  open override var layerInstructions: [AVVideoCompositionLayerInstruction] {
    get { layers }
    set { layers = newValue }
  }
  open override var enablePostProcessing: Bool {
    get { isPostProcessed }
    set { isPostProcessed = newValue }
  }
}

/// How a track's picture is laid into the frame. It is the stored picture: turn it upright by its `preferredTransform`.
open class AVVideoCompositionLayerInstruction: NSObject, NSCopying, NSMutableCopying {
  var id = kCMPersistentTrackID_Invalid
  var opacity = Ramps<Float>()
  var transform = Ramps<CGAffineTransform>()
  var crop = Ramps<CGRect>()

  public override init() { super.init() }

  /// The instruction as it is now.
  open func copy(with zone: NSZone? = nil) -> Any { filled(AVVideoCompositionLayerInstruction()) }
  /// The instruction as it is now, to be changed: an `AVMutableVideoCompositionLayerInstruction`.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { filled(AVMutableVideoCompositionLayerInstruction()) }

  private func filled(_ copy: AVVideoCompositionLayerInstruction) -> AVVideoCompositionLayerInstruction {
    (copy.id, copy.opacity, copy.transform, copy.crop) = (id, opacity, transform, crop)
    return copy
  }

  open var trackID: CMPersistentTrackID { id }

  /// Gives the ramp of a time through pointers: its values at its start and its end, and its range. A value that is set and held is a
  /// ramp from its time to the next one's, or without end.
  ///
  /// Where no ramp includes the time, the first one after it is given.
  ///
  /// - Returns: false where the last ramp is over, and nothing is given.
  open func getTransformRamp(
    for time: CMTime, start startTransform: UnsafeMutablePointer<CGAffineTransform>?,
    end endTransform: UnsafeMutablePointer<CGAffineTransform>?, timeRange: UnsafeMutablePointer<CMTimeRange>?
  ) -> Bool { unsafe transform.give(time, startTransform, endTransform, timeRange) }

  /// Gives the ramp of a time, as `getTransformRamp` does.
  open func getOpacityRamp(
    for time: CMTime, startOpacity: UnsafeMutablePointer<Float>?, endOpacity: UnsafeMutablePointer<Float>?,
    timeRange: UnsafeMutablePointer<CMTimeRange>?
  ) -> Bool { unsafe opacity.give(time, startOpacity, endOpacity, timeRange) }

  /// Gives the ramp of a time, as `getTransformRamp` does.
  open func getCropRectangleRamp(
    for time: CMTime, startCropRectangle: UnsafeMutablePointer<CGRect>?, endCropRectangle: UnsafeMutablePointer<CGRect>?,
    timeRange: UnsafeMutablePointer<CMTimeRange>?
  ) -> Bool { unsafe crop.give(time, startCropRectangle, endCropRectangle, timeRange) }
}

open class AVMutableVideoCompositionLayerInstruction: AVVideoCompositionLayerInstruction {
  public convenience init(assetTrack track: AVAssetTrack) {
    self.init()
    id = track.trackID
  }

  open override var trackID: CMPersistentTrackID {
    get { id }
    set { id = newValue }
  }

  open func setOpacity(_ opacity: Float, at time: CMTime) { self.opacity.set(opacity, at: time) }
  open func setOpacityRamp(fromStartOpacity startOpacity: Float, toEndOpacity endOpacity: Float, timeRange: CMTimeRange) {
    opacity.ramp(from: startOpacity, to: endOpacity, timeRange)
  }

  open func setTransform(_ transform: CGAffineTransform, at time: CMTime) { self.transform.set(transform, at: time) }
  open func setTransformRamp(fromStart start: CGAffineTransform, toEnd end: CGAffineTransform, timeRange: CMTimeRange) {
    transform.ramp(from: start, to: end, timeRange)
  }

  open func setCropRectangle(_ cropRectangle: CGRect, at time: CMTime) { crop.set(cropRectangle, at: time) }
  open func setCropRectangleRamp(
    fromStartCropRectangle startCropRectangle: CGRect, toEndCropRectangle endCropRectangle: CGRect, timeRange: CMTimeRange
  ) {
    crop.ramp(from: startCropRectangle, to: endCropRectangle, timeRange)
  }
}
