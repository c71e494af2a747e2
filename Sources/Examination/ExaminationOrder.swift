package import Messages
internal import Remote
internal import Rendering
package import Timeline

/// What a process that reads media for somebody's command is asked, on its standard input, as one JSON line.
package enum ExaminationOrder: Sendable, Codable {
  /// What the assets are.
  case assets([Asset])
  /// The digests of frames of an edit.
  case frames(JobSpec, FrameRange)
  /// A frame of an edit, as samples in the file that is its last descriptor.
  case picture(JobSpec, index: Int)
  /// Whether a movie shows its edit, each frame of a lossy one to `floor` dB of PSNR.
  case movie(String, JobSpec, floor: Double)

  package struct Asset: Hashable, Sendable, Codable {
    package var id: String
    /// A path, or a URL as it is written.
    package var path: String
  }

  /// The sources behind URLs that it reads: each side numbers them as they stand here.
  var remoteSources: [RemoteSource] {
    switch self {
    case .assets(let assets):
      // Whatever is no URL is a path.
      assets.compactMap { asset in (try? MediaURL(asset.path)).map { RemoteSource($0) } }
    case .frames(let spec, _), .picture(let spec, _), .movie(_, let spec, _): RemoteSource.all(of: spec)
    }
  }

  /// The files that it reads, in an order that both sides know.
  package var files: [String] {
    switch self {
    case .assets(let assets):
      // Whatever is no URL is a path.
      Set(assets.map(\.path).filter { (try? MediaURL($0)) == nil }).sorted()
    case .frames(let spec, _), .picture(let spec, _): spec.mediaFiles
    case .movie(let movie, let spec, _): Set(spec.mediaFiles + [movie]).sorted()
    }
  }

  /// The most sources behind URLs that are read at once: an edit's frames are rendered by one thread, assets are probed by several.
  var mostAtOnce: Int { if case .assets = self { ExaminationSetting.probingLines } else { 1 } }

  /// Whether it ends with a picture in a file.
  package var makesPicture: Bool { if case .picture = self { true } else { false } }
}

extension JobSpec {
  /// An edit that is looked at: no movie is made of it.
  package init(lookingAt edit: ResolvedTimeline, fonts: [FontFace]?) {
    let facts = Dictionary(uniqueKeysWithValues: edit.facts.map { ($0.key.rawValue, $0.value) })
    self.init(
      document: String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self), facts: facts, fonts: fonts, output: "",
      overwrites: false, keepsSegments: true)
  }
}
