internal import Synchronization

/// The reading of an asset's pictures and sound.
// The settings are the owner's until reading begins. The lock guards what changes then.
/// - Partly: samples are never given as they are stored: docs/avfoundation.md#reading-and-writing
open class AVAssetReader: NSObject, AVKeyValueObservable, @unchecked Sendable {
  public enum Status: Int, Sendable { case unknown = 0, reading, completed, failed, cancelled }

  private struct Course {
    var status = Status.unknown
    var error: AVError?
    var open = 0
  }

  public let asset: AVAsset
  /// The part of the asset that is read.
  open var timeRange = CMTimeRange(start: .zero, duration: .positiveInfinity)
  open private(set) var outputs: [AVAssetReaderOutput] = []
  public let observationAnchor = AVObservationAnchor()
  private let course = Mutex(Course())

  /// - Throws: an `AVError` where the asset cannot be read.
  public init(asset: AVAsset) throws {
    self.asset = asset
    super.init()
    _ = try asset.loadedTracks()
  }

  open var status: Status { course.withLock(\.status) }
  open var error: (any Error)? { course.withLock(\.error) }

  /// Whether the output can be added: reading has not begun, and its tracks are the asset's.
  open func canAdd(_ output: AVAssetReaderOutput) -> Bool {
    status == .unknown && output.reader == nil && output.belongs(to: asset)
  }

  /// Adds an output. One that cannot be added fails the reading when it begins.
  open func add(_ output: AVAssetReaderOutput) {
    guard canAdd(output) else {
      let words = "add(_:): the output belongs to another reader or to tracks of another asset, or reading has begun"
      return course.withLock { $0.error = $0.error ?? AVError(.operationNotAllowed, words, property: "outputs") }
    }
    output.reader = self
    outputs.append(output)
  }

  /// Begins to read.
  ///
  /// - Returns: false where that is not possible; `error` says why.
  @discardableResult
  open func startReading() -> Bool {
    defer { tellChange() }
    let fault: AVError? = course.withLock { course in
      if course.status != .unknown { return AVError(.operationNotAllowed, "startReading(): reading has begun already") }
      return course.error ?? (outputs.isEmpty ? AVError(.operationNotAllowed, "startReading(): there is no output") : nil)
    }
    do {
      if let fault { throw fault }
      for output in outputs { try output.begin(asset, timeRange) }
      course.withLock { course in (course.status, course.open) = (.reading, outputs.count) }
      return true
    } catch {
      course.withLock { course in
        guard course.status == .unknown else { return }
        (course.status, course.error) = (.failed, error as? AVError ?? AVError(.unknown, "\(error)"))
      }
      return false
    }
  }

  /// Ends the reading. Outputs give no samples any more.
  open func cancelReading() {
    let isReading = course.withLock { course in
      guard course.status == .reading else { return false }
      course.status = .cancelled
      return true
    }
    if isReading { for output in outputs { output.cancel() } }
    tellChange()
  }

  /// Notes that an output has given its last sample, or failed.
  func finish(_ error: AVError?) {
    course.withLock { course in
      guard course.status == .reading else { return }
      if let error { (course.status, course.error) = (.failed, error) }
      course.open -= 1
      if error == nil, course.open == 0 { course.status = .completed }
    }
    if error != nil { for output in outputs { output.cancel() } }
    tellChange()
  }
}

/// A source of samples of a reader.
// The lock guards what changes while samples are read.
/// - Partly: as `AVAssetReader`
open class AVAssetReaderOutput: NSObject, @unchecked Sendable {
  fileprivate(set) weak var reader: AVAssetReader?
  /// Whether samples may be changed by their receiver. They always may.
  open var alwaysCopiesSampleData = true
  /// Whether `reset(forReadingTimeRanges:)` may be called.
  open var supportsRandomAccess = false
  private let flow = Mutex<Supply?>(nil)
  /// The source of the samples that come, for whoever cancels while another thread waits for them.
  private let current = Mutex<(any SampleSupply)?>(nil)
  private var asset: AVAsset?

  /// The samples that come, and whether they have ended.
  private struct Supply: Sendable {
    var source: any SampleSupply
    var isAtEnd = false
    var isFinal = false

    /// The next samples, and what has ended where there are none.
    ///
    /// - Parameter mayGoOn: whether there may be other ranges to come.
    mutating func next(mayGoOn: Bool) -> (CMSampleBuffer?, Ending?) {
      guard !isAtEnd else { return (nil, nil) }
      do throws(AVError) {
        if let next = try source.next() { return (next, nil) }
        isAtEnd = true
        return (nil, mayGoOn && !isFinal ? nil : .done)
      } catch {
        isAtEnd = true
        return (nil, .failed(error))
      }
    }
  }

  private enum Ending: Sendable {
    case done
    case failed(AVError)
  }

  override init() { super.init() }

  open var mediaType: AVMediaType { .video }
  func belongs(to asset: AVAsset) -> Bool { false }
  /// The samples of a range.
  func supply(_ asset: AVAsset, _ range: CMTimeRange) throws(AVError) -> any SampleSupply {
    throw AVError(.operationNotAllowed, "the output gives no samples")
  }

  fileprivate func begin(_ asset: AVAsset, _ range: CMTimeRange) throws(AVError) {
    self.asset = asset
    let source = try supply(asset, range)
    take(source)
  }

  private func take(_ source: any SampleSupply) {
    current.withLock { $0 = source }
    flow.withLock { $0 = Supply(source: source) }
  }

  fileprivate func cancel() { current.withLock(\.self)?.cancel() }

  /// The next samples; nil at the end, and where reading was cancelled or failed: the reader's `status` says which.
  open func copyNextSampleBuffer() -> CMSampleBuffer? {
    guard let reader, reader.status == .reading else { return nil }
    let (samples, ending) = flow.withLock { $0?.next(mayGoOn: supportsRandomAccess) ?? (nil, nil) }
    // The reader is told outside of the lock, since it may cancel its outputs.
    switch ending {
    case .done: reader.finish(nil)
    case .failed(let error): reader.finish(error)
    case nil: break
    }
    return samples
  }

  /// Begins again, with other ranges, when the samples of the last ones have been read.
  open func reset(forReadingTimeRanges timeRanges: [NSValue]) {
    guard supportsRandomAccess, let asset, let reader, reader.status == .reading else { return }
    do throws(AVError) {
      var sources: [any SampleSupply] = []
      for range in timeRanges { sources.append(try supply(asset, range.timeRangeValue)) }
      let chain = SupplyChain(sources)
      take(chain)
    } catch { reader.finish(error) }
  }

  /// Says that no other ranges will be read.
  open func markConfigurationAsFinal() {
    let isDone = flow.withLock { supply in
      supply?.isFinal = true
      return supply?.isAtEnd ?? false
    }
    if isDone { reader?.finish(nil) }
  }
}

/// Samples that come one after the other.
protocol SampleSupply: Sendable {
  func next() throws(AVError) -> CMSampleBuffer?
  func cancel()
}

/// The samples of several supplies, one after the other.
private final class SupplyChain: SampleSupply {
  private let sources: [any SampleSupply]
  private let place = Mutex(0)

  init(_ sources: [any SampleSupply]) { self.sources = sources }

  func next() throws(AVError) -> CMSampleBuffer? {
    while case let index = place.withLock(\.self), index < sources.count {
      if let next = try sources[index].next() { return next }
      place.withLock { $0 += 1 }
    }
    return nil
  }

  func cancel() { for source in sources { source.cancel() } }
}
