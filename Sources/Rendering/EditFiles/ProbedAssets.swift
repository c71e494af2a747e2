internal import Drawing
package import Formats
internal import Linux
package import Media
package import Timeline

/// The facts of many assets. Each asset is probed, so that all bad ones are reported at once.
package struct ProbedAssets: Sendable {
  package struct Asset: Hashable, Sendable {
    package let id: AssetID
    /// A path, or a URL as it is written.
    package let path: String
    /// Whether the document says that it is a font. Otherwise it is a medium.
    package let isFont: Bool

    package init(id: AssetID, path: String, isFont: Bool = false) { (self.id, self.path, self.isFont) = (id, path, isFont) }
  }

  package enum Finding: Sendable {
    /// The asset's first byte is about to be read.
    case begun
    case found(AssetFacts)
    case refused(MediaError)
  }

  /// The number of threads. Each opens a file, reads its start and decodes a picture or two. Where storage is far away, most of
  /// that is waiting, so there may be more threads than cores. They are few enough for a process that may open 64 files.
  package static let threads = 8
  package private(set) var facts: [AssetID: AssetFacts] = [:]
  /// The faults, in the order of the assets.
  package private(set) var faults: [AssetFault] = []

  package init(facts: [AssetID: AssetFacts], faults: [AssetFault]) { (self.facts, self.faults) = (facts, faults) }

  /// Probes assets.
  ///
  /// - Parameters:
  ///   - threads: the most threads that work on them, including this one.
  ///   - report: called twice for each asset, on any of the threads.
  package init(
    _ assets: ArraySlice<Asset>, policy: SourcePolicy, threads: Int = ProbedAssets.threads,
    report: @escaping @Sendable (AssetID, Finding) -> Void = { _, _ in }
  ) {
    let findings = concurrently(assets, threads: threads) { asset in
      report(asset.id, .begun)
      let finding = Self.finding(about: asset, by: policy)
      report(asset.id, finding)
      return finding
    }
    for (asset, finding) in zip(assets, findings) {
      switch finding {
      case .begun: break
      case .found(let found): facts[asset.id] = found
      case .refused(let error): faults.append(AssetFault(asset: asset.id, error: error))
      }
    }
  }

  private static func finding(about asset: Asset, by policy: SourcePolicy) -> Finding {
    do throws(MediaError) {
      return .found(
        try asset.isFont ? FontProbe.facts(of: asset.path, policy: policy) : AssetProbe.facts(of: asset.path, policy: policy))
    } catch { return .refused(error) }
  }
}
