import FarmTesting
import Formats
import Glibc
import Media
import MediaTime
import Testing
import Timeline

/// The digest that a movie has in its proof (decision 0210).
@Suite struct `a movie's digest` {
  private static let blockLength = 16 << 20
  private let directory = TemporaryDirectory()

  /// The XXH3-128 of the XXH3-128s of a file's blocks, as the decision says it.
  private func digest(of path: String) throws -> FileDigest {
    let bytes = try [UInt8](contentsOf: path)
    let whole = try ContentHasher()
    for part in parts(of: bytes) {
      for start in stride(from: part.startIndex, to: part.endIndex, by: Self.blockLength) {
        let block = part[start..<min(start + Self.blockLength, part.endIndex)]
        unsafe block.withUnsafeBytes { unsafe whole.update(ContentDigest(of: $0)) }
      }
    }
    return FileDigest(byteCount: Int64(bytes.count), hash: whole.digest.description)
  }

  /// The bytes that were inserted in front of a movie's packets to put its index there (decision 0263), and the rest.
  private func parts(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let heads = ["ftyp", "moov", "free"]
    var (sizes, rest) = ([Int](), bytes[...])
    for type in heads {
      guard rest.dropFirst(4).prefix(4).elementsEqual(type.utf8) else { return [bytes[...]] }
      sizes.append(rest.prefix(4).reduce(0) { $0 << 8 | Int($1) })
      rest = rest.dropFirst(sizes.last ?? 0)
    }
    return [bytes[..<(sizes[1] + sizes[2])], bytes[(sizes[1] + sizes[2])...]]
  }

  private func expectSame(_ muxed: MuxedMovie, _ path: String, _ comment: Comment) throws {
    #expect(try muxed.digest == digest(of: path), comment)
    #expect(try FileDigest(ofMovie: path) == muxed.digest, comment)
  }

  @Test(arguments: [FileType.mp4, .mov, .mkv, .mpegts], [false, true])
  func `is computed while the movie is written, wherever its writer goes back`(fileType: FileType, moovFirst: Bool) throws {
    guard !moovFirst || fileType.hasMovableIndex else { return }
    let synthetic = SyntheticSegments(frameDuration: try MediaTime(1, 25))
    let segments = try synthetic.write([20, 5], in: directory)
    let movie = directory.file("movie")
    try expectSame(synthetic.mux(segments, to: movie, fileType, moovFirst: moovFirst), movie, "\(fileType)")
  }

  @Test func `is that of a movie in fragments, too`() throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: .ultrafast), frameDuration: try MediaTime(1, 25))
    let movie = directory.file("movie")
    let segments = try synthetic.write([30, 31], in: directory)
    try expectSame(synthetic.mux(segments, to: movie, .mp4, fragments: MediaTime(1, 1)), movie, "fragments")
  }

  @Test func `has blocks of 16 MiB`() throws {
    let sound = try writeSound(.usual(.pcm), count: 9_000_000, to: directory.file("sound.nut"), blocks: 100_000) {
      Float(($1 >> 8 + $0) & 1023) / 1024
    }
    for (fileType, moovFirst) in [(FileType.mov, false), (.mov, true), (.wav, false), (.mkv, false)] {
      let movie = directory.file("movie")
      var form = MovieForm(fileType, frameDuration: .oneSecond, color: .bt709)
      form.optimizeForNetworkUse = moovFirst
      let muxed = try MovieMux.write(
        MovieSegments(pictures: [], sound: sound), as: form, to: movie, progress: { _, _ in })
      #expect(muxed.digest.byteCount > 2 * Int64(Self.blockLength))
      try expectSame(muxed, movie, "\(fileType)")
    }
  }
}

@Suite struct `a file's stamp` {
  private let directory = TemporaryDirectory()

  /// Whether a change of the file is seen by its stamp.
  private func isSeen(_ folder: OutputFolder, _ change: () throws -> Void) throws -> Bool {
    let stamp = try #require(folder.lastingStamp(of: "movie"))
    #expect(folder.stamp(of: "movie") == stamp)
    try change()
    return folder.stamp(of: "movie") != stamp
  }

  @Test func `is another one after each write, renaming and setting of times`() throws {
    let path = directory.file("movie")
    try [UInt8](repeating: 7, count: 5000).write(toFile: path)
    let folder = try OutputFolder(directory.path, for: path)
    let file = unsafe open(path, O_RDWR)
    defer { close(file) }
    try #require(file >= 0)
    // The same byte is written, and the time of the last write set back.
    let isWriteSeen = try isSeen(folder) {
      var (byte, status) = (UInt8(7), stat())
      try #require(unsafe fstat(file, &status) == 0)
      let times = [status.st_atim, status.st_mtim]
      try #require(unsafe pwrite(file, &byte, 1, 100) == 1 && futimens(file, times) == 0)
    }
    #expect(isWriteSeen)
    let memory = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    let isWriteToMemorySeen = try isSeen(folder) { unsafe memory?.storeBytes(of: 8, as: UInt8.self) }
    unsafe munmap(memory, 4096)
    #expect(isWriteToMemorySeen)
    let isRenamingSeen = try isSeen(folder) {
      try #require(folder.rename("movie", to: "other") == 0 && folder.rename("other", to: "movie") == 0)
    }
    #expect(isRenamingSeen)
    let isLinkSeen = try isSeen(folder) { try #require(folder.link("movie", as: "second") == 0) }
    #expect(isLinkSeen)
  }

  @Test func `is no other one when the file is read`() throws {
    let path = directory.file("movie")
    try [UInt8](repeating: 7, count: 5000).write(toFile: path)
    let folder = try OutputFolder(directory.path, for: path)
    let isReadingSeen = try isSeen(folder) { _ = try FileDigest(ofMovie: path) }
    #expect(!isReadingSeen)
    #expect(folder.stamp(of: "nothing") == nil && folder.stamp(of: ".") == nil)
  }
}
