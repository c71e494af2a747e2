// Glibc is imported before Media. Otherwise the compiler takes C's types for FFmpeg's.
internal import Formats
internal import Glibc
internal import Media
internal import Messages
package import EditFiles
internal import Timeline

/// Finds out the facts of an edit's assets in other processes, which a bad medium may crash. One process reads all assets. When
/// it ends early, others read those that it has not reported. A medium that ends its process is refused by name, like one that
/// cannot be read.
///
/// The work runs from `init` on, while the owner does other things. Use it from one thread, which must outlive it.
package final class AssetExamination {
  private let setting: ExaminationSetting
  /// The batches of assets that no process was asked for yet.
  private var batches: [[ExaminationOrder.Asset]]
  private var running: (examination: Examination, progress: Progress)?
  private var facts: [AssetID: AssetFacts] = [:]
  private var faults: [AssetFault] = []
  private var killers = 0

  /// The progress of the process that runs.
  private struct Progress {
    var unknown: [String: ExaminationOrder.Asset]
    var begun: Set<String> = []
  }

  /// The number of media that may end their process before the rest is refused unread. Each one costs a process, and a minute
  /// when it hangs.
  private static let mostKillers = 16

  /// - Throws: `SubprocessError` when no process can be started.
  package init(_ assets: [ProbedAssets.Asset], _ setting: ExaminationSetting) throws {
    self.setting = setting
    // When this process opens the files for another user, it checks here which of them it may open.
    let policy = SourcePolicy(roots: setting.roots)
    var batch: [ExaminationOrder.Asset] = []
    for asset in assets {
      do throws(MediaError) {
        if setting.account != nil, SourceName(asset.path).isFile { _ = try policy.resolve(asset.path) }
        batch.append(ExaminationOrder.Asset(asset))
      } catch { faults.append(AssetFault(asset: asset.id, error: error)) }
    }
    batches = batch.isEmpty ? [] : [batch]
    try startNext()
  }

  /// Waits until all assets are known.
  package func finish() throws -> ProbedAssets {
    while true {
      if let assets = try advance(within: 1000) { return assets }
    }
  }

  /// Takes the reports that have arrived, or waits for some.
  ///
  /// - Returns: all assets once they are known, else nil.
  /// - Throws: `Failure` when media cannot be read in the required way; `SubprocessError`.
  package func advance(within milliseconds: Int) throws -> ProbedAssets? {
    while let (examination, _) = running {
      switch try examination.next(within: milliseconds) {
      case .silence: return nil
      case .report(let report): if try take(report) { examination.hasAdvanced() }
      case .done: try end("the process that reads it ended without saying anything of it")
      case .broken(let reason): try end(reason)
      // None of the assets that the process was reading came to an end, so each of them counts as hanging.
      case .hung(let reason): try end(reason, byAll: true)
      }
    }
    return ProbedAssets(facts: facts, faults: faults.sorted { $0.asset < $1.asset })
  }

  /// - Returns: whether a report of this kind was due.
  private func take(_ report: ExaminationReport) throws -> Bool {
    switch report {
    case .begun(let asset):
      guard running?.progress.unknown[asset] != nil else { return false }
      return running?.progress.begun.insert(asset).inserted == true
    case .found(let id, let found):
      guard let asset = told(id) else { return false }
      if found.isPlausible, (found.font != nil) == (asset.isFont ?? false) {
        facts[AssetID(id)] = found
      } else {
        refuse(
          asset, "what it says of itself cannot be true, such as a size or a rate that no picture or sound has: it is damaged")
      }
    case .refused(let id, let refusal):
      guard told(id) != nil else { return false }
      faults.append(AssetFault(asset: AssetID(id), error: refusal.error))
    case .failed(let failure): throw Failure(failure.class, at: failure.place.shown(), failure.reason.shown())
    case .document, .texts, .frame, .pictured, .measuring, .measured, .searching, .copyable, .sound, .peaks, .compared, .verified,
      .reading, .written, .encoding, .unreadable:
      return false
    }
    return true
  }

  private func told(_ id: String) -> ExaminationOrder.Asset? { running?.progress.unknown.removeValue(forKey: id) }

  /// Handles the end of the process. When it was reading several assets, each of them gets a process of its own, to find out
  /// which one ended it.
  private func end(_ reason: String, byAll: Bool = false) throws {
    guard let progress = running?.progress else { return }
    running = nil
    let rest = progress.unknown.values.sorted { $0.id < $1.id }
    let suspects = rest.filter { progress.begun.contains($0.id) }
    if suspects.isEmpty, let asset = rest.first {
      // The process ended before it read any asset.
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
