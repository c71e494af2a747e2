internal import Formats
internal import Synchronization
internal import Timeline

/// The making of a movie of an asset, by a farm.
// The settings are the owner's until the export begins. What changes then is guarded by a lock.
/// - Partly: mp4, m4v, mov and m4a. A movie of H.264 or HEVC that is longer than `fileLengthLimit` is made a second time, with
///   fewer bits; another one fails (−11811). `chapters` is this library's own (docs/avfoundation.md#chapters).
///   `metadata` is refused by name (docs/avfoundation.md#metadata) where a file has no place for it
open class AVAssetExportSession: NSObject, AVKeyValueObservable, @unchecked Sendable {
  public enum Status: Int, Sendable { case unknown, waiting, exporting, completed, failed, cancelled }

  /// The state of an export that is followed.
  public enum State: Sendable {
    case pending
    case waiting
    case exporting(progress: Progress)
  }

  fileprivate struct Course {
    var status = Status.unknown
    var progress: Float = 0
    var error: AVError?
  }

  public let presetName: String
  public let asset: AVAsset
  open var outputFileType: AVFileType?
  open var outputURL: URL?
  open var shouldOptimizeForNetworkUse = false
  open var timeRange = CMTimeRange(start: .zero, duration: .positiveInfinity)
  /// The composition, copied when it is set, as on Apple's systems: it stays as it is then when a mutable one is changed.
  open var videoComposition: AVVideoComposition? { didSet { videoComposition = videoComposition?.unchanging } }
  /// The mix, copied when it is set, as on Apple's systems: it stays as it is then when a mutable one is changed.
  open var audioMix: AVAudioMix? { didSet { audioMix = audioMix?.unchanging } }
  /// The method for tracks whose audio mix names none.
  open var audioTimePitchAlgorithm = AVAudioTimePitchAlgorithm.spectral
  /// The words that describe the movie. Nothing is taken from the asset.
  open var metadata: [AVMetadataItem]?
  open var metadataItemFilter: AVMetadataItemFilter?
  /// The movie's chapters: their titles and ranges of the asset's time, from zero on, each up to the next. Nothing is taken from the asset.
  /// AVFoundation has no such property.
  open var chapters: [AVTimedMetadataGroup] = []
  open var directoryForTemporaryFiles: URL?
  open var canPerformMultiplePassesOverSourceMediaData = false
  /// The duration that the movie will have.
  open var maxDuration: CMTime { asset.duration }
  /// The most bytes that the movie may have; 0 for no limit. A movie of H.264 or HEVC that would have more is made again with fewer bits;
  /// one of another kind fails with the code `maximumFileSizeReached`.
  open var fileLengthLimit: Int64 = 0
  /// The database of the farm that makes the movie, as a PostgreSQL URL. Nil, as it is at first, stands for the farm that SPOOL_DATABASE names,
  /// and where that names none, for this machine's own. AVFoundation has no such property.
  open var farm: String?
  public let observationAnchor = AVObservationAnchor()
  private let course = Mutex(Course())
  private let compositors = CompositorKeeper()

  /// - Returns: nil for a preset that AVFoundation does not have.
  public init?(asset: AVAsset, presetName: String) {
    guard PresetSettings.names.contains(presetName) else { return nil }
    (self.asset, self.presetName) = (asset, presetName)
    super.init()
  }

  /// The compositor that the export uses, of the class that the video composition names.
  open var customVideoCompositor: (any AVVideoCompositing)? { compositors.compositor(of: videoComposition) }

  open var status: Status { course.withLock(\.status) }
  open var error: (any Error)? { course.withLock(\.error) }
  /// The share of the frames that are done, 0...1.
  open var progress: Float { course.withLock(\.progress) }

  open var supportedFileTypes: [AVFileType] { PresetSettings.fileTypes(presetName) }
  open func determineCompatibleFileTypes(completionHandler handler: @escaping @Sendable ([AVFileType]) -> Void) {
    handler(supportedFileTypes)
  }
  /// The file types to which the asset can be exported with the preset.
  open var compatibleFileTypes: [AVFileType] { get async { supportedFileTypes } }
  /// The bytes that the movie will have; 0, as where AVFoundation cannot know: quality is held here, and not the rate.
  open var estimatedOutputFileLength: Int64 { 0 }
  /// Throws: the bytes of a movie are not known before it is made.
  open var estimatedOutputFileLengthInBytes: Int64 { get async throws { throw Self.unknownLength } }

  /// Calls the handler with the reason for which the bytes of the movie are not known.
  open func estimateOutputFileLength(completionHandler handler: @escaping @Sendable (Int64, (any Error)?) -> Void) {
    handler(0, Self.unknownLength)
  }

  private static let unknownLength = AVError(
    .operationNotAllowed, "estimatedOutputFileLength: the bytes of a movie are not known before it is made",
    property: "estimatedOutputFileLength")

  /// Calls the handler with the duration that the movie will have.
  open func estimateMaximumDuration(completionHandler handler: @escaping @Sendable (CMTime, (any Error)?) -> Void) {
    do { handler(try asset.loadedDuration(), nil) } catch { handler(.invalid, error) }
  }

  open class func allExportPresets() -> [String] { PresetSettings.names }
  open class func exportPresets(compatibleWith asset: AVAsset) -> [String] { asset.isExportable ? PresetSettings.names : [] }

  /// Whether an asset can be exported with a preset to a file of a type; nil stands for any type.
  open class func compatibility(
    ofExportPreset presetName: String, with asset: AVAsset, outputFileType: AVFileType?
  ) async -> Bool { isCompatible(presetName, asset, outputFileType) }

  /// Finds whether an asset can be exported, and then calls the handler on another thread.
  open class func determineCompatibility(
    ofExportPreset presetName: String, with asset: AVAsset, outputFileType: AVFileType?,
    completionHandler handler: @escaping @Sendable (Bool) -> Void
  ) {
    DispatchQueue.global().async { handler(isCompatible(presetName, asset, outputFileType)) }
  }

  private static func isCompatible(_ presetName: String, _ asset: AVAsset, _ fileType: AVFileType?) -> Bool {
    exportPresets(compatibleWith: asset).contains(presetName)
      && (fileType.map(PresetSettings.fileTypes(presetName).contains) ?? true)
  }

  /// Exports on another thread, and then calls the handler. A session exports once.
  open func exportAsynchronously(completionHandler handler: @escaping @Sendable () -> Void) {
    let begun = begin()
    DispatchQueue.global().async {
      if let begun { self.finish(begun) }
      handler()
    }
  }

  /// Exports, and leaves what became of it in `status` and `error`.
  open func export() async { await withCheckedContinuation { done in exportAsynchronously { done.resume() } } }

  /// Exports to a file.
  ///
  /// - Throws: an `AVError`; a `CancellationError` where the task was cancelled.
  open func export(
    to url: URL, as fileType: AVFileType, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    guard status == .unknown else { throw error ?? Self.exportedAlready }
    (outputURL, outputFileType) = (url, fileType)
    await withTaskCancellationHandler {
      await export()
    } onCancel: {
      self.cancelExport()
    }
    if Task.isCancelled, status == .cancelled { throw CancellationError() }
    if let error { throw error }
  }

  /// The states of the export, at most one in each interval of seconds, until it ends.
  open func states(updateInterval: TimeInterval = .infinity) -> AsyncStream<State> {
    let session = self
    return AsyncStream { states in
      let watch = Task {
        var last: Status?
        while !Task.isCancelled {
          let (status, share) = session.course.withLock { ($0.status, $0.progress) }
          switch status {
          case .unknown: if last != status { states.yield(.pending) }
          case .waiting: if last != status { states.yield(.waiting) }
          case .exporting:
            let progress = Progress(totalUnitCount: 1000)
            progress.completedUnitCount = Int64(share * 1000)
            if last != status || updateInterval.isFinite { states.yield(.exporting(progress: progress)) }
          case .completed, .failed, .cancelled:
            states.finish()
            return
          }
          last = status
          // An hour is as good as never; a hundredth of a second is as often as progress can be seen.
          let pause = updateInterval.isFinite ? min(max(updateInterval, 0.01), 3600) : 0.1
          // A cancelled wait ends the loop.
          try? await Task.sleep(for: .seconds(pause))
        }
        states.finish()
      }
      states.onTermination = { _ in watch.cancel() }
    }
  }

  /// Ends the export in good order. Nothing of the movie is left.
  open func cancelExport() {
    course.withLock { course in
      switch course.status {
      case .unknown, .waiting, .exporting:
        course.status = .cancelled
        course.error = AVError(.operationCancelled, "the export was cancelled")
      case .completed, .failed, .cancelled: break
      }
    }
    tellChange()
  }

  /// Writes the document, on the caller's thread, so that later changes of the edit change nothing.
  ///
  /// - Returns: nil where the export failed already.
  private func begin() -> Begun? {
    let isFirst = course.withLock { course in
      guard course.status == .unknown else { return false }
      course.status = .waiting
      return true
    }
    guard isFirst else {
      fail(Self.exportedAlready)
      return nil
    }
    tellChange()
    do {
      let url = try destination()
      return Begun(work: try work(for: request()), url: url, limit: fileLengthLimit)
    } catch {
      fail(error)
      return nil
    }
  }

  /// The work of an export: with taps, and a compositor that cannot travel to the farm, in this process first.
  private func work(for request: Lowering.Request) throws(AVError) -> Work {
    if TappedSound.isNeeded(request) {
      return .tapped(try TappedSound(request)) { [self] (untapped) throws(AVError) in try work(for: untapped) }
    }
    guard let video = request.videoComposition, let kind = video.customVideoCompositorClass,
      let stay = video.stay(isGiven: compositors.gave(kind))
    else { return .job(try ExportJob(request)) }
    stay.tell(of: kind)
    var request = request
    request.compositor = customVideoCompositor
    return .composed(try ComposedExport(request))
  }

  private static let exportedAlready = AVError(
    .operationNotAllowed, "a session exports once, and this one has begun: make another one")

  /// The work of an export: the farm's alone, or first taps and a compositor in this process.
  private enum Work: Sendable {
    case job(ExportJob)
    case composed(ComposedExport)
    /// Taps, and then the work of the edit without them.
    case tapped(TappedSound, @Sendable (Lowering.Request) throws(AVError) -> Work)

    /// The share of the progress that taps have.
    private static let tapShare: Float = 0.2

    func render(
      to url: URL, on farm: String?, limit: Int64, isWanted: @escaping () -> Bool, progress: (Float) -> Void
    ) throws(AVError) {
      switch self {
      case .job(let job): try job.render(to: url, on: farm, limit: limit, isWanted: isWanted, progress: progress)
      case .composed(let export):
        try export.render(to: url, on: farm, limit: limit, isWanted: isWanted, progress: progress)
      case .tapped(let sound, let next):
        let request = try sound.untapped(isWanted: isWanted) { progress($0 * Self.tapShare) }
        try next(request).render(to: url, on: farm, limit: limit, isWanted: isWanted) {
          progress(Self.tapShare + $0 * (1 - Self.tapShare))
        }
        withExtendedLifetime(sound) {}
      }
    }
  }

  private struct Begun: Sendable {
    var work: Work
    var url: URL
    var limit: Int64
  }

  private func finish(_ begun: Begun) {
    guard course.withLock({ $0.start() }) else { return }
    tellChange()
    do {
      try begun.work.render(to: begun.url, on: farm, limit: begun.limit, isWanted: { self.status != .cancelled }) { share in
        self.course.withLock { $0.progress = share }
        self.tellChange()
      }
      course.withLock {
        // The movie is whole, even where it was cancelled in the last moment.
        ($0.status, $0.error, $0.progress) = (.completed, nil, 1)
      }
      tellChange()
    } catch { fail(error) }
  }

  private func fail(_ error: AVError) {
    course.withLock { course in
      guard course.status != .completed, course.status != .cancelled else { return }
      (course.status, course.error) = (error.code == .operationCancelled ? .cancelled : .failed, error)
    }
    tellChange()
  }

  private func destination() throws(AVError) -> URL {
    guard let url = outputURL else { throw AVError(.incorrectlyConfigured, "outputURL: is not set", property: "outputURL") }
    guard url.isFileURL else {
      throw AVError(.invalidOutputURLPathExtension, "outputURL: \(url) is not a file", property: "outputURL", url: url)
    }
    guard !FileManager.default.fileExists(atPath: url.path) else {
      throw AVError(.fileAlreadyExists, "outputURL: \(url.path) exists already", property: "outputURL", url: url)
    }
    return url
  }

  private func request() throws(AVError) -> Lowering.Request {
    guard fileLengthLimit >= 0 else {
      throw AVError(
        .operationNotAllowed, "fileLengthLimit: \(fileLengthLimit) is no number of bytes", property: "fileLengthLimit")
    }
    var preset = try PresetSettings(presetName)
    try preset.take(outputFileType)
    preset.settings.optimizeForNetworkUse = shouldOptimizeForNetworkUse
    preset.settings.sounds = asset.soundOfOneLanguage(preset.settings)
    let words = (metadata ?? []).filter { item in metadataItemFilter.map { !$0.hides(item) } ?? true }
    preset.settings.tags = try MovieTags(words, in: preset.settings.fileType)
    preset.settings.chapters = try ExportSettings.Chapter.list(chapters)
    return Lowering.Request(
      asset: asset, videoComposition: videoComposition, audioMix: audioMix, timePitch: audioTimePitchAlgorithm,
      settings: preset.settings, bounds: preset.bounds, timeRange: timeRange)
  }
}

extension AVAssetExportSession.Course {
  /// Begins the rendering.
  ///
  /// - Returns: false where the export was cancelled before.
  fileprivate mutating func start() -> Bool {
    guard status == .waiting else { return false }
    status = .exporting
    return true
  }
}
