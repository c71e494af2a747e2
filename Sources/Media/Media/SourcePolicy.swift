internal import CFFmpeg
package import Formats
internal import Glibc

/// The rules for sources: a source is a regular file below one of the media roots, or what a URL names where that is allowed. Its
/// format must be one that cannot name other files.
package struct SourcePolicy: Sendable {
  /// The folders below which sources must lie, after links are resolved on both sides.
  package var roots: [String]
  /// The way in which URLs are opened; nil where no URL is allowed.
  package var remote: RemoteMedia?
  /// The versions that probing found behind URLs. Of these URLs no other version is read.
  package var knownVersions: [MediaURL: RemoteVersion] = [:]

  /// The files, by their paths, that another process opened and handed over. That process applied its own policy to them. A path
  /// in this list is never opened here.
  package var handed: [String: HandedFile] = [:]

  package init(roots: [String], remote: RemoteMedia? = nil) { (self.roots, self.remote) = (roots, remote) }

  /// - Throws: `MediaError`; `changed` when the content is not the known version.
  func open(_ url: MediaURL) throws(MediaError) -> RemoteFile {
    guard let remote else {
      throw MediaError(.unreadable, at: url.description, "no media are fetched from URLs here (--media-url)")
    }
    return try remote.open(url, knownVersions[url])
  }

  /// The accepted containers, by FFmpeg's names: those that hold their media themselves. Playlists (hls, dash, concat), image
  /// sequences, devices and all formats that open a second file are left out. Streams without timestamps are left out, too.
  static let formats = [
    "mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "avi", "mpegts", "mpeg", "flv", "ogg", "asf", "mxf",
    "wav", "w64", "aiff", "flac", "mp3", "aac", "ac3", "eac3", "amr", "gif", "apng",
    "png_pipe", "jpeg_pipe", "webp_pipe", "bmp_pipe", "tiff_pipe",
  ]

  /// The absolute path of the file behind `path`, without links.
  ///
  /// - Throws: `MediaError` `unreadable`: missing, not a regular file, empty, or not below a root.
  package func resolve(_ path: String) throws(MediaError) -> String {
    let resolved = try Self.realPath(path)
    guard try encloses(resolved) else { throw MediaError(.unreadable, at: path, "lies outside the media roots") }
    var status = stat()
    guard unsafe stat(resolved, &status) == 0 else { throw MediaError(-errno, from: "stat", at: path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let isDirectory = status.st_mode & S_IFMT == S_IFDIR
      throw MediaError(.unreadable, at: path, isDirectory ? "is a directory" : "is not a regular file")
    }
    guard status.st_size > 0 else { throw MediaError(.unreadable, at: path, "is empty") }
    return resolved
  }

  /// Whether the file or folder at `path` is a root or lies below one, after links are resolved on both sides.
  ///
  /// - Throws: `MediaError` `unreadable` when there is nothing at `path`.
  package func encloses(_ path: String) throws(MediaError) -> Bool {
    let resolved = try Self.realPath(path)
    return roots.contains { root in
      // A root that does not exist has nothing below it.
      guard let root = try? Self.realPath(root) else { return false }
      // Paths are compared byte by byte, as the kernel does. Unicode may take two names for one, or a slash for a part of a
      // character.
      return resolved.utf8.elementsEqual(root.utf8) || resolved.utf8.starts(with: (root == "/" ? root : root + "/").utf8)
    }
  }

  private static func realPath(_ path: String) throws(MediaError) -> String {
    guard !path.utf8.contains(0) else { throw MediaError(.unreadable, at: path, "has a zero byte in its name") }
    guard let resolved = unsafe realpath(path, nil) else { throw MediaError(-errno, from: "realpath", at: path) }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
