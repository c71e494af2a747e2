internal import Formats
internal import Linux
internal import Messages
internal import Rendering
internal import Scenes
internal import Timeline

/// The files that a job writes: its movie, or the files of the folder that it is, and the small files beside it. Their names follow from the job's
/// edit, as those follow by which it is published, so that nothing else in these folders is one of them.
///
/// Names are relative to the folder in which the movie, or its folder, lies: `movie.mp4`, `movie.poster.jpg`, `show/master.m3u8`.
package struct ArtefactNames: Sendable {
  /// The absolute path of the movie, or of its folder.
  package let output: String
  let runs: [Run]

  /// Files that follow one another.
  enum Run: Sendable {
    case file(String, mediaType: String)
    case pictures(PictureNames, count: Int, folder: String, mediaType: String)
    /// The pieces of a track. Their playlist knows how many there are.
    case pieces(PieceNames.Track, folder: String)
  }

  /// - Throws: what is wrong with the job's document, which nobody has accepted then.
  init(of spec: JobSpec) throws {
    let (edit, name) = (try spec.edit, FilePath.name(of: spec.output))
    let export = edit.timeline.export
    var runs: [Run]
    switch export.folderFiles {
    case nil: runs = [.file(name, mediaType: FileType.mediaType(promisedBy: name))]
    case .pictures(let names):
      let type = Self.pictureTypes[export.fileType] ?? "application/octet-stream"
      runs = [.pictures(names, count: try edit.frameCount, folder: name, mediaType: type)]
    case .pieces: runs = try Self.pieces(of: edit, in: name)
    }
    runs += edit.sidecarNames(beside: spec.output).map { .file($0, mediaType: Self.companionType($0)) }
    if let method = export.checksum { runs.append(.file(method.fileName(of: name), mediaType: "text/plain; charset=utf-8")) }
    (output, self.runs) = (spec.output, runs)
  }

  private static let pictureTypes: [FileType: String] = [
    .pngSequence: "image/png", .jpegSequence: "image/jpeg", .tiffSequence: "image/tiff",
  ]

  /// The type of a file of captions or of still pictures. The name of captions may end in anything.
  private static func companionType(_ name: String) -> String { name.hasSuffix(".jpg") ? "image/jpeg" : "text/vtt" }

  /// The files of a folder of pieces: what players begin with, then the tracks, texts and still pictures.
  private static func pieces(of edit: ResolvedTimeline, in folder: String) throws -> [Run] {
    let export = edit.timeline.export
    let (hls, dash) = ("application/vnd.apple.mpegurl", "application/dash+xml")
    func file(_ name: String, _ type: String) -> Run { .file("\(folder)/\(name)", mediaType: type) }
    let pictures = edit.videoComposition == nil ? [] : [.picture] + export.renditions.indices.map(PieceNames.Track.rendition(at:))
    let sounds = edit.audio == nil ? [] : (0..<max(1, export.sounds.count)).map(PieceNames.Track.sound(at:))
    var runs = [file(PieceNames.master, hls), file(PieceNames.manifest, dash)]
    for track in pictures + sounds {
      runs.append(file(PieceNames.playlist(track), hls))
      if !track.isSound { runs.append(file(PieceNames.keyframes(track), hls)) }
      runs += [file(PieceNames.opening(track), mediaType(of: track)), .pieces(track, folder: folder)]
    }
    for index in edit.timeline.captions.filter(\.showing.isCarried).indices {
      runs += [file(PieceNames.textPlaylist(at: index), hls), file(PieceNames.text(at: index), "text/vtt")]
    }
    let stills = try edit.stillNames(beside: nil)
    if export.thumbnails != nil { runs.append(file(StillNames.playlist, hls)) }
    return runs + stills.map { file($0, companionType($0)) }
  }

  fileprivate static func mediaType(of track: PieceNames.Track) -> String { track.isSound ? "audio/mp4" : "video/mp4" }
}

// MARK: The names

extension ArtefactNames.Run {
  /// The most files that there may be.
  var count: Int {
    switch self {
    case .file: 1
    case .pictures(_, let count, _, _): count
    case .pieces: PieceNames.mostPieces
    }
  }

  var mediaType: String {
    switch self {
    case .file(_, let type), .pictures(_, _, _, let type): type
    case .pieces(let track, _): ArtefactNames.mediaType(of: track)
    }
  }

  /// Whether a file that is missing is the end.
  var endsAtGap: Bool { if case .pieces = self { true } else { false } }

  func name(_ index: Int) -> String {
    switch self {
    case .file(let name, _): name
    case .pictures(let names, _, let folder, _): "\(folder)/\(names.name(index))"
    case .pieces(let track, let folder): "\(folder)/\(PieceNames.piece(track, index + 1))"
    }
  }

  /// The number of a file in the run; nil where no file of it has the name, byte by byte: Unicode takes two names for one.
  func index(of name: String) -> Int? {
    let inner = FilePath.name(of: name)
    let index: Int? =
      switch self {
      case .file: 0
      case .pictures(let names, _, _, _): names.index(of: inner)
      case .pieces: UInt32(inner.prefix { $0 != "." }.drop { $0 != "-" }.dropFirst()).map { Int($0) - 1 }
      }
    guard let index, 0..<count ~= index, self.name(index).utf8.elementsEqual(name.utf8) else { return nil }
    return index
  }
}
