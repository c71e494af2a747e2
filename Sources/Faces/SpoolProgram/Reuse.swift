import Rendering

/// The choice whose chunks are taken as an earlier job rendered them.
enum Reuse: String, CaseIterable, Sendable {
  case own, all, none

  static let standardMebibytes = Int(SegmentCache.standardBytes >> 20)

  static let help = """
    Whose chunks are not rendered again but taken from the store, where nothing in them has changed: those of the job's own \
    submitter, those of all, or none. A store in S3 keeps none.
    """
  static let sizeHelp = "The size that the chunks kept for that may have together. Those that nobody used for longest go first."

  /// The jobs whose chunks are taken; nil where none are.
  var scope: SegmentCache.Scope? { SegmentCache.Scope(rawValue: rawValue) }

  /// The arguments of an attempt.
  var arguments: [String] { scope.map { ["--reuse", $0.rawValue] } ?? [] }
}
