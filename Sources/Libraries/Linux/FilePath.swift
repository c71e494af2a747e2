/// Parts of a path, as text.
package enum FilePath {
  /// The last part of a path; the whole path where it has one part only.
  package static func name(of path: String) -> Substring {
    path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
  }

  /// The part before the last slash, without that slash; empty where there is no slash.
  package static func folder(of path: String) -> Substring { path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }
}
