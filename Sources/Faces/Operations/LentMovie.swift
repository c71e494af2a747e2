internal import Formats
internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import LocalFarm
internal import Media
internal import Rendering

/// The movie that an earlier render by root brought to a place, which its farm may look at again: where nothing of the edit changed it is the
/// movie, and is not joined again (decision 0250).
///
/// The farm's user may read no file of root's. So root writes down which file it brought there, and lends that one alone, as it was then: it
/// has a second name in the job's folder as long as the job lasts.
struct LentMovie {
  /// The most places of movies that are known.
  private static let mostNotes = 256

  private let file: OutputFolder.HeldFile

  /// Lends the movie at a place to a job.
  ///
  /// - Parameter folder: the job's folder, which belongs to the farm's user.
  /// - Returns: nil where another file lies there, or none, or where the folder is on another file system.
  init?(at destination: String, to job: String, in folder: OutputFolder, _ directory: DataDirectory) {
    let lent = FilePath.name(of: SegmentStore.lentPart(output: destination, job: job))
    // A place without a note has no movie of the farm's.
    guard let noted = try? String(contentsOfFile: Self.note(of: destination, in: directory), encoding: .utf8),
      // Whatever is wrong with a folder is told when the new movie is brought there.
      let place = try? OutputFolder(FilePath.folder(of: destination), for: destination),
      let file = place.hold(FilePath.name(of: destination)), file.mark == noted, folder.link(file, as: lent) == 0
    else { return nil }
    self.file = file
  }

  /// Whether the file `name` is the one that was lent.
  func isFile(_ name: String, in folder: OutputFolder) -> Bool { folder.identity(of: name) == file.identity }

  /// Gives the movie the name `part` in a folder.
  ///
  /// - Returns: 0, or `errno`.
  func link(as part: String, in folder: OutputFolder) -> Int32 {
    folder.remove(part)
    return folder.link(file, as: part)
  }

  /// Writes down which file was brought to a place. What fails makes the movie be joined again later, and nothing else.
  static func note(_ destination: String, in folder: OutputFolder, _ directory: DataDirectory) {
    let path = note(of: destination, in: directory)
    let file = folder.hold(FilePath.name(of: destination))
    // A note that cannot be written is none.
    guard let file, (try? Data(file.mark.utf8).write(to: URL(filePath: path), options: .atomic)) != nil else {
      unsafe unlink(path)
      return
    }
    prune(directory.brought)
  }

  private static func note(of destination: String, in directory: DataDirectory) -> String {
    var place = destination
    let digest = place.withUTF8 { unsafe ContentDigest(of: UnsafeRawBufferPointer($0)) }
    return "\(directory.brought)/\(digest)"
  }

  /// Forgets the places that were written to longest ago.
  private static func prune(_ folder: String) {
    // A folder that cannot be read has nothing to remove.
    let notes = ((try? OutputFolder(folder, for: folder).names) ?? []).filter { !$0.hasPrefix(".") }
    guard notes.count > mostNotes else { return }
    let aged = notes.map { name in
      var facts = stat()
      let isThere = unsafe stat("\(folder)/\(name)", &facts) == 0
      return (name: name, time: isThere ? facts.st_mtim.tv_sec : 0)
    }
    for (name, _) in aged.sorted(by: { ($0.time, $0.name) < ($1.time, $1.name) }).prefix(notes.count - mostNotes) {
      unsafe unlink("\(folder)/\(name)")
    }
  }
}
