import FarmTesting
import FoundationEssentials
import Glibc
import LocalFarm
import Subprocess
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

/// Data folders that others may write to, or have written to.
@Suite struct `A data directory among others` {
  @Test(.enabled("needs root") { geteuid() == 0 }, arguments: ["", "/segments", "/log", "/run", "/lock", "/postgresql"])
  func `what is another user's is not used`(name: String) throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch + "/data"
      let directory = try DataDirectory(making: path)
      try #require(unsafe mkdir(path + "/run", 0o700) == 0 && mkdir(path + "/postgresql", 0o700) == 0)
      _ = try FarmLock.take(directory)
      try #require(unsafe chown(path + name, 1, 1) == 0)
      let told = Self.use(path)
      #expect(told == "\(path)\(name): belongs to another user (1), and so may what is in it")
    }
  }

  @Test(arguments: ["", "/segments", "/log", "/run", "/postgresql"])
  func `what others may write to is not used`(name: String) throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch + "/data"
      let directory = try DataDirectory(making: path)
      try #require(unsafe mkdir(path + "/run", 0o700) == 0 && mkdir(path + "/postgresql", 0o700) == 0)
      _ = try FarmLock.take(directory)
      try #require(unsafe chmod(path + name, 0o777) == 0)
      #expect(Self.use(path) == "\(path)\(name): others may write to it")
    }
  }

  @Test(.enabled("needs root") { geteuid() == 0 }, arguments: ["segments", "cache", "run", "media", "movies", "log"])
  func `of a farm that is another user's for root, folders are his or root's, and none is a link`(name: String) throws {
    let nobody = try #require(Account("nobody"))
    try TemporaryDirectory.with { scratch in
      let (path, target) = (scratch + "/data", scratch + "/target")
      let folder = "\(path)/\(name)"
      #expect(Self.use(path, for: nobody) == "")
      var facts = stat()
      let owner = ["segments", "cache", "run"].contains(name) ? nobody.user : 0
      #expect(unsafe lstat(folder, &facts) == 0 && facts.st_uid == owner)
      try #require(unsafe chown(folder, 1, 1) == 0)
      #expect(Self.use(path, for: nobody) == "\(folder): belongs to another user (1), and so may what is in it")
      try #require(unsafe rename(folder, target) == 0 && symlink(target, folder) == 0)
      #expect(Self.use(path, for: nobody).contains("\(folder): is a symbolic link"))
      #expect(unsafe stat(target, &facts) == 0 && facts.st_uid == 1)
    }
  }

  @Test(arguments: ["segments", "log", "run", "lock", "postgresql", "postgresql/lock", "postgresql/log"])
  func `a link in it is not followed`(name: String) throws {
    try TemporaryDirectory.with { scratch in
      let (path, target) = (scratch + "/data", scratch + "/target")
      for folder in [path, path + "/postgresql"] { try #require(unsafe mkdir(folder, 0o711) == 0) }
      if name.contains("lock") || name == "postgresql/log" {
        #expect(FileManager.default.createFile(atPath: target, contents: Data("precious".utf8)))
      } else {
        try #require(unsafe mkdir(target, 0o755) == 0)
      }
      if name == "postgresql" { try #require(unsafe rmdir(path + "/postgresql") == 0) }
      try #require(unsafe symlink(target, "\(path)/\(name)") == 0)
      var before = stat()
      try #require(unsafe stat(target, &before) == 0)
      let told = Self.use(path)
      #expect(told.contains("\(path)/\(name): ") && told.contains("symbolic link"), "\(told)")
      var after = stat()
      #expect(unsafe stat(target, &after) == 0 && after.st_uid == before.st_uid && after.st_mode == before.st_mode)
      #expect(after.st_size == before.st_size)
    }
  }

  @Test(.enabled("needs root") { geteuid() == 0 })
  func `root uses no directory below one that another user may exchange it in`() throws {
    try TemporaryDirectory.with { scratch in
      let others = scratch + "/others"
      try #require(unsafe mkdir(others, 0o755) == 0 && chown(others, 1, 1) == 0)
      #expect(Self.use(others + "/data") == "\(others): belongs to another user (1), who may exchange what is in it")
      try #require(unsafe chown(others, 0, 0) == 0 && chmod(others, 0o777) == 0)
      #expect(Self.use(others + "/data") == "\(others): others may write to it, and so exchange what is in it")
    }
  }

  /// The complaint about a farm that cannot be started there; empty when it can.
  private static func use(_ path: String, for account: Account? = nil) -> String {
    let roles = LocalFarm.Roles(coordinator: { _, _ in ["true"] }, worker: { _, _, _ in ["true"] })
    do {
      let farm = LocalFarm(
        try DataDirectory(making: path, for: account), workers: 1, roles: roles, executable: "/bin/true", environment: [:])
      defer { farm.stop() }
      _ = try farm.databaseURL()
      try farm.tend()
      return ""
    } catch LocalFarmError.distrusted(let path, let reason) {
      return "\(path): \(reason)"
    } catch { return "not distrusted, but \(error)" }
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

  /// A child process that is being started has copies of all descriptors until its exec.
  @Test func `it goes with its holder though a child that is being started has a copy of its descriptor`() throws {
    try TemporaryDirectory.with { scratch in
      let directory = try DataDirectory(making: scratch)
      var lock = try FarmLock.take(directory)
      #expect(lock != nil)
      let number = try #require(
        (3..<1024).first { number in
          // Most numbers are no open file's.
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == directory.path + "/lock"
        })
      let copy = dup(Int32(number))
      defer { close(copy) }
      lock = nil
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
