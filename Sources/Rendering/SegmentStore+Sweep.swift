internal import Glibc
internal import Media
package import Messages

/// A store as whoever sweeps it sees it: what jobs leave behind. Only what is named as attempts name it is ever removed: a store that
/// shares its folder with other things does not harm them.
package protocol SweptStore {
  /// The jobs that have files here, and names that could be such.
  func jobs() throws -> [String]
  /// Clears away what jobs left here and beside their movies.
  ///
  /// - Parameter outputRoots: folders that movies lie below; nothing is removed elsewhere. None: anywhere.
  func clear(_ jobs: [OverJob], outputRoots: [String]) throws
}

extension SegmentStore: SweptStore {
  /// Seconds without a change after which the files of a job that the farm does not know count as left behind: more than clocks
  /// of a farm differ, and time to notice that the store is another's.
  package static let strangerAge = 86_400

  /// The jobs that have a folder here, and names that could be such.
  package func jobs() throws(StoreError) -> [String] { try Self.names(in: root).filter(Self.isJobName) }

  /// Clears away what jobs left here and beside their movies.
  package func clear(_ jobs: [OverJob], outputRoots: [String] = []) {
    for job in jobs where Self.isJobName(job.id) {
      if let output = job.output {
        if Self.isOutput(output) { Self.removeParts(of: job.id, output: output, below: outputRoots, dead: job.dead) }
        remove(job: job.id, dead: job.dead)
      } else if let changed = lastChange(of: job.id), time(nil) - changed > Self.strangerAge {
        remove(job: job.id)
      }
    }
  }

  /// Removes a job's segment files, as far as possible: what cannot be removed does no harm, since nothing names it any more.
  ///
  /// - Parameter dead: nothing of other attempts is removed; nil: those of all.
  package func remove(job: String, dead: DeadAttempts? = nil) {
    for task in tasks(of: job) {
      for file in segments(in: task) where Self.isDead("\(task)/\(file)", dead) { unsafe unlink("\(task)/\(file)") }
      unsafe rmdir(task)
    }
    unsafe rmdir(path(job))
  }

  /// Removes the hidden files in which a job's attempts joined its movie, once none of them is needed any more.
  ///
  /// - Parameters:
  ///   - roots: nothing is removed elsewhere; none: anywhere.
  ///   - dead: nothing of other attempts is removed; nil: those of all.
  package static func removeParts(of job: String, output: String, below roots: [String] = [], dead: DeadAttempts? = nil) {
    // A folder that is gone has nothing to remove.
    guard let folder = try? OutputFolder(folder(of: output), below: roots, for: output) else { return }
    removeParts(of: job, output: output, in: folder, dead: dead)
  }

  /// - Parameters:
  ///   - folder: that of the movie, held open.
  ///   - dead: nothing of other attempts is removed; nil: those of all.
  static func removeParts(of job: String, output: String, in folder: OutputFolder, dead: DeadAttempts? = nil) {
    // What cannot be read or removed is hidden, and no movie: the job's own ending is what to report.
    for name in folder.names
    where name.hasPrefix(".\(fileName(of: output)).\(job).") && name.hasSuffix(".part") && isDead(part: name, dead) {
      folder.remove(name)
    }
  }

  /// Whether the segment at `path` is of an attempt that is dead: its name ends with task and attempt (`name(job:key:extension:)`).
  package static func isDead(_ path: String, _ dead: DeadAttempts?) -> Bool {
    guard let dead else { return true }
    let names = path.split(separator: "/").suffix(2)
    guard names.count == 2, let task = names.first.flatMap({ Int64($0) }),
      let attempt = names.last?.split(separator: ".").first.flatMap({ Int($0) })
    else { return false }
    return dead.contains(AttemptKey(task: task, attempt: attempt))
  }

  /// The same of a hidden file beside the movie, which ends with its attempt (`partPath`). Its task is as old as the job.
  private static func isDead(part name: String, _ dead: DeadAttempts?) -> Bool {
    guard let dead else { return true }
    return name.split(separator: ".").dropLast().last.flatMap { Int($0) }.map { $0 <= dead.lastNumber } ?? false
  }

  /// Paths of the folders of a job's tasks.
  private func tasks(of job: String) -> [String] {
    // A folder that cannot be read is as good as empty: it stays.
    ((try? Self.names(in: path(job))) ?? []).filter { Self.isNumber($0) }.map { "\(path(job))/\($0)" }
  }

  private func segments(in task: String) -> [String] {
    // As above.
    ((try? Self.names(in: task)) ?? []).filter(Self.isAttemptName)
  }

  /// Whether `name` is one that `name(job:key:extension:)` may have given.
  package static func isSegmentName(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    return parts.count == 3 && isJobName(parts[0]) && isNumber(parts[1]) && isAttemptName(parts[2])
  }

  private static func isAttemptName(_ name: String) -> Bool { name.firstIndex(of: ".").map { isNumber(name[..<$0]) } ?? false }

  private static func isNumber(_ text: some StringProtocol) -> Bool {
    1...19 ~= text.utf8.count && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }

  /// In seconds since 1970, by the store's clock; nil when there is nothing.
  private func lastChange(of job: String) -> Int? {
    let tasks = tasks(of: job)
    let paths = [path(job)] + tasks + tasks.flatMap { task in segments(in: task).map { "\(task)/\($0)" } }
    return paths.compactMap { path in
      var facts = stat()
      return unsafe lstat(path, &facts) == 0 ? facts.st_mtim.tv_sec : nil
    }.max()
  }

  /// The names in a folder; none when there is no such folder.
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
