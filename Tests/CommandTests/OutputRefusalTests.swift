import FarmTesting
import Glibc
import Subprocess
import Testing

/// Outputs, data folders and environments that `spool render` refuses before it renders.
@Suite struct `Refused outputs` {
  @Test(
    arguments: [
      ("nowhere/movie.mkv", 73, "FOLDER/nowhere/: No such file or directory"), ("./", 73, "./: is a directory"),
      ("folder", 73, "folder: is a directory"), ("clip.mkv/movie.mkv", 73, "FOLDER/clip.mkv/: Not a directory"),
      ("/dev/null", 73, "/dev/null: is not a regular file"), ("/proc/movie.mkv", 73, "/proc/: "),
      ("clip.mkv", 73, "FOLDER/clip.mkv: is one of the edit's own files"),
      ("edit.json", 73, "FOLDER/edit.json: is one of the edit's own files"),
      (String(repeating: "n", count: 201), 73, String(repeating: "n", count: 201) + ": its name is longer than 200 bytes"),
      (
        "movie.mp4", 64,
        "movie.mp4: the name promises a movie in mp4, but the edit is exported as mkv: end the name in .mkv, or set export.fileType to mp4"
      ),
      (
        "movie.WebM", 64,
        "movie.WebM: the name promises a movie in webm, but the edit is exported as mkv: end the name in .mkv, or set export.fileType to webm\n"
      ),
      (
        "movie.mka", 64,
        "movie.mka: the name promises sound alone, in mka, but the edit has a picture, and is exported as mkv: end the name in .mkv\n"
      ), ("movie.m4a", 64, "movie.m4a: the name promises sound alone, in m4a, but "),
      ("x.MP3", 64, "x.MP3: the name promises sound alone"),
      (
        "movie.png", 64,
        "movie.png: the name promises a still picture in png, but the edit is exported as mkv: end the name in .mkv; 'spool frame' writes a picture\n"
      ), ("movie.gif", 64, "movie.gif: "), ("m.m3u8", 64, "m.m3u8: the name promises a list of files in m3u8, but "),
      (
        "s3://bucket/movie.mkv", 77,
        "s3://bucket/movie.mkv: there are no credentials for S3 here: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
      ), ("s3://bucket/movie.mp4", 64, "movie.mp4: the name promises a movie in mp4, but "),
      ("HTTPS://host/movie.mkv", 64, "HTTPS://host/movie.mkv: HTTPS:// is not written to: "),
    ] as [(String, Int32, String)])
  func `what cannot be written is named`(output: String, code: Int32, complaint: String) throws {
    try EditFixture.with { folder in
      #expect(unsafe mkdir(folder + "/folder", 0o755) == 0)
      try expect("error: " + complaint.replacing("FOLDER", with: folder), code, in: folder, ["-o", output, "--data", "data"])
    }
  }

  @Test func `sound alone may be named as such, a picture may not`() throws {
    try TemporaryDirectory.with { folder in
      try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=r=48000:d=1", "-c:a", "aac", folder + "/song.m4a"])
      let opening = #"""
        {"spool": 1, "assets": {"s": {"path": "song.m4a"}}, "composition": {"tracks": [
          {"id": "S", "media": "audio", "segments": [{"asset": "s"}]}]}
        """#
      try (opening + "}").write(toFile: folder + "/edit.json")
      let run = try SpoolProgram.run("render", "edit.json", "-o", "new.m4a", "--data", "data", folder: folder)
      #expect(run.code == 0 && run.output.contains("aac 48000 Hz stereo"), "\(run.errorOutput)")
      try (opening + ", \"export\": {\"fileType\": \"mp4\"}}").write(toFile: folder + "/edit.json")
      try expect(
        "error: new.mka: the name promises sound alone, in mka, but the edit is exported as mp4: end the name in .mp4\n", 64,
        in: folder,
        ["-o", "new.mka", "--data", "data"])
    }
  }

  @Test(arguments: [
    ("frame.jpg", "a still picture in jpg"), ("frame.TIFF", "a still picture in tiff"),
    ("f.rame.webp", "an animation in webp"),
    ("frame.mp4", "a movie in mp4"), ("frame.m4a", "sound alone, in m4a"),
  ])
  func `a frame is not written as PNG under the name of something else`(name: String, promise: String) throws {
    try EditFixture.with { folder in
      let run = try SpoolProgram.run("frame", "edit.json", "--index", "0", "-o", name, folder: folder)
      #expect(
        run.code == 64
          && run.errorOutput
            == "error: \(name): the name promises \(promise), but the frame is written as PNG: end the name in .png\n"
      )
      #expect(unsafe access("\(folder)/\(name)", F_OK) != 0)
    }
  }

  @Test func `an existing movie stays when it may not be replaced`() throws {
    try EditFixture.with { folder in
      try "precious".write(toFile: folder + "/movie.mkv")
      try expect(
        "error: movie.mkv: exists already\n", 73, in: folder, ["-o", "movie.mkv", "--no-overwrite", "--data", "data"])
      #expect(try [UInt8](contentsOf: folder + "/movie.mkv") == Array("precious".utf8))
    }
  }

  @Test(arguments: [("clip.mkv", "Not a directory"), ("/proc/data", "No such file or directory")])
  func `a data directory that cannot be is named`(data: String, reason: String) throws {
    try EditFixture.with { folder in
      try expect("error: \(data): \(reason)\n", 73, in: folder, ["-o", "movie.mkv", "--data", data])
    }
  }

  // Root has a data folder even without a home folder.
  @Test(.enabled("no ordinary user can run the program here", { try SpoolProgram.runsAsOrdinaryUser }))
  func `without a home a data directory must be named`() throws {
    try EditFixture.with { folder in
      #expect(unsafe chmod(folder, 0o777) == 0)
      let run = try SpoolProgram.runAsOrdinaryUser(
        ["render", "edit.json", "-o", "movie.mkv"], folder: folder, environment: ["HOME": ""])
      #expect(run.code == 64, "\(run.errorOutput)")
      #expect(run.errorOutput == "error: --data: required, since neither SPOOL_DATA, XDG_DATA_HOME nor HOME is set\n")
    }
  }

  @Test(.enabled("no ordinary user can run the program here", { try SpoolProgram.runsAsOrdinaryUser }))
  func `an ordinary user is told where permission lacks`() throws {
    try EditFixture.with { folder in
      #expect(unsafe chmod(folder, 0o777) == 0 && mkdir(folder + "/closed", 0o500) == 0 && mkdir(folder + "/open", 0o777) == 0)
      #expect(unsafe chmod(folder + "/open", 0o777) == 0)
      for (name, source) in [("secret.json", "edit.json"), ("secret.mkv", "clip.mkv")] {
        try [UInt8](contentsOf: "\(folder)/\(source)").write(toFile: "\(folder)/\(name)")
        #expect(unsafe chmod("\(folder)/\(name)", 0) == 0)
      }
      try EditFixture.write("other.json", replacing: "clip.mkv", with: "secret.mkv", in: folder)
      for (document, output, data, code, complaint) in [
        ("edit.json", "closed/movie.mkv", "open/data", 73, "\(folder)/closed/: Permission denied"),
        ("edit.json", "open/movie.mkv", "closed/data", 73, "closed/data: Permission denied"),
        ("secret.json", "open/movie.mkv", "open/data", 66, "secret.json: Permission denied"),
        ("other.json", "open/movie.mkv", "open/data", 66, "assets.clip: \(folder)/secret.mkv: Permission denied"),
      ] as [(String, String, String, Int32, String)] {
        let run = try SpoolProgram.runAsOrdinaryUser(["render", document, "-o", output, "--data", data], folder: folder)
        #expect(run.code == code && run.output.isEmpty && run.errorOutput == "error: \(complaint)\n", "\(run.errorOutput)")
      }
      #expect(try names(in: folder + "/open") == [])
    }
  }

  @Test(.enabled("only root mounts", { try SpoolProgram.runsWithMounts }))
  func `a read-only file system, a full disk and missing PostgreSQL programs are named`() throws {
    try EditFixture.with { folder in
      #expect(unsafe mkdir(folder + "/disk", 0o755) == 0)
      for (mount, output, data, code, complaint) in [
        ("-o ro tmpfs disk", "disk/movie.mkv", "data", 73, "\(folder)/disk/: Read-only file system"),
        ("-o ro tmpfs disk", "movie.mkv", "disk/data", 73, "disk/data: Read-only file system"),
        (
          "-o size=20500k tmpfs disk", "movie.mkv", "disk", 73,
          "\(folder)/disk: the disk has 20 MiB left, and a new farm needs 48"
        ),
        (
          "tmpfs /usr/lib/postgresql", "movie.mkv", "data", 69,
          "postgres: PostgreSQL is not installed: neither /usr/lib/postgresql/*/bin nor PATH has initdb and postgres"
        ),
      ] as [(String, String, String, Int32, String)] {
        let run = try SpoolProgram.run(
          ["render", "edit.json", "-o", output, "--data", data], mounting: mount.split(separator: " ").map(String.init),
          folder: folder)
        #expect(run.code == code && run.output.isEmpty && run.errorOutput == "error: \(complaint)\n", "\(run.errorOutput)")
      }
    }
  }

  /// Renders `edit.json` and expects the exit code, one line that begins with the complaint, and nothing new in the folder.
  private func expect(_ complaint: String, _ code: Int32, in folder: String, _ options: [String]) throws {
    let before = try names(in: folder)
    let run = try SpoolProgram.run(["render", "edit.json"] + options, folder: folder)
    #expect(run.code == code && run.output.isEmpty, "\(run.errorOutput)")
    #expect(run.errorOutput.hasPrefix(complaint) && run.errorOutput.count(where: \.isNewline) == 1, "\(run.errorOutput)")
    #expect(try names(in: folder) == before)
  }
}
