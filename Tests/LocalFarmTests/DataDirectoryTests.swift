import FarmTesting
import FoundationEssentials
import Glibc
import LocalFarm
import Testing

@Suite struct `A data directory` {
  @Test(
    arguments: [
      (["SPOOL_DATA": "/here", "HOME": "/home/a"], true, "/here"),
      (["HOME": "/root"], true, "/var/lib/spool"),
      (["XDG_DATA_HOME": "/data", "HOME": "/home/a"], false, "/data/spool"),
      (["XDG_DATA_HOME": "relative", "HOME": "/home/a"], false, "/home/a/.local/share/spool"),
      (["SPOOL_DATA": "", "HOME": "/home/a"], false, "/home/a/.local/share/spool"),
      ([:], false, nil),
    ] as [([String: String], Bool, String?)])
  func `its place follows the environment`(environment: [String: String], isRoot: Bool, path: String?) {
    #expect(DataDirectory.standard(environment: environment, isRoot: isRoot) == path)
  }

  @Test func `it is made with all folders above it, and again without harm`() throws {
    try TemporaryDirectory.with { scratch in
      for _ in 0..<2 {
        let directory = try DataDirectory(making: scratch + "/a/b//c/")
        #expect(directory.path.hasSuffix("/a/b/c"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["log", "segments"])
      }
    }
  }

  @Test func `segments and logs are its user's alone, also where an earlier farm had left them open`() throws {
    try TemporaryDirectory.with { scratch in
      func modes() -> [mode_t] {
        ["", "/segments", "/log"].map { name in
          var facts = stat()
          return unsafe stat("\(scratch)/data\(name)", &facts) == 0 ? facts.st_mode & 0o777 : 0
        }
      }
      _ = try DataDirectory(making: scratch + "/data")
      let own: [mode_t] = [geteuid() == 0 ? 0o711 : 0o700, 0o700, 0o700]
      #expect(modes() == own)
      for name in ["segments", "log"] { #expect(unsafe chmod("\(scratch)/data/\(name)", 0o755) == 0) }
      _ = try DataDirectory(making: scratch + "/data")
      #expect(modes() == own)
    }
  }

  @Test func `a file in its place is refused by name`() throws {
    try TemporaryDirectory.with { scratch in
      #expect(FileManager.default.createFile(atPath: scratch + "/file", contents: nil))
      let error = #expect(throws: LocalFarmError.self) { try DataDirectory(making: scratch + "/file") }
      #expect(error?.description == "\(scratch)/file: Not a directory")
    }
  }
}

@Suite struct `A farm lock` {
  @Test func `one holds it, and it goes with its holder`() throws {
    try TemporaryDirectory.with { scratch in
      let directory = try DataDirectory(making: scratch)
      var first = try FarmLock.take(directory)
      #expect(first != nil)
      #expect(try FarmLock.take(directory) == nil)
      first = nil
      #expect(try FarmLock.take(directory) != nil)
    }
  }

  @Test func `others read who holds it, and only while it is held`() throws {
    try TemporaryDirectory.with { scratch in
      let directory = try DataDirectory(making: scratch)
      #expect(try FarmLock.runningFarm(of: directory.path) == nil)
      var lock = try FarmLock.take(directory)
      #expect(try FarmLock.runningFarm(of: directory.path) == nil)
      let holder = FarmLock.Holder(processID: 42, database: "host=/run/farm dbname=spool")
      try lock?.announce(holder, in: directory)
      #expect(try FarmLock.runningFarm(of: directory.path) == holder)
      lock = nil
      #expect(try FarmLock.runningFarm(of: directory.path) == nil)
    }
  }
}
