package import Document
package import Formats
internal import Glibc
internal import Linux
internal import Media
internal import Messages
internal import Timeline

/// The file, the folder or the place in S3 that a movie goes to. It is checked before any work starts.
package struct Destination {
  /// The absolute path of the file, or of the folder; the whole URL of a place in S3.
  package let path: String
  /// The files of a movie that is a folder; nil for a file.
  package let files: FolderFiles?
  /// The place in S3; nil for a file and a folder. `requireObject` checks it.
  let object: MediaURL?

  /// - Parameter isMovie: whether a place in S3 may be named, a name with a place for a number, such as `frames/%06d.png`, asks for a sequence of
  ///   pictures, and that of a playlist, such as `show/master.m3u8`, for a movie in pieces.
  /// - Throws: a `Complaint` when a movie could not be written there.
  package init(_ given: String, overwrites: Bool, isMovie: Bool = false) throws(Complaint) {
    if let scheme = Self.scheme(of: given) {
      guard isMovie, scheme == "s3://" else {
        let others = isMovie ? ", or a place in S3, such as s3://bucket/movie.mp4" : ""
        throw Complaint(given, "\(scheme) is not written to: give the path of a file on this machine\(others)", .usage)
      }
      let place = try Self.object(given)
      (path, files, object) = (place.files == nil ? given : FilePath.folder(of: given), place.files, place.url)
      return
    }
    object = nil
    files = isMovie ? FolderFiles(of: FilePath.name(of: given)) : nil
    if let files {
      path = try Self.folder(of: given, files, overwrites: overwrites)
      return
    }
    path = try Self.absolute(given)
    let (folder, name) = Self.parts(of: path)
    guard name.utf8.count <= Self.longestName else {
      throw Complaint(given, "its name is longer than \(Self.longestName) bytes", .cannotCreate)
    }
    var (facts, found) = (stat(), Int32(0))
    if unsafe stat(path, &facts) == 0 {
      guard facts.st_mode & S_IFMT != S_IFDIR else { throw Complaint(given, "is a directory", .cannotCreate) }
      guard facts.st_mode & S_IFMT == S_IFREG else { throw Complaint(given, "is not a regular file", .cannotCreate) }
      guard overwrites else { throw Complaint(given, "exists already", .cannotCreate) }
    } else {
      found = errno
    }
    try Self.requireWritable(folder, name)
    guard found == 0 || found == ENOENT else { throw Self.refusal(path, found) }
  }

  /// The file type that the name asks for; nil when it asks for none that Spool makes.
  package var fileType: FileType? {
    if let files { return files.fileType }
    return FileNamePromise(of: Self.parts(of: path).name)?.fileType
  }

  /// Refuses a name that promises another kind of file than the movie will be. Players and upload sites rely on the name.
  ///
  /// - Parameter document: the edit's document. One with faults passes here: it is refused for its faults later.
  package func requireName(for document: Document) throws(Complaint) {
    let (name, type) = (FilePath.name(of: path), document.export.fileType)
    let ending = type.endings[0]
    guard document.faults == nil else { return }
    if let files { return try requireNames(files, type) }
    guard type != .cmaf else {
      throw Complaint(
        name, "cmaf is a folder of pieces: give the path of its playlist, such as show/\(PieceNames.master)", .usage)
    }
    guard !type.isSequence else {
      throw Complaint(
        name, "\(type) is a folder of pictures: give a path with a place for their number, such as frames/%06d.\(ending)", .usage)
    }
    guard let promise = FileNamePromise(of: name) else { return }
    switch promise.kind {
    case .movie(type): return
    case .sound(type) where !type.holdsPicture || !document.hasPicture: return
    // Everybody who shows a PNG shows an animated one.
    case .stillPicture where promise.ending == "png" && type == .apng: return
    case .sound(.m4a) where type == .mp4 && !document.hasPicture: return
    case .movie(let other?):
      throw refusal(
        name, promise, "the edit is exported as \(type): end the name in .\(ending), or set export.fileType to \(other)")
    case .sound(let sound) where sound == type || (sound == .m4a && type == .mp4):
      throw refusal(name, promise, "the edit has a picture, and is exported as \(type): end the name in .\(ending)")
    case .stillPicture:
      throw refusal(name, promise, "the edit is exported as \(type): end the name in .\(ending); 'spool frame' writes a picture")
    case .movie(nil), .sound, .playlist:
      throw refusal(name, promise, "the edit is exported as \(type): end the name in .\(ending)")
    }
  }

  /// Refuses a movie beside which its checksums have no place.
  func requireChecksum(for document: Document, overwrites: Bool) throws(Complaint) {
    guard object == nil, document.faults == nil, let method = document.export.checksum else { return }
    let place = method.fileName(of: path)
    var facts = stat()
    guard unsafe lstat(place, &facts) == 0 else { return }
    let name = FilePath.name(of: place)
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw Complaint(name, "is there already, and is no file that checksums could replace", .cannotCreate)
    }
    guard overwrites else { throw Complaint(name, "exists already, beside the movie", .cannotCreate) }
  }

  private func requireNames(_ files: FolderFiles, _ type: FileType) throws(Complaint) {
    guard case .pictures(let names) = files else {
      guard type == .cmaf else {
        throw Complaint(
          path,
          "the name is that of a playlist, but the edit is exported as \(type): name a file, or set export.fileType to cmaf",
          .usage)
      }
      return
    }
    guard type.isSequence else {
      let wanted = fileType.map { ", or set export.fileType to \($0)" } ?? ""
      throw Complaint(
        names.pattern,
        "the name has a place for the numbers of pictures, but the edit is exported as \(type): leave it out\(wanted)", .usage)
    }
    guard type.endings.contains(names.ending) else {
      throw Complaint(names.pattern, "the names of \(type) end in .\(type.endings[0])", .usage)
    }
  }

  /// Refuses a name that promises anything but a PNG.
  package func requirePNGName() throws(Complaint) {
    let name = Self.parts(of: path).name
    guard let promise = FileNamePromise(of: name), promise.ending != "png" else { return }
    throw refusal(name, promise, "the frame is written as PNG: end the name in .png")
  }

  /// Refuses a name that promises a movie, a sound or a picture.
  package func requireDocumentName() throws(Complaint) {
    let name = Self.parts(of: path).name
    guard let promise = FileNamePromise(of: name) else { return }
    throw refusal(name, promise, "a document is written: end the name in .json")
  }

  private func refusal(_ name: String, _ promise: FileNamePromise, _ reason: String) -> Complaint {
    Complaint(name, "the name promises \(promise.words), but \(reason)", .usage)
  }

  /// The scheme of a URL, such as `s3://` for `s3://bucket/key`; nil for a path.
  private static func scheme(of given: String) -> String? {
    guard let end = given.firstRange(of: "://")?.upperBound else { return nil }
    let scheme = given[..<end].dropLast(3)
    guard let first = scheme.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20,
      scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
    else { return nil }
    return String(given[..<end])
  }

  /// Refuses to replace a file that the movie is made from.
  ///
  /// - Parameter sources: the paths of the document and of its media.
  package func requireNone(of sources: some Sequence<String>) throws(Complaint) {
    guard let own = Self.identity(of: path) else { return }
    for source in sources where Self.identity(of: source) == own {
      throw Complaint(path, "is one of the edit's own files", .cannotCreate)
    }
    guard files != nil else { return }
    for source in sources where Self.identity(of: FilePath.folder(of: source)) == own {
      throw Complaint(path, "has one of the edit's own files, \(FilePath.name(of: source))", .cannotCreate)
    }
  }

  /// The numbers of the device and the file, which all names of a file share; nil when there is no such file.
  static func identity(of path: String) -> [UInt64]? {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 ? [UInt64(facts.st_dev), UInt64(facts.st_ino)] : nil
  }

  /// The most bytes of the movie's name. A file name may have 255 bytes, and the hidden file's name adds the job, the attempt and
  /// an ending.
  private static let longestName = 200

  /// The folder with its slash, and the name in it.
  private static func parts(of path: String) -> (folder: String, name: String) {
    let (folder, name) = FilePath.parts(of: path)
    return (String(folder), String(name))
  }

  /// Checks this by making a file. On some file systems, permissions do not tell whether a file can be made. The file has no name
  /// where the file system has such files: a program that is killed in between leaves nothing.
  private static func requireWritable(_ folder: String, _ name: String) throws(Complaint) {
    let unnamed = unsafe open(folder, unnamedFile | O_WRONLY | O_CLOEXEC, 0o600)
    if unnamed >= 0 {
      close(unnamed)
      return
    }
    guard [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) else { throw refusal(folder, errno) }
    let trial = "\(folder).\(name).\(getpid()).part"
    let descriptor = unsafe open(trial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw refusal(folder, errno) }
    close(descriptor)
    unsafe unlink(trial)
  }

  /// Linux's O_TMPFILE, a macro that Swift does not import.
  private static let unnamedFile = 0o20000000 | O_DIRECTORY

  /// The absolute path of the folder. It is made when its files are whole: it is not there yet, is empty, or is replaced.
  private static func folder(of given: String, _ files: FolderFiles, overwrites: Bool) throws(Complaint) -> String {
    let folder = FilePath.folder(of: given)
    let name = FilePath.name(of: folder)
    guard !["", ".", ".."].contains(name) else {
      throw Complaint(given, "the movie needs a folder of its own: give a path such as show/\(FilePath.name(of: given))", .usage)
    }
    guard name.utf8.count <= longestName else {
      throw Complaint(folder, "its name is longer than \(longestName) bytes", .cannotCreate)
    }
    let path = try absolute(folder)
    try requireWritable(String(parts(of: path).folder), name)
    var facts = stat()
    guard unsafe lstat(path, &facts) == 0 else {
      guard errno == ENOENT else { throw refusal(path, errno) }
      return path
    }
    guard facts.st_mode & S_IFMT == S_IFDIR else { throw Complaint(folder, "is there already, and is no folder", .cannotCreate) }
    let found: [String]
    do {
      found = try OutputFolder(path, for: path).names.filter { $0 != "." && $0 != ".." }
    } catch { throw Complaint(about: error) }
    if found.isEmpty { return path }
    guard overwrites else { throw Complaint(folder, "exists already, with files in it", .cannotCreate) }
    if let stranger = found.sorted().first(where: { !files.matches($0) }) {
      throw Complaint(
        folder, "has \(stranger), which is none of \(files.words): only a folder of such files is replaced",
        .cannotCreate)
    }
    return path
  }

  private static func absolute(_ path: String) throws(Complaint) -> String {
    guard path.utf8.last != UInt8(ascii: "/") else { throw Complaint(path, "is a directory", .cannotCreate) }
    if FilePath.isAbsolute(path) { return path }
    guard let folder = unsafe getcwd(nil, 0) else { throw refusal(".", errno) }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder) + "/" + path
  }

  private static func refusal(_ place: String, _ code: Int32) -> Complaint {
    Complaint(place, SystemWords.of(code), .cannotCreate)
  }
}
