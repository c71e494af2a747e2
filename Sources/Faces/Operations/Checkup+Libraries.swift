internal import Glibc

/// A shared library that this process has loaded, as the name of its file tells of it.
package struct LoadedLibrary: Hashable, Sendable {
  /// The name in front of the ending, such as `libavcodec`.
  package let name: String
  /// The version behind the ending, such as `59.37.100`.
  package let version: String
  package let folder: String

  /// The libraries of this process, by name.
  package static var ofThisProcess: [LoadedLibrary] {
    let number = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
    // A system without this file tells of none.
    guard number >= 0 else { return [] }
    defer { close(number) }
    var (text, block) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      let count = unsafe block.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
      guard count > 0 else { return all(in: String(decoding: text, as: UTF8.self)) }
      text += block[..<count]
    }
  }

  /// - Parameter maps: the parts of a process's memory, a line each, as proc(5) describes them.
  package static func all(in maps: String) -> [LoadedLibrary] {
    let found = maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").flatMap { LoadedLibrary(line[$0...]) } }
    return Set(found).sorted { ($0.name, $0.version) < ($1.name, $1.version) }
  }

  /// Nil for a path that no library with a version has.
  private init?(_ path: Substring) {
    guard let match = path.wholeMatch(of: /(.*)\/(lib[^\/]+?)\.so\.([0-9.]+)/) else { return nil }
    (folder, name, version) = (String(match.1), String(match.2), String(match.3))
  }
}

extension Checkup {
  /// The libraries on which the bytes of a movie depend, and those by which the parts of a farm talk.
  private static let namedLibraries: Set = [
    "libSvtAv1Enc", "libass", "libavcodec", "libavfilter", "libavformat", "libavutil", "libcairo", "libcurl", "libfreetype",
    "libharfbuzz", "libheif", "libmicrohttpd", "libpango-1.0", "libpq", "librsvg-2", "librubberband", "libswresample",
    "libswscale",
    "libvpx", "libx264", "libx265", "libzimg", "libzmq",
  ]

  /// The folders in which a distribution has its libraries.
  private static let systemFolders = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"]

  /// - Parameter loaded: the libraries of this process.
  package static func libraries(_ loaded: [LoadedLibrary]) -> Finding {
    let named = loaded.filter { namedLibraries.contains($0.name) }
    let words = named.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
    let strange = named.filter { library in !systemFolders.contains { "\(library.folder)/".hasPrefix($0) } }
    guard let first = strange.first else { return Finding("libraries", words) }
    let others = strange.count == 1 ? "is" : "and \(strange.count - 1) more are"
    return Finding(
      "libraries", .notice, "\(first.name) \(others) not the system's, but from \(first.folder): \(words)",
      advice: "all workers are to have the same ones: unset LD_LIBRARY_PATH, or have them everywhere")
  }
}
