internal import Glibc

/// Parts of a path, as text. A path is split at the byte of a slash, as the kernel does it: a slash followed by an accent is not a
/// slash as a `Character`.
package enum FilePath {
  private static let slash = UInt8(ascii: "/")

  package static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }

  /// The folder of the file at `path` with its last slash, and the file's name in it. One after the other they are the path. The
  /// folder is empty where the path has no slash.
  package static func parts(of path: String) -> (folder: Substring, name: Substring) {
    let start = path.utf8.lastIndex(of: slash).map(path.utf8.index(after:)) ?? path.startIndex
    return (path[..<start], path[start...])
  }

  /// The last part of a path: the whole path where it has one part only, nothing where it ends with a slash.
  package static func name(of path: String) -> String { String(parts(of: path).name) }

  /// The folder of the file at `path`, without its last slash: "." where the path has no slash, "/" for a file of the root.
  package static func folder(of path: String) -> String {
    let folder = parts(of: path).folder
    return folder.isEmpty ? "." : folder.utf8.count == 1 ? "/" : String(folder[..<folder.utf8.index(before: folder.endIndex)])
  }

  /// The names in a path, from the outermost folder to the file.
  package static func names(in path: String) -> [String] { path.utf8.split(separator: slash).map { String(Substring($0)) } }

  /// The folders above the file at `path`, outermost first, without the root and the working folder.
  package static func folders(above path: String) -> [String] {
    let bytes = path.utf8
    return bytes.indices.filter { index in
      bytes[index] == slash && index > bytes.startIndex && bytes[bytes.index(before: index)] != slash
    }.map { String(path[..<$0]) }
  }

  /// Makes a folder, and those above it that are missing (mkdir). One that is there is left as it is.
  ///
  /// - Parameter mode: the permissions of the folders that are made; the process's mask is taken off.
  /// - Returns: nil when the folder is there, else the folder that could not be made and the value of `errno`.
  package static func makeFolder(_ path: String, mode: UInt32) -> (path: String, code: Int32)? {
    if unsafe mkdir(path, mode) == 0 || errno == EEXIST { return nil }
    guard errno == ENOENT, let parent = folders(above: path).last else { return (path, errno) }
    if let failure = makeFolder(parent, mode: mode) { return failure }
    return unsafe mkdir(path, mode) == 0 || errno == EEXIST ? nil : (path, errno)
  }
}
