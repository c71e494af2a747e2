internal import Formats
internal import Glibc
internal import Media
internal import MediaTime
internal import Rendering
internal import Scenes
internal import Timeline

/// The folder that an edit has become: numbered pictures, or pieces of tracks.
struct MadeFolder {
  /// The files that are examined in place of a movie's: the first picture, or the beginning of each track.
  let samples: [String]
  private let folder: String
  private let duration: MediaTime
  private let pieces: PackedPieces?

  /// Nil where the edit becomes a file.
  init?(of edit: ResolvedTimeline, at folder: String) throws {
    guard let files = edit.timeline.export.folderFiles else { return nil }
    self.folder = folder
    duration = try edit.madeDuration
    switch files {
    case .pictures(let names): (samples, pieces) = (["\(folder)/\(names.name(0))"], nil)
    case .pieces:
      let packed = try PackedPieces(folder, most: 1)
      (samples, pieces) = (packed.paths, packed)
    }
  }

  /// The facts of the whole, of those of the samples.
  func facts(of samples: [AssetFacts]) throws -> AssetFacts {
    var facts = samples[0]
    facts.tracks = samples.flatMap(\.tracks)
    facts.duration = duration
    facts.byteCount = try OutputFolder(folder, for: folder).names.reduce(0) { sum, name in
      var status = stat()
      return unsafe stat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        ? sum + Int64(status.st_size) : sum
    }
    return facts
  }
}

extension ResolvedTimeline {
  /// The duration of its frames, or of its samples where it has no picture.
  fileprivate var madeDuration: MediaTime {
    get throws {
      if let frameDuration = videoComposition?.frameDuration {
        return try MediaTime(frameDuration.value * Int64(try frameCount), frameDuration.timescale)
      }
      return try MediaTime(try sampleCount, audio?.sampleRate ?? 1)
    }
  }
}
