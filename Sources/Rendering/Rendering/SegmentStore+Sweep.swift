internal import Glibc
internal import Linux
internal import Media
package import Messages

/// A store as its sweeper sees it: the files that jobs left behind. Only files that are named as attempts name them are removed,
/// so other things in the same folder are safe.
package protocol SweptStore {
  /// The jobs that have files here. Names that could be a job's are among them.
  func jobs() throws -> [String]
  /// Removes the files that jobs left here and beside their movies.
  ///
  /// - Parameter outputRoots: the folders that hold movies; nothing is removed elsewhere. Where there is none, movies may lie
  ///   anywhere.
  func clear(_ jobs: [OverJob], outputRoots: [String]) throws
}

extension SegmentStore: SweptStore {
  /// The number of seconds without a change after which the files of a job that the farm does not know count as left behind. It
  /// is more than the clocks of a farm differ by, and leaves time to notice that the store belongs to another farm.
  package static let strangerAge = 86_400

  /// The jobs that have a folder here. Names that could be a job's are among them.
  package func jobs() throws(StoreError) -> [String] { try Self.names(in: root).filter(Self.isJobName) }

  /// Removes the files that jobs left here and beside their movies.
  package func clear(_ jobs: [OverJob], outputRoots: [String] = []) {
    for job in jobs where Self.isJobName(job.id) {
      if job.output != nil {
        // What was left of a movie in S3 is removed by others, which have the network (`S3Outputs`).
        for place in job.places where Self.isOutput(place) {
          Self.removeParts(of: job.id, output: place, below: outputRoots, dead: job.dead)
        }
        remove(job: job.id, dead: job.dead)
      } else if let changed = lastChange(of: job.id), time(nil) - changed > Self.strangerAge {
        remove(job: job.id)
      }
    }
  }

  /// Removes a job's segment files, as far as possible. A file that cannot be removed does no harm, since nothing refers to it
  /// any more.
  ///
  /// - Parameter dead: the attempts whose files are removed; nil means all attempts.
  package func remove(job: String, dead: DeadAttempts? = nil) {
    for task in tasks(of: job) {
      for file in segments(in: task) where Self.isDead("\(task)/\(file)", dead) { unsafe unlink("\(task)/\(file)") }
      unsafe rmdir(task)
    }
    unsafe rmdir(path(job))
  }

  /// Removes the hidden files into which a job's attempts muxed its movie. Call it when none of them is needed any more.
  ///
  /// - Parameters:
  ///   - roots: the folders that hold movies; nothing is removed elsewhere. Where there is none, the movie may lie anywhere.
  ///   - dead: the attempts whose files are removed; nil means all attempts.
  package static func removeParts(of job: String, output: String, below roots: [String] = [], dead: DeadAttempts? = nil) {
    // A movie in S3 has no files beside it.
    guard FilePath.isAbsolute(output) else { return }
    // A folder that does not exist, or may not be used, has nothing to remove.
    guard let folder = try? OutputFolder(FilePath.folder(of: output), below: roots, for: output) else { return }
    removeParts(of: job, output: output, in: folder, dead: dead)
  }

  /// Removes a job's hidden files from a folder.
  ///
  /// - Parameters:
  ///   - folder: the movie's folder, held open.
  ///   - dead: the attempts whose files are removed; nil means all attempts.
  static func removeParts(of job: String, output: String, in folder: OutputFolder, dead: DeadAttempts? = nil) {
    // A file that cannot be read or removed is hidden and is no movie. Only the end of the job itself is worth reporting.
    for name in folder.names
    where name.hasPrefix(".\(FilePath.name(of: output)).\(job).") && name.hasSuffix(".part") && isDead(part: name, dead) {
      folder.remove(name)
    }
  }

  /// Whether the segment at `path` belongs to a dead attempt. Its name ends with task and attempt (`name(job:key:extension:)`).
  package static func isDead(_ path: String, _ dead: DeadAttempts?) -> Bool {
    guard let dead else { return true }
    let names = FilePath.names(in: path).suffix(2)
    guard names.count == 2, let task = names.first.flatMap({ Int64($0) }),
      let attempt = names.last?.split(separator: ".").first.flatMap({ Int($0) })
    else { return false }
    // What attempts leave for each other belongs to none of them. Whoever goes on with the job makes it again.
    if task == SurveyFolder.task { return true }
    return dead.contains(AttemptKey(task: task, attempt: attempt))
  }

  /// Whether a hidden file beside the movie belongs to a dead attempt. Its name ends with the attempt (`partPath`). Its task is
  /// as old as the job.
  private static func isDead(part name: String, _ dead: DeadAttempts?) -> Bool {
    guard let dead else { return true }
    return name.split(separator: ".").dropLast().last.flatMap { Int($0) }.map { $0 <= dead.lastNumber } ?? false
  }

  /// The paths of the folders of a job's tasks.
  private func tasks(of job: String) -> [String] {
    // A folder that cannot be read counts as empty. It stays.
    ((try? Self.names(in: path(job))) ?? []).filter { Self.isNumber($0) }.map { "\(path(job))/\($0)" }
  }

  private func segments(in task: String) -> [String] {
    // Here, too, a folder that cannot be read counts as empty.
    ((try? Self.names(in: task)) ?? []).filter(Self.isAttemptName)
  }

  /// Whether `name(job:key:extension:)` may have given `name`.
  package static func isSegmentName(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    return parts.count == 3 && isJobName(parts[0]) && isNumber(parts[1]) && isAttemptName(parts[2])
  }

  private static func isAttemptName(_ name: String) -> Bool { name.firstIndex(of: ".").map { isNumber(name[..<$0]) } ?? false }

  private static func isNumber(_ text: some StringProtocol) -> Bool {
    1...19 ~= text.utf8.count && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }

  /// The time of the last change of a job's files, in seconds since 1970, by the store's clock; nil when there are none.
  private func lastChange(of job: String) -> Int? {
    let tasks = tasks(of: job)
    let paths = [path(job)] + tasks + tasks.flatMap { task in segments(in: task).map { "\(task)/\($0)" } }
    return paths.compactMap { path in
      var facts = stat()
      return unsafe lstat(path, &facts) == 0 ? facts.st_mtim.tv_sec : nil
    }.max()
  }

  /// The names in a folder; none when it cannot be read.
  static func namesIfAny(in folder: String) -> [String] { (try? names(in: folder)) ?? [] }  // As said above.

  /// The names in a folder; none when the folder does not exist.
  private static func names(in folder: String) throws(StoreError) -> [String] {
    guard let listing = unsafe opendir(folder) else {
      guard errno == ENOENT else { throw StoreError(path: folder, action: "list it", code: errno) }
      return []
    }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
