import FarmTesting
import Glibc
import Subprocess
import Testing

/// The files of captions beside a movie, from `spool render` on.
@Suite struct `A render with captions in a file` {
  private func render(_ folder: String, captions: String, _ arguments: String...) throws -> Completed {
    try EditFixture.write("edit2.json", replacing: #""export""#, with: "\"captions\": [\(captions)], \"export\"", in: folder)
    return try SpoolProgram.run(
      ["render", "edit2.json", "--data", "data", "--media-root", folder] + arguments, folder: folder)
  }

  private let style = #""style": {"font": "DejaVu Sans", "size": 8, "language": "en"}"#

  @Test func `leaves them in each place, and verify compares them`() throws {
    try EditFixture.with { folder in
      let captions = "{\"cues\": [{\"from\": \"0\", \"to\": \"0.25\", \"text\": \"One\"}], \(style), \"as\": \"sidecar\"}"
      let run = try render(folder, captions: captions, "-o", "movie.mkv", "-o", "copy/other.mkv")
      #expect(run.code == 73, "a place without a folder: \(run.errorOutput)")
      #expect(unsafe mkdir(folder + "/copy", 0o755) == 0)
      let again = try render(folder, captions: captions, "-o", "movie.mkv", "-o", "copy/other.mkv")
      #expect(again.code == 0, "\(again.errorOutput)")
      let text = Array("WEBVTT\n\n00:00:00.000 --> 00:00:00.250\nOne\n".utf8)
      #expect(try [UInt8](contentsOf: folder + "/movie.en.vtt") == text)
      #expect(try [UInt8](contentsOf: folder + "/copy/other.en.vtt") == text)
      func verify() throws -> Completed {
        try SpoolProgram.run(["verify", "edit2.json", "movie.mkv", "--media-root", folder], folder: folder)
      }
      let equal = try verify()
      #expect(equal.output.contains("movie.mkv: 1 file of captions beside it, equal to the edit's\n"), "\(equal)")
      try "WEBVTT\n".write(toFile: folder + "/movie.en.vtt")
      let differs = try verify()
      #expect(differs.errorOutput.contains("the captions in movie.en.vtt beside it are not those of the edit"), "\(differs)")
    }
  }

  @Test func `is refused where they have no place, or would replace what they are made of`() throws {
    try EditFixture.with { folder in
      try "1\n00:00:00,000 --> 00:00:00,250\nOne\n".write(toFile: folder + "/own.srt")
      let own = "{\"file\": \"movie.en.vtt\", \(style), \"as\": \"sidecar\"}"
      try "WEBVTT\n\n00:00.000 --> 00:00.250\nOne\n".write(toFile: folder + "/movie.en.vtt")
      let replaced = try render(folder, captions: own, "-o", "movie.mkv")
      #expect(
        replaced.code == 73
          && replaced.errorOutput
            == "error: movie.en.vtt: is one of the edit's own files: name the file of the captions by \"sidecar\"\n"
      )
      let captions = "{\"file\": \"own.srt\", \(style), \"as\": \"sidecar\"}"
      let taken = try render(folder, captions: captions, "-o", "movie.mkv", "--no-overwrite")
      #expect(taken.code == 73 && taken.errorOutput == "error: movie.en.vtt: exists already, beside the movie\n")
      let piped = try render(folder, captions: captions, "-o", "-")
      #expect(
        piped.code == 64
          && piped.errorOutput
            == "error: -o: captions and still pictures are written to files beside the movie, and standard output has no place for them\n"
      )
      let clash = try render(
        folder, captions: "{\"file\": \"own.srt\", \(style), \"sidecar\": \"movie.vtt\"}", "-o", "movie.vtt")
      #expect(clash.code == 64 && clash.errorOutput.contains("movie.vtt: is the name of two files"), "\(clash.errorOutput)")
      #expect(unsafe access(folder + "/movie.mkv", F_OK) == -1)
    }
  }
}
