import Media

/// Where the media of an edit may lie. Who renders for himself may read what he may read; who renders for others says
/// where their media are.
enum MediaRoots {
  static let help = "A directory that media may be read from, links resolved; '/' unless given."

  static func policy(_ roots: [String]) -> SourcePolicy { SourcePolicy(roots: roots.isEmpty ? ["/"] : roots) }
}
