internal import Formats
internal import Linux
package import Media
package import Messages
package import Scenes
internal import Timeline

extension ResolvedTimeline {
  /// Whether still pictures stand beside the movie. Those of a folder lie in it, and are a part of the movie.
  package var hasStillsBeside: Bool {
    !timeline.export.fileType.isFolder && (timeline.export.poster != nil || timeline.export.thumbnails != nil)
  }

  /// The names of the files of still pictures beside a movie: the poster, then the sheets.
  ///
  /// - Parameter movie: the movie's path, or its key in S3.
  package func stillFileNames(beside movie: String) throws -> [String] {
    guard hasStillsBeside else { return [] }
    return try stills?.files(StillNames(beside: FilePath.name(of: movie))) ?? []
  }

  /// The files of still pictures beside a movie.
  ///
  /// - Parameter files: what is in them, in their order.
  package func stillFiles(_ files: [[UInt8]], beside movie: String) throws -> [CompanionFile] {
    zip(try stillFileNames(beside: movie), files).map { CompanionFile($0, $1) }
  }

  /// The still pictures of a movie in pieces, with the file of their times, by their names in its folder.
  ///
  /// - Parameter files: the pictures' files, in their order.
  func folderStills(_ files: [[UInt8]]) throws -> [CompanionFile] {
    guard let plan = try stills, timeline.export.fileType.isFolder else { return [] }
    let names = StillNames()
    let times = try plan.times(names).map { [CompanionFile($0.name, Array($0.text.utf8))] } ?? []
    return times + zip(plan.files(names), files).map { CompanionFile($0, $1) }
  }
}

/// The still pictures beside a movie, which a mux has written into one file.
package struct MovieStills {
  /// The names that they get beside the movie.
  let names: [String]
  let proof: StillsProof

  /// - Returns: nil where there are none.
  package init?(_ edit: ResolvedTimeline, beside movie: String, _ muxed: FileProof) throws {
    let names = try edit.stillFileNames(beside: movie)
    guard !names.isEmpty, let proof = muxed.stills else { return nil }
    (self.names, self.proof) = (names, proof)
  }

  /// Checks what is in the files.
  ///
  /// - Returns: nil where they are others than were made.
  package func checked(_ files: [[UInt8]]) throws(MediaError) -> [CompanionFile]? {
    let digest = try StillRoll.digest(of: files)
    guard files.count == names.count, digest.byteCount == proof.byteCount, digest.hash == proof.byteDigest else { return nil }
    return zip(names, files).map { CompanionFile($0, $1) }
  }

  /// Reads the files from beside a movie that was published; nil where one is missing, or they are others than were made.
  package func published(in folder: OutputFolder) throws(MediaError) -> [CompanionFile]? {
    var files: [[UInt8]] = []
    for name in names {
      guard folder.identity(of: name) != nil else { return nil }
      files.append(try folder.contents(of: name))
    }
    return try checked(files)
  }
}
