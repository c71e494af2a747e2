internal import Formats
internal import MediaTime
internal import SampleStream
internal import Synchronization

/// A track of a movie that is written.
// The settings are the owner's until writing begins. The lock guards what changes then.
/// - Partly: as `AVAssetWriter`
open class AVAssetWriterInput: NSObject, AVKeyValueObservable, @unchecked Sendable {
  private struct Course {
    var isFinished = false
    var appended = 0
    /// The end of the sound that was appended last; nil without any.
    var soundEnd: CMTime?
    var form: SampleTrack?
    var supply: (queue: DispatchQueue, block: Sealed)?
    /// The number of the supply's calls that follow each other. A second request ends those of the first.
    var round = 0
    var refusal: AVError?
    var pass = Pass.none
    var isMultiPassWished = false
    /// The block that is called at the beginning of each pass, and once when there is none any more.
    var respondent: (queue: DispatchQueue, block: @Sendable () -> Void)?
  }

  /// The passes over the samples, of which there is one.
  private enum Pass {
    /// Writing has not begun. `startWriting()` begins the pass.
    case none
    /// Samples are appended. `markCurrentPassAsFinished()` and `markAsFinished()` end it.
    case only
    /// All samples were appended. Nothing follows but `markAsFinished()`.
    case over
  }

  /// The block that gives samples. It is called on one queue alone.
  private struct Sealed: @unchecked Sendable { var call: () -> Void }

  public let mediaType: AVMediaType
  public let outputSettings: [String: Any]?
  public let sourceFormatHint: CMFormatDescription?
  weak var writer: AVAssetWriter?
  /// Whether samples come as they are taken. None is dropped in either case: who appends waits.
  open var expectsMediaDataInRealTime = false
  /// The map that lays the stored picture upright: a quarter turn or a mirroring.
  open var transform = CGAffineTransform.identity
  open var naturalSize = CGSize.zero
  /// The ticks of a second of the track. They are chosen so that all times are exact.
  open var mediaTimeScale: CMTimeScale = 0
  open var metadata: [AVMetadataItem] = []
  /// The track's language, by the three letters of ISO 639-2.
  open var languageCode: String?
  /// The same as a tag of BCP 47, which goes before the code.
  open var extendedLanguageTag: String?
  /// Whether players play the track where nobody chooses. Of a group, its default input is.
  open var marksOutputTrackAsEnabled = true
  open var preferredVolume: Float = 1
  public let observationAnchor = AVObservationAnchor()
  private let course = Mutex(Course())
  private let order = Mutex(())

  /// - Parameters:
  ///   - mediaType: video or audio.
  ///   - outputSettings: how samples are encoded; nil for the highest quality: nothing is copied.
  ///   - sourceFormatHint: the form that samples will have. They say it themselves, too.
  public init(mediaType: AVMediaType, outputSettings: [String: Any]?, sourceFormatHint: CMFormatDescription?) {
    (self.mediaType, self.outputSettings, self.sourceFormatHint) = (mediaType, outputSettings, sourceFormatHint)
    super.init()
  }

  public convenience init(mediaType: AVMediaType, outputSettings: [String: Any]?) {
    self.init(mediaType: mediaType, outputSettings: outputSettings, sourceFormatHint: nil)
  }

  /// Whether samples can be appended: from the beginning of the writing until the input is finished.
  open var isReadyForMoreMediaData: Bool {
    guard let writer else { return false }
    let status = writer.status
    if status == .failed { writer.tellFailure() }
    return status == .writing && course.withLock { !$0.isFinished && $0.pass == .only }
  }

  /// Appends samples. It waits until the program has taken them.
  ///
  /// - Returns: false where they cannot be written; the writer's `error` says why.
  @discardableResult
  open func append(_ sampleBuffer: CMSampleBuffer) -> Bool {
    let time = sampleBuffer.outputPresentationTimeStamp
    if let picture = sampleBuffer.imageBuffer { return append(picture, at: time, lasting: sampleBuffer.duration) }
    if isOfText { return append(text: sampleBuffer) }
    if mediaType == .metadata { return append(metadata: sampleBuffer) }
    // Sound without a time goes on where the sound before it ended, and begins with the session.
    let begin = time.isValid ? time : course.withLock(\.soundEnd) ?? writer?.sessionStart ?? .zero
    let isSent = send(at: begin) { place throws(AVError) in
      let sound = try IncomingSound(sampleBuffer)
      return (
        .sound(sound.form), SampleRecord(.samples, time: place, duration: .zero, byteCount: sound.samples.count), sound.samples
      )
    }
    if isSent, let rate = sampleBuffer.formatDescription?.audioStreamBasicDescription?.mSampleRate {
      let length = CMTime(value: CMTimeValue(sampleBuffer.numSamples), timescale: CMTimeScale(rate))
      course.withLock { $0.soundEnd = begin + length }
    }
    return isSent
  }

  /// Appends a picture, whatever its pixel format is.
  func append(_ picture: CVPixelBuffer, at time: CMTime, lasting duration: CMTime) -> Bool {
    send(at: time) { place throws(AVError) in
      let form = try picture.form()
      let samples = picture.planarSamples()
      // A duration that is no number, or too fine, is the time until the next picture.
      let length = duration.isNumeric && duration.value > 0 ? (try? MediaTime(duration, "duration")) ?? .zero : .zero
      return (.pictures(form), SampleRecord(.samples, time: place, duration: length, byteCount: samples.count), samples)
    }
  }

  func send(
    at time: CMTime, _ make: (MediaTime) throws(AVError) -> (SampleTrack?, SampleRecord, [UInt8])
  ) -> Bool {
    guard let writer, isReadyForMoreMediaData, let index = writer.inputs.firstIndex(where: { $0 === self }) else {
      return false
    }
    do throws(AVError) {
      // Samples of an input go one after the other, whoever appends them.
      let isSent = try order.withLock { _ throws(AVError) in
        try writer.send(at: time) { place throws(AVError) in
          var (form, record, samples) = try make(place)
          record.track = index
          guard let form, form != course.withLock(\.form) else { return [(record, samples)] }
          course.withLock { $0.form = form }
          // Else the next picture ends it.
          guard let json = try? JSONEncoder().encode(form) else { throw AVError(.unknown, "a form cannot be written") }
          return [
            (SampleRecord(.form, track: index, duration: clock(time, writer), byteCount: json.count), Array(json)),
            (record, samples),
          ]
        }
      }
      if isSent { course.withLock { $0.appended += 1 } }
      return isSent
    } catch {
      // Outside of the lock, because observers are told.
      writer.fail(error)
      return false
    }
  }

  /// A tick of the clock in which the track's times are told, where its fragments are made meanwhile: the one that was set, else that of the first
  /// sample and the session.
  private func clock(_ time: CMTime, _ writer: AVAssetWriter) -> MediaTime {
    let place = writer.sessionStart.map { time - $0 } ?? time
    // A number that is no clock's stands for none.
    return (try? MediaTime(1, mediaTimeScale > 0 ? mediaTimeScale : max(1, place.timescale))) ?? .oneSecond
  }

  /// Says that no more samples come.
  open func markAsFinished() {
    let isFirst = course.withLock { course in
      defer { (course.isFinished, course.supply, course.pass) = (true, nil, course.pass == .none ? .none : .over) }
      return !course.isFinished
    }
    if isFirst { writer?.tellEnd(of: self) }
    tellChange()
  }

  /// Calls a block on a queue as long as samples can be appended: until the input is finished.
  open func requestMediaDataWhenReady(on queue: DispatchQueue, using block: @escaping () -> Void) {
    course.withLock { $0.supply = (queue, Sealed(call: block)) }
    switch writer?.status {
    case .writing: beginSupply()
    case .failed: writer?.tellFailure()
    default: break
    }
  }

  /// Begins the pass, when writing begins.
  func beginPass() {
    course.withLock { $0.pass = $0.isFinished ? .over : .only }
    beginSupply()
  }

  private func beginSupply() {
    tellChange()
    let (queue, round) = course.withLock { course in
      course.round += 1
      return (course.supply?.queue, course.round)
    }
    queue?.async { self.supply(round) }
  }

  private func supply(_ round: Int) {
    let (block, before) = course.withLock { ($0.round == round ? $0.supply?.block : nil, $0.appended) }
    guard let block, isReadyForMoreMediaData else { return }
    block.call()
    let (queue, after) = course.withLock { ($0.isFinished ? nil : $0.supply?.queue, $0.appended) }
    // A block that had nothing to give is asked again a little later.
    queue?.asyncAfter(deadline: .now() + .milliseconds(after == before ? 10 : 0)) { self.supply(round) }
  }

  // MARK: Other tracks

  /// Whether a track can be bound to another one. None can.
  open func canAddTrackAssociation(withTrackOf input: AVAssetWriterInput, type trackAssociationType: String) -> Bool { false }

  /// Fails the writing when it begins: tracks are not bound to each other here.
  open func addTrackAssociation(withTrackOf input: AVAssetWriterInput, type trackAssociationType: String) {
    let refusal = AVError(
      .operationNotAllowed,
      "addTrackAssociation(withTrackOf:type:): tracks are not bound to each other by '\(trackAssociationType)'",
      property: "inputs")
    course.withLock { $0.refusal = $0.refusal ?? refusal }
  }

  /// The reason why the input is not written; nil for one that is.
  var refusal: AVError? { course.withLock(\.refusal) }

  // MARK: Passes

  /// Whether the samples may be encoded in several passes. They are encoded in one, whatever is set here.
  open var performsMultiPassEncodingIfSupported: Bool {
    get { course.withLock(\.isMultiPassWished) }
    set {
      course.withLock { $0.isMultiPassWished = newValue }
      if writer?.status == .writing { failPass("performsMultiPassEncodingIfSupported", "writing has begun") }
    }
  }

  /// Whether the encoder wants the samples more than once. It never does.
  open var canPerformMultiplePasses: Bool { false }

  /// The samples that the pass asks for: all. It is nil before writing begins, and once the pass was marked as finished: then `markAsFinished()` is
  /// to be called.
  open var currentPassDescription: AVAssetWriterInputPassDescription? {
    course.withLock { $0.pass == .only } ? AVAssetWriterInputPassDescription() : nil
  }

  /// Calls a block on a queue when a pass begins: at once for the one that there is, and again when it was marked as finished and no other follows.
  ///
  /// - Precondition: writing has begun, and there is no other such block. Else the writing fails.
  open func respondToEachPassDescription(on queue: DispatchQueue, using block: @escaping @Sendable () -> Void) {
    let isFirst = course.withLock { course in
      guard course.pass != .none, course.respondent == nil else { return false }
      course.respondent = (queue, block)
      return true
    }
    guard isFirst else {
      return failPass("respondToEachPassDescription(on:using:)", "writing has not begun, or there is such a block")
    }
    queue.async(execute: block)
  }

  /// Says that all samples of the pass were appended. No other pass follows, so that the input takes no samples any more.
  ///
  /// - Precondition: there is a pass. Else the writing fails.
  open func markCurrentPassAsFinished() {
    let (isAllowed, respondent) = course.withLock { course in
      guard course.pass == .only else { return (false, course.respondent) }
      (course.pass, course.supply) = (.over, nil)
      return (true, course.respondent)
    }
    guard isAllowed else { return failPass("markCurrentPassAsFinished()", "writing has not begun, or there is no pass") }
    tellChange()
    if let respondent { respondent.queue.async(execute: respondent.block) }
  }

  /// Fails the writing, or where the input has no writer, its beginning.
  private func failPass(_ call: String, _ words: String) {
    let refusal = AVError(.operationNotAllowed, "\(call): \(words)", property: "currentPassDescription")
    guard let writer else { return course.withLock { $0.refusal = $0.refusal ?? refusal } }
    writer.fail(refusal)
  }
}

/// The ranges of a pass: there is one pass, over everything.
/// - Partly: as `AVAssetWriter`
open class AVAssetWriterInputPassDescription: NSObject {
  open var sourceTimeRanges: [NSValue] { [NSValue(timeRange: CMTimeRange(start: .zero, duration: .positiveInfinity))] }
}

/// Appends pictures to an input. Their pixel format may be another one than that of the pool.
// The pool is made once, under a lock.
/// - Partly: as `AVAssetWriter`
open class AVAssetWriterInputPixelBufferAdaptor: NSObject, @unchecked Sendable {
  public let assetWriterInput: AVAssetWriterInput
  public let sourcePixelBufferAttributes: [String: Any]?
  private let pool = Mutex<CVPixelBufferPool?>(nil)

  public init(assetWriterInput: AVAssetWriterInput, sourcePixelBufferAttributes: [String: Any]? = nil) {
    (self.assetWriterInput, self.sourcePixelBufferAttributes) = (assetWriterInput, sourcePixelBufferAttributes)
    super.init()
  }

  /// Memory for pictures of the attributes, and of the movie's size where they have none; nil until writing begins.
  open var pixelBufferPool: CVPixelBufferPool? {
    guard assetWriterInput.writer?.status == .writing else { return nil }
    return pool.withLock { pool in
      if let pool { return pool }
      var attributes = sourcePixelBufferAttributes ?? [:]
      let settings = assetWriterInput.outputSettings
      attributes[kCVPixelBufferWidthKey] = attributes[kCVPixelBufferWidthKey] ?? settings?[AVVideoWidthKey]
      attributes[kCVPixelBufferHeightKey] = attributes[kCVPixelBufferHeightKey] ?? settings?[AVVideoHeightKey]
      attributes[kCVPixelBufferPixelFormatTypeKey] =
        attributes[kCVPixelBufferPixelFormatTypeKey] ?? kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
      pool = CVPixelBufferPool(attributes: attributes)
      return pool
    }
  }

  /// Appends a picture. It waits until the program has taken it.
  ///
  /// - Returns: false where it cannot be written; the writer's `error` says why.
  @discardableResult
  open func append(_ pixelBuffer: CVPixelBuffer, withPresentationTime presentationTime: CMTime) -> Bool {
    assetWriterInput.append(pixelBuffer, at: presentationTime, lasting: .invalid)
  }
}
