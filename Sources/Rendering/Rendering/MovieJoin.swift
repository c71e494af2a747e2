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
  ///   - stills: the files of the movie's still pictures, which lie in its folder where it is one.
  ///   - coming: the segments that are still made behind the given ones; nil where these are all.
  ///   - comment: the comment in the movie's metadata; nil for none.
  ///   - progress: called with the bytes read and their total, as by `MovieMux`. What it throws ends the joining.
  /// - Throws: `MediaError`, which names a segment file that is not what its proof says. Nothing is left at `part` then.
  @discardableResult func write(
    _ pictures: [SegmentInput], _ renditions: [[SegmentInput]] = [], _ sounds: [SoundInput], stills: [[UInt8]] = [],
    coming: ComingSegments? = nil, comment: String?, to part: String, progress: (_ done: Int64, _ total: Int64) throws -> Void
  ) throws -> MuxedMovie {
    let export = edit.timeline.export
    var form = MovieForm(export.fileType, frameDuration: edit.frameUnit, color: edit.color)
    (form.video, form.hdrMetadata, form.joinsParameterSets) = (
      export.video, edit.hdrMetadata, export.copies?.copiesPictures == true
    )
    (form.optimizeForNetworkUse, form.fragmentInterval) = (export.optimizeForNetworkUse, export.pieceInterval)
    (form.timecode, form.comment, form.tags) = (try edit.firstLabel, comment, edit.movieTags)
    form.chapters = try export.movieChapters(in: edit.exportRange)
    if export.fileType == .cmaf { form.texts = try edit.carriedTexts } else { form.captions = try edit.carriedCaptions }
    (form.playCount, form.pictureLanguage) = (export.playCount, export.tags.language)
    form.cleanAperture = export.cleanAperture
    (form.stills, form.sheets) = (try edit.folderStills(stills), try edit.stills?.sheets)
    return try MovieMux.write(
      MovieSegments(pictures: pictures, renditions: renditions, sounds: sounds), as: form, to: part, in: folder, coming: coming,
      progress: progress)
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
