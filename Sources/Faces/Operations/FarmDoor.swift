internal import Formats
internal import FoundationEssentials
internal import Glibc
internal import Ledger
internal import Linux
internal import LocalFarm
internal import Media
internal import Messages
internal import Remote
internal import Rendering
internal import Scenes
internal import Subprocess

/// The exchange of files, for one job, between root and root's farm, which runs as another user. The farm gets its media as open
/// files. It writes the movie into a folder of its own, and the movie then becomes root's. So that user needs no access to root's
/// files, and there is no folder of root's that it may write to.
///
/// A file beside the job's folder tells for which render the folder is and where the movie goes. It is read when the render was
/// killed.
final class FarmDoor {
  /// The path to which the farm writes the movie.
  let moviePath: String
  private let directory: DataDirectory
  private let account: Account
  private let job: String
  private let destination: Destination
  /// The names of the files of captions beside the movie.
  private let captions: [String]
  /// The movie that lies at the destination, which may be the one that is rendered.
  private let lent: LentMovie?
  /// The open media; nil when no medium is a file.
  private let handout: DescriptorHandout?

  private var folder: String { Self.folder(of: job, in: directory) }

  /// - Parameters:
  ///   - edit: the job's edit.
  ///   - roots: the folders that media must lie below.
  /// - Throws: `MediaError` when a medium cannot be opened; `LedgerError.outputTaken` when another render writes the same movie.
  init(
    _ submission: JobSubmission, of edit: ResolvedTimeline, to destination: Destination, roots: [String],
    in directory: DataDirectory, as account: Account
  ) throws {
    (self.directory, self.account, self.destination, job) = (directory, account, destination, submission.id)
    let folder = Self.folder(of: job, in: directory)
    // A movie in S3 is written there by the farm.
    moviePath = destination.object == nil ? "\(folder)/\(FilePath.name(of: destination.path))" : destination.path
    captions = edit.sidecarNames(beside: moviePath)
    let files = edit.mediaFiles
    try raiseOpenFileLimit(to: 1024 + 2 * files.count)
    let policy = SourcePolicy(roots: roots)
    let media = try files.map { (name: $0, descriptor: Descriptor(owning: try policy.descriptor(of: $0))) }
    for other in Self.records(in: directory) where other.destination == destination.path && !Orphans.isGone(other.render) {
      throw LedgerError.outputTaken(destination.path, job: other.job)
    }
    try Data("\(Orphans.ownName)\n\(destination.path)".utf8).write(to: URL(filePath: folder + Self.recordEnding))
    try DataDirectory.makeOwn(folder, of: account)
    if destination.object == nil, destination.files == nil, submission.spec.overwrites {
      lent = LentMovie(at: destination.path, to: job, in: try OutputFolder(folder, for: destination.path), directory)
    } else {
      lent = nil
    }
    handout = media.isEmpty ? nil : try DescriptorHandout(in: directory.media, as: job, for: account.user, media)
  }

  /// Brings the movie to the place that was asked for, as a file of this user's.
  ///
  /// - Parameter goesOn: called now and then. What it throws ends that, and nothing is left.
  func takeMovie(overwrites: Bool, goesOn: () throws -> Void) throws {
    guard destination.object == nil else { return }
    let source = try OutputFolder(folder, for: destination.path)
    let target = try OutputFolder(FilePath.folder(of: destination.path), for: destination.path)
    let name = FilePath.name(of: destination.path)
    let part = FilePath.name(
      of: SegmentStore.partPath(output: destination.path, job: job, key: AttemptKey(task: 0, attempt: 0)))
    if let files = destination.files {
      try target.takePictures(of: name, from: source, of: account.user, to: part, goesOn: goesOn)
      let code = target.place(part, as: name, replacing: overwrites ? files : nil)
      guard code != 0 else {
        try takeCompanions(of: name, from: source, to: target, overwrites: overwrites, goesOn: goesOn)
        return try syncFolder(target)
      }
      target.remove(part)
      throw Complaint(destination.path, "cannot take this name: \(SystemWords.of(code))", .cannotCreate)
    }
    var code: Int32 = 0
    if let lent, lent.isFile(name, in: source) {
      code = lent.link(as: part, in: target)
    } else {
      try target.take(name, from: source, of: account.user, to: part, goesOn: goesOn)
    }
    // link(2) fails when the name is taken; rename(2) would replace the file.
    if code == 0 { code = overwrites ? target.rename(part, to: name) : target.link(part, as: name) }
    // rename(2) does nothing where both names are the same file already.
    target.remove(part)
    if code == 0 { code = target.sync() }
    guard code == 0 else {
      throw Complaint(destination.path, "cannot take this name: \(SystemWords.of(code))", .cannotCreate)
    }
    // The movie has one name from here on, by which it is known again.
    source.remove(name)
    LentMovie.note(destination.path, in: target, directory)
    try takeCompanions(of: name, from: source, to: target, overwrites: overwrites, goesOn: goesOn)
  }

  /// Brings the files that the farm wrote beside the movie: captions, and checksums last.
  private func takeCompanions(
    of movie: String, from source: OutputFolder, to target: OutputFolder, overwrites: Bool, goesOn: () throws -> Void
  ) throws {
    let checksums = ChecksumMethod.allCases.map { $0.fileName(of: movie) }
    let names = captions + checksums.filter { source.identity(of: $0) != nil && !captions.contains($0) }
    let key = AttemptKey(task: 0, attempt: 0)
    for (number, name) in names.enumerated() {
      let kind = number < captions.count ? SegmentStore.Part.captions(number) : .checksum
      let part = FilePath.name(of: SegmentStore.partPath(output: destination.path, job: job, key: key, of: kind))
      try target.take(name, from: source, of: account.user, to: part, goesOn: goesOn)
      let code = overwrites ? target.rename(part, to: name) : target.link(part, as: name)
      if code != 0 || !overwrites { target.remove(part) }
      guard code == 0 else { throw Complaint("\(target.path)/\(name)", SystemWords.of(code), .cannotCreate) }
    }
    try syncFolder(target)
  }

  private func syncFolder(_ folder: OutputFolder) throws(Complaint) {
    let code = folder.sync()
    guard code == 0 else { throw Complaint(folder.path, SystemWords.of(code), .cannotCreate) }
  }

  /// Removes what the farm wrote for the job. Call it when the farm's processes no longer need it.
  func close() { Self.remove(job, destination.path, in: directory) }

  /// Removes what killed renders have left.
  static func removeLeft(in directory: DataDirectory) {
    for record in records(in: directory) where Orphans.isGone(record.render) {
      remove(record.job, record.destination, in: directory)
    }
  }

  private static let recordEnding = ".for"

  private static func folder(of job: String, in directory: DataDirectory) -> String { "\(directory.movies)/\(job)" }

  private static func remove(_ job: String, _ destination: String, in directory: DataDirectory) {
    SegmentStore.removeParts(of: job, output: destination)
    let folder = folder(of: job, in: directory)
    // The folder's owner may have put anything there, so names are removed and no link is followed. A later farm removes what is
    // left.
    if let open = try? OutputFolder(folder, for: destination) { open.names.forEach(open.remove) }
    DescriptorHandout.removeLeft(in: directory.media, [job])
    if unsafe rmdir(folder) == 0 || errno == ENOENT { unsafe unlink(folder + recordEnding) }
  }

  private static func records(in directory: DataDirectory) -> [(job: String, render: String, destination: String)] {
    // A folder that is missing has no records.
    let names = (try? OutputFolder(directory.movies, for: directory.movies).names) ?? []
    return names.filter { $0.hasSuffix(recordEnding) }.compactMap { name in
      // A record that is just being written is incomplete, and is skipped.
      let text = (try? String(contentsOfFile: "\(directory.movies)/\(name)", encoding: .utf8)) ?? ""
      let parts = text.split(separator: "\n", maxSplits: 1).map(String.init)
      return parts.count == 2 ? (String(name.dropLast(recordEnding.count)), parts[0], parts[1]) : nil
    }
  }
}

/// Clears what jobs left in a farm's store and beside their movies. It runs as the farm's user, who owns these folders.
struct FarmStore {
  let directory: DataDirectory

  private var store: SegmentStore { SegmentStore(root: directory.segments) }

  func jobs() throws(StoreError) -> [String] { try store.jobs() }

  /// Clears as much as possible. The next farm finds what is left.
  func clear(_ over: [OverJob]) {
    guard let account = directory.account else {
      let environment = ProcessInfo.processInfo.environment
      // What cannot be removed now is removed by the next render to the same place.
      store.clear(S3Outputs(["s3://"], environment: environment).clear(over) { _ in })
      return SegmentCache(of: store, .all).sweep(to: SegmentCache.standardBytes)
    }
    for first in stride(from: 0, to: over.count, by: OverJob.mostAtOnce) {
      let order = SweepOrder(over: Array(over[first...].prefix(OverJob.mostAtOnce)))
      guard let line = try? order.line() else { continue }  // Encoding such values does not fail.
      let command = Command(
        "/proc/self/exe",
        [
          "sweep", "--store", directory.segments, "--output-root", directory.movies, "--account", account.numbers, "--parent",
          "\(getpid())", "--reuse-size", "\(SegmentCache.standardBytes >> 20)", "--output-url", "s3://",
        ], environment: Command.harmlessEnvironment(passingOn: S3Account.variables), input: .bytes(line))
      _ = try? command.run(timeoutMilliseconds: 60_000)  // A failure leaves files for the next farm.
    }
  }
}
