internal import Media
internal import Timeline

/// What many assets are: each is probed, so that all bad ones are told at once.
struct ProbedAssets: Sendable {
  /// Each opens a file, reads its start and decodes a picture or two. Most of that is waiting where storage is far away, so
  /// there may be more threads than cores; few enough for a process that may open 64 files.
  static let threads = 8
  private(set) var facts: [AssetID: AssetFacts] = [:]
  /// In the order of the assets.
  private(set) var faults: [AssetFault] = []

  /// - Parameter threads: how many may work on them, this one counted.
  init(_ assets: ArraySlice<(id: AssetID, path: String)>, policy: SourcePolicy, threads: Int = ProbedAssets.threads) {
    guard threads > 1, assets.count > 1 else {
      for asset in assets { probe(asset.id, asset.path, policy) }
      return
    }
    let middle = assets.startIndex + assets.count / 2
    let (here, there) = (assets[..<middle], assets[middle...])
    let others = JoinableThread { ProbedAssets(there, policy: policy, threads: threads / 2) }
    self = ProbedAssets(here, policy: policy, threads: threads - threads / 2)
    let more = others.join()
    facts.merge(more.facts) { first, _ in first }
    faults += more.faults
  }

  private mutating func probe(_ id: AssetID, _ path: String, _ policy: SourcePolicy) {
    do throws(MediaError) {
      facts[id] = try AssetProbe.facts(of: path, policy: policy)
    } catch {
      faults.append(AssetFault(asset: id, error: error))
    }
  }
}
