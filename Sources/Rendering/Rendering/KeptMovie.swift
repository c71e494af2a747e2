internal import Formats
internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Media
internal import Messages
internal import Scenes
internal import Timeline

/// The movie of an edit that was rendered before, where it still lies at its place and nothing of it has changed (decision 0250).
///
/// `_cache/movies/<digest of the document and of the movie's name>.json` says which movie was published last, and of which segments. A mux whose
/// segments are the same takes the file that lies there, once its digest is the one that is written down, and joins nothing. Both are written
/// and read by processes that decode nothing, or before they do.
struct KeptMovie {
  /// The movie that was published last of an edit.
  struct Record: Hashable, Codable {
    /// The digest of all that the bytes of the movie depend on.
    let source: String
    let byteCount: Int64
    let byteDigest: String
  }

  /// The most bytes of a record.
  private static let longestRecord = 1 << 16

  private let order: AttemptOrder
  private let source: String
  private let record: Record?

  /// Looks for a movie, and leaves the source of the one that is muxed to its publication. It reads no segment.
  ///
  /// - Returns: nil for a movie that is always joined: one that is no file, or may not be written over; one with still pictures beside it, or with
  ///   a target, of which its mux tells; and one that nobody may find again.
  init?(
    of order: AttemptOrder, _ edit: ResolvedTimeline, _ pictures: [Winner<PictureProof>], _ sounds: [Winner<SoundProof>],
    in cache: SegmentCache, store: SegmentStore
  ) throws {
    let segments = JoinedSegments(pictures.map(\.proof), sounds.map(\.proof))
    guard let source = try Self.source(of: order.spec, edit, segments, in: cache) else { return nil }
    (self.order, self.source, record) = (order, source, try Self.record(of: order.spec, in: cache.root))
    let notes = JoinFolder(in: store, job: order.job)
    try store.makeFolder(of: "\(notes.path)/note")
    notes.write(source: source, of: order.key)
  }

  /// The digest of all that the bytes of a movie depend on; nil for one that is always joined.
  private static func source(
    of spec: JobSpec, _ edit: ResolvedTimeline, _ segments: JoinedSegments, in cache: SegmentCache
  ) throws -> String? {
    let export = edit.timeline.export
    guard spec.object == nil, spec.overwrites, export.folderFiles == nil, try edit.stills == nil,
      export.video.coding.coder.rateTarget == nil, let table = KeyTable(of: spec, within: cache.scope, in: cache.root)
    else { return nil }
    var digest = try KeyDigest("movie 1")
    // The name of its table stands for document, facts, fonts, submitter and program.
    digest.add(FilePath.name(of: table.path))
    digest.add(segments.source(of: spec))
    return digest.text
  }

  /// Gives the movie that lies at its place, or was lent, the name `part`, if it is the one that these segments make. Its digest is compared. A
  /// movie at its place keeps its other name.
  ///
  /// - Parameter progress: called with the bytes read so far, and their total.
  /// - Returns: its proof; nil where the movie has to be joined.
  func take(as part: String, in folder: OutputFolder, progress: (_ done: Int64, _ total: Int64) -> Void) -> FileProof? {
    let (file, hidden) = (Self.file(of: order.spec, job: order.job, in: folder), FilePath.name(of: part))
    guard let record, record.source == source, folder.identity(of: file.name)?.byteCount == record.byteCount else { return nil }
    folder.remove(hidden)
    guard (file.isLent ? folder.rename(file.name, to: hidden) : folder.link(file.name, as: hidden)) == 0 else { return nil }
    // Whoever writes to the file from here on changes its stamp.
    let stamp = folder.lastingStamp(of: hidden)
    // A movie that cannot be read is joined.
    let found = try? FileDigest(ofMovie: part, in: folder) { progress($0, record.byteCount) }
    guard found?.byteCount == record.byteCount, found?.hash == record.byteDigest, folder.stamp(of: hidden) == stamp else {
      folder.remove(hidden)
      return nil
    }
    return FileProof(path: part, byteCount: record.byteCount, byteDigest: record.byteDigest, stamp: stamp)
  }

  /// Whether the movie that lies at a place is the one that segments make, and is all that a job would write. It is looked for without a job, and
  /// nothing is written.
  ///
  /// - Parameter goesOn: asked now and then whether anybody still wants to know. Where nobody does, the answer is no.
  static func isAt(
    _ path: String, of spec: JobSpec, _ edit: ResolvedTimeline, _ segments: JoinedSegments, in cache: SegmentCache,
    goesOn: () -> Bool
  ) throws -> Bool {
    let isAlone = edit.timeline.export.checksum == nil && edit.sidecarNames(beside: path).isEmpty
    guard isAlone, edit.timeline.export.copies == nil, let record = try record(of: spec, in: cache.root),
      try source(of: spec, edit, segments, in: cache) == record.source
    else { return false }
    let (folder, name) = (try OutputFolder(FilePath.folder(of: path), for: path), FilePath.name(of: path))
    guard folder.identity(of: name)?.byteCount == record.byteCount else { return false }
    // Whoever writes to the file from here on changes its stamp.
    let stamp = folder.lastingStamp(of: name)
    // A movie that cannot be read is made anew.
    let found = try? FileDigest(ofMovie: path, in: folder) { _ throws(MediaError) in
      if !goesOn() { throw MediaError(.unreadable, at: path, "is not asked for any more") }
    }
    return found?.byteCount == record.byteCount && found?.hash == record.byteDigest && folder.stamp(of: name) == stamp
  }

  // MARK: Records

  /// Whether the movie that lies there was made of the same document, so that a job's mux will hardly join another one.
  static func isLikely(for spec: JobSpec, job: String, in store: SegmentStore, _ folder: OutputFolder) -> Bool {
    do {
      guard spec.overwrites, let record = try record(of: spec, in: SegmentCache.root(of: store)) else { return false }
      return folder.identity(of: file(of: spec, job: job, in: folder).name)?.byteCount == record.byteCount
    } catch {
      // Without a record the movie is joined, as without a movie.
      return false
    }
  }

  /// Notes the movie that was published, with the source that its mux left. What fails costs time later, and nothing else.
  static func note(_ movie: FileProof, source: String, of spec: JobSpec, in cache: SegmentCache) {
    do {
      let path = try path(of: spec, in: cache.root)
      let record = Record(source: source, byteCount: movie.byteCount, byteDigest: movie.byteDigest)
      let (words, hidden) = (try JSONEncoder().encode(record), "\(path).\(getpid()).part")
      guard FilePath.makeFolder(FilePath.folder(of: path), mode: 0o777) == nil else { return }
      guard SegmentCache.write(Array(words), to: hidden), unsafe rename(hidden, path) == 0 else {
        unsafe unlink(hidden)
        return
      }
    } catch {
      // The movie is joined again then, as said above.
    }
  }

  /// The name of the file that may be the movie, in its folder, and whether it was lent for this job alone.
  private static func file(of spec: JobSpec, job: String, in folder: OutputFolder) -> (name: String, isLent: Bool) {
    let lent = FilePath.name(of: SegmentStore.lentPart(output: spec.output, job: job))
    return folder.identity(of: lent) == nil ? (FilePath.name(of: spec.output), false) : (lent, true)
  }

  static func record(of spec: JobSpec, in cache: String) throws -> Record? {
    guard let bytes = SegmentCache.read(try path(of: spec, in: cache), most: longestRecord) else { return nil }
    // A record that was damaged is none.
    return try? JSONDecoder().decode(Record.self, from: Data(bytes))
  }

  private static func path(of spec: JobSpec, in cache: String) throws -> String {
    // The folder does not count: root's farm has another one for each job.
    var digest = try KeyDigest("movie 2")
    digest.add(FilePath.name(of: spec.output))
    digest.add(spec.document)
    return "\(cache)/\(SegmentCache.moviesFolder)/\(digest.text).json"
  }
}

extension SegmentStore {
  /// The hidden file beside the output that may be the movie already. Who submits a job to a folder that the farm has for it alone may put one
  /// there, and the job's mux may take it.
  package static func lentPart(output: String, job: String) -> String {
    partPath(output: output, job: job, key: AttemptKey(task: SurveyFolder.task, attempt: 0), of: .lent)
  }
}
