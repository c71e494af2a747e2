internal import CLinux
package import Formats
internal import Glibc
internal import Linux

/// Folders of pictures inside a folder that is held open.
extension OutputFolder {
  /// Writes the pictures of a roll into a new folder, and waits until they are on the disk. What had its name is removed.
  ///
  /// - Parameters:
  ///   - name: the name of the folder to be made, which is hidden.
  ///   - progress: called after each picture with the number of bytes written so far. What it throws ends the work.
  /// - Throws: `MediaError`, and what `progress` throws. Nothing is left then.
  package func unroll(
    _ roll: PictureRoll, to name: String, as names: PictureNames, progress: (Int64) throws -> Void
  ) throws {
    remove(name)
    let made = try makeFolder(name)
    do {
      var byteCount: Int64 = 0
      for index in 0..<roll.count {
        let file = try OutputFile("\(made.path)/\(names.name(index))", .seeking, in: made)
        let bytes = try roll.picture(index)
        try file.append(bytes)
        try file.finish()
        byteCount += Int64(bytes.count)
        try progress(byteCount)
      }
      let code = made.sync()
      guard code == 0 else { throw MediaError(-code, from: "fsync", at: made.path, while: .writing) }
    } catch {
      remove(name)
      throw error
    }
  }

  /// Copies a folder of pictures that another user wrote. Parameters are as those of `copy`.
  package func copyPictures(
    of name: String, from source: OutputFolder, of user: UInt32, to part: String, goesOn: () throws -> Void
  ) throws {
    let given = try source.folder(name)
    remove(part)
    let made = try makeFolder(part)
    do {
      for name in given.names where name != "." && name != ".." {
        try made.copy(name, from: given, of: user, to: name, goesOn: goesOn)
      }
      let code = made.sync()
      guard code == 0 else { throw MediaError(-code, from: "fsync", at: made.path, while: .writing) }
    } catch {
      remove(part)
      throw error
    }
  }

  /// Gives a folder of pictures its name. An empty folder of that name is replaced.
  ///
  /// - Parameter replaced: the names of pictures of which a folder may be replaced that has this name; nil where none may be.
  /// - Returns: 0, or `errno`: EEXIST where the name is taken by something else.
  package func place(_ part: String, as name: String, replacing replaced: PictureNames?) -> Int32 {
    let code = rename(part, to: name)
    guard [EEXIST, ENOTEMPTY].contains(code), let replaced else { return code == ENOTEMPTY || code == ENOTDIR ? EEXIST : code }
    guard strangers(in: name, replaced)?.isEmpty == true else { return EEXIST }
    // The two folders change names at once, so that there is always a whole one.
    if unsafe spool_exchange_names(descriptor, part, name) != 0 {
      guard errno == EINVAL || errno == ENOSYS else { return errno }
      // Some network file systems cannot do that: for a moment there is none.
      remove(name)
      return rename(part, to: name)
    }
    remove(part)
    return 0
  }

  /// The names in a folder that are no pictures of a sequence; nil where there is no folder of that name.
  package func strangers(in name: String, _ pictures: PictureNames) -> [String]? {
    // A folder that cannot be opened is told when it is to be replaced.
    guard let found = try? folder(name) else { return nil }
    return found.names.filter { $0 != "." && $0 != ".." && !pictures.matches($0) }
  }

  /// Opens a folder in this one. A symbolic link is refused.
  ///
  /// - Throws: `MediaError` of kind `cannotWrite`.
  package func folder(_ name: String) throws(MediaError) -> OutputFolder {
    let place = "\(path)/\(name)"
    let found = unsafe openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard found >= 0 else { throw MediaError(-errno, from: "openat", at: place, while: .writing) }
    return OutputFolder(owning: found, at: place)
  }

  private func makeFolder(_ name: String) throws(MediaError) -> OutputFolder {
    guard unsafe mkdirat(descriptor, name, 0o777) == 0 else {
      throw MediaError(-errno, from: "mkdirat", at: "\(path)/\(name)", while: .writing)
    }
    return try folder(name)
  }
}
