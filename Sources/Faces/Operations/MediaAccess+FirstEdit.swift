internal import EditFiles
internal import Examination
internal import Formats
internal import FoundationEssentials
internal import Linux
internal import MediaTime
internal import Scenes
internal import Timeline

/// A first document that somebody wants for some media, to go on from.
package struct FirstEditRequest: Hashable, Sendable, Codable {
  /// Paths and URLs of the media, in the order in which they shall be seen.
  package var media: [String]
  /// The path of the document; nil when it is only wanted as text.
  package var output: String?
  /// The time for which each still picture is shown, written as in a document.
  package var still = "5"
  package var overwrites = false

  package init(media: [String], output: String? = nil) { (self.media, self.output) = (media, output) }
}

/// A first document.
package struct FirstEdit: Hashable, Sendable, Codable {
  /// The document's text. `validate` accepts it.
  package var document: String
  /// The absolute path of the document; nil when none was written.
  package var output: String?
  package var edit: EditReport
}

extension MediaAccess {
  /// Writes a document that shows clips and still pictures one after the other, with the clips' own sound. Media with sound alone
  /// play from the start, one after the other, under the picture where there is one.
  ///
  /// - Throws: a complaint about each medium that cannot be read, and about an output that cannot be written. Then nothing is
  ///   written.
  package func firstEdit(_ request: FirstEditRequest) throws(Complaint) -> FirstEdit {
    try complaining {
      guard !request.media.isEmpty else { throw Complaint("media", "name at least one media file", .usage) }
      let still = try Self.length(request.still)
      let destination = try request.output.map { output throws(Complaint) in
        let destination = try Destination(output, overwrites: request.overwrites)
        try destination.requireDocumentName()
        try destination.requireNone(of: request.media)
        return destination
      }
      let setting = try setting(nil)
      let paths = request.media.map { Self.isURL($0) ? $0 : DocumentFile.absolute($0, in: ".") }
      let assets = zip(FirstDocument.names(of: paths), paths).map { ProbedAssets.Asset(id: AssetID($0), path: $1) }
      let probed = try AssetExamination(assets, setting).finish()
      guard probed.faults.isEmpty else { throw EditFileError.assets(probed.faults) }
      let folder = destination.map { FilePath.folder(of: $0.path) } ?? DocumentFile.absolute("", in: ".")
      var document = FirstDocument(stillLength: still)
      for asset in assets {
        let path = asset.path
        guard let facts = probed.facts[asset.id] else { throw Complaint(path, "was not read", .software) }
        try document.add(
          asset.id.rawValue, Self.isURL(path) ? path : Self.path(path, from: folder), isURL: Self.isURL(path), facts)
      }
      let text = try document.text
      let report = try validate(
        DocumentFile(Array(text.utf8), path: destination?.path ?? "-"), probed, setting)
      if let destination {
        do { try Data(text.utf8).write(to: URL(filePath: destination.path), options: .atomic) } catch {
          throw Complaint(destination.path, "\(error)", .cannotCreate)
        }
      }
      return FirstEdit(document: text, output: destination?.path, edit: report)
    }
  }

  private static func isURL(_ medium: String) -> Bool {
    // Anything that is not a URL is a path.
    (try? MediaURL(medium)) != nil
  }

  private static func length(_ text: String) throws(Complaint) -> MediaTime {
    do {
      let time = try MediaTime(parsing: text)
      guard time > .zero, time <= DocumentLimits.latest else {
        throw Complaint("still", "\(text) is not a time above 0 and up to \(DocumentLimits.hours) hours", .usage)
      }
      return time
    } catch let complaint as Complaint { throw complaint } catch { throw Complaint("still", "\(error)", .usage) }
  }

  /// The way from a folder to a file: short where the file lies below the folder, else the file's whole path.
  private static func path(_ path: String, from folder: String) -> String {
    let folder = folder.last == "/" ? folder : folder + "/"
    return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
  }
}

/// A document that is written for people to go on with: a line for each segment.
private struct FirstDocument {
  let stillLength: MediaTime
  private var assets: [String] = []
  private var pictures: [String] = []
  private var sounds: [String] = []
  private var music: [String] = []
  /// The end of the last picture, and that of the last sound that belongs to one.
  private var (end, soundEnd) = (MediaTime.zero, MediaTime.zero)
  /// The first moving picture, if any.
  private var clip: VideoFacts?
  private var startsWithStill = false

  init(stillLength: MediaTime) { self.stillLength = stillLength }

  /// The names of media: that of the file without its ending, and a number where two files have the same name.
  static func names(of paths: [String]) -> [String] {
    var taken: Set<String> = []
    return paths.map { path in
      let whole = FilePath.name(of: path).prefix { $0 != "?" && $0 != "#" }
      let stem = whole.lastIndex(of: ".").map { whole[..<$0] } ?? whole
      let plain = String(stem.map { $0.isLetter || $0.isNumber || "-_ ".contains($0) ? $0 : "-" }.prefix(40))
      let base = plain.isEmpty ? "medium" : plain
      var (name, number) = (base, 2)
      while !taken.insert(name).inserted { (name, number) = ("\(base)-\(number)", number + 1) }
      return name
    }
  }

  mutating func add(_ name: String, _ path: String, isURL: Bool, _ facts: AssetFacts) throws {
    let asset = try Self.json(name)
    assets.append("\(asset): {\"\(isURL ? "url" : "path")\": \(try Self.json(path))}")
    let hasSound = !facts.playableTracks(.audio).isEmpty
    guard case .video(let video)? = facts.playableTracks(.video).first?.detail else {
      guard hasSound else { throw Complaint(path, "has neither a picture nor a sound that can be played", .badDocument) }
      return music.append("{\"asset\": \(asset)}")
    }
    if facts.isStillPicture {
      startsWithStill = startsWithStill || pictures.isEmpty
      pictures.append("{\"asset\": \(asset), \"duration\": \"\(stillLength)\"}")
      end = try end + stillLength
      return
    }
    guard let length = facts.clipDuration else { throw Complaint(path, "does not say how long it is", .badDocument) }
    pictures.append("{\"asset\": \(asset)}")
    if hasSound {
      sounds.append("{\"asset\": \(asset)\(soundEnd == end ? "" : ", \"at\": \"\(end)\"")}")
      soundEnd = try end + length
    }
    end = try end + length
    clip = clip ?? video
  }

  /// The document as JSON.
  var text: String {
    get throws {
      var tracks: [String] = []
      if !pictures.isEmpty { tracks.append(Self.track("picture", media: "video", more: "", segments: pictures)) }
      if !sounds.isEmpty { tracks.append(Self.track("sound", media: "audio", more: "", segments: sounds)) }
      if !music.isEmpty {
        tracks.append(Self.track("music", media: "audio", more: pictures.isEmpty ? "" : "\"bed\": \"pad\", ", segments: music))
      }
      var parts = [
        "\"spool\": 1", "\"assets\": {\n    \(assets.joined(separator: ",\n    "))\n  }",
        "\"composition\": {\"tracks\": [\n\(tracks.joined(separator: ",\n"))\n  ]}",
      ]
      if startsWithStill {
        let size = clip.map { TimelineResolver.renderSize(for: $0.displaySize) } ?? PixelSize(1920, 1080)
        let frameDuration = try clip.map { video throws(TimeError) in try TimelineResolver.frameDuration(of: video) }
        let rate = frameDuration?.description ?? "1/30"
        parts.append(
          "\"videoComposition\": {\"renderSize\": [\(size.width), \(size.height)], \"frameDuration\": \"\(rate)\"}")
      }
      return "{\n  \(parts.joined(separator: ",\n  "))\n}\n"
    }
  }

  private static func track(_ id: String, media: String, more: String, segments: [String]) -> String {
    let lines = segments.joined(separator: ",\n      ")
    return "    {\"id\": \"\(id)\", \"media\": \"\(media)\", \(more)\"segments\": [\n      \(lines)]}"
  }

  private static func json(_ text: String) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    return String(decoding: try encoder.encode(text), as: UTF8.self)
  }
}
