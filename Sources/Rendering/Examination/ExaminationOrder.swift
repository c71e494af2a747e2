internal import Document
internal import EditFiles
package import Formats
package import Messages
internal import Remote
internal import Rendering
package import Scenes
internal import Timeline

/// The order to a process that reads media for a command. It is one JSON line on the process's standard input.
package enum ExaminationOrder: Sendable, Codable {
  /// Report the facts of these assets.
  case assets([Asset])
  /// Report the peaks of the first track of sound, from its beginning, for each `samplesPerPixel` of its samples.
  case peaks(Asset, samplesPerPixel: Int)
  /// Report the digests of these frames of an edit.
  case frames(JobSpec, FrameRange)
  /// Render a frame of an edit, and write its samples to the file for the picture.
  case picture(JobSpec, index: Int)
  /// Write samples of an edit to the pipe for them.
  case samples(JobSpec, SampleWish)
  /// Report the levels of the edit's waveforms that are not measured yet.
  case levels(JobSpec)
  /// Report the frames whose packets can be copied from the edit's media.
  case copies(JobSpec)
  /// Report what drawing the edit's texts needs, and what is wrong with them.
  case texts(JobSpec)
  /// Report the encoding in which these bytes of a file seem to be written.
  case encoding([UInt8])
  /// Compare a movie with its edit. Each frame of a lossy movie must reach `floor` dB of PSNR.
  case movie(Movie, JobSpec, floor: Double)
  /// Write the opening of a track of an edit's movie to the file for the picture.
  case opening(PlayedTrack, JobSpec)
  /// Write fragments of a track to the file for the picture, and report their sizes.
  case fragments(PlayedTrack, PlayedTrack.Division)

  package struct Asset: Hashable, Sendable, Codable {
    package var id: String
    /// A path, or a URL as it is written.
    package var path: String
    /// True for a font; otherwise nil.
    package var isFont: Bool?
  }

  /// The files of a movie.
  package struct Movie: Hashable, Sendable, Codable {
    package var path: String
    /// The files of its sounds, where each has one of its own.
    package var sounds: [String] = []
    /// The files of its renditions.
    package var renditions: [String] = []

    package var files: [String] { Set([path] + sounds + renditions).sorted() }
  }

  /// The sources behind URLs that the process reads. Both sides number them in this order.
  var remoteSources: [RemoteSource] {
    switch self {
    case .assets(let assets):
      assets.compactMap { if case .remote(let url) = SourceName($0.path) { RemoteSource(url) } else { nil } }
    case .peaks(let asset, _): Self.assets([asset]).remoteSources
    case .frames(let spec, _), .picture(let spec, _), .levels(let spec), .texts(let spec), .copies(let spec),
      .movie(_, let spec, _),
      .samples(let spec, _):
      RemoteSource.all(of: spec)
    case .opening, .fragments, .encoding: []
    }
  }

  /// The files that the process reads, in an order that both sides know.
  package var files: [String] {
    switch self {
    case .assets(let assets):
      Set(assets.map(\.path).filter { SourceName($0).isFile }).sorted()
    case .peaks(let asset, _): Self.assets([asset]).files
    case .frames(let spec, _), .picture(let spec, _), .levels(let spec), .texts(let spec), .copies(let spec),
      .samples(let spec, _):
      spec.mediaFiles
    case .movie(let movie, let spec, _): Set(spec.mediaFiles + movie.files).sorted()
    // Segment files can be read by all who may enter the store.
    case .opening, .fragments, .encoding: []
    }
  }

  /// The most sources behind URLs that are read at the same time. One thread renders an edit's frames; several threads probe
  /// assets.
  var mostAtOnce: Int { if case .assets = self { ExaminationSetting.probingLines } else { 1 } }

  /// Whether the result is a picture or a part of a movie in a file, or samples in a pipe.
  package var makesPicture: Bool {
    switch self {
    case .picture, .samples, .opening, .fragments: true
    case .assets, .peaks, .frames, .levels, .texts, .copies, .movie, .encoding: false
    }
  }

  /// The bytes of the largest font that the process keeps in a file in memory.
  var largestFont: Int64 {
    switch self {
    case .assets, .peaks, .levels, .copies, .opening, .fragments, .encoding: 0
    case .frames(let spec, _), .picture(let spec, _), .samples(let spec, _), .texts(let spec),
      .movie(_, let spec, _):
      spec.facts.values.filter { $0.font != nil }.map(\.byteCount).max() ?? 0
    }
  }
}

extension ExaminationOrder.Asset {
  init(_ asset: ProbedAssets.Asset) {
    self.init(id: asset.id.rawValue, path: asset.path, isFont: asset.isFont ? true : nil)
  }
}

extension JobSpec {
  /// Makes the spec of an edit that is only looked at. No movie is made of it.
  package init(lookingAt edit: ResolvedTimeline, fonts: [FontFace]?) {
    let facts = Dictionary(uniqueKeysWithValues: edit.facts.map { ($0.key.rawValue, $0.value) })
    self.init(
      document: String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self), facts: facts, fonts: fonts, output: "",
      overwrites: false, keepsSegments: true)
  }
}
