import MediaTime
import Messages
import Terminal
import Timeline

/// The JSON object, on a line of its own, that a verb prints when it fails and was asked for JSON.
struct FailureRecord: Encodable {
  let event = "failed"
  /// The failure's class when a job failed (docs/cli.md), else the kind that the exit code stands for.
  let `class`: String
  let exitCode: Int32
  /// The asset at fault, by its name in the document; nil when there is none or more than one.
  let asset: String?
  /// The time in that asset as text, in seconds; nil when it is not known.
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

  /// Runs a verb's work. When it fails and `json` is set, prints the failure on standard output. Throws the error in any case.
  ///
  /// - Parameter work: the verb's work. It stores the document's assets in its argument once they are known.
  static func telling(if json: Bool, _ work: (inout [(id: AssetID, path: String)]) throws -> Void) throws {
    var assets: [(id: AssetID, path: String)] = []
    do {
      try work(&assets)
    } catch {
      if json {
        // When standard output cannot be written, the exit code and standard error still tell of the failure.
        try? StandardStream.output.json(FailureRecord(Complaint(about: error), assets: assets))
      }
      throw error
    }
  }
}

/// An asset and perhaps a time in it, read from the place that a failure names. Such a place is "PATH track N at T s" or
/// "assets.NAME: …". The asset's name may follow in brackets.
struct MediaPlace {
  let asset: AssetID
  let time: String?

  init?(_ place: String, among assets: [(id: AssetID, path: String)]) {
    let named = assets.filter { place == $0.path || place.hasPrefix($0.path + " ") || place == "assets.\($0.id)" }
    // The longest path is the right one, because one path may be the beginning of another.
    guard let found = named.max(by: { $0.path.utf8.count < $1.path.utf8.count }) else { return nil }
    asset = found.id
    let bare = place.ranges(of: " (asset '").last.map { place[..<$0.lowerBound] } ?? place[...]
    let words = bare.split(separator: " ").suffix(3)
    time = words.count == 3 && words.first == "at" && words.last == "s" ? words.dropFirst().first.map(String.init) : nil
  }
}
