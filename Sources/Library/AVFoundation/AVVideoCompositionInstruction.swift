internal import Formats
internal import MediaTime
internal import Timeline

/// The layer instructions of a range of time.
open class AVVideoCompositionInstruction: NSObject, AVVideoCompositionInstructionProtocol {
  fileprivate var range = CMTimeRange.zero
  fileprivate var background: CGColor?
  fileprivate var layers: [AVVideoCompositionLayerInstruction] = []
  fileprivate var isPostProcessed = true

  public override init() { super.init() }

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
open class AVVideoCompositionLayerInstruction: NSObject {
  fileprivate var id = kCMPersistentTrackID_Invalid
  fileprivate(set) var opacity = Ramps<Float>()
  fileprivate(set) var transform = Ramps<CGAffineTransform>()
  fileprivate(set) var crop = Ramps<CGRect>()

  public override init() { super.init() }

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

/// Values that are set from a time on, and ramps over ranges, in the order in which they were given.
struct Ramps<Value> {
  private struct Ramp {
    var range: CMTimeRange
    var (start, end): (Value, Value)
  }

  private var ramps: [Ramp] = []

  mutating func set(_ value: Value, at time: CMTime) {
    ramp(from: value, to: value, CMTimeRange(start: time, duration: .zero))
  }

  /// Adds a ramp. It takes the place of one that begins at the same time.
  mutating func ramp(from start: Value, to end: Value, _ range: CMTimeRange) {
    ramps.removeAll { $0.range.start == range.start }
    ramps.append(Ramp(range: range, start: start, end: end))
  }

  /// Adds the ramps of another list. They take the place of those that begin at the same times.
  mutating func add(_ other: Ramps) { for ramp in other.ramps { self.ramp(from: ramp.start, to: ramp.end, ramp.range) } }

  /// Gives the ramp that includes a time, else the first one after it.
  ///
  /// - Returns: false where there is none.
  func give(
    _ time: CMTime, _ start: UnsafeMutablePointer<Value>?, _ end: UnsafeMutablePointer<Value>?,
    _ range: UnsafeMutablePointer<CMTimeRange>?
  ) -> Bool {
    let sorted = ramps.sorted { $0.range.start < $1.range.start }
    let spans = sorted.indices.map { index in
      // A value that is set is held.
      let next = index + 1 < sorted.count ? sorted[index + 1].range.start : .positiveInfinity
      let held = CMTimeRange(start: sorted[index].range.start, duration: next - sorted[index].range.start)
      return (ramp: sorted[index], range: sorted[index].range.duration > .zero ? sorted[index].range : held)
    }
    let isOver = { (range: CMTimeRange) in range.duration.isNumeric && range.end <= time }
    let isIncluding = { (range: CMTimeRange) in range.start <= time && !isOver(range) }
    guard let (ramp, seen) = spans.last(where: { isIncluding($0.range) }) ?? spans.first(where: { $0.range.start > time }) else {
      return false
    }
    unsafe start?.pointee = ramp.start
    unsafe end?.pointee = ramp.end
    unsafe range?.pointee = seen
    return true
  }

  /// The ramps as keyframes.
  ///
  /// - Parameters:
  ///   - property: the name that faults have.
  ///   - convert: the value as documents have it.
  /// - Throws: an `AVError` for a time that is no number, and for a ramp that goes on when the next one begins.
  func envelope<Result: Interpolable>(
    _ property: String, _ code: AVError.Code, _ convert: (Value) throws(AVError) -> Result
  ) throws(AVError) -> Envelope<Result> {
    var keyframes: [Envelope<Result>.Keyframe] = []
    var end: MediaTime?
    for ramp in ramps.sorted(by: { $0.range.start < $1.range.start }) {
      let range = try MediaTimeRange(ramp.range, property, code)
      guard range.start >= .zero else {
        throw AVError(code, "\(property): \(range.start) lies before zero", property: property, time: ramp.range.start)
      }
      if let end, range.start < end {
        throw AVError(
          code, "\(property): a ramp begins at \(range.start), while another one goes on until \(end)", property: property,
          time: ramp.range.start)
      }
      end = range.end
      if range.isEmpty {
        keyframes.append(.init(range.start, try convert(ramp.end), holds: true))
      } else {
        keyframes.append(.init(range.start, try convert(ramp.start)))
        keyframes.append(.init(range.end, try convert(ramp.end), holds: true))
      }
    }
    return Envelope(keyframes)
  }
}
