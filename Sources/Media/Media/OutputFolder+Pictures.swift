internal import CLinux
package import Formats
internal import Glibc
internal import Linux

/// Folders of pictures, and of pieces of a movie, inside a folder that is held open.
extension OutputFolder {
  /// Writes the files of a roll into a new folder, and waits until they are on the disk. What had its name is removed.
  ///
  /// - Parameters:
  ///   - name: the name of the folder to be made, which is hidden.
  ///   - progress: called after each picture with the number of bytes written so far. What it throws ends the work.
  /// - Throws: `MediaError`, and what `progress` throws. Nothing is left then.
  package func unroll(
    _ roll: PictureRoll, to name: String, as files: FolderFiles, progress: (Int64) throws -> Void
  ) throws {
    remove(name)
    let made = try makeFolder(name)
    do {
      var byteCount: Int64 = 0
      for (name, index) in try roll.names(files) {
        let file = try OutputFile("\(made.path)/\(name)", .seeking, in: made)
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

  /// Takes a folder of pictures or pieces that another user wrote. Parameters are as those of `take`.
  package func takePictures(
    of name: String, from source: OutputFolder, of user: UInt32, to part: String, goesOn: () throws -> Void
  ) throws {
    let given = try source.folder(name)
    remove(part)
    let made = try makeFolder(part)
    do {
      for name in given.names where name != "." && name != ".." {
        try made.take(name, from: given, of: user, to: name, goesOn: goesOn)
      }
      let code = made.sync()
      guard code == 0 else { throw MediaError(-code, from: "fsync", at: made.path, while: .writing) }
    } catch {
      remove(part)
      throw error
    }
  }

  /// Gives a folder its name. An empty folder of that name is replaced.
  ///
  /// - Parameter replaced: the files of which a folder may be replaced that has this name; nil where none may be.
  /// - Returns: 0, or `errno`: EEXIST where the name is taken by something else.
  package func place(_ part: String, as name: String, replacing replaced: FolderFiles?) -> Int32 {
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

  /// The names in a folder that are none of `files`; nil where there is no folder of that name.
  package func strangers(in name: String, _ files: FolderFiles) -> [String]? {
    // A folder that cannot be opened is told when it is to be replaced.
    guard let found = try? folder(name) else { return nil }
    return found.names.filter { $0 != "." && $0 != ".." && !files.matches($0) }
  }

  /// The names of the folder's files in the order of their roll: pictures up to the last before a number that is missing; pieces and openings,
  /// then playlists, then texts and still pictures.
  func rolled(_ files: FolderFiles) -> [String] {
    switch files {
    case .pictures(let names):
      return Array(sequence(first: 0) { $0 + 1 }.lazy.map(names.name).prefix { [self] in identity(of: $0) != nil })
    case .pieces:
      return names.filter(files.matches).map { (name: $0, place: PieceNames.Place($0)) }.sorted { $0.place < $1.place }.map(
        \.name)
    }
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

extension OutputFolder {
  /// The bytes of a file in the folder.
  ///
  /// - Throws: `MediaError` when it cannot be read, or has more than 2 GiB.
  package func contents(of name: String) throws(MediaError) -> [UInt8] {
    let place = "\(path)/\(name)"
    guard let found = identity(of: name) else { throw MediaError(-ENOENT, from: "open", at: place) }
    guard found.byteCount <= 1 << 31 else { throw MediaError(.unsupported, at: place, "is too large") }
    return try InputFile(place, in: self).bytes(0..<found.byteCount)
  }
}
