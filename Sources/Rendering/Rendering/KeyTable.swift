internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Media
internal import Messages
internal import Scenes
internal import Timeline

/// The keys of an edit's segments that were made before, in a file of the cache whose name is the digest of all that decides them:
/// `_cache/keys/<digest>.json` (decision 0254). An edit that did not change is asked for its keys again without a look at its frames.
///
/// Only a plan reads and writes such files, to tell what would be found. An attempt makes the key of its segment itself, whatever stands here.
struct KeyTable {
  /// The folder of all tables, in the cache's.
  private static let folder = "keys"
  /// The most files that stay: those of the last edits.
  static let mostFiles = 64
  /// The most bytes of a file, which are more than the keys of a job's most chunks have.
  private static let mostBytes = 16 << 20

  /// The states of the edit's sources, as far as they have one.
  let states: [AssetID: SourceState]
  /// The path of the file; nil where something that decides the keys cannot be named.
  private let path: String?
  /// The keys by the names of their segments; an empty one for a segment that has none.
  private var keys: [String: String] = [:]
  private var isChanged = false

  init(
    of edit: ResolvedTimeline, _ spec: JobSpec, _ policy: SourcePolicy, within scope: SegmentCache.Scope, in cache: String
  ) throws {
    states = Self.states(of: edit, policy)
    let digest = try SegmentKey.digest(ofAll: spec, edit, states, within: scope)
    path = digest.map { "\(cache)/\(Self.folder)/\($0).json" }
    if let path, let bytes = SegmentCache.read(path, most: Self.mostBytes) {
      // A file that was damaged is none.
      keys = (try? JSONDecoder().decode([String: String].self, from: Data(bytes))) ?? [:]
    }
  }

  /// The states that sources have now. One that cannot be told is left out.
  private static func states(of edit: ResolvedTimeline, _ policy: SourcePolicy) -> [AssetID: SourceState] {
    var states: [AssetID: SourceState] = [:]
    for id in edit.timeline.assets.keys {
      // Whoever needs an asset that cannot be read tells of it.
      states[id] = (try? SegmentKey.state(of: id, edit, policy)) ?? nil
    }
    return states
  }

  static func name(of frames: FrameRange) -> String { "\(frames.first)+\(frames.count)" }

  static func name(of part: SampleRange?) -> String { part.map { "sound \($0.first)+\($0.count)" } ?? "sound" }

  subscript(name: String) -> String? {
    get { keys[name] }
    set {
      keys[name] = newValue
      isChanged = true
    }
  }

  /// Keeps what is new, unless a source has changed meanwhile. What fails costs time later, and nothing else.
  func keep(of edit: ResolvedTimeline, _ policy: SourcePolicy) {
    guard isChanged, let path, Self.states(of: edit, policy) == states else { return }
    let folder = FilePath.folder(of: path)
    guard FilePath.makeFolder(folder, mode: 0o777) == nil else { return }
    guard let words = try? JSONEncoder().encode(keys) else { return }  // As said above.
    let hidden = "\(path).\(getpid())"
    guard SegmentCache.write(Array(words), to: hidden), unsafe rename(hidden, path) == 0 else {
      unsafe unlink(hidden)
      return
    }
    Self.prune(folder)
  }

  /// Removes the tables that were made longest ago.
  private static func prune(_ folder: String) {
    let names = SegmentStore.namesIfAny(in: folder)
    guard names.count > mostFiles else { return }
    let aged = names.map { name in
      var facts = stat()
      let isThere = unsafe stat("\(folder)/\(name)", &facts) == 0
      return (name: name, time: isThere ? facts.st_mtim.tv_sec : 0)
    }
    for (name, _) in aged.sorted(by: { ($0.time, $0.name) < ($1.time, $1.name) }).prefix(names.count - mostFiles) {
      unsafe unlink("\(folder)/\(name)")
    }
  }
}
