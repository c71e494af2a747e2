package import Formats
internal import Glibc
internal import Linux
package import Media
package import Messages

/// Gives a muxed movie its final name. It may be done again after a crash at any point, since the second run finds what was done.
package struct Publication {
  /// The movie's folder.
  let folder: OutputFolder
  /// The hidden file that the mux attempt wrote.
  let part: String
  let muxed: Winner<FileProof>
  let output: String
  let overwrites: Bool
  /// The hidden folder, and the files that come into it, where the movie is a folder; nil elsewhere.
  var contents: (folder: String, files: FolderFiles)?
  /// The small files that come beside the movie.
  var companions: Companions

  /// The files of captions, of still pictures and of checksums that come beside a movie.
  package struct Companions {
    /// The files that are known already: captions, and what else the edit itself gives.
    var captions: [CompanionFile]
    /// The still pictures, which the mux has hidden beside the movie; nil where there are none.
    var stills: MovieStills?
    var checksum: ChecksumMethod?
    private let job: String
    private let key: AttemptKey

    /// - Parameter key: names the attempt under whose number the files are hidden.
    package init(
      _ captions: [CompanionFile] = [], stills: MovieStills? = nil, checksum: ChecksumMethod? = nil, job: String, key: AttemptKey
    ) {
      (self.captions, self.stills, self.checksum, self.job, self.key) = (captions, stills, checksum, job, key)
    }

    /// The name under which a file is hidden.
    fileprivate func hidden(_ part: SegmentStore.Part, beside output: String) -> String {
      FilePath.name(of: SegmentStore.partPath(output: output, job: job, key: key, of: part))
    }
  }

  package init(
    folder: OutputFolder, part: String, muxed: Winner<FileProof>, output: String, overwrites: Bool,
    contents: (folder: String, files: FolderFiles)? = nil, companions: Companions
  ) {
    (self.folder, self.part, self.muxed, self.output, self.overwrites) = (folder, part, muxed, output, overwrites)
    (self.contents, self.companions) = (contents, companions)
  }

  /// A file beside the movie, and the name under which it is hidden.
  private typealias HiddenFile = (file: CompanionFile, hidden: String)

  private var partName: String { FilePath.name(of: part) }
  private var outputName: String { FilePath.name(of: output) }

  /// Gives the movie its name, after checking that the file is the one that was proved.
  ///
  /// - Parameter progress: called with the number of bytes read so far.
  /// - Throws: `Failure` that names the mux attempt as damaged, so that it is made again, when its file is gone or not what its
  ///   proof says; `StoreError`, with EEXIST when the name is taken and must be kept.
  package func publish(progress: (Int64) -> Void) throws {
    guard let found = folder.identity(of: partName) else {
      guard try isPublished(progress) else { throw damaged("is gone") }
      // The process that renamed the file may have died before these steps.
      try place(prepareCompanions(reading: outputName))
      return try syncFolder()
    }
    guard found.byteCount == muxed.proof.byteCount else {
      throw damaged("has \(found.byteCount) bytes instead of \(muxed.proof.byteCount)")
    }
    guard try isProved(progress) else { throw damaged("is another than was muxed") }
    if let contents { return try publish(PictureRoll(part, in: folder), contents, progress) }
    let hidden = try prepareCompanions(reading: partName)
    if overwrites {
      let code = folder.rename(partName, to: outputName)
      guard code == 0 else { throw StoreError(path: output, action: "take this name", code: code) }
      // rename(2) does nothing where both names are the same file already.
      if folder.identity(of: partName) == found { folder.remove(partName) }
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
    try place(hidden)
    try syncFolder()
  }

  /// Makes files of a roll, and gives their folder its name.
  private func publish(
    _ roll: PictureRoll, _ contents: (folder: String, files: FolderFiles), _ progress: (Int64) -> Void
  ) throws {
    let hidden = FilePath.name(of: contents.folder)
    try folder.unroll(roll, to: hidden, as: contents.files, progress: progress)
    let companions: [HiddenFile]
    do { companions = try prepareCompanions(reading: hidden) } catch {
      folder.remove(hidden)
      throw error
    }
    let code = folder.place(hidden, as: outputName, replacing: overwrites ? contents.files : nil)
    guard code == 0 else {
      folder.remove(hidden)
      throw StoreError(path: output, action: "take this name", code: code)
    }
    folder.remove(partName)
    try place(companions)
    try syncFolder()
  }

  /// Writes the files beside the movie under hidden names, before the movie has its own: where they cannot be written, there is no movie.
  ///
  /// - Parameter place: the name that the movie has now.
  /// - Returns: the files in the order in which they get their names: checksums come last.
  private func prepareCompanions(reading place: String) throws -> [HiddenFile] {
    let others = try companions.captions + stillFiles()
    var files = others.enumerated().map { number, file -> HiddenFile in
      (file, companions.hidden(.captions(number), beside: output))
    }
    if let method = companions.checksum {
      let sums = ChecksumFile(method, of: outputName)
      let text = try sums.text(reading: place, in: folder, contents?.files, others: others)
      files.append((CompanionFile(sums.name, text), companions.hidden(.checksum, beside: output)))
    }
    for (file, _) in files where !overwrites && folder.identity(of: file.name) != nil && !file.isThere(in: folder) {
      throw StoreError(path: "\(folder.path)/\(file.name)", action: "take this name", code: EEXIST)
    }
    for (file, hidden) in files { try file.write(to: hidden, in: folder) }
    return files
  }

  /// The still pictures, as the mux has hidden them; where an earlier attempt has published the movie and removed that file, those beside it.
  private func stillFiles() throws -> [CompanionFile] {
    guard let stills = companions.stills else { return [] }
    let hidden = companions.hidden(.stills, beside: output)
    if folder.identity(of: hidden) != nil {
      guard let files = try stills.checked(StillRoll.files(hidden, in: folder)) else {
        throw damaged("has other still pictures than were made")
      }
      return files
    }
    if let files = try stills.published(in: folder) { return files }
    guard folder.identity(of: partName) == nil else { throw damaged("has lost its still pictures") }
    throw Failure(.content, at: output, "the still pictures beside it are missing, or are not those that were made")
  }

  /// Gives the files beside the movie their names, once the movie has its own.
  private func place(_ files: [HiddenFile]) throws(StoreError) {
    for (file, hidden) in files {
      let code = file.place(hidden, in: folder, overwrites: overwrites)
      guard code == 0 else { throw StoreError(path: "\(folder.path)/\(file.name)", action: "take this name", code: code) }
    }
  }

  /// Whether the hidden file is the one that was proved: other processes may write to the folder, too. It is read, unless its stamp
  /// tells that nobody has changed it (decision 0210).
  private func isProved(_ progress: (Int64) -> Void) throws(MediaError) -> Bool {
    if let stamp = muxed.proof.stamp, stamp == folder.stamp(of: partName) { return true }
    return try FileDigest(ofMovie: part, in: folder, progress: progress).hash == muxed.proof.byteDigest
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
    return try FileDigest(ofMovie: output, in: folder, progress: progress).hash == muxed.proof.byteDigest
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
