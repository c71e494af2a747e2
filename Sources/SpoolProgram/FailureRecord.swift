import MediaTime
import Messages
import Terminal
import Timeline

/// What a verb that was asked for JSON prints when it fails: one object, on a line of its own.
struct FailureRecord: Encodable {
  let event = "failed"
  /// The class of the failure of a job that failed (docs/cli.md); else what the exit code stands for.
  let `class`: String
  let exitCode: Int32
  /// The asset that it is about, by its name in the document; nil when it is about none, or several.
  let asset: String?
  /// Where in that asset, in seconds as they are told; nil when that is not known.
  let time: String?
  let faults: [FaultRecord]

  init(_ complaint: Complaint, assets: [(id: AssetID, path: String)]) {
    `class` = complaint.cause?.class.rawValue ?? ExitCode.kind(of: complaint.code)
    (exitCode, faults) = (complaint.code, complaint.told)
    let place = complaint.cause.flatMap { MediaPlace($0.place, among: assets) }
    let paths = Set(complaint.told.map(\.path))
    let unreadable = assets.filter { paths.contains("assets.\($0.id)") }
    asset = place?.asset.rawValue ?? (unreadable.count == 1 ? unreadable.first?.id.rawValue : nil)
    time = place?.time
  }

  /// Does what a verb does; what fails is told on standard output if `json` was asked for, and to the caller either way.
  ///
  /// - Parameter work: given a place for the document's assets, once they are known.
  static func telling(if json: Bool, _ work: (inout [(id: AssetID, path: String)]) throws -> Void) throws {
    var assets: [(id: AssetID, path: String)] = []
    do {
      try work(&assets)
    } catch {
      if json {
        // When standard output cannot be written to, the exit code still says that it failed, and standard error why.
        try? StandardStream.output.json(FailureRecord(Complaint(about: error), assets: assets))
      }
      throw error
    }
  }
}

/// A medium and perhaps a time in it, as failures name their place: "PATH track N at T s", or "assets.NAME: …". Behind it the asset may
/// stand in brackets.
struct MediaPlace {
  let asset: AssetID
  let time: String?

  init?(_ place: String, among assets: [(id: AssetID, path: String)]) {
    let named = assets.filter { place == $0.path || place.hasPrefix($0.path + " ") || place == "assets.\($0.id)" }
    // The longest, since one path may be the beginning of another.
    guard let found = named.max(by: { $0.path.utf8.count < $1.path.utf8.count }) else { return nil }
    asset = found.id
    let bare = place.ranges(of: " (asset '").last.map { place[..<$0.lowerBound] } ?? place[...]
    let words = bare.split(separator: " ").suffix(3)
    time = words.count == 3 && words.first == "at" && words.last == "s" ? words.dropFirst().first.map(String.init) : nil
  }
}
