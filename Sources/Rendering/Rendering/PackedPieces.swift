internal import FoundationEssentials
internal import Formats
internal import Glibc
internal import Linux
internal import Media
internal import MediaTime
package import Scenes
internal import Timeline

/// The tracks of a movie in pieces, each joined into a temporary file as its playlist has it. The files go when this object goes. The process that compares
/// them is given these files alone.
package final class PackedPieces {
  /// The files of the picture, its renditions and the sounds, as far as there are such.
  package private(set) var paths: [String] = []
  /// The tracks of the files.
  private var tracks: [PieceNames.Track] = []
  private let folder: String
  /// The microseconds that the playlist of each track says it lasts.
  private var durations: [(track: PieceNames.Track, microseconds: Int64)] = []

  /// The files of the sounds, where each has its own: beside that of the picture, and where there are several.
  package var soundPaths: [String] { paths.count > 1 ? zip(tracks, paths).filter(\.0.isSound).map(\.1) : [] }

  /// The files of the renditions.
  package var renditionPaths: [String] { zip(tracks, paths).filter { $0.0 != .picture && !$0.0.isSound }.map(\.1) }

  /// The largest playlist that is read: a line of a hundred bytes, twice for each piece.
  private static let longestPlaylist: Int64 = 32 << 20

  /// - Parameters:
  ///   - folder: the path of the folder.
  ///   - most: the most pieces of a track that are taken.
  /// - Throws: `MediaError` when a file is missing or cannot be read, when a playlist is none of Spool's, or when there is no room for the files.
  package init(_ folder: String, most: Int = .max) throws {
    self.folder = folder
    let source: OutputFolder
    do throws(MediaError) { source = try OutputFolder(folder, for: folder) } catch {
      throw MediaError(error.code, from: "open", at: folder)
    }
    let place = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    for name in [PieceNames.master, PieceNames.manifest] where source.identity(of: name) == nil {
      throw MediaError(-ENOENT, from: "open", at: "\(folder)/\(name)")
    }
    for track in PieceNames.Track.all where source.identity(of: PieceNames.playlist(track)) != nil {
      let names = try listed(track, in: source)
      var template = Array("\(place)/spool-pieces-XXXXXX".utf8CString)
      let made = unsafe mkstemp(&template)
      guard made >= 0 else { throw MediaError(-errno, from: "mkstemp", at: place, while: .writing) }
      defer { close(made) }
      tracks.append(track)
      paths.append(String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
      for name in [PieceNames.opening(track)] + names.prefix(most) {
        let code = SystemCall.write(try source.contents(of: name), to: made)
        guard code == 0 else { throw MediaError(-code, from: "write", at: place, while: .writing) }
      }
    }
    guard !paths.isEmpty else { throw MediaError(-ENOENT, from: "open", at: "\(folder)/\(PieceNames.playlist(.picture))") }
  }

  deinit { for path in paths { unsafe unlink(path) } }

  /// The pieces that a track's playlist names.
  private func listed(_ track: PieceNames.Track, in source: OutputFolder) throws -> [String] {
    let name = PieceNames.playlist(track)
    guard source.identity(of: name)?.byteCount ?? 0 <= Self.longestPlaylist else {
      throw MediaError(.unsupported, at: "\(folder)/\(name)", "is too long for a playlist")
    }
    let lines = String(decoding: try source.contents(of: name), as: UTF8.self).split(separator: "\n")
    let names = lines.filter { !$0.hasPrefix("#") }.map(String.init)
    guard names == (1...max(1, names.count)).map({ PieceNames.piece(track, $0) }) else {
      throw MediaError(.corrupt, at: "\(folder)/\(name)", "does not name the pieces of the track in order")
    }
    let mark = "#EXTINF:"
    let seconds = lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count).prefix { $0 != "," }) }
    durations.append((track, try seconds.reduce(0) { $0 + Int64(try MediaTime(parsing: $1).seconds * 1_000_000 + 0.5) }))
    return names
  }

  /// The durations of playlists, and the texts, that are not the edit's, one sentence each.
  package func faults(of edit: ResolvedTimeline) throws -> [String] {
    try durationFaults(of: edit) + textFaults(of: edit)
  }

  private func textFaults(of edit: ResolvedTimeline) throws -> [String] {
    let source = try OutputFolder(folder, for: folder)
    return try edit.carriedTexts.enumerated().flatMap { index, text in
      let (file, playlist) = (CompanionFile(PieceNames.text(at: index), text.bytes), PieceNames.textPlaylist(at: index))
      let isNamed = source.identity(of: playlist) != nil
      return (file.isThere(in: source) ? [] : ["the captions in \(file.name) are not those of the edit"])
        + (isNamed ? [] : ["\(playlist) is missing"])
    }
  }

  private func durationFaults(of edit: ResolvedTimeline) throws -> [String] {
    try durations.compactMap { track, microseconds in
      let (count, unit) =
        !track.isSound
        ? (Int64(try edit.frameCount), edit.videoComposition?.frameDuration ?? .oneSecond)
        : (try edit.sampleCount, try MediaTime(1, edit.audio?.sampleRate ?? 1))
      let exact = Int64(clamping: Int128(count) * Int128(unit.value) * 1_000_000 / Int128(unit.timescale))
      guard exact != microseconds else { return nil }
      return "\(PieceNames.playlist(track)) lasts \(microseconds) microseconds instead of \(exact)"
    }
  }
}
