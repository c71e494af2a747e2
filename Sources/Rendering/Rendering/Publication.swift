internal import Formats
internal import Glibc
internal import Linux
internal import Media
internal import Messages

/// Gives a muxed movie its final name. It may be done again after a crash at any point, since the second run finds what was done.
struct Publication {
  /// The movie's folder.
  let folder: OutputFolder
  /// The hidden file that the mux attempt wrote.
  let part: String
  let muxed: Winner<FileProof>
  let output: String
  let overwrites: Bool
  /// The hidden folder, and the files that come into it, where the movie is a folder; nil elsewhere.
  var contents: (folder: String, files: FolderFiles)?

  private var partName: String { FilePath.name(of: part) }
  private var outputName: String { FilePath.name(of: output) }

  /// Gives the movie its name, after checking that the file is the one that was proved.
  ///
  /// - Parameter progress: called with the number of bytes read so far.
  /// - Throws: `Failure` that names the mux attempt as damaged, so that it is made again, when its file is gone or not what its
  ///   proof says; `StoreError`, with EEXIST when the name is taken and must be kept.
  func publish(progress: (Int64) -> Void) throws {
    guard let found = folder.identity(of: partName) else {
      guard try isPublished(progress) else { throw damaged("is gone") }
      // The process that renamed the file may have died before this step.
      return try syncFolder()
    }
    guard found.byteCount == muxed.proof.byteCount else {
      throw damaged("has \(found.byteCount) bytes instead of \(muxed.proof.byteCount)")
    }
    // Other processes may write to the folder, too.
    guard try FileDigest(of: part, in: folder, progress: progress).hash == muxed.proof.byteDigest else {
      throw damaged("is another than was muxed")
    }
    if let contents { return try publish(PictureRoll(part, in: folder), contents, progress) }
    if overwrites {
      let code = folder.rename(partName, to: outputName)
      guard code == 0 else { throw StoreError(path: output, action: "take this name", code: code) }
    } else {
      // link(2) fails when the name is taken. rename(2) would replace the file.
      let code = folder.link(partName, as: outputName)
      // An earlier attempt may have taken the name, and died before it removed the other one.
      guard code == 0 || (code == EEXIST && folder.identity(of: outputName) == found) else {
        throw StoreError(path: output, action: "take this name", code: code)
      }
      folder.remove(partName)
    }
    guard folder.identity(of: outputName) == found else {
      throw Failure(.worker, at: output, "another file took this name while the movie was given it")
    }
    try syncFolder()
  }

  /// Makes files of a roll, and gives their folder its name.
  private func publish(
    _ roll: PictureRoll, _ contents: (folder: String, files: FolderFiles), _ progress: (Int64) -> Void
  ) throws {
    let hidden = FilePath.name(of: contents.folder)
    try folder.unroll(roll, to: hidden, as: contents.files, progress: progress)
    let code = folder.place(hidden, as: outputName, replacing: overwrites ? contents.files : nil)
    guard code == 0 else {
      folder.remove(hidden)
      throw StoreError(path: output, action: "take this name", code: code)
    }
    folder.remove(partName)
    try syncFolder()
  }

  /// Whether an earlier attempt renamed the file and died before it could report that. The digest is compared too, since any file
  /// may have the movie's size.
  private func isPublished(_ progress: (Int64) -> Void) throws(MediaError) -> Bool {
    if let contents {
      // A folder that cannot be opened is not what was published.
      guard let found = try? folder.folder(outputName) else { return false }
      let digest = try FileDigest(ofFilesIn: found, contents.files, progress: progress)
      return digest.byteCount == muxed.proof.byteCount && digest.hash == muxed.proof.byteDigest
    }
    guard folder.identity(of: outputName)?.byteCount == muxed.proof.byteCount else { return false }
    return try FileDigest(of: output, in: folder, progress: progress).hash == muxed.proof.byteDigest
  }

  private func damaged(_ what: String) -> Failure {
    Failure(.worker, at: part, "the muxed movie \(what): it is muxed again", damaged: [muxed.key])
  }

  /// Makes the rename durable.
  private func syncFolder() throws(StoreError) {
    let code = folder.sync()
    guard code == 0 else { throw StoreError(path: folder.path, action: "sync it", code: code) }
  }
}
