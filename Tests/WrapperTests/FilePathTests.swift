import FarmTesting
import Glibc
import Linux
import Testing

@Suite struct FilePathTests {
  @Test(arguments: [
    ("/a/b/c.mov", "/a/b/", "c.mov", "/a/b"), ("c.mov", "", "c.mov", "."), ("/c", "/", "c", "/"), ("a/", "a/", "", "a"),
    ("", "", "", "."), ("//c", "//", "c", "/"), ("a/\u{301}b", "a/", "\u{301}b", "a"),
  ])
  func `a path is split at the last slash, which may have an accent behind it`(
    path: String, folder: String, name: String, plain: String
  ) {
    let parts = FilePath.parts(of: path)
    #expect(parts.folder.utf8.elementsEqual(folder.utf8) && parts.name.utf8.elementsEqual(name.utf8))
    #expect(FilePath.name(of: path).utf8.elementsEqual(name.utf8))
    #expect(FilePath.folder(of: path) == plain)
  }

  @Test(arguments: [
    ("/a/b/c", ["/a", "/a/b"]), ("a/b/c", ["a", "a/b"]), ("/a", []), ("a", []), ("/", []), ("", []),
    ("//a//b", ["//a"]), ("/a/b/", ["/a", "/a/b"]),
  ])
  func `the folders above a file are told from the outermost on`(path: String, folders: [String]) {
    #expect(FilePath.folders(above: path) == folders)
  }

  @Test func `the names in a path are told without empty ones`() {
    #expect(FilePath.names(in: "/a//b/\u{301}c/").map { Array($0.utf8) } == ["a", "b", "\u{301}c"].map { Array($0.utf8) })
    #expect(FilePath.isAbsolute("/a") && !FilePath.isAbsolute("a/b") && !FilePath.isAbsolute(""))
  }

  @Test func `a folder is made with those above it, and what is in the way is named`() throws {
    let directory = TemporaryDirectory()
    let folder = directory.file("a/b/c")
    #expect(FilePath.makeFolder(folder, mode: 0o700) == nil)
    #expect(FilePath.makeFolder(folder, mode: 0o700) == nil)
    #expect(unsafe access(folder, W_OK) == 0)
    try "".write(toFile: directory.file("file"))
    let failure = try #require(FilePath.makeFolder(directory.file("file/x/y"), mode: 0o700))
    #expect(failure.code == ENOTDIR && failure.path.hasPrefix(directory.file("file/x")))
  }
}

@Suite struct UTCTimeTests {
  @Test func `a moment is written to whole seconds in UTC`() {
    #expect(UTCTime.text(secondsSince1970: 0) == "1970-01-01T00:00:00")
    #expect(UTCTime.text(secondsSince1970: 1_709_210_096) == "2024-02-29T12:34:56")
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00", 0), ("2024-02-29T12:34:56Z", 1_709_210_096), ("2024-02-29T12:34:56.789Z", 1_709_210_096),
    ("2024-02-29 12:34:56", nil), ("", nil), ("yesterday", nil),
  ])
  func `a moment is read again`(text: String, seconds: Int?) {
    #expect(UTCTime.secondsSince1970(text) == seconds)
  }
}
