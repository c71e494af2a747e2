internal import FoundationEssentials
internal import Formats
internal import Glibc
internal import Media

/// The pictures of a sequence in one temporary file, which goes when this object goes. The process that compares them is given this
/// file alone.
final class PackedPictures {
  let path: String

  /// - Parameters:
  ///   - folder: the path of the folder of the pictures.
  ///   - most: the most pictures that are taken.
  /// - Throws: `MediaError` when they cannot be read, or there is no room for the file.
  init(_ folder: String, _ names: PictureNames, most: Int) throws {
    let place = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(place)/spool-pictures-XXXXXX".utf8CString)
    let made = unsafe mkstemp(&template)
    guard made >= 0 else { throw MediaError(-errno, from: "mkstemp", at: place, while: .writing) }
    close(made)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let source: OutputFolder
    do throws(MediaError) { source = try OutputFolder(folder, for: folder) } catch {
      throw MediaError(error.code, from: "open", at: folder)
    }
    try PictureRoll.pack(source, names, most: most, to: path) { _ in }
  }

  deinit { unsafe unlink(path) }
}
