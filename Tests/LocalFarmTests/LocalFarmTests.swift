import FarmTesting
import FoundationEssentials
import Glibc
import LocalFarm
import Testing

/// A farm whose coordinator and workers are shells that write their process IDs to a file and wait.
private struct FarmOfShells {
  let folder: String
  let farm: LocalFarm

  init(in folder: String, workers: Int = 2) throws {
    self.folder = folder
    func shell(_ name: String) -> [String] { ["-c", "echo $$ >> \(folder)/pids-\(name); exec sleep 1000"] }
    farm = LocalFarm(
      try DataDirectory(making: folder + "/data"), workers: workers,
      roles: LocalFarm.Roles(coordinator: { _, _ in shell("coordinator") }, worker: { name, _, _ in shell(name) }),
      executable: "/bin/sh", environment: ["PATH": "/usr/bin:/bin"])
  }

  /// The process IDs that a part of the farm has had, oldest first.
  func processes(_ name: String) -> [pid_t] {
    // A missing file means that there was no process yet.
    let text = (try? String(contentsOfFile: "\(folder)/pids-\(name)", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { pid_t($0) }
  }

  /// Tends the farm until `condition` is true, for at most 20 s.
  func tend(until condition: () -> Bool) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      try farm.tend()
      if condition() { return true }
      var entries = farm.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      _ = unsafe poll(&entries, nfds_t(entries.count), 10)
    }
    return false
  }
}

/// Whether a process runs. A process that has ended does not, even when it is not reaped yet.
private func runs(_ process: pid_t) -> Bool {
  guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }  // reaped
  return !status.contains(") Z ")
}

// Children end with the thread that started them, so each farm lives within one synchronous test.
@Suite struct `A private farm` {
  @Test func `it runs a database, a coordinator and workers, and stops them all`() throws {
    try TemporaryDirectory.with { folder in
      let shells = try FarmOfShells(in: folder)
      let names = ["coordinator", "local-1", "local-2"]
      let isUp = try shells.tend { names.allSatisfy { shells.processes($0).count == 1 } && shells.farm.descriptors.count == 4 }
      #expect(isUp)
      #expect(shells.farm.isOurs)
      let processes = names.flatMap(shells.processes)
      shells.farm.stop()
      #expect(processes.filter(runs) == [])
      #expect(try FarmLock.runningFarm(of: folder + "/data") == nil)
    }
  }

  @Test(arguments: ["coordinator", "local-1"])
  func `what is killed is started again`(name: String) throws {
    try TemporaryDirectory.with { folder in
      let shells = try FarmOfShells(in: folder, workers: 1)
      let isUp = try shells.tend { shells.processes(name).count == 1 }
      #expect(isUp)
      kill(shells.processes(name)[0], SIGKILL)
      let isUpAgain = try shells.tend { shells.processes(name).count == 2 }
      #expect(isUpAgain && !runs(shells.processes(name)[0]) && runs(shells.processes(name)[1]))
      shells.farm.stop()
    }
  }

  @Test func `a second one in the same directory uses the first, and runs the farm on when the first leaves`() throws {
    try TemporaryDirectory.with { folder in
      let first = try FarmOfShells(in: folder, workers: 1)
      try first.farm.tend()
      let second = try FarmOfShells(in: folder, workers: 1)
      try second.farm.tend()
      let shared = (try first.farm.databaseURL(), try second.farm.databaseURL())
      #expect(!second.farm.isOurs && shared.0 != nil && shared.0 == shared.1)
      second.farm.stop()
      #expect(try FarmLock.runningFarm(of: folder + "/data") != nil)
      first.farm.stop()
      try second.farm.tend()
      #expect(second.farm.isOurs)
      second.farm.stop()
    }
  }

  @Test func `what cannot be kept running is named, with its log`() throws {
    try TemporaryDirectory.with { folder in
      let farm = LocalFarm(
        try DataDirectory(making: folder + "/data"), workers: 1,
        roles: LocalFarm.Roles(
          coordinator: { _, _ in ["-c", "echo broken >&2; exit 3"] }, worker: { _, _, _ in ["-c", "exec sleep 1000"] }),
        executable: "/bin/sh", environment: [:])
      let error = #expect(throws: LocalFarmError.self) {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
          try farm.tend()
          var entries = farm.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
          _ = unsafe poll(&entries, nfds_t(entries.count), 10)
        }
      }
      let log = folder + "/data/log/coordinator.log"
      #expect(error == .keepsEnding("coordinator", "exit code 3", log: log))
      let said = try String(contentsOfFile: log, encoding: .utf8)
      #expect(said.split(separator: "\n").count == RestartPolicy.startLimit)
      farm.stop()
    }
  }
}
