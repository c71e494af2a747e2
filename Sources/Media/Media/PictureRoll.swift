package import Formats
internal import Glibc
internal import Linux

/// The files of a folder one after the other in one file, each behind its length, which is a number of eight bytes, the lowest first. Pictures have
/// their names by their numbers; before each piece of a movie stands its name, like a file.
/// A roll is muxed, proved and handed on like any movie; its pictures become files when the movie is published
/// (docs/decisions/0190-a-sequence-is-a-roll-until-it-is-published.md). One thread at a time.
package final class PictureRoll {
  private let file: InputFile
  private let pictures: [Range<Int64>]
  package var count: Int { pictures.count }

  static let lengthSize: Int64 = 8
  /// The most pictures that are looked for.
  private static let mostPictures = 1 << 21

  /// - Throws: `MediaError`; `corrupt` for what is no whole roll.
  package convenience init(_ path: String, policy: SourcePolicy) throws(MediaError) {
    try self.init(InputFile(path, policy: policy))
  }

  /// Opens the roll `path` in a folder that is held open.
  package convenience init(_ path: String, in folder: OutputFolder) throws(MediaError) {
    try self.init(InputFile(path, in: folder))
  }

  private init(_ file: InputFile) throws(MediaError) {
    self.file = file
    var (pictures, next) = ([Range<Int64>](), Int64(0))
    while case let head = try file.bytes(next..<next + Self.lengthSize), !head.isEmpty {
      let length = head.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let start = next + Self.lengthSize
      guard head.count == Self.lengthSize, length <= 1 << 31, pictures.count < Self.mostPictures else {
        throw MediaError(.corrupt, at: file.path, "is no whole roll of pictures")
      }
      next = start + Int64(length)
      pictures.append(start..<next)
    }
    self.pictures = pictures
  }

  /// The bytes of a picture's file.
  ///
  /// - Throws: `MediaError` `unreadable`, `corrupt`.
  package func picture(_ index: Int) throws(MediaError) -> [UInt8] {
    let bytes = try file.bytes(pictures[index])
    guard bytes.count == pictures[index].count else { throw MediaError(.corrupt, at: file.path, "is no whole roll of pictures") }
    return bytes
  }

  /// The number of bytes of a picture's file.
  package func byteCount(of index: Int) -> Int64 { Int64(pictures[index].count) }

  /// The names of the files that the folder of this roll has, each with the place of its bytes among those of the roll.
  ///
  /// - Throws: `MediaError` `corrupt` for names that no such folder has.
  package func names(_ files: FolderFiles) throws(MediaError) -> [(name: String, index: Int)] {
    switch files {
    case .pictures(let names): return (0..<count).map { (names.name($0), $0) }
    case .pieces:
      var (found, seen): ([(String, Int)], Set<String>) = ([], [])
      for index in stride(from: 0, to: count, by: 2) {
        guard index + 1 < count, pictures[index].count < 100 else { break }
        let name = try String(decoding: picture(index), as: UTF8.self)
        guard files.matches(name), seen.insert(name).inserted else { break }
        found.append((name, index + 1))
      }
      guard found.count * 2 == count else { throw MediaError(.corrupt, at: file.path, "is no whole roll of pieces") }
      return found
    }
  }

  /// Writes the roll of a folder's pictures, from the first one to the last before a number that is missing.
  ///
  /// - Parameters:
  ///   - most: the most pictures that are taken.
  ///   - path: the roll's path.
  ///   - progress: called after each picture with their number. What it throws ends the work.
  /// - Throws: `MediaError`, and what `progress` throws.
  package static func pack(
    _ folder: OutputFolder, _ names: PictureNames, most: Int, to path: String, progress: (Int) throws -> Void
  ) throws {
    let roll = try OutputFile(path, .seeking)
    for index in 0..<most {
      let name = names.name(index)
      guard let found = folder.identity(of: name) else {
        if index == 0 { throw MediaError(-ENOENT, from: "open", at: "\(folder.path)/\(name)") }
        break
      }
      guard found.byteCount <= 1 << 31 else {
        throw MediaError(.unsupported, at: "\(folder.path)/\(name)", "is too large for a picture")
      }
      let bytes = try InputFile("\(folder.path)/\(name)", in: folder).bytes(0..<found.byteCount)
      try roll.append(head(bytes.count))
      try roll.append(bytes)
      try progress(index + 1)
    }
    try roll.finish()
  }

  /// The bytes before a picture of `count` bytes.
  static func head(_ count: Int) -> [UInt8] { (0..<lengthSize).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } }
}

/// Writes a roll of pictures.
struct RollWriter: AnimationWriter {
  private let file: OutputFile

  init(_ file: OutputFile) { self.file = file }

  func append(_ picture: UnsafeBufferPointer<UInt8>) throws(MediaError) {
    try file.append(PictureRoll.head(picture.count))
    try unsafe file.append(Array(picture))
  }

  func finish() {}
}
