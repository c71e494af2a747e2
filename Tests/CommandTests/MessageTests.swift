import FarmTesting
import Glibc
import Subprocess
import Testing

/// The messages for everything that a user meets have the form `error: where: what`, in words that need no knowledge of the
/// sources.
@Suite struct `Messages` {
  /// Whether a message has names that only a library or the system uses: functions, codes, types or cases.
  static func isRaw(_ message: String) -> Bool {
    message.contains(
      /\b(?:zmq|av|avcodec|avformat|avio|sws|swr|posix|landlock|pidfd|curl|cairo|pango|heif|zimg|PQ)_\w+|\bPQ[a-z]+\b/)
      || message.contains(
        /\((?:open|stat|read|write|rename|fsync|mkdir|poll|fcntl|realpath|prctl|[a-z]+[0-9])\)|\berrno\b|SQLSTATE/)
      || message.contains(/Optional\(|Swift\.|DecodingError|CodingKeys|codingPath|debugDescription|\bnil\b|NULL|0x[0-9a-fA-F]{4}/)
      || message.contains(
        /Invalid (?:data|argument)|Resource temporarily|Bad file descriptor|Broken pipe|Error number|FATAL|levels of symbolic links|Cannot allocate/
      )
  }

  /// Makes a folder with files that can be wrong: `folder` is a folder, `text` is a text, and `large` is larger than a document
  /// may be.
  private static func with(_ body: (String) throws -> Void) throws {
    try EditFixture.with { folder in
      #expect(unsafe mkdir(folder + "/folder", 0o755) == 0)
      try "no movie".write(toFile: folder + "/text")
      try "".write(toFile: folder + "/empty")
      try "{\"spool\": 1, \"assets\": \"\u{1}".write(toFile: folder + "/cut.json")
      try ([UInt8](#"{"spool": 1, "title": ""#.utf8) + [0xff, 0xfe] + Array(#""}"#.utf8)).write(toFile: folder + "/latin.json")
      #expect(unsafe symlink("circle", folder + "/circle") == 0)
      #expect(unsafe chmod(folder, 0o755) == 0)
      try body(folder)
    }
  }

  /// The command lines with their exit codes and the beginnings of their complaints. LONG stands for a name of 300 bytes.
  static let provoked: [(line: String, code: Int32, complaint: String)] = [
    ("validate missing.json", 66, "missing.json: No such file or directory\n"),
    ("validate folder", 66, "folder: Is a directory\n"),
    ("validate LONG", 66, "LONG: File name too long\n"),
    ("validate circle", 66, "circle: symbolic links lead in a circle, or one stands where none may\n"),
    ("validate text/edit.json", 66, "text/edit.json: Not a directory\n"),
    ("validate cut.json", 65, "cut.json: "), ("validate latin.json", 65, "latin.json: "), ("validate empty", 65, "empty: "),
    ("validate text", 65, "text: "), ("validate clip.mkv", 65, "clip.mkv: "),
    ("probe missing.mp4", 66, "missing.mp4: No such file or directory\n"), ("probe folder", 66, "folder: is a directory\n"),
    ("probe empty", 66, "empty: is empty\n"), ("probe LONG", 66, "LONG: File name too long\n"),
    ("probe text", 65, "text: is no media file, or too damaged to be known as one\n"),
    ("probe circle", 66, "circle: symbolic links lead in a circle, or one stands where none may\n"),
    ("probe http://127.0.0.1:1/clip.mkv", 66, "http://127.0.0.1:1/clip.mkv: "),
    (
      "probe https://no-such-host.invalid/clip.mkv --media-url https://no-such-host.invalid/", 69,
      "https://no-such-host.invalid/clip.mkv: no such host is known\n"
    ),
    (
      "probe http://127.0.0.1:1/clip.mkv --media-url http://127.0.0.1:1/", 69,
      "http://127.0.0.1:1/clip.mkv: nobody listens there, or it cannot be reached\n"
    ),
    ("frame edit.json --index 25 -o f.png", 64, "--index: 25 is not in the movie, whose 25 frames are 0 to 24\n"),
    (
      "frame edit.json --at 1 -o f.png", 64,
      "--at: 1 s is outside the movie: its frames are shown from 0 s until just before 1 s\n"
    ),
    ("frame edit.json --at 0:0:0:99 -o f.png", 64, "--at: "),
    ("frame edit.json --index 0 -o nowhere/f.png", 73, "FOLDER/nowhere/: No such file or directory\n"),
    ("frames edit.json --range 0..26", 64, "--range: 0..26 is beyond the edit's 25 frames, which are 0..25\n"),
    (
      "render edit.json -o circle/m.mkv --data data", 73,
      "FOLDER/circle/: symbolic links lead in a circle, or one stands where none may\n"
    ),
    ("render edit.json -o m.mkv --data text", 73, "text: Not a directory\n"),
    ("render edit.json -o m.mkv --data circle", 73, "circle: "),
    ("render edit.json -o m.mkv --data data --media-root missing", 66, "missing: No such file or directory\n"),
    ("verify edit.json missing.mkv", 66, "missing.mkv: No such file or directory\n"),
    ("verify edit.json text", 65, "text: is no media file, or too damaged to be known as one\n"),
    ("keys --public folder", 66, "folder: Is a directory\n"),
    ("keys --public circle", 66, "circle: symbolic links lead in a circle, or one stands where none may\n"),
    ("keys --public LONG", 66, "LONG: File name too long\n"),
    ("keys nowhere/new.key", 73, "nowhere/new.key: No such file or directory\n"),
    (
      "worker --connect tcp://h:1 --store folder --media-root folder --curve-secret-key missing --curve-server-key text", 66,
      "text: not a public key of 40 Z85 characters\n"
    ),
    ("worker --connect tcp://h:1 --store missing --media-root folder", 73, "missing: No such file or directory\n"),
    (
      "coordinator --database dbname=none --endpoint tcp://127.0.0.1:1 --curve-secret-key folder --authorized-keys text", 66,
      "folder: Is a directory\n"
    ),
    ("status --database none=none", 69, "database: "), ("status --database foo://none", 69, "database: "),
    (
      "status --database host=127.0.0.1&port=1", 69,
      "database: connection to server at \"127.0.0.1\", port 1 failed: Connection refused"
    ),
  ]

  @Test(arguments: provoked.indices)
  func `each says where and what, in everyday words`(number: Int) throws {
    let (line, code, complaint) = Self.provoked[number]
    try Self.with { folder in
      let long = String(repeating: "n", count: 300)
      let words = line.replacing("LONG", with: long).split(separator: " ").map { String($0.replacing("&", with: " ")) }
      let run = try SpoolProgram.run(words, folder: folder)
      #expect(run.code == code, "\(run.errorOutput)")
      let expected = "error: " + complaint.replacing("FOLDER", with: folder).replacing("LONG", with: long)
      #expect(run.errorOutput.hasPrefix(expected), "\(run.errorOutput)")
      #expect(!Self.isRaw(run.errorOutput), "\(run.errorOutput)")
    }
  }

  /// Runs the script in a shell, which can close streams, fill disks and set limits.
  private func run(_ script: String, in folder: String) throws -> Completed {
    let command = Command(
      "/bin/sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin", "HOME": folder, "SPOOL": SpoolProgram.executable],
      workingDirectory: folder)
    return try #require(try command.endingWithTests().run(timeoutMilliseconds: 60_000))
  }

  @Test(
    arguments: [
      ("\"$SPOOL\" --help >&-", "error: standard output: it is closed\n", 73),
      ("\"$SPOOL\" --help >/dev/full", "error: standard output: No space left on device\n", 73),
      ("(\"$SPOOL\" --help; echo $? >&2) | true", "", nil), ("\"$SPOOL\" validate - <&-", "error: -: it is closed\n", 66),
      (
        "chmod 0 edit.json; setpriv --reuid 65534 --clear-groups \"$SPOOL\" validate edit.json",
        "error: edit.json: Permission denied\n", 66
      ),
      (
        "chmod 0 clip.mkv; setpriv --reuid 65534 --clear-groups \"$SPOOL\" probe clip.mkv",
        "error: clip.mkv: Permission denied\n", 66
      ),
      (
        "setpriv --reuid 65534 --clear-groups \"$SPOOL\" frame edit.json --index 0 -o f.png",
        "error: FOLDER/: Permission denied\n", 73
      ),
      (
        "mkdir full; mount -t tmpfs -o size=4k none full; head -c 4096 /dev/zero > full/x; trap 'umount full' EXIT; \"$SPOOL\" frame edit.json --index 0 -o full/f.png; exit $?",
        "error: FOLDER/full/f.png: No space left on device\n", 73
      ),
      (
        "\"$SPOOL\" keys \"$(printf 'new\\377.key')\"; code=$?; ls | grep -c new >&2; exit $code",
        "error: new\u{fffd}.key: is not UTF-8, as arguments and names of files must be\nsee 'spool keys --help'\n0\n", 64
      ),
    ] as [(String, String, Int32?)])
  func `what surrounds it is told in the same words`(script: String, complaint: String, code: Int32?) throws {
    guard geteuid() == 0 || !(script.contains("setpriv") || script.contains("mount")) else { return }
    try Self.with { folder in
      let run = try run(script, in: folder)
      if let code {
        #expect(run.code == code)
        #expect(run.errorOutput == complaint.replacing("FOLDER", with: folder))
      }
      #expect(!Self.isRaw(run.errorOutput), "\(run.errorOutput)")
    }
  }

  @Test func `however few files may be open, or however small, it is told in everyday words`() throws {
    try Self.with { folder in
      let verbs = ["probe clip.mkv", "validate edit.json", "frame edit.json --index 0 -o f.png", "keys new.key"]
      for limit in ["-n 4", "-n 5", "-n 6", "-n 7", "-n 8", "-n 10", "-n 12", "-n 16", "-n 24", "-f 0"] {
        for verb in verbs {
          let run = try run("rm -f f.png new.key; ulimit \(limit); exec \"$SPOOL\" \(verb)", in: folder)
          #expect(!Self.isRaw(run.errorOutput), "\(limit), \(verb): \(run.errorOutput)")
          #expect(
            run.code == 0 || run.code == nil || run.errorOutput.contains(/[a-z]+: .+:\s/), "\(limit), \(verb): \(run.errorOutput)"
          )
        }
      }
    }
  }

  @Test func `a database that wants a password, or another one, is told in everyday words`() throws {
    try Self.with { folder in
      // The first messages of PostgreSQL's protocol: a password is asked for in clear text, and refused whatever it is.
      let server = try PythonServer(
        """
        import socket, struct, threading
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        def answer(peer):
            peer.recv(4096)
            peer.sendall(b"R" + struct.pack("!II", 8, 3))
            if peer.recv(4096):
                fields = b"SFATAL\\0VFATAL\\0C28P01\\0Mpassword authentication failed for user \\"u\\"\\0\\0"
                peer.sendall(b"E" + struct.pack("!I", len(fields) + 4) + fields)
            peer.close()
        while True: threading.Thread(target=answer, args=(listener.accept()[0],)).start()
        """, arguments: [])
      let url = "host=127.0.0.1 user=u dbname=d sslmode=disable gssencmode=disable port=\(server.greeting[0])"
      for (password, complaint) in [
        (
          "",
          "the server asks for a password, and none was given: put it into $PGPASSWORD, or into the file $PGPASSFILE (else ~/.pgpass)\n"
        ),
        (
          " password=wrong",
          "connection to server at \"127.0.0.1\", port \(server.greeting[0]) failed: password authentication failed for user \"u\"\n"
        ),
      ] {
        let run = try SpoolProgram.run("status", "--database", url + password, folder: folder)
        #expect(run.code == 69)
        #expect(run.errorOutput == "error: database: " + complaint)
      }
    }
  }

  @Test func `what a server answers is told in everyday words`() throws {
    try Self.with { folder in
      let server = try FaultyServer(folder: folder)
      for (path, url, complaint) in [
        ("4444", server.url, "there is no such thing there (HTTP status 404)"),
        ("3333", server.url, "the server refuses it (HTTP status 403)"),
        ("f", server.url, "the server cannot answer now (HTTP status 503)"),
        ("o", server.url.replacing("http:", with: "https:"), "no secure connection can be agreed on: is it an https server?"),
      ] {
        let run = try SpoolProgram.run("probe", "\(url)/\(path)/clip.mkv", "--media-url", url, folder: folder)
        #expect(run.errorOutput == "error: \(url)/\(path)/clip.mkv: \(complaint)\n")
      }
    }
  }
}
