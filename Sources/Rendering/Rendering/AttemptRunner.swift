internal import Drawing
internal import Formats
internal import Glibc
internal import Linux
package import Media
internal import MediaTime
package import Messages
package import Scenes
package import SpoolCompositing
internal import Timeline

/// The files and folders that an attempt's process may read and write. Paths that do not exist cannot be read.
package struct AttemptReach: Hashable, Sendable {
  /// The task for which the files are used.
  package enum Role: Hashable, Sendable {
    /// Media are read. Nothing is written.
    case examines
    /// A segment is written.
    case renders
    /// Segments are muxed, or a movie gets its name.
    case muxes
  }

  package var role: Role
  /// The files and folders that may be read.
  package var readable: [String]
  /// The folders that may be written to.
  package var writable: [String]

  package init(_ role: Role, readable: [String], writable: [String] = []) {
    (self.role, self.readable, self.writable) = (role, readable, writable)
  }

  /// Makes the reach of an attempt that reads the edit's media, as far as the policy allows them. It also covers the files that
  /// drawing needs.
  package init(
    readingFor edit: ResolvedTimeline, _ policy: SourcePolicy, _ compositors: CompositorRegistry, showingPictures: Bool,
    writing folders: [String] = []
  ) {
    // A program's own compositor may use files beside the media, such as tables and pictures.
    let roots = compositors.names.isEmpty ? [] : policy.roots
    self.init(
      folders.isEmpty ? .examines : .renders,
      readable: policy.files(of: edit) + roots + (showingPictures ? StillPictures.fontPlaces : []), writable: folders)
  }
}

/// Does the work of one attempt, in the process that was started for it.
package struct AttemptRunner {
  /// The time at which the attempt began, on the monotonic clock.
  private let began = MonotonicClock.nanoseconds
  private var order: AttemptOrder
  private let store: SegmentStore
  private let policy: SourcePolicy
  private let compositors: CompositorRegistry
  private let cancellation: Cancellation
  private let outputRoots: [String]
  private let cache: SegmentCache?
  private let surveyPatience: Duration
  private let amendments: () -> [OrderAmendment]
  private let confine: (AttemptReach) throws -> Void
  private let report: (AttemptReport) -> Void

  /// - Parameters:
  ///   - compositors: the compositors that this program has.
  ///   - cancellation: ends the rendering of pictures.
  ///   - outputRoots: the folders that movies must lie below, after links are resolved; where there is none, movies may lie
  ///     anywhere.
  ///   - cache: the place where segments of earlier jobs are found; nil where none is looked for and none is kept.
  ///   - surveyPatience: the time for which it waits for what other attempts survey.
  ///   - amendments: gives the changes to the order since the last call. It is called before each frame of a chunk, on the
  ///     calling thread.
  ///   - confine: called once, before the first byte of a source or a segment is read, with all that is needed from then on.
  ///   - report: takes every report. Progress comes at most ten times a second, from the calling thread.
  package init(
    order: AttemptOrder, store: SegmentStore, policy: SourcePolicy, compositors: CompositorRegistry = .init(),
    cancellation: Cancellation = .init(), outputRoots: [String] = [], cache: SegmentCache? = nil,
    surveyPatience: Duration = .seconds(30), amendments: @escaping () -> [OrderAmendment] = { [] },
    confine: @escaping (AttemptReach) throws -> Void = { _ in }, report: @escaping (AttemptReport) -> Void
  ) {
    (self.order, self.store, self.policy, self.report) = (order, store, policy, report)
    (self.compositors, self.cancellation) = (compositors, cancellation)
    (self.outputRoots, self.cache, self.surveyPatience) = (outputRoots, cache, surveyPatience)
    (self.amendments, self.confine) = (amendments, confine)
  }

  /// Runs the attempt to its end. The last report is `finished` or `failed`.
  package consuming func run() {
    var runner = self
    let report = runner.report
    do {
      report(.finished(try runner.perform()))
    } catch {
      report(.failed(Failure(classifying: error)))
    }
  }

  private mutating func perform() throws -> Proof {
    try checkPaths()
    return switch order.work {
    case .picture(let frames): .picture(try renderPicture(frames))
    case .sound: .sound(try renderSound(nil))
    case .soundPart(let samples): .sound(try renderSound(samples.indices))
    case .mux(let pictures, let sound): .mux(try mux(pictures, sound))
    case .publish(let muxed): .publish(try publish(muxed))
    }
  }

  /// Checks the paths in the order. Paths from the wire are not trusted: the job's folder must lie in the store, and the movie
  /// below an output root.
  private func checkPaths() throws {
    guard SegmentStore.isJobName(order.job) else { throw Failure(.bug, at: "order", "'\(order.job)' is not a job's name") }
    let output = order.spec.output
    guard order.spec.object == nil else {
      // The courier, which has the network, publishes such movies, and checks whether it may.
      guard order.work.kind != .publish else { throw Failure(.bug, at: output, "an attempt has no network to publish it by") }
      return
    }
    guard SegmentStore.isOutput(output) else { throw Failure(.bug, at: "order", "'\(output)' is not a movie's path") }
    guard !outputRoots.isEmpty, order.work.kind.writesOutput else { return }
    // The coordinator gives this work to a worker with a root that contains the path by its name (decision 0098). So a path
    // outside the roots is a fault of the job, which no other worker would accept. Whether links lead elsewhere is checked when
    // the folder is opened.
    guard
      try WorkerHello.mayWrite(output, below: outputRoots)
        || SourcePolicy(roots: outputRoots).encloses(FilePath.folder(of: output))
    else {
      throw Failure(.content, at: output, "lies outside the output roots \(outputRoots.joined(separator: ", "))")
    }
  }

  /// The movie's folder, below a root. It is opened once, and stays the same folder from then on.
  private func outputFolder() throws(MediaError) -> OutputFolder {
    let output = order.spec.output
    return try OutputFolder(FilePath.folder(of: output), below: outputRoots, for: output)
  }

  /// The niceness of an attempt that leaves the processor to another one. Its threads have a third of that one's weight each.
  private static let yieldingNiceness: Int32 = 5

  private mutating func renderPicture(_ frames: FrameRange) throws -> PictureProof {
    let table = keyTable
    var edit = try order.spec.takeEdit()
    let name = segmentName
    try store.makeFolder(of: store.path(name))
    // All threads that are made from here on have the same.
    if order.yields == true { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.yieldingNiceness) }
    if edit.timeline.export.copies?.holds(frames.indices) == true { return try copyPicture(frames, of: edit, to: name) }
    // The key is made, and a segment looked for, before this process reads the media's content and could be made to say anything.
    let pinned = policy.pinned(to: edit)
    let key = try key(in: edit, pinned, table)
    report(.keyed(key?.text))
    if let key, let found = cache?.picture(key.text, frames, as: name, since: began) { return found }
    // Only a chunk whose bits depend on all frames needs what the others show.
    if edit.timeline.export.video.coding.coder.rateTarget == nil { edit = try edit.keepingCues(of: frames.indices) }
    try FontMemory.reserve(for: edit)
    let folder = SurveyFolder(in: store, job: order.job, order.key)
    let surveys = edit.timeline.export.video.coding.coder.rateTarget == nil ? [] : [folder.path]
    for path in surveys { try store.makeFolder(of: "\(path)/survey") }
    try confine(reach(readingFor: edit, showingPictures: true, writing: name, surveys))
    var progress = ProgressReports(total: Int64(frames.count), report)
    let (budget, surveyed) = try budget(of: frames, edit, folder, &progress)
    var end = frames.indices.upperBound
    let (facts, content, renditions, rendered, concealed, times, quality) = try ChunkRenderer(
      edit: edit, frames: frames, policy: policy, fonts: order.spec.fonts, compositing: compositing, budget: budget, began: began
    )
    .render(to: store.path(name), end: { next in shorten(&end, after: next) }) {
      progress.advance(to: surveyed + Int64($0), of: surveyed + Int64(end - frames.first + $1))
    }
    let isAsKeyed = rendered == frames && key?.holds(for: edit, pinned) == true
    var proof = PictureProof(
      frames: rendered, segment: SegmentProof(file: name, facts: facts, content: content, concealed: concealed, times: times),
      renditions: renditions,
      key: isAsKeyed ? key?.text : nil)
    proof.quality = quality
    return proof
  }

  /// The table in which the content of the segment is noted. Its name is a digest of the edit's text, so it is asked for before `takeEdit`.
  private var keyTable: KeyTable? {
    cache.flatMap { KeyTable(of: order.spec, within: $0.scope, in: $0.root) }
  }

  /// The key of the segment. Its content is taken from the table, or made and noted there for whoever looks for it again.
  private func key(in edit: ResolvedTimeline, _ policy: SourcePolicy, _ table: KeyTable?) throws -> SegmentKey? {
    guard let cache else { return nil }
    let known = KeyTable.name(of: order.work).flatMap { table?.contents()[$0] }
    guard let content = try known ?? SegmentContent(of: order.work, in: SceneReel(edit), order.spec, within: cache.scope) else {
      return nil
    }
    if known == nil { table?.add([(work: order.work, content: content)]) }
    return try SegmentKey(of: content, edit, policy)
  }

  /// The bits that a chunk is given, after the first pass over the movie, in which this attempt takes its part.
  ///
  /// - Returns: nil without a target; also the units of progress that this took.
  private func budget(
    of frames: FrameRange, _ edit: ResolvedTimeline, _ folder: SurveyFolder, _ progress: inout ProgressReports
  ) throws -> (RateBudget?, Int64) {
    let surveyor = try Surveyor(
      edit, policy: policy, fonts: order.spec.fonts, compositing: compositing, folder: folder, patience: surveyPatience)
    guard let surveyor else { return (nil, 0) }
    var (reports, surveyed) = (progress, 0)
    let survey = try surveyor.survey(for: frames) { done, left in
      surveyed = done
      reports.advance(to: Int64(done), of: Int64(done + left + frames.count))
    }
    progress = reports
    return (try RateBudget(frames, of: edit, survey), Int64(surveyed))
  }

  /// Copies the packets of frames that show a source's pictures. They are not found again: that would take as long.
  private func copyPicture(_ frames: FrameRange, of edit: ResolvedTimeline, to name: String) throws -> PictureProof {
    report(.keyed(nil))
    // Stills are made of decoded frames.
    let hasStills = try edit.stills != nil
    if hasStills { try FontMemory.reserve(for: edit) }
    try confine(reach(readingFor: edit, showingPictures: hasStills, writing: name))
    var progress = ProgressReports(total: Int64(frames.count), report)
    let (facts, content, stills, times) = try ChunkCopier(edit: edit, frames: frames, policy: policy, began: began)
      .copy(to: store.path(name)) { progress.advance(to: Int64($0)) }
    return PictureProof(
      frames: frames, segment: SegmentProof(file: name, facts: facts, content: content, concealed: [], times: times),
      renditions: stills)
  }

  /// Moves the end nearer where an amendment asks for it, and reports that as a promise: frame `next` will be rendered, and no
  /// frame from the end on.
  private func shorten(_ end: inout Int, after next: Int) -> Int {
    for case .shorten(let frame) in amendments() where next < frame && frame < end {
      end = frame
      report(.shortened(before: frame))
    }
    return end
  }

  /// The compositors for this attempt. A change of the compositor that is called is reported.
  private var compositing: CustomCompositing {
    var told: String?
    return CustomCompositing(registry: compositors, cancellation: cancellation) { [report] name in
      if name != told { report(.composing(name)) }
      told = name
    }
  }

  /// - Parameter part: the samples of a part; nil for the whole sound.
  private mutating func renderSound(_ part: Range<Int64>?) throws -> SoundProof {
    let table = keyTable
    let edit = try order.spec.takeEdit()
    guard try part.map({ $0.upperBound <= (try edit.sampleCount) }) ?? true else {
      throw Failure(.bug, at: "order", "the sound ends before the samples that it asks for")
    }
    let name = segmentName
    try store.makeFolder(of: store.path(name))
    let pinned = policy.pinned(to: edit)
    if let count = edit.timeline.export.copies?.soundSampleCount { return try copySound(count, of: edit, pinned, to: name) }
    let key = try key(in: edit, pinned, table)
    report(.keyed(key?.text))
    if let key, let found = cache?.sound(key.text, as: name) { return found }
    try confine(reach(readingFor: edit, showingPictures: false, writing: name))
    var progress = ProgressReports(total: try part.map { Int64($0.count) } ?? edit.sampleCount, report)
    let sounds = try SoundRenderer(edit: edit, policy: policy, part: part)
      .render(to: store.path(name)) { progress.advance(to: $0, of: $1) }
    return SoundProof(sounds, of: part, in: name, key: key?.holds(for: edit, pinned) == true ? key?.text : nil)
  }

  /// Copies the packets of the track that is heard. They are not found again: that would take as long.
  private func copySound(_ count: Int64, of edit: ResolvedTimeline, _ policy: SourcePolicy, to name: String) throws -> SoundProof
  {
    report(.keyed(nil))
    try confine(reach(readingFor: edit, showingPictures: false, writing: name))
    var progress = ProgressReports(total: count, report)
    return try SoundCopy(edit: edit, policy: policy).proof(writing: store.path(name), as: name) { progress.advance(to: $0) }
  }

  private func mux(_ pictures: [Winner<PictureProof>], _ sound: [Winner<SoundProof>]) throws -> FileProof {
    let edit = try order.spec.edit
    try pictures.requireWhole(edit)
    try sound.requireWhole(edit)
    // Segments are made by other processes, so they are not trusted either.
    let (folder, part) = try muxPlace()
    let early = AwaitedJoin(of: order, pictures, sound, in: store)
    cache?.keep(pictures, sound, of: order.job)
    let kept = try cache.flatMap { try KeptMovie(of: order, edit, pictures, sound, in: $0, store: store) }
    try confine(AttemptReach(.muxes, readable: [store.path(order.job)], writable: [folder.openPath]))
    var progress = ProgressReports(total: 1, report)
    let images = pictures.map { picture in
      (picture.key, picture.input(picture.proof.segment, length: Int64(picture.proof.frames.count), in: store, job: order.job))
    }
    let renditions = try pictures.renditions(images.map(\.1), edit)
    let audio = sound.map { sound in
      (sound.key, sound.input(sound.proof.segment, length: sound.proof.sampleCount, in: store, job: order.job))
    }
    let sounds = sound.map(\.proof).inputs(audio.map(\.1), edit)
    let concealed = [Concealment].sum((pictures.map(\.proof.segment) + sound.map(\.proof.segment)).flatMap(\.concealed))
    var proof: FileProof
    do {
      let stills = try StillJoin(edit: edit, chunks: pictures, inputs: images.map(\.1)).files { progress.advance(to: Int64($0)) }
      let stored = try edit.hasStillsBeside && !stills.isEmpty ? write(stills, beside: part, in: folder) : nil
      if let found = kept?.take(as: part, in: folder, progress: { progress.advance(to: $0, of: $1) }) {
        proof = found
      } else if let joined = early?.take(as: part, in: folder, progress: { progress.advance(to: $0, of: $0 + 1) }) {
        proof = joined
      } else {
        let movie = try MovieJoin(edit: edit, folder: folder)
          .write(images.map(\.1), renditions, sounds, stills: stills, comment: concealed.sentence, to: part) { done, total in
            progress.advance(to: done, of: total)
          }
        try edit.requireTarget(movie.digest.byteCount)
        proof = try self.proof(of: movie, part, in: folder, edit)
      }
      proof.stills = stored
      if let quality = TargetMeasure(pictures.compactMap(\.proof.quality)) { proof.target = quality }
    } catch let error as MediaError {
      guard let damaged = (images + audio).first(where: { $0.1.path == error.place }) else { throw error }
      throw Failure(reading: damaged.0, error)
    }
    return proof
  }

  private func proof(of movie: MuxedMovie, _ part: String, in folder: OutputFolder, _ edit: ResolvedTimeline) throws -> FileProof
  {
    // A store may be a courier's folder of this machine, so a path in it is told without that, and another file is published.
    let isFile = order.spec.object == nil
    let name = store.name(job: order.job, key: order.key, extension: SegmentStore.movieExtension)
    return FileProof(
      path: isFile ? part : name, byteCount: movie.digest.byteCount, byteDigest: movie.digest.hash,
      stamp: isFile ? folder.lastingStamp(of: FilePath.name(of: part)) : nil,
      target: try edit.targetMeasure(pictureBytes: movie.pictureByteCount, fileBytes: movie.digest.byteCount))
  }

  /// Writes the files of the still pictures into one, hidden beside the movie, or among the segments where the movie goes to S3.
  private func write(_ stills: [[UInt8]], beside part: String, in folder: OutputFolder) throws -> StillsProof {
    let path =
      order.spec.object == nil
      ? SegmentStore.partPath(output: order.spec.output, job: order.job, key: order.key, of: .stills)
      : store.path(store.name(job: order.job, key: order.key, extension: SegmentStore.stillsExtension))
    folder.remove(FilePath.name(of: path))
    try StillRoll.write(stills, to: path, in: folder)
    let digest = try StillRoll.digest(of: stills)
    return StillsProof(byteCount: digest.byteCount, byteDigest: digest.hash)
  }

  /// The folder and the path of the file that a mux writes: hidden beside the movie, or among the segments where the movie goes to S3.
  private func muxPlace() throws -> (OutputFolder, part: String) {
    guard order.spec.object != nil else {
      return (try outputFolder(), SegmentStore.partPath(output: order.spec.output, job: order.job, key: order.key))
    }
    let part = store.path(store.name(job: order.job, key: order.key, extension: SegmentStore.movieExtension))
    try store.makeFolder(of: part)
    return (try OutputFolder(FilePath.folder(of: part), for: part), part)
  }

  private func publish(_ muxed: Winner<FileProof>) throws -> FileProof {
    let folder = try outputFolder()
    try confine(AttemptReach(.muxes, readable: [], writable: [folder.openPath, store.root]))
    let part = SegmentStore.partPath(output: order.spec.output, job: order.job, key: muxed.key)
    var progress = ProgressReports(total: muxed.proof.byteCount, report)
    let edit = try order.spec.edit
    let contents = edit.timeline.export.folderFiles.map { files in
      (SegmentStore.partPath(output: order.spec.output, job: order.job, key: muxed.key, of: .folder), files)
    }
    let companions = Publication.Companions(
      try edit.sidecars(beside: order.spec.output), stills: try MovieStills(edit, beside: order.spec.output, muxed.proof),
      checksum: edit.timeline.export.checksum, job: order.job, key: muxed.key)
    try Publication(
      folder: folder, part: part, muxed: muxed, output: order.spec.output, overwrites: order.spec.overwrites, contents: contents,
      companions: companions
    ).publish { progress.advance(to: $0) }
    if let cache, let source = JoinFolder(in: store, job: order.job).source(of: muxed.key) {
      KeptMovie.note(muxed.proof, source: source, of: order.spec, in: cache)
    }
    // Lost attempts to mux the movie left hidden files.
    SegmentStore.removeParts(of: order.job, output: order.spec.output, in: folder)
    if !order.spec.keepsSegments { store.remove(job: order.job) }
    var proof = FileProof(path: order.spec.output, byteCount: muxed.proof.byteCount, byteDigest: muxed.proof.byteDigest)
    proof.stills = muxed.proof.stills
    return proof
  }

  private func reach(
    readingFor edit: ResolvedTimeline, showingPictures: Bool, writing segment: String, _ others: [String] = []
  ) -> AttemptReach {
    AttemptReach(
      readingFor: edit, policy, compositors, showingPictures: showingPictures,
      writing: [FilePath.folder(of: store.path(segment))] + others)
  }

  /// The name of this attempt's segment, relative to the store's root.
  private var segmentName: String { store.name(job: order.job, key: order.key, extension: SegmentWriter.fileExtension) }
}
