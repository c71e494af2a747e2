internal import Formats
internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Media
internal import MediaTime
internal import Rendering
internal import Remote
internal import Scenes
internal import Timeline
internal import Transfer

/// The folder that an edit has become: numbered pictures, or pieces of tracks.
struct MadeFolder {
  /// The files that are examined in place of a movie's: the first picture, or the beginning of each track.
  let samples: [String]
  private let folder: String
  private let duration: MediaTime
  private let pieces: PackedPieces?
  /// The bytes of all files, where they are known; those of a folder of this machine are counted.
  private var byteCount: Int64?
  /// The folder that was made for what was fetched; nil where nothing was.
  private var fetched: FetchedFolder?

  /// A folder that lives as long as this object.
  private final class FetchedFolder {
    let path: String

    init() throws(Complaint) {
      var template = Array("\(ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")/spool-beginning-XXXXXX".utf8CString)
      guard unsafe mkdtemp(&template) != nil else { throw Complaint("TMPDIR", SystemWords.of(errno), .cannotCreate) }
      path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    // What cannot be removed is left to whoever clears such folders.
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// The folder at a movie's place; nil where the edit becomes a file. Of one in S3 the beginning is fetched.
  static func made(of edit: ResolvedTimeline, at destination: Destination) throws -> MadeFolder? {
    guard let files = edit.timeline.export.folderFiles, let object = destination.object else {
      return try MadeFolder(of: edit, at: destination.path)
    }
    let fetched = try FetchedFolder()
    let byteCount = try destination.movie(at: object).fetchBeginning(of: files, to: fetched.path)
    var made = try MadeFolder(of: edit, at: fetched.path)
    made?.byteCount = byteCount
    made?.fetched = fetched
    return made
  }

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
    facts.byteCount =
      try byteCount
      ?? OutputFolder(folder, for: folder).names.reduce(0) { sum, name in
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
