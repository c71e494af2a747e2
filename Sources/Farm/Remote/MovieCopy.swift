package import Formats
internal import Linux
internal import Media
package import Messages
internal import Rendering
package import Scenes
internal import Timeline

/// A further place of a movie, in which it appears whole or not at all, as in its first one. Whoever has published the movie writes it
/// there: the courier of a farm's job, or the command that rendered it.
package struct MovieCopy {
  /// The absolute path, or the place in S3.
  private let output: String
  private let overwrites: Bool
  private let job: String
  /// The movie's place in S3, for a URL of it.
  private let object: (MediaURL) throws -> S3Movie

  /// - Parameters:
  ///   - job: the job's id, which is a part of the hidden file's name.
  ///   - object: makes the movie's place in S3 with the credentials for it; throws where there are none.
  package init(to output: String, overwrites: Bool, job: String, object: @escaping (MediaURL) throws -> S3Movie) {
    (self.output, self.overwrites, self.job, self.object) = (output, overwrites, job, object)
  }

  /// Copies the movie, with captions and checksums of its own beside it. Done again, it finds what was done.
  ///
  /// - Parameters:
  ///   - movie: the path of the movie's file on this machine.
  ///   - made: the proof of the movie; its key names the hidden file.
  ///   - owner: the user who must own the file, which then has no other name; nil where its digest alone counts.
  ///   - edit: the edit that it was made of.
  ///   - stills: the still pictures that stand beside it, in their order; nil reads them from beside the file.
  ///   - goesOn: called now and then. What it throws ends the copying, and nothing is left.
  /// - Throws: what keeps the movie from this place, and what `goesOn` throws.
  package func make(
    of movie: String, _ made: Winner<FileProof>, owner: UInt32?, _ edit: ResolvedTimeline, stills: [[UInt8]]? = nil,
    goesOn: () throws -> Void
  ) throws {
    let export = edit.timeline.export
    let place = MediaURL(objectAt: output)?.path ?? output
    let companions =
      try edit.sidecars(beside: place)
      + edit.stillFiles(try stills ?? Self.stills(beside: movie, made.proof, edit), beside: place)
    guard let url = MediaURL(objectAt: output) else {
      return try copy(
        movie, made, of: owner,
        with: .init(companions, checksum: export.checksum, job: job, key: made.key), goesOn)
    }
    try goesOn()
    try object(url).publish(
      movie, of: made, as: export.fileType, overwrites: overwrites,
      .init(companions, checksum: export.checksum)
    ) { _ in }
  }

  /// Reads the still pictures that stand beside a movie. Where its proof tells of them, they have to be those.
  private static func stills(beside movie: String, _ proof: FileProof, _ edit: ResolvedTimeline) throws -> [[UInt8]] {
    let names = try edit.stillFileNames(beside: movie)
    guard !names.isEmpty else { return [] }
    let folder = try OutputFolder(FilePath.folder(of: movie), for: movie)
    let files = try names.map { try folder.contents(of: $0) }
    if let stills = try MovieStills(edit, beside: movie, proof), try stills.checked(files) == nil {
      throw Failure(.content, at: movie, "the still pictures beside it are not those that were made")
    }
    return files
  }

  private func copy(
    _ movie: String, _ made: Winner<FileProof>, of owner: UInt32?, with companions: Publication.Companions,
    _ goesOn: () throws -> Void
  ) throws {
    let source = try OutputFolder(FilePath.folder(of: movie), for: movie)
    let folder = try OutputFolder(FilePath.folder(of: output), for: output)
    let part = SegmentStore.partPath(output: output, job: job, key: made.key)
    if try !isThere(made.proof, in: folder) {
      folder.remove(FilePath.name(of: part))
      try folder.copy(FilePath.name(of: movie), from: source, of: owner, to: FilePath.name(of: part), goesOn: goesOn)
    }
    do {
      try Publication(
        folder: folder, part: part, muxed: made, output: output, overwrites: overwrites, companions: companions
      ).publish { _ in }
    } catch {
      SegmentStore.removeParts(of: job, output: output)
      throw error
    }
  }

  /// Whether the place has this very movie, from an attempt whose report was lost.
  private func isThere(_ proof: FileProof, in folder: OutputFolder) throws -> Bool {
    guard folder.identity(of: FilePath.name(of: output))?.byteCount == proof.byteCount else { return false }
    return try FileDigest(ofMovie: output, in: folder) { _ in }.hash == proof.byteDigest
  }
}
