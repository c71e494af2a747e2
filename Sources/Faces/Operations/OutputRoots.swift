internal import Glibc
package import Ledger
internal import Linux
internal import Messages

/// The folders below which workers may write movies.
package enum OutputRoots {
  /// The output roots that a worker tells of: their absolute paths, and the paths that their links lead to.
  package static func absolute(_ roots: [String]) -> [String] {
    let here = resolved(".")
    var told: [String] = []
    for root in roots {
      let named = root.hasPrefix("/") ? root : here.map { "\($0)/\(root)" }
      for path in [named, resolved(root)].compactMap(\.self) where !told.contains(path) { told.append(path) }
    }
    return told
  }

  /// The places below which a worker writes movies, as it tells of them; nil where it writes anywhere on its machine, and nowhere else.
  ///
  /// - Parameters:
  ///   - roots: its folders; where there is none, it writes anywhere.
  ///   - urls: its places in S3.
  package static func told(_ roots: [String], _ urls: [String]) -> [String]? {
    guard !roots.isEmpty || !urls.isEmpty else { return nil }
    return (roots.isEmpty ? ["/"] : absolute(roots)) + urls
  }

  /// The path by which a farm's workers know the file that the movie goes to. It is the path as given, or with the links of its
  /// folder resolved.
  ///
  /// - Parameters:
  ///   - path: the movie's absolute path, or its place in S3.
  ///   - workers: all known workers. Workers that have left count only when all have left.
  /// - Throws: a `Complaint` that names the workers' roots when none of them may write the movie. Where no worker is known, every
  ///   path
  ///   passes.
  package static func path(_ path: String, writableBy workers: [WorkerStatus]) throws(Complaint) -> String {
    let present = workers.filter { $0.state != "left" }
    let asked = present.isEmpty ? workers : present
    let (folder, name) = FilePath.parts(of: path)
    let isFile = FilePath.isAbsolute(path)
    let others = isFile ? resolved(String(folder)).map { ($0 == "/" ? "" : $0) + "/" + name } : nil
    for candidate in [path, others].compactMap(\.self)
    where asked.isEmpty || asked.contains(where: { WorkerHello.mayWrite(candidate, below: $0.outputRoots) }) {
      return candidate
    }
    let named = Set(asked.flatMap { $0.outputRoots ?? [] })
    guard isFile || named.contains(where: { !FilePath.isAbsolute($0) }) else {
      throw Complaint(
        path, "no worker of the farm writes to S3: one needs --output-url, or the farm of this machine credentials",
        .cannotCreate)
    }
    let roots = named.sorted().joined(separator: ", ")
    throw Complaint(
      path, "no worker of the farm may write it: their output roots are \(roots.isEmpty ? "none" : roots)", .cannotCreate)
  }

  /// The paths by which a farm's workers know all places of a movie, in the given order.
  ///
  /// - Parameter places: absolute paths, and places in S3.
  /// - Throws: a `Complaint` about a place that no worker may write, or about all of them when none may write each.
  package static func paths(_ places: [String], writableBy workers: [WorkerStatus]) throws(Complaint) -> [String] {
    var paths: [String] = []
    for place in places { paths.append(try path(place, writableBy: workers)) }
    let present = workers.filter { $0.state != "left" }
    let asked = present.isEmpty ? workers : present
    let isWritten =
      asked.isEmpty || paths.count < 2
      || asked.contains { worker in paths.allSatisfy { WorkerHello.mayWrite($0, below: worker.outputRoots) } }
    guard isWritten else {
      throw Complaint(
        paths[0], "no worker of the farm may write it and also its further places, \(paths.dropFirst().joined(separator: ", "))",
        .cannotCreate)
    }
    return paths
  }

  /// The warning about a movie when no worker is known.
  static func untold(_ path: String) -> FaultRecord {
    FaultRecord(
      path: path, kind: "output",
      text:
        "no worker is known yet, so that nobody can say whether one may write it; if none of those to come may, the job waits, "
        + "and 'spool why' says so")
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
