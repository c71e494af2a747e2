import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

@Suite struct `Keys` {
  @Test func `a new pair is a private file and a public line`() throws {
    try TemporaryDirectory.with { folder in
      let made = try SpoolProgram.run("keys", "--name", "worker-1", "w.key", folder: folder)
      #expect(made.code == 0)
      let line = made.output.wholeMatch(of: #/\S{40} worker-1\n/#)
      #expect(line != nil)
      let mode = try FileManager.default.attributesOfItem(atPath: folder + "/w.key")[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let shown = try SpoolProgram.run("keys", "--public", "w.key", folder: folder)
      #expect(shown.code == 0 && shown.output.dropLast() == made.output.prefix(40))
    }
  }

  @Test func `a secret key is never replaced`() throws {
    try TemporaryDirectory.with { folder in
      #expect(try SpoolProgram.run("keys", "w.key", folder: folder).code == 0)
      let before = FileManager.default.contents(atPath: folder + "/w.key")
      let again = try SpoolProgram.run("keys", "w.key", folder: folder)
      #expect(again.code == 73 && again.errorOutput == "error: w.key: File exists\n")
      #expect(FileManager.default.contents(atPath: folder + "/w.key") == before)
    }
  }

  @Test func `a key file that is missing, or none, is input that cannot be read`() throws {
    try TemporaryDirectory.with { folder in
      let missing = try SpoolProgram.run("keys", "--public", "w.key", folder: folder)
      #expect(missing.code == 66 && missing.errorOutput == "error: w.key: No such file or directory\n")
      try Data("x\n".utf8).write(to: URL(filePath: folder + "/x.key"))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/x.key")
      let wrong = try SpoolProgram.run("keys", "--public", "x.key", folder: folder)
      #expect(wrong.code == 66 && wrong.errorOutput.hasPrefix("error: x.key: not a secret key"))
    }
  }
}
