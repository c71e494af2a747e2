package import Captions
internal import Formats
package import MediaTime

/// A WebVTT file beside the movie that carries the captions of a track.
package struct CaptionSidecar: Hashable, Sendable {
  /// The ending of its name.
  package static let ending = ".vtt"
  /// The most bytes of a name. The language's tag may be a part of it, as the movie's name is.
  package static let longestName = 240

  /// The name of the file; nil where it follows from the movie's name and the captions' language.
  package var name: String?

  package init(_ name: String? = nil) { self.name = name }

  /// The reason for which no file may have a name, in words; nil where one may.
  package static func objection(to name: String) -> String? {
    if name.contains("/") { return "the file stands beside the movie: give its name alone, without a folder" }
    if !name.lowercased().hasSuffix(ending) { return "the name of a WebVTT file ends in \(ending)" }
    if name.hasPrefix(".") { return "names with a point at their start are those of hidden files" }
    if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) { return "has control characters" }
    return name.utf8.count > longestName ? "is longer than \(longestName) bytes" : nil
  }
}

extension CaptionTrack {
  /// The name of the track's file beside a movie; nil where there is none.
  ///
  /// - Parameters:
  ///   - movie: the name of the movie, or of its folder.
  ///   - isFolder: whether the movie is a folder, whose name has no ending.
  package func sidecarName(beside movie: String, isFolder: Bool) -> String? {
    guard let sidecar else { return nil }
    if let name = sidecar.name { return name }
    let point = isFolder ? nil : movie.lastIndex(of: ".")
    let stem = point.map { $0 == movie.startIndex ? movie[...] : movie[..<$0] } ?? movie[...]
    return "\(stem)\(language.map { ".\($0)" } ?? "")\(CaptionSidecar.ending)"
  }

  /// The cues that are shown in a part of the edit, in the time of that part.
  package func cues(in part: MediaTimeRange) throws(TimeError) -> [CaptionCue] {
    var found: [CaptionCue] = []
    for var cue in cues {
      let (start, end) = (max(cue.range.start, part.start), min(cue.range.end, part.end))
      guard start < end else { continue }
      cue.range = try MediaTimeRange(start: start - part.start, duration: end - start)
      for index in cue.words.indices {
        cue.words[index].time = try max(cue.words[index].time - part.start, .zero)
        if let end = cue.words[index].end { cue.words[index].end = try max(end - part.start, .zero) }
      }
      found.append(cue)
    }
    return found
  }

  /// The captions of a part of the edit as a WebVTT file, in the time of that part.
  ///
  /// The looks of the track's style are left out, as in text tracks: players have their own. The places, and the looks of cues, are kept.
  package func webVTT(in part: MediaTimeRange) throws(TimeError) -> String {
    let align: CaptionAlignment? =
      switch style.content {
      case .text(let text): text.alignment == .left ? .left : text.alignment == .right ? .right : nil
      default: nil
      }
    return WebVTTWriter(place: script == nil ? place : .lowerThird, mode: mode, align: script == nil ? align : nil)
      .text(of: try cues(in: part))
  }
}
