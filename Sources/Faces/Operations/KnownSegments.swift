internal import EditFiles
internal import Examination
internal import Formats
internal import Ledger
internal import LocalFarm
internal import Media
internal import Messages
internal import Rendering
internal import Scenes
internal import Timeline

/// The segments of a render that this machine's farm will find, as they are known before its job is submitted.
struct KnownSegments {
  private let cache: SegmentCache
  /// The edit, as a worker reads it.
  private let edit: ResolvedTimeline
  private let found: FoundSegments
  /// Whether each chunk will be found; nil where that is not known before.
  let pictures: [Bool]?

  /// - Parameter data: the path of the farm's data directory.
  /// - Throws: an error that would keep a segment from being rendered, too.
  init(of submission: JobSubmission, _ setting: ExaminationSetting, in data: String) throws {
    let spec = submission.spec
    cache = Self.cache(in: data)
    edit = try spec.edit
    // The key of a chunk with a share of a target is of all frames. To make it for each chunk would take minutes.
    let isShared = edit.timeline.export.video.coding.coder.rateTarget != nil
    let found = try cache.found(
      isShared ? [] : submission.tasks.compactMap(\.frames), sounds: submission.tasks.filter { $0.kind == .sound }.map(\.samples),
      of: edit, spec, SourcePolicy(roots: setting.roots), threads: coreCount)
    (self.found, pictures) = (found, isShared ? nil : found.pictures)
  }

  /// Whether the sound or its parts will be found.
  var sounds: [Bool] { found.sounds }
}

extension KnownSegments {
  /// The movie that lies at its place, if it is the one that a job would make. Then there is nothing to render, to join or to write.
  ///
  /// - Parameter goesOn: asked now and then whether anybody still wants to know.
  /// - Throws: an error that would keep a segment from being rendered, too.
  static func movie(
    of submission: JobSubmission, _ request: RenderRequest, at destination: Destination, _ setting: ExaminationSetting,
    in data: String,
    goesOn: () -> Bool
  ) throws -> StandingMovie? {
    guard destination.object == nil, destination.files == nil, request.copies.isEmpty, !request.keepsSegments,
      Self.cache(in: data).remembersMovie(of: submission.spec)
    else { return nil }
    let known = try KnownSegments(of: submission, setting, in: data)
    guard known.pictures != nil else { return nil }
    return try known.cache.movie(of: known.found, known.edit, submission.spec, at: destination.path, goesOn: goesOn)
  }

  private static func cache(in data: String) -> SegmentCache {
    SegmentCache(of: SegmentStore(root: DataDirectory.segments(in: data)), .all)
  }
}

extension RenderedMovie {
  /// Makes what is told of a movie that lay at its place.
  static func standing(
    _ movie: StandingMovie, at path: String, _ setting: ExaminationSetting, since began: ContinuousClock.Instant
  ) throws -> (movie: RenderedMovie, facts: AssetFacts) {
    // The movie may lie outside the media roots.
    var setting = setting
    setting.roots = ["/"]
    let facts = try AssetExamination(path, setting).facts()
    return (RenderedMovie(movie, at: path, facts: facts, elapsedSeconds: began.duration(to: .now) / .seconds(1)), facts)
  }
}
