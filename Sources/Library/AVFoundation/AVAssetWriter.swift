internal import Formats
internal import MediaTime
internal import SampleStream
internal import SpoolCalls
internal import Synchronization

/// The writing of a movie, sample by sample. The program `spool write` encodes it.
// The settings are the owner's until writing begins. The lock guards what changes then.
/// - Partly: one track of pictures, uncompressed samples, groups of sounds and of texts, one pass:
///   docs/avfoundation.md#reading-and-writing
open class AVAssetWriter: NSObject, AVKeyValueObservable, @unchecked Sendable {
  public enum Status: Int, Sendable { case unknown = 0, writing, completed, failed, cancelled }

  /// The calls so far, which decide what may happen next.
  private struct Course {
    var status = Status.unknown
    var error: AVError?
    /// The time of the source that is the movie's zero; nil before the session.
    var start: CMTime?
    var end: CMTime?
    var call: SampleCall?
    /// The pieces that come for the delegate; nil where a movie is written.
    var pieces: PieceReceiver?
    var isFinishing = false
    /// Whether somebody has read the error, or it was told.
    var isErrorKnown = false
  }

  /// The movie's file. A writer of pieces has none, and names a place where nothing is.
  public let outputURL: URL
  public let outputFileType: AVFileType
  open private(set) var inputs: [AVAssetWriterInput] = []
  open private(set) var inputGroups: [AVAssetWriterInputGroup] = []
  open var metadata: [AVMetadataItem] = []
  open var shouldOptimizeForNetworkUse = false
  /// The time between fragments of mp4, mov and m4a; what is no positive time writes the movie in one piece. The file appears when it is whole, so what a
  /// crash leaves is nothing in either case.
  open var movieFragmentInterval = CMTime.invalid
  open var initialMovieFragmentInterval = CMTime.invalid
  open var overallDurationHint = CMTime.invalid
  /// The ticks of a second of the movie. They are chosen so that all times are exact.
  open var movieTimeScale: CMTimeScale = 0
  /// The folder of parts that are not whole yet. They always lie beside the movie.
  open var directoryForTemporaryFiles: URL?
  open var producesCombinableFragments = false
  /// The form of the pieces that the delegate is given; nil for a writer of a file.
  open var outputFileTypeProfile: AVFileTypeProfile?
  /// The length of the pieces; the invalid time for 6 s, and the indefinite one for pieces that end where `flushSegment()` is called.
  open var preferredOutputSegmentInterval = CMTime.invalid
  /// The time of the source from which the borders between pieces count. It must be a number where the interval is one.
  open var initialSegmentStartTime = CMTime.invalid
  /// The number of the first piece, or of the first fragment, which counts on from those of another writer.
  open var initialMovieFragmentSequenceNumber = 1
  open weak var delegate: (any AVAssetWriterDelegate)?
  /// Whether there are pieces for the delegate, and no file.
  let givesPieces: Bool
  public let observationAnchor = AVObservationAnchor()
  private let course = Mutex(Course())

  /// - Throws: an `AVError` for a URL that is no file's, and a file type that is not written.
  public init(outputURL: URL, fileType outputFileType: AVFileType) throws {
    (self.outputURL, self.outputFileType, givesPieces) = (outputURL, outputFileType, false)
    super.init()
    guard outputURL.isFileURL else {
      throw AVError(
        .invalidOutputURLPathExtension, "outputURL: \(outputURL) is not a file", property: "outputURL", url: outputURL)
    }
    _ = try outputFileType.written()
  }

  public convenience init(url outputURL: URL, fileType outputFileType: AVFileType) throws {
    try self.init(outputURL: outputURL, fileType: outputFileType)
  }

  /// Makes a writer whose delegate is given the movie in pieces, each as soon as it is whole. A kind of file that is not written fails it when it
  /// begins.
  public init(contentType outputContentType: UTType) {
    (outputURL, outputFileType) = (URL(fileURLWithPath: "/dev/null"), AVFileType(rawValue: outputContentType.identifier))
    givesPieces = true
    super.init()
  }

  deinit {
    // A movie that nobody finished is given up. The program takes its parts away.
    let call = course.withLock(\.call)
    call?.cancel()
    _ = try? call?.end()  // It says that its stream was broken off.
  }

  open var status: Status { course.withLock(\.status) }
  open var error: (any Error)? {
    course.withLock { course in
      course.isErrorKnown = course.error != nil
      return course.error
    }
  }
  open var availableMediaTypes: [AVMediaType] {
    if outputFileType.isOfSound { return [.audio] }
    return [.video, .audio, .text, .subtitle] + (outputFileType == .mov ? [.metadata] : [])
  }

  /// Whether a movie of this file type can have a track with these settings.
  open func canApply(outputSettings: [String: Any]?, forMediaType mediaType: AVMediaType) -> Bool {
    guard availableMediaTypes.contains(mediaType) else { return false }
    do {
      _ = try WritingSettings.coding(outputSettings, mediaType, try outputFileType.written())
      return true
    } catch { return false }
  }

  /// Whether the input can be added: writing has not begun, and the file holds another one of its kind.
  open func canAdd(_ input: AVAssetWriterInput) -> Bool {
    status == .unknown && input.writer == nil && holdsAnother(input.mediaType)
      && canApply(outputSettings: input.outputSettings, forMediaType: input.mediaType)
  }

  /// Adds an input. One that cannot be added fails the writing when it begins.
  open func add(_ input: AVAssetWriterInput) {
    if status == .unknown, input.writer == nil {
      input.writer = self
      inputs.append(input)
    } else {
      fail(
        AVError(.operationNotAllowed, "add(_:): the input belongs to a writer already, or writing has begun", property: "inputs"))
    }
  }

  /// Whether a group of inputs can be added: all are of sound, or all are of texts, were added before, and there is no other such group.
  open func canAdd(_ inputGroup: AVAssetWriterInputGroup) -> Bool {
    status == .unknown && !inputGroups.contains { $0.isOfSound == inputGroup.isOfSound } && refusal(of: inputGroup) == nil
  }

  /// Adds a group of inputs, of which one is played at a time. One that cannot be added fails the writing when it begins.
  open func add(_ inputGroup: AVAssetWriterInputGroup) {
    if status == .unknown {
      inputGroups.append(inputGroup)
    } else {
      fail(AVError(.operationNotAllowed, "add(_:): writing has begun", property: "inputGroups"))
    }
  }

  /// Begins to write.
  ///
  /// - Returns: false where that is not possible; `error` says why.
  @discardableResult
  open func startWriting() -> Bool {
    do {
      let isFirst = course.withLock { $0.status == .unknown && $0.call == nil }
      guard isFirst else {
        if let error = course.withLock(\.error) { throw error }
        throw AVError(.operationNotAllowed, "startWriting(): writing has begun already")
      }
      let pieces = givesPieces ? try pieceFile() : nil
      let order = try order(writing: pieces ?? outputURL)
      let call: SampleCall
      do { call = try SampleCall(["write"]) } catch { throw AVError(.unknown, error.description) }
      guard let beginning = try? SampleInput.beginning(order), call.send(beginning) else {  // Its failure is told by `end`.
        throw failure(of: call)
      }
      let receiver = givesPieces ? PieceReceiver(self, call) : nil
      course.withLock { course in (course.status, course.call, course.pieces) = (.writing, call, receiver) }
      receiver?.begin()
      tellChange()
      for input in inputs { input.beginPass() }
      return true
    } catch {
      fail(error as? AVError ?? AVError(.unknown, "\(error)"))
      return false
    }
  }

  /// Begins the session: this time of the source is the movie's zero. The same time again changes nothing: public code that appends pictures and then
  /// sound begins it twice.
  open func startSession(atSourceTime startTime: CMTime) {
    var isAgain = false
    let isAllowed = course.withLock { course in
      guard course.status == .writing, startTime.isNumeric else { return false }
      isAgain = course.start == startTime && course.end == nil
      guard course.start == nil else { return isAgain }
      course.start = startTime
      return true
    }
    if isAllowed {
      if !isAgain { tellOrigin() }
    } else {
      fail(
        AVError(
          .operationNotAllowed, "startSession(atSourceTime:): writing has not begun, or there is a session", time: startTime))
    }
  }

  /// Tells the program from where the borders between pieces count.
  private func tellOrigin() {
    guard givesPieces, initialSegmentStartTime.isNumeric, preferredOutputSegmentInterval.isNumeric else { return }
    do throws(AVError) {
      _ = try send(at: initialSegmentStartTime) { place in [(SampleRecord(.border, time: place), [])] }
    } catch { fail(error) }
  }

  /// Ends a piece: the next one begins with the picture that is appended next, or where there are no pictures, with the sound. The delegate is given
  /// the piece when the picture after that one, and the sounds up to there, have come. It is for writers whose `preferredOutputSegmentInterval` is
  /// indefinite.
  open func flushSegment() {
    let start = course.withLock { $0.status == .writing ? $0.start : nil }
    do throws(AVError) {
      guard givesPieces, preferredOutputSegmentInterval == .indefinite, let start else {
        throw AVError(
          .operationNotAllowed, "flushSegment(): there is no session, or preferredOutputSegmentInterval is not indefinite",
          property: "preferredOutputSegmentInterval")
      }
      _ = try send(at: start) { _ in [(SampleRecord(.border), [])] }
    } catch { fail(error) }
  }

  /// Ends the session: what is later than this time of the source is not seen and heard.
  open func endSession(atSourceTime endTime: CMTime) {
    let isAllowed = course.withLock { course in
      guard course.status == .writing, let start = course.start, course.end == nil, endTime.isNumeric, endTime >= start else {
        return false
      }
      course.end = endTime
      return true
    }
    if !isAllowed {
      fail(AVError(.operationNotAllowed, "endSession(atSourceTime:): there is no session, or it begins later", time: endTime))
    }
  }

  /// Ends the writing. Nothing of the movie is left.
  open func cancelWriting() {
    let call = course.withLock { course -> SampleCall? in
      guard course.status == .writing || course.status == .unknown else { return nil }
      course.status = .cancelled
      return course.call
    }
    call?.cancel()
    // The program says that its stream was broken off, as it was.
    _ = try? call?.end()
    tellAll()
  }

  /// Finishes the movie, and waits for it.
  ///
  /// - Returns: false where it failed; `error` says why.
  @available(*, deprecated, message: "Use finishWriting(completionHandler:)")
  @discardableResult
  open func finishWriting() -> Bool {
    finish()
    return status == .completed
  }

  /// Finishes the movie, and then calls the handler on another thread.
  open func finishWriting(completionHandler handler: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async {
      self.finish()
      handler()
    }
  }

  /// Finishes the movie.
  open func finishWriting() async { await withCheckedContinuation { done in finishWriting { done.resume() } } }

  private func finish() {
    for input in inputs { input.markAsFinished() }
    let (call, record) = course.withLock { course -> (SampleCall?, SampleRecord?) in
      guard course.status == .writing, !course.isFinishing else { return (nil, nil) }
      course.isFinishing = true
      guard let start = course.start else { return (course.call, nil) }
      let end = course.end.map { $0 - start } ?? .zero
      // A session of no length has no end here: its movie would have no frames.
      return (course.call, (try? MediaTime(end, "endTime")).map { SampleRecord(.end, time: $0) })
    }
    guard let call else { return }
    guard let record else {
      call.cancel()
      _ = try? call.end()  // The failure is that there was no session.
      return fail(AVError(.operationNotAllowed, "finishWriting(): startSession(atSourceTime:) was not called"))
    }
    _ = call.send(record.head)  // That the program ended before is told by `end`.
    course.withLock(\.pieces)?.wait()
    do throws(CallFailure) {
      _ = try call.end()
      course.withLock { course in if course.status == .writing { course.status = .completed } }
      tellChange()
    } catch { fail(writingError(error)) }
  }

  /// The time of the source that is the movie's zero; nil before the session.
  var sessionStart: CMTime? { course.withLock(\.start) }

  /// Sends samples to the program.
  ///
  /// - Parameter make: the records with the samples of a time that counts from the session's start.
  /// - Returns: false where nothing is written any more.
  func send(
    at time: CMTime, _ make: (MediaTime) throws(AVError) -> [(SampleRecord, [UInt8])]
  ) throws(AVError) -> Bool {
    let (call, start) = course.withLock { ($0.status == .writing && !$0.isFinishing ? $0.call : nil, $0.start) }
    guard let call else { return false }
    guard let start else {
      throw AVError(.operationNotAllowed, "append(_:): startSession(atSourceTime:) was not called", time: time)
    }
    let place = try MediaTime(time - start, "presentationTime")
    // The inputs send at the same time. A record and its samples stay together.
    for (record, samples) in try make(place) where !call.send(record.head, samples) { throw failure(of: call) }
    return true
  }

  /// Tells the program that an input's samples have ended, so that no piece waits for more.
  func tellEnd(of input: AVAssetWriterInput) {
    guard givesPieces, let start = sessionStart, let index = inputs.firstIndex(where: { $0 === input }) else { return }
    // A program that has ended says why when the writing is finished.
    _ = try? send(at: start) { _ in [(SampleRecord(.trackEnd, track: index), [])] }
  }

  /// The reason why the program ended.
  private func failure(of call: SampleCall) -> AVError {
    do throws(CallFailure) {
      _ = try call.end()
      return AVError(.unknown, "'spool write' of another version answered")
    } catch { return writingError(error) }
  }

  private func writingError(_ failure: CallFailure) -> AVError {
    let code: AVError.Code = failure.exitCode == 73 ? .diskFull : .unknown
    return AVError(code, givesPieces ? "the pieces: \(failure)" : "\(outputURL.path): \(failure)", url: outputURL)
  }

  /// Says that something of the writer changed, and that its inputs may not take samples any more.
  private func tellAll() {
    tellChange()
    for input in inputs { input.tellChange() }
  }

  /// Tells on the standard error why nothing is written, once, unless somebody has read `error`: code that waits for an input of a writer
  /// that failed waits for ever, and would not say why.
  func tellFailure() {
    let error = course.withLock { course -> AVError? in
      defer { course.isErrorKnown = course.isErrorKnown || course.error != nil }
      return course.isErrorKnown ? nil : course.error
    }
    guard let error else { return }
    FileHandle.standardError.write(Data("AVAssetWriter: \(outputURL.path) is not written: \(error.reason)\n".utf8))
  }

  func fail(_ error: AVError) {
    let call = course.withLock { course -> SampleCall? in
      guard course.status == .unknown || course.status == .writing else { return nil }
      let isWriting = course.status == .writing
      (course.status, course.error) = (.failed, course.error ?? error)
      return isWriting ? course.call : nil
    }
    call?.cancel()
    tellAll()
  }
}
