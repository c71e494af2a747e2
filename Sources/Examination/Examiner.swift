internal import Compositing
internal import Media
internal import Messages
internal import Remote
package import Rendering
package import SpoolCompositing
package import Subprocess
internal import Timeline

/// Does what an `ExaminationOrder` asks, in the process that was started for it.
package struct Examiner {
  private let order: ExaminationOrder
  private let policy: SourcePolicy
  private let compositors: CompositorRegistry
  private let picture: Descriptor?
  /// As long as any is read.
  private let handed: [Descriptor]
  private let confine: (AttemptReach) throws -> Void
  private let report: @Sendable (ExaminationReport) -> Void

  /// - Parameters:
  ///   - roots: folders that media must lie below.
  ///   - lines: to who supplies media behind URLs.
  ///   - handed: the order's files, opened by who may read them; nil where this process opens them.
  ///   - picture: the file for a picture, where the order asks for one.
  ///   - compositors: those that this program has.
  ///   - confine: called once, before the first byte of a medium is read, with all that is needed from then on.
  ///   - report: takes every report, from any thread, from several at once.
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
      for index in range.indices { report(.frame(index: index, md5: try renderer.frame(index).md5())) }
    case .picture(let spec, let index):
      let renderer = try renderer(of: spec)
      let frame = try renderer.frame(index).rgb(renderer.edit.color)
      try picture?.write(frame.packed(), at: 0)
      report(.pictured(width: frame.width, height: frame.height, bitDepth: frame.format.bitDepth))
    case .movie(let movie, let spec, let floor):
      let edit = try spec.edit
      // What cannot be opened is told when it is.
      let file = try? SourcePolicy(roots: ["/"]).resolve(movie)
      var reach = AttemptReach(readingFor: edit, policy, compositors, showingPictures: true)
      reach.readable += [file].compactMap(\.self)
      try confine(reach)
      var told = ContinuousClock.now
      let verified = try MovieVerification(
        of: movie, against: edit, policy: policy, fonts: spec.fonts, compositing: compositing, floor: floor
      ) {
        // Of pictures each counts, since the next one may be the last.
        if case .pictures = $0 {} else { guard ContinuousClock.now - told >= Self.interval else { return } }
        told = .now
        report(.compared($0))
      }
      report(.verified(verified))
    }
  }

  /// Between signs of life.
  private static let interval = Duration.milliseconds(100)

  private func probe(_ orders: [ExaminationOrder.Asset]) throws {
    let assets = orders.map { (id: AssetID($0.id), path: $0.path) }
    // What the policy refuses is told when it is opened.
    try confine(AttemptReach(.examines, readable: assets.compactMap { try? policy.resolve($0.path) }))
    _ = ProbedAssets(assets[...], policy: policy) { [report] asset, finding in
      switch finding {
      case .begun: report(.begun(asset: asset.rawValue))
      case .found(let facts): report(.found(asset: asset.rawValue, facts))
      case .refused(let error): report(.refused(asset: asset.rawValue, .init(error)))
      }
    }
  }

  private func renderer(of spec: JobSpec) throws -> PictureRenderer {
    let edit = try spec.edit
    try confine(AttemptReach(readingFor: edit, policy, compositors, showingPictures: true))
    return PictureRenderer(edit: edit, policy: policy, fonts: spec.fonts, compositing: compositing)
  }

  private var compositing: CustomCompositing { CustomCompositing(registry: compositors) }
}
