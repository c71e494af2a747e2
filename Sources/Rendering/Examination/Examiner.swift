internal import CharacterSets
internal import Compositing
internal import Document
internal import Drawing
internal import Formats
internal import Media
internal import Messages
internal import Remote
internal import EditFiles
package import Rendering
internal import Scenes
package import SpoolCompositing
package import Subprocess
internal import Timeline

/// Carries out an `ExaminationOrder`, in the process that was started for it.
package struct Examiner {
  private let order: ExaminationOrder
  let policy: SourcePolicy
  let compositors: CompositorRegistry
  private let picture: Descriptor?
  /// The media that were handed over. They stay open while they are read.
  private let handed: [Descriptor]
  let confine: (AttemptReach) throws -> Void
  let report: @Sendable (ExaminationReport) -> Void

  /// - Parameters:
  ///   - roots: the folders that media must lie below.
  ///   - lines: the lines to the process that supplies media behind URLs.
  ///   - handed: the order's files as open descriptors; nil when this process opens them.
  ///   - picture: the file for a picture, or the pipe for samples, where the order asks for one.
  ///   - compositors: the compositors of this program.
  ///   - confine: called once, before the first byte of a medium is read, with everything that is needed from then on.
  ///   - report: takes every report. It is called from any thread, and from several at the same time.
  package init(
    _ order: ExaminationOrder, roots: [String], lines: [Descriptor], handed: [Descriptor]? = nil, picture: Descriptor?,
    compositors: CompositorRegistry, confine: @escaping (AttemptReach) throws -> Void,
    report: @escaping @Sendable (ExaminationReport) -> Void
  ) {
    self.order = order
    self.handed = handed ?? []
    var policy = SourcePolicy(
      roots: roots, remote: lines.isEmpty ? nil : SuppliedMedia.media(order.remoteSources, over: lines))
    if let handed { policy.hand(order.files, handed.map(\.number)) }
    self.policy = policy
    (self.picture, self.compositors, self.confine, self.report) = (picture, compositors, confine, report)
  }

  /// Runs to the end.
  package func run() {
    do {
      try perform()
    } catch let error as MediaError {
      report(.unreadable(.init(error)))
    } catch {
      report(.failed(Failure(classifying: error)))
    }
  }

  private func perform() throws {
    switch order {
    case .assets(let assets): try probe(assets)
    case .frames(let spec, let range):
      let renderer = try renderer(of: spec)
      let hasAlpha = renderer.edit.timeline.export.video.hasAlpha
      for index in range.indices { report(.frame(index: index, md5: try renderer.frame(index).md5(withAlpha: hasAlpha))) }
    case .picture(let spec, let index):
      let renderer = try renderer(of: spec)
      let frame = try renderer.frame(index).rgb(renderer.edit.color)
      let alpha = renderer.edit.timeline.export.video.hasAlpha ? frame.packedAlpha() : []
      try picture?.write(frame.packed() + alpha, at: 0)
      report(.pictured(width: frame.width, height: frame.height, bitDepth: frame.format.bitDepth))
    case .samples(let spec, let wish): if let picture { try write(wish, of: spec, to: picture) }
    case .peaks(let asset, let samplesPerPixel): try peaks(of: asset, samplesPerPixel)
    case .levels(let spec): try measure(spec)
    case .texts(let spec): try examineTexts(of: spec)
    case .copies(let spec): try searchCopies(spec)
    case .encoding(let bytes):
      try confine(AttemptReach(.examines, readable: []))
      report(.encoding(EncodingFinding(of: bytes)))
    case .opening(let track, let spec): if let picture { try writeOpening(of: track, of: spec, to: picture) }
    case .fragments(let track, let division): if let picture { try writeFragments(of: track, division, to: picture) }
    case .movie(let movie, let spec, let floor):
      let edit = try spec.edit
      // When the movie cannot be opened, that is reported later.
      let files = movie.files.map { try? SourcePolicy(roots: ["/"]).resolve($0) }
      var reach = AttemptReach(readingFor: edit, policy, compositors, showingPictures: true)
      reach.readable += files.compactMap(\.self)
      try FontMemory.reserve(for: edit)
      try confine(reach)
      var told = ContinuousClock.now
      let verified = try MovieVerification(
        of: movie.path, sounds: movie.sounds, renditions: movie.renditions, against: edit, policy: policy, fonts: spec.fonts,
        compositing: compositing, floor: floor
      ) {
        // Each picture is reported, because the next one may crash the process.
        if case .pictures = $0 {} else { guard ContinuousClock.now - told >= Self.interval else { return } }
        told = .now
        report(.compared($0))
      }
      report(.verified(verified))
    }
  }

  /// The shortest time between two signs of life.
  static let interval = Duration.milliseconds(100)

  private func probe(_ orders: [ExaminationOrder.Asset]) throws {
    let assets = orders.map { ProbedAssets.Asset(id: AssetID($0.id), path: $0.path, isFont: $0.isFont ?? false) }
    // Files that the policy refuses are reported when they are opened.
    try confine(AttemptReach(.examines, readable: assets.compactMap { try? policy.resolve($0.path) }))
    _ = ProbedAssets(assets[...], policy: policy) { [report] asset, finding in
      switch finding {
      case .begun: report(.begun(asset: asset.rawValue))
      case .found(let facts): report(.found(asset: asset.rawValue, facts))
      case .refused(let error): report(.refused(asset: asset.rawValue, .init(error)))
      }
    }
  }

  private func peaks(of asset: ExaminationOrder.Asset, _ samplesPerPixel: Int) throws {
    // A file that the policy refuses is reported when it is opened.
    try confine(AttemptReach(.examines, readable: [asset.path].compactMap { try? policy.resolve($0) }))
    let probed = ProbedAssets([.init(id: AssetID(asset.id), path: asset.path)][...], policy: policy) { _, _ in }
    if let fault = probed.faults.first { throw fault.error }
    guard let track = probed.facts.values.first?.playableTracks(.audio).first else {
      throw MediaError(.unsupported, at: asset.path, "has no sound that can be decoded")
    }
    let peaks = try WaveformPeaks(of: asset.path, track, policy: policy, samplesPerPixel: samplesPerPixel)
    report(.sound(sampleRate: peaks.sampleRate, channels: peaks.channelCount))
    while let block = try peaks.next() { report(.peaks(block)) }
  }

  /// The most levels of one report, so that it is shorter than reports may be.
  private static let mostLevels = 40_000

  private func measure(_ spec: JobSpec) throws {
    let edit = try spec.unmeasuredEdit
    try confine(AttemptReach(readingFor: edit, policy, compositors, showingPictures: false))
    var told = ContinuousClock.now
    let levels = try WaveformLevels.measure(edit, policy: policy) {
      guard ContinuousClock.now - told >= Self.interval else { return }
      told = .now
      report(.measuring)
    }
    for levels in levels {
      for first in stride(from: 0, to: levels.count, by: Self.mostLevels) {
        report(.measured(Array(levels[first...].prefix(Self.mostLevels))))
      }
    }
  }

  private func searchCopies(_ spec: JobSpec) throws {
    let edit = try spec.edit
    try confine(AttemptReach(readingFor: edit, policy, compositors, showingPictures: false))
    var told = ContinuousClock.now
    let found = try CopySearch(of: edit, policy: policy.pinned(to: edit)) {
      guard ContinuousClock.now - told >= Self.interval else { return }
      told = .now
      report(.searching)
    }
    report(.copyable(found))
  }

  private func examineTexts(of spec: JobSpec) throws {
    let edit = try spec.unmeasuredEdit
    try FontMemory.reserve(for: edit)
    try confine(AttemptReach(readingFor: edit, policy, compositors, showingPictures: true))
    let (measured, findings) = try EditTexts(edit, policy.pinned(to: edit)).findings(in: edit)
    if measured != edit {
      let text = measured.timeline.canonicalJSON()
      for start in stride(from: 0, to: text.count, by: Self.piece) {
        report(.document(Array(text[start..<min(start + Self.piece, text.count)])))
      }
    }
    report(.texts(findings))
  }

  /// The bytes of a document in one report, which are numbers there.
  private static let piece = 1 << 19

  func renderer(of spec: JobSpec) throws -> PictureRenderer {
    let edit = try spec.edit
    try FontMemory.reserve(for: edit)
    try confine(AttemptReach(readingFor: edit, policy, compositors, showingPictures: true))
    return PictureRenderer(edit: edit, policy: policy, fonts: spec.fonts, compositing: compositing)
  }

  private var compositing: CustomCompositing { CustomCompositing(registry: compositors) }
}
