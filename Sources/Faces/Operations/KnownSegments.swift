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
    cache = SegmentCache(of: SegmentStore(root: DataDirectory.segments(in: data)), .all)
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

  /// The movie that lies at its place, if it is the one that a job would make. Then there is nothing to render, to join or to write.
  ///
  /// - Parameter goesOn: asked now and then whether anybody still wants to know.
  func movie(
    _ request: RenderRequest, of submission: JobSubmission, at destination: Destination, goesOn: () -> Bool
  ) throws -> StandingMovie? {
    guard pictures != nil, destination.object == nil, destination.files == nil, request.copies.isEmpty, !request.keepsSegments
    else { return nil }
    return try cache.movie(of: found, edit, submission.spec, at: destination.path, goesOn: goesOn)
  }

  /// Tasks in the order in which they are given out: chunks that have to be rendered come before those that are found.
  func newFirst(_ tasks: [JobSubmission.Task]) -> [JobSubmission.Task] {
    guard let pictures, let place = tasks.firstIndex(where: { $0.kind == .picture }) else { return tasks }
    let (chunks, others) = (tasks[place..<place + pictures.count], tasks[(place + pictures.count)...])
    let known = Array(zip(chunks, pictures))
    return tasks[..<place] + known.filter { !$0.1 }.map(\.0) + known.filter(\.1).map(\.0) + others
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
