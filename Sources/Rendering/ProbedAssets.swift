package import Media
package import Timeline

/// What many assets are: each is probed, so that all bad ones are told at once.
package struct ProbedAssets: Sendable {
  package typealias Asset = (id: AssetID, path: String)

  package enum Finding: Sendable {
    /// Its first byte is about to be read.
    case begun
    case found(AssetFacts)
    case refused(MediaError)
  }

  /// Each opens a file, reads its start and decodes a picture or two. Most of that is waiting where storage is far away, so
  /// there may be more threads than cores; few enough for a process that may open 64 files.
  package static let threads = 8
  package private(set) var facts: [AssetID: AssetFacts] = [:]
  /// In the order of the assets.
  package private(set) var faults: [AssetFault] = []

  package init(facts: [AssetID: AssetFacts], faults: [AssetFault]) { (self.facts, self.faults) = (facts, faults) }

  /// Probes them.
  ///
  /// - Parameters:
  ///   - threads: how many may work on them, this one counted.
  ///   - report: told of each asset twice, by the threads.
  package init(
    _ assets: ArraySlice<Asset>, policy: SourcePolicy, threads: Int = ProbedAssets.threads,
    report: @escaping @Sendable (AssetID, Finding) -> Void = { _, _ in }
  ) {
    guard threads > 1, assets.count > 1 else {
      for asset in assets { probe(asset.id, asset.path, policy, report) }
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
    _ id: AssetID, _ path: String, _ policy: SourcePolicy, _ report: (AssetID, Finding) -> Void
  ) {
    report(id, .begun)
    do throws(MediaError) {
      let found = try AssetProbe.facts(of: path, policy: policy)
      facts[id] = found
      report(id, .found(found))
    } catch {
      faults.append(AssetFault(asset: id, error: error))
      report(id, .refused(error))
    }
  }
}
