extension AVVideoCompositionLayerInstruction {
  /// An opacity, which changes evenly over a range of time.
  public struct OpacityRamp: Hashable, Sendable {
    public var timeRange: CMTimeRange
    public var start: Float
    public var end: Float
    public init(timeRange: CMTimeRange, start: Float, end: Float) {
      (self.timeRange, self.start, self.end) = (timeRange, start, end)
    }
  }

  /// A transform, which changes evenly over a range of time.
  public struct TransformRamp: Hashable, Sendable {
    public var timeRange: CMTimeRange
    public var start: CGAffineTransform
    public var end: CGAffineTransform
    public init(timeRange: CMTimeRange, start: CGAffineTransform, end: CGAffineTransform) {
      (self.timeRange, self.start, self.end) = (timeRange, start, end)
    }
  }

  /// A crop rectangle, which changes evenly over a range of time.
  public struct CropRectangleRamp: Hashable, Sendable {
    public var timeRange: CMTimeRange
    public var start: CGRect
    public var end: CGRect
    public init(timeRange: CMTimeRange, start: CGRect, end: CGRect) {
      (self.timeRange, self.start, self.end) = (timeRange, start, end)
    }
  }

  /// The settings of a layer instruction that is made of them. The ramp of a time is the one that includes it, else the first one after it. A value that is set
  /// and held is a ramp from its time to the next one's, or without end.
  public struct Configuration: Sendable {
    public var trackID: CMPersistentTrackID
    fileprivate var opacity = Ramps<Float>()
    fileprivate var transform = Ramps<CGAffineTransform>()
    fileprivate var crop = Ramps<CGRect>()

    public init(trackID: CMPersistentTrackID) { self.trackID = trackID }
    public init(assetTrack track: AVAssetTrack) { self.init(trackID: track.trackID) }

    public mutating func setOpacity(_ opacity: Float, at time: CMTime) { self.opacity.set(opacity, at: time) }
    public mutating func addOpacityRamp(_ ramp: OpacityRamp) { opacity.ramp(from: ramp.start, to: ramp.end, ramp.timeRange) }
    public func opacityRamp(at time: CMTime) -> OpacityRamp? {
      opacity.ramp(at: time).map { OpacityRamp(timeRange: $0.range, start: $0.start, end: $0.end) }
    }

    public mutating func setTransform(_ transform: CGAffineTransform, at time: CMTime) { self.transform.set(transform, at: time) }
    public mutating func addTransformRamp(_ ramp: TransformRamp) {
      transform.ramp(from: ramp.start, to: ramp.end, ramp.timeRange)
    }
    public func transformRamp(at time: CMTime) -> TransformRamp? {
      transform.ramp(at: time).map { TransformRamp(timeRange: $0.range, start: $0.start, end: $0.end) }
    }

    public mutating func setCropRectangle(_ cropRectangle: CGRect, at time: CMTime) { crop.set(cropRectangle, at: time) }
    public mutating func addCropRectangleRamp(_ ramp: CropRectangleRamp) {
      crop.ramp(from: ramp.start, to: ramp.end, ramp.timeRange)
    }
    public func cropRectangleRamp(at time: CMTime) -> CropRectangleRamp? {
      crop.ramp(at: time).map { CropRectangleRamp(timeRange: $0.range, start: $0.start, end: $0.end) }
    }
  }

  public convenience init(configuration: Configuration) {
    self.init()
    (id, opacity) = (configuration.trackID, configuration.opacity)
    (transform, crop) = (configuration.transform, configuration.crop)
  }

  private var configuration: Configuration {
    var made = Configuration(trackID: id)
    (made.opacity, made.transform, made.crop) = (opacity, transform, crop)
    return made
  }

  public func opacityRamp(at time: CMTime) -> OpacityRamp? { configuration.opacityRamp(at: time) }
  public func transformRamp(at time: CMTime) -> TransformRamp? { configuration.transformRamp(at: time) }
  public func cropRectangleRamp(at time: CMTime) -> CropRectangleRamp? { configuration.cropRectangleRamp(at: time) }
}
