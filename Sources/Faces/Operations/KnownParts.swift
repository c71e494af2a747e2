internal import Formats
internal import Ledger
internal import LocalFarm
internal import Messages
internal import Rendering
internal import Scenes
internal import Timeline

/// The parts of a movie of which this machine's farm has probably rendered the same before. It decides their order alone.
struct KnownParts {
  private let sketches: PartSketches
  private var book: SketchBook

  /// - Parameter edit: the job's edit.
  /// - Returns: nil for an edit of which no part is kept by itself.
  /// - Throws: an error that would keep a part from being rendered, too.
  init?(of submission: JobSubmission, _ edit: ResolvedTimeline, in directory: DataDirectory) throws {
    // What a chunk of such a movie has depends on all others.
    guard edit.timeline.export.video.coding.coder.rateTarget == nil else { return nil }
    book = SketchBook(in: directory)
    sketches = try PartSketches(
      of: submission.tasks.compactMap(\.frames), sounds: submission.tasks.filter { $0.kind == .sound }.map(\.samples), in: edit,
      submission.spec, threads: coreCount)
  }

  /// Has the parts given out first that are new.
  func order(_ submission: inout JobSubmission) {
    submission.giveOutNewFirst(pictures: sketches.pictures.map(book.knows), sounds: sketches.sounds.map(book.knows))
  }

  /// Writes down that the parts were rendered.
  mutating func note() { book.note(sketches.sounds + sketches.pictures) }
}
