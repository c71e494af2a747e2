internal import Formats
internal import Media
internal import MediaTime
internal import Messages
internal import Scenes
internal import Timeline

/// Joins the segments of an edit's movie: the settings of the edit, as the mux takes them.
struct MovieJoin {
  let edit: ResolvedTimeline
  /// The movie's folder, held open.
  let folder: OutputFolder

  /// Writes the movie to the hidden file `part`.
  ///
  /// - Parameters:
  ///   - coming: the segments that are still made behind the given ones; nil where these are all.
  ///   - comment: the comment in the movie's metadata; nil for none.
  ///   - progress: called with the bytes read and their total, as by `MovieMux`. What it throws ends the joining.
  /// - Throws: `MediaError`, which names a segment file that is not what its proof says. Nothing is left at `part` then.
  @discardableResult func write(
    _ pictures: [SegmentInput], _ renditions: [[SegmentInput]] = [], _ sounds: [SoundInput], coming: ComingSegments? = nil,
    comment: String?, to part: String, progress: (_ done: Int64, _ total: Int64) throws -> Void
  ) throws -> MuxedMovie {
    let export = edit.timeline.export
    return try MovieMux.write(
      pictures: pictures, renditions: renditions, sound: nil, sounds: sounds, to: part, in: folder,
      fileType: export.fileType, video: export.video, joinsParameterSets: export.copies != nil,
      frameDuration: edit.frameUnit, color: edit.color, hdrMetadata: edit.hdrMetadata,
      optimizeForNetworkUse: export.optimizeForNetworkUse, fragmentInterval: export.pieceInterval, timecode: try edit.firstLabel,
      comment: comment, tags: export.tags, chapters: try export.movieChapters(in: edit.exportRange),
      captions: try edit.carriedCaptions, playCount: export.playCount, coming: coming, progress: progress)
  }
}

extension Winner {
  /// The file of a segment, as its proof describes it. Its name follows from the key, since a path from the wire is not trusted.
  ///
  /// - Parameter length: the length in frames or samples.
  func input(_ proof: SegmentProof, length: Int64, in store: SegmentStore, job: String) -> SegmentInput {
    let path = store.path(store.name(job: job, key: key, extension: SegmentWriter.fileExtension))
    let digest = FileDigest(byteCount: proof.file.byteCount, hash: proof.file.byteDigest)
    return SegmentInput(
      path: path, facts: SegmentFacts(digest: digest, length: length, parameterSetDigest: proof.parameterSetDigest))
  }
}

extension ResolvedTimeline {
  /// The unit of the picture's timestamps. Without a picture it is one second, and nothing uses it.
  fileprivate var frameUnit: MediaTime { videoComposition?.frameDuration ?? .oneSecond }
}
