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
    guard threads > 1, assets.count > 1 else {
      for asset in assets { probe(asset, by: policy, report) }
      return
    }
    let middle = assets.startIndex + assets.count / 2
    let (here, there) = (assets[..<middle], assets[middle...])
    let others = JoinableThread { ProbedAssets(there, policy: policy, threads: threads / 2, report: report) }
    self = ProbedAssets(here, policy: policy, threads: threads - threads / 2, report: report)
    let more = others.join()
    facts.merge(more.facts) { first, _ in first }
    faults += more.faults
  }

  private mutating func probe(
    _ asset: Asset, by policy: SourcePolicy, _ report: (AssetID, Finding) -> Void
  ) {
    let id = asset.id
    report(id, .begun)
    do throws(MediaError) {
      let found =
        try asset.isFont ? FontProbe.facts(of: asset.path, policy: policy) : AssetProbe.facts(of: asset.path, policy: policy)
      facts[id] = found
      report(id, .found(found))
    } catch {
      faults.append(AssetFault(asset: id, error: error))
      report(id, .refused(error))
    }
  }
}
