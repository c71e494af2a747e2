import FarmTesting
import Glibc
import Subprocess
import Testing

/// The file of checksums beside a movie, from `spool render` on.
@Suite struct `A render with checksums` {
  private func render(_ folder: String, _ arguments: String...) throws -> Completed {
    try EditFixture.write("sums.json", replacing: #""fileType""#, with: #""checksum": "sha256", "fileType""#, in: folder)
    return try SpoolProgram.run(
      ["render", "sums.json", "--data", "data", "--media-root", folder] + arguments, folder: folder)
  }

  @Test func `leaves a movie that coreutils find whole`() throws {
    try EditFixture.with { folder in
      let run = try render(folder, "-o", "movie.mkv")
      #expect(run.code == 0, "\(run.errorOutput)")
      let command = Command("/usr/bin/sha256sum", ["--check", "--strict", "movie.mkv.sha256"], workingDirectory: folder)
      let checked = try #require(try command.run(timeoutMilliseconds: 60_000))
      #expect(checked.code == 0 && checked.output == "movie.mkv: OK\n")
    }
  }

  @Test func `is refused at once where they have no place`() throws {
    try EditFixture.with { folder in
      let piped = try render(folder, "-o", "-")
      #expect(
        piped.code == 64
          && piped.errorOutput
            == "error: -o: export.checksum writes a file beside the movie, and standard output has no place for it\n"
      )
      try "precious".write(toFile: folder + "/movie.mkv.sha256")
      let taken = try render(folder, "-o", "movie.mkv", "--no-overwrite")
      #expect(taken.code == 73 && taken.errorOutput == "error: movie.mkv.sha256: exists already, beside the movie\n")
      #expect(try [UInt8](contentsOf: folder + "/movie.mkv.sha256") == Array("precious".utf8))
      #expect(unsafe mkdir(folder + "/other.mkv.sha256", 0o755) == 0)
      let folderThere = try render(folder, "-o", "other.mkv")
      #expect(
        folderThere.code == 73
          && folderThere.errorOutput
            == "error: other.mkv.sha256: is there already, and is no file that checksums could replace\n"
      )
      #expect(unsafe access(folder + "/movie.mkv", F_OK) == -1 && access(folder + "/other.mkv", F_OK) == -1)
    }
  }
}
