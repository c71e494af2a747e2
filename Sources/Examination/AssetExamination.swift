// Before Media: else C's types are FFmpeg's to the compiler.
internal import Glibc
internal import Media
internal import Messages
package import Rendering
internal import Timeline

/// What the assets of an edit are, found out by processes that may fall victim to them: one for all, and where that one ends early, others
/// for those that it has not told of. A medium that ends its process is refused by name, like any that cannot be read.
///
/// Works from `init` on, while its owner does other things. Belongs to one thread, which must outlive it.
package final class AssetExamination {
  private let setting: ExaminationSetting
  /// Those that no process was asked for yet, as they will be asked for together.
  private var batches: [[ExaminationOrder.Asset]]
  private var running: (examination: Examination, progress: Progress)?
  private var facts: [AssetID: AssetFacts] = [:]
  private var faults: [AssetFault] = []
  private var killers = 0

  /// What a process was asked for.
  private struct Progress {
    var unknown: [String: ExaminationOrder.Asset]
    var begun: Set<String> = []
  }

  /// Media that end their process, before those that are left are refused unread: each costs a process, and a minute where it hangs.
  private static let mostKillers = 16

  /// - Throws: `SubprocessError` when no process can be started.
  package init(_ assets: [ProbedAssets.Asset], _ setting: ExaminationSetting) throws {
    self.setting = setting
    // Where this process opens the files, it says which of them it may not open.
    let policy = SourcePolicy(roots: setting.roots)
    var batch: [ExaminationOrder.Asset] = []
    for asset in assets {
      do throws(MediaError) {
        // What is no URL is a path.
        if setting.account != nil, (try? MediaURL(asset.path)) == nil { _ = try policy.resolve(asset.path) }
        batch.append(ExaminationOrder.Asset(id: asset.id.rawValue, path: asset.path))
      } catch { faults.append(AssetFault(asset: asset.id, error: error)) }
    }
    batches = batch.isEmpty ? [] : [batch]
    try startNext()
  }

  /// Waits for all.
  package func finish() throws -> ProbedAssets {
    while true {
      if let assets = try advance(within: 1000) { return assets }
    }
  }

  /// Takes what was found, or waits for it.
  ///
  /// - Returns: all, once they are known.
  /// - Throws: `Failure` when media cannot be read in the way they should; `SubprocessError`.
  package func advance(within milliseconds: Int) throws -> ProbedAssets? {
    while let (examination, _) = running {
      switch try examination.next(within: milliseconds) {
      case .silence: return nil
      case .report(let report): if try take(report) { examination.hasAdvanced() }
      case .done: try end("the process that reads it ended without saying anything of it")
      case .broken(let reason): try end(reason)
      // None of those that it was reading came to an end.
      case .hung(let reason): try end(reason, byAll: true)
      }
    }
    return ProbedAssets(facts: facts, faults: faults.sorted { $0.asset < $1.asset })
  }

  /// - Returns: whether it was one that was due.
  private func take(_ report: ExaminationReport) throws -> Bool {
    switch report {
    case .begun(let asset):
      guard running?.progress.unknown[asset] != nil else { return false }
      return running?.progress.begun.insert(asset).inserted == true
    case .found(let id, let found):
      guard let asset = told(id) else { return false }
      if found.isPlausible {
        facts[AssetID(id)] = found
      } else {
        refuse(
          asset, "what it says of itself cannot be true, such as a size or a rate that no picture or sound has: it is damaged")
      }
    case .refused(let id, let refusal):
      guard told(id) != nil else { return false }
      faults.append(AssetFault(asset: AssetID(id), error: refusal.error))
    case .failed(let failure): throw Failure(failure.class, at: failure.place.shown(), failure.reason.shown())
    case .frame, .pictured, .compared, .verified, .unreadable: return false
    }
    return true
  }

  private func told(_ id: String) -> ExaminationOrder.Asset? { running?.progress.unknown.removeValue(forKey: id) }

  /// The process has ended. Of several that it was reading each gets a process of its own, to find out which one it was.
  private func end(_ reason: String, byAll: Bool = false) throws {
    guard let progress = running?.progress else { return }
    running = nil
    let rest = progress.unknown.values.sorted { $0.id < $1.id }
    let suspects = rest.filter { progress.begun.contains($0.id) }
    if suspects.isEmpty, let asset = rest.first {
      // It did not come to read any.
      throw Failure(.bug, at: MediaURL.name(of: asset.path), reason)
    }
    if byAll || suspects.count == 1 {
      killers += suspects.count
      for asset in suspects { refuse(asset, reason) }
    } else {
      batches += suspects.map { [$0] }
    }
    let innocent = rest.filter { !progress.begun.contains($0.id) }
    if !innocent.isEmpty { batches.append(innocent) }
    if killers >= Self.mostKillers {
      for asset in batches.joined() { refuse(asset, "was not read: \(killers) others have ended the processes that read them") }
      batches = []
    }
    try startNext()
  }

  private func refuse(_ asset: ExaminationOrder.Asset, _ reason: String) {
    faults.append(AssetFault(asset: AssetID(asset.id), error: MediaError(.corrupt, at: MediaURL.name(of: asset.path), reason)))
  }

  private func startNext() throws {
    guard let batch = batches.popLast() else { return }
    let examination = try Examination(.assets(batch), setting)
    running = (examination, Progress(unknown: Dictionary(uniqueKeysWithValues: batch.map { ($0.id, $0) })))
  }
}
