internal import Formats
internal import Glibc
internal import Linux
internal import Media
package import Messages
internal import Rendering
internal import Scenes
package import Subprocess
internal import Timeline
internal import Transfer

/// Runs an attempt that needs the network, since the attempt's own process has none. The courier fetches the segments that the
/// attempt muxes, and gives the process a local folder in place of the store. It stores the finished segment in S3, and it serves
/// the process blocks of media behind URLs. It publishes a movie in S3 by itself, since nothing is decoded for that.
///
/// The attempt's process never has credentials, because it decodes strangers' bytes. See
/// `docs/decisions/0068-a-courier-for-s3.md`.
package struct Courier {
  /// The place where the segments are stored.
  package enum Store {
    case directory(String)
    /// - scratch: a folder of this machine with room for all segments of the longest movie.
    case s3(S3SegmentStore, scratch: String)
  }

  private let order: AttemptOrder
  private let leash: Descriptor?
  private let store: Store
  private let media: MediaLibrary?
  private let outputs: S3Outputs
  /// The folders below which movies may be written; everywhere where there is none.
  private let outputRoots: [String]
  private let attempt: (_ store: String, _ suppliesMedia: Bool) -> Command
  private let report: (AttemptReport) -> Void

  /// - Parameters:
  ///   - leash: the leash from the worker. The attempt gets it as its last descriptor.
  ///   - media: the library of media behind URLs; nil where none are fetched.
  ///   - outputs: the places in S3 where movies may be written.
  ///   - outputRoots: the folders below which further places of movies may lie; everywhere where there is none.
  ///   - attempt: makes the command that performs the attempt with a folder as its store. When it is supplied with media, it gets
  ///     the
  ///     line to them as its descriptor 3. The courier sets the command's input and output.
  ///   - report: called with each report for the worker.
  package init(
    order: AttemptOrder, leash: Descriptor? = nil, store: Store, media: MediaLibrary?,
    outputs: S3Outputs = S3Outputs([], environment: [:]), outputRoots: [String] = [],
    attempt: @escaping (_ store: String, _ suppliesMedia: Bool) -> Command,
    report: @escaping (AttemptReport) -> Void
  ) {
    (self.order, self.leash, self.store, self.media) = (order, leash, store, media)
    (self.outputs, self.outputRoots, self.attempt, self.report) = (outputs, outputRoots, attempt, report)
  }

  /// Runs the attempt to its end.
  ///
  /// - Returns: how the attempt's process ended; nil when the courier itself failed, which was reported.
  package func run() -> ExitStatus? {
    do {
      guard SegmentStore.isJobName(order.job) else { throw Failure(.bug, at: "order", "'\(order.job)' is not a job's name") }
      switch store {
      case .directory(let folder):
        guard try publishes(from: folder, after: 0) else {
          return try perform(in: folder, after: 0) { try copied($0, after: $1) }
        }
        if !order.spec.keepsSegments { SegmentStore(root: folder).remove(job: order.job) }
        return .exited(0)
      case .s3(let store, let folder):
        try order.requireLoneWork()
        let scratch = try Scratch(in: folder)
        let fetched = try fetch(from: store, into: scratch)
        if try publishes(from: scratch.path, after: fetched) {
          // A later sweep removes the segments that are left.
          if !order.spec.keepsSegments { try? store.remove(job: order.job) }
          return .exited(0)
        }
        _ = try scratch.path(makingFoldersFor: name(order.key))
        return try perform(in: scratch.path, after: fetched) {
          try delivered(try copied($0, after: $1), from: scratch, to: store, after: $1)
        }
      }
    } catch {
      report(.failed(Failure(classifying: error, at: "courier")))
      return nil
    }
  }

  /// Publishes a movie in S3, if that is the attempt's work.
  ///
  /// - Parameters:
  ///   - folder: the folder in which the muxed movie lies under its name in the store.
  ///   - fetched: the units of progress so far.
  private func publishes(from folder: String, after fetched: Int64) throws -> Bool {
    guard case .publish(let muxed) = order.work, let url = order.spec.object else { return false }
    let edit = try order.spec.edit
    let movie = try outputs.movie(at: url)
    let haul = Haul(after: fetched, mebibytes: muxed.proof.byteCount >> 20, report)
    movie.watch(haul.wait)
    let file = "\(folder)/\(movieName(muxed.key))"
    let stills = try stills(of: muxed, edit, in: folder, from: movie)
    let companions = try edit.sidecars(beside: url.path) + edit.stillFiles(stills, beside: url.path)
    let export = edit.timeline.export
    let beside = S3Movie.Companions(companions, checksum: export.checksum)
    if let files = export.folderFiles {
      try movie.publish(
        file, as: files, last: edit.lastName(of: files), of: muxed, job: order.job, overwrites: order.spec.overwrites, beside
      ) { haul.advance(to: $0) }
    } else {
      try movie.publish(file, of: muxed, as: export.fileType, overwrites: order.spec.overwrites, beside) { haul.advance(to: $0) }
    }
    var proof = muxed.proof
    proof.path = url.text
    if order.spec.copies != nil, unsafe access(file, F_OK) != 0 {
      // The job was done before, and its files are gone: the movie comes from its first place.
      if let (folder, code) = FilePath.makeFolder(FilePath.folder(of: file), mode: 0o700) {
        throw TransferError(.local, at: folder, SystemWords.of(code))
      }
      try movie.fetch(to: file)
    }
    try copy(file, of: muxed, &proof, stills: stills, after: haul.done)
    report(.finished(.publish(proof)))
    return true
  }

  /// The still pictures of a movie in S3, as its mux has left them among the segments. Those of a job that was done before come from beside the
  /// movie.
  private func stills(
    of muxed: Winner<FileProof>, _ edit: ResolvedTimeline, in folder: String, from movie: S3Movie
  ) throws -> [[UInt8]] {
    guard let url = order.spec.object, let stills = try MovieStills(edit, beside: url.path, muxed.proof) else { return [] }
    let path = "\(folder)/\(stillsName(muxed.key))"
    if let (folder, code) = FilePath.makeFolder(FilePath.folder(of: path), mode: 0o700) {
      throw TransferError(.local, at: folder, SystemWords.of(code))
    }
    let place = try OutputFolder(FilePath.folder(of: path), for: path)
    if unsafe access(path, F_OK) == 0 {
      let files = try StillRoll.files(FilePath.name(of: path), in: place)
      guard try stills.checked(files) != nil else {
        throw Failure(.worker, at: path, "the still pictures are others than were made", damaged: [muxed.key])
      }
      return files
    }
    guard try movie.has(muxed) else {
      throw Failure(.worker, at: path, "the still pictures are gone: the movie is muxed again", damaged: [muxed.key])
    }
    var files: [[UInt8]] = []
    for (number, name) in try edit.stillFileNames(beside: url.path).enumerated() {
      let file = "\(FilePath.name(of: path)).\(number)"
      try movie.fetch(name, to: "\(place.path)/\(file)")
      files.append(try place.contents(of: file))
      place.remove(file)
    }
    guard try stills.checked(files) != nil else {
      throw Failure(.content, at: url.text, "the still pictures beside it are not those that were made")
    }
    return files
  }

  /// The end of an attempt that has published a movie, once the movie is in its further places.
  private func copied(_ end: AttemptReport, after done: Int64) throws -> AttemptReport {
    guard case .finished(.publish(var proof)) = end, case .publish(let muxed) = order.work else { return end }
    try copy(order.spec.output, of: muxed, &proof, after: done)
    return .finished(.publish(proof))
  }

  /// Copies a movie to its further places. A place that fails takes nothing from the others, and is told in the proof.
  ///
  /// - Parameter stills: the still pictures; nil reads them from beside the movie.
  private func copy(
    _ movie: String, of muxed: Winner<FileProof>, _ proof: inout FileProof, stills: [[UInt8]]? = nil, after done: Int64
  ) throws {
    guard let places = order.spec.copies else { return }
    let edit = try order.spec.edit
    let haul = Haul(after: done, mebibytes: 0, report)
    proof.copies = places.map { place in
      let copy = MovieCopy(to: place, overwrites: order.spec.overwrites, job: order.job) { url in
        let object = try outputs.movie(at: url)
        object.watch(haul.wait)
        return object
      }
      do {
        try requireRoot(of: place)
        try copy.make(of: movie, muxed, owner: nil, edit, stills: stills, goesOn: haul.wait)
        return CopiedMovie(output: place)
      } catch {
        let failure = Failure(classifying: error)
        let reason = failure.place == place ? failure.reason : "\(failure)"
        return CopiedMovie(output: place, error: String(reason.prefix(CopiedMovie.longestError)))
      }
    }
  }

  /// Refuses a path below which no movies are written. Paths from the wire are not trusted.
  private func requireRoot(of place: String) throws {
    guard MediaURL(objectAt: place) == nil, !outputRoots.isEmpty else { return }
    guard SegmentStore.isOutput(place),
      try WorkerHello.mayWrite(place, below: outputRoots)
        || SourcePolicy(roots: outputRoots).encloses(FilePath.folder(of: place))
    else { throw Failure(.content, at: place, "lies outside the output roots \(outputRoots.joined(separator: ", "))") }
  }

  /// Fetches the segments that the attempt muxes, or the muxed movie that is published in S3.
  ///
  /// - Returns: the units of progress that this took.
  private func fetch(from store: S3SegmentStore, into scratch: Scratch) throws -> Int64 {
    let segments: [(key: AttemptKey, name: String, byteCount: Int64)]
    switch order.work {
    case .mux(let pictures, let sound):
      segments =
        pictures.map { ($0.key, name($0.key), $0.proof.segment.file.byteCount) }
        + sound.map { ($0.key, name($0.key), $0.proof.segment.file.byteCount) }
    case .publish(let muxed) where order.spec.object != nil:
      segments =
        [(muxed.key, movieName(muxed.key), muxed.proof.byteCount)]
        + (muxed.proof.stills.map { [(muxed.key, stillsName(muxed.key), $0.byteCount)] } ?? [])
    case .picture, .sound, .soundPart, .publish: return 0
    }
    let byteCount = segments.reduce(0) { $0 + $1.byteCount }
    try scratch.requireRoom(for: byteCount)
    let haul = Haul(mebibytes: byteCount >> 20, report)
    store.watch(haul.wait)
    var before: Int64 = 0
    for segment in segments {
      do throws(TransferError) {
        try store.get(
          segment.name, to: scratch.path(makingFoldersFor: segment.name), byteCount: segment.byteCount,
          progress: { haul.advance(to: before + $0) })
      } catch {
        // The movie of a job that was done before is in its first place.
        if error.kind == .missing, case .publish(let muxed) = order.work, try isPublished(muxed) { return 0 }
        throw Failure(reading: segment.key, error)
      }
      before += segment.byteCount
    }
    return haul.done
  }

  /// Whether the movie is in its first place, which is in S3.
  private func isPublished(_ muxed: Winner<FileProof>) throws -> Bool {
    guard let url = order.spec.object else { return false }
    let movie = try outputs.movie(at: url)
    let edit = try order.spec.edit
    guard let files = edit.timeline.export.folderFiles else { return try movie.has(muxed) }
    return try movie.hasFolder(muxed, last: edit.lastName(of: files))
  }

  /// - Parameter deliver: turns the attempt's last report and the units done before it into the report that is sent. It stores
  ///   the segment where that is needed.
  private func perform(
    in folder: String, after fetched: Int64, deliver: (AttemptReport, Int64) throws -> AttemptReport
  ) throws -> ExitStatus {
    let supply = order.readsRemoteMedia ? media.map { _ in MediaSupply() } : nil
    var command = attempt(folder, supply != nil)
    command.input = .bytes(try order.line())
    (command.output, command.leadsProcessGroup) = (.pipe, false)
    let child = try start(command, supply)
    guard let output = child.output else { preconditionFailure("its output is a pipe") }
    var lines = LineReader(output, limit: Wire.longestReport)
    var (last, units, total, freight): (AttemptReport?, Int64, Int64, Int64) = (nil, 0, 1, 0)
    while true {
      // The end is looked for first: what is read after it is all that the process wrote.
      let status = try child.poll()
      var isNews = false
      for case .text(let line) in try lines.read() {
        switch try AttemptReport(line: line) {
        case .progress(let done, let all): (units, total, isNews) = (done, all, true)
        case .keyed(let key): report(.keyed(key))
        case .composing(let compositor): report(.composing(compositor))
        case .shortened(let frame): report(.shortened(before: frame))
        case let end: last = end
        }
      }
      if let moved = supply?.freight, moved != freight { (freight, isNews) = (moved, true) }
      let before = fetched + freight
      if isNews { report(.progress(done: before + units, total: before + total)) }
      guard let status else {
        // A wait that fails needs no handling, because both are looked at again.
        let watched = [child.exitDescriptor] + (lines.isAtEnd ? [] : [output.number])
        Readiness.waitToRead(watched, within: supply == nil ? nil : .seconds(1))
        continue
      }
      if status.isSuccess, let last { report(try deliver(last, before + units)) }
      return status
    }
  }

  private func start(_ command: Command, _ supply: MediaSupply?) throws -> ChildProcess {
    let last = [leash].compactMap(\.self)
    guard let supply, let media else { return try ChildProcess(command, passing: last) }
    return try ChildProcess(command, passing: [supply.start(RemoteSource.all(of: order.spec), from: media)] + last)
  }

  /// Stores the segment that the attempt made, or removes a published job's segments.
  private func delivered(
    _ end: AttemptReport, from scratch: Scratch, to store: S3SegmentStore, after done: Int64
  ) throws -> AttemptReport {
    guard case .finished(let proof) = end else { return ofThisMachine(end) }
    let haul = Haul(after: done, mebibytes: writesBesideMovie ? 0 : proof.file.byteCount >> 20, report)
    store.watch(haul.wait)
    switch order.work {
    case .picture, .sound, .soundPart:
      try store.put("\(scratch.path)/\(name(order.key))", as: name(order.key)) { haul.advance(to: $0) }
    case .publish where !order.spec.keepsSegments:
      // The movie is published already. A later sweep removes the segments that are left.
      try? store.remove(job: order.job)
    case .mux where !writesBesideMovie:
      guard proof.file.byteCount <= S3Bucket.largestObject else {
        throw Failure(
          .content, at: order.spec.output,
          "the movie has \(proof.file.byteCount) bytes: more than 5 GiB go to S3 only from a segment store in a directory")
      }
      if proof.file.stills != nil {
        try store.put("\(scratch.path)/\(stillsName(order.key))", as: stillsName(order.key)) { _ in haul.wait() }
      }
      try store.put("\(scratch.path)/\(movieName(order.key))", as: movieName(order.key)) { haul.advance(to: $0) }
    case .mux, .publish: break
    }
    return end
  }

  /// Whether the attempt writes in the movie's folder, and not to the store.
  private var writesBesideMovie: Bool { order.work.kind.writesOutput && order.spec.object == nil }

  /// The end as it is to be told. The folder that was the attempt's store is this machine's, but the movie's folder is not.
  private func ofThisMachine(_ end: AttemptReport) -> AttemptReport {
    guard case .failed(let failure) = end, !writesBesideMovie else { return end }
    return .failed(failure.onThisMachine)
  }

  private func name(_ key: AttemptKey) -> String {
    SegmentStore(root: "").name(job: order.job, key: key, extension: SegmentStore.segmentExtension)
  }

  private func stillsName(_ key: AttemptKey) -> String {
    SegmentStore(root: "").name(job: order.job, key: key, extension: SegmentStore.stillsExtension)
  }

  private func movieName(_ key: AttemptKey) -> String {
    SegmentStore(root: "").name(job: order.job, key: key, extension: SegmentStore.movieExtension)
  }
}

/// Reports bytes in transfer as progress of the attempt.
private final class Haul {
  private let before: Int64
  private let mebibytes: Int64
  private let report: (AttemptReport) -> Void
  private var freight = Freight(now: .now)
  private var byteCount: Int64 = 0

  init(after before: Int64 = 0, mebibytes: Int64, _ report: @escaping (AttemptReport) -> Void) {
    (self.before, self.mebibytes, self.report) = (before, mebibytes, report)
  }

  /// The units of progress once all bytes have been moved.
  var done: Int64 { before + mebibytes + freight.signs }

  func advance(to byteCount: Int64) {
    self.byteCount = byteCount
    wait()
  }

  func wait() {
    guard freight.move(to: min(byteCount, mebibytes << 20), now: .now) else { return }
    report(.progress(done: before + freight.units, total: done + 1))
  }
}

extension ResolvedTimeline {
  /// The file that tells that a movie is there which is a folder: the last one that is put.
  fileprivate func lastName(of files: FolderFiles) throws -> String {
    if case .pictures(let names) = files { names.name(try frameCount - 1) } else { PieceNames.master }
  }
}
