import FarmTesting
import Glibc
import Subprocess
import Testing

/// Workers on kernels that lack a containment. A filter around the worker hides the system calls.
@Suite(.enabled("this kernel has all containments", { Confinement.available.count == Confinement.Part.allCases.count }))
struct ContainmentTests {
  private let directory = TemporaryDirectory()

  private func worker(_ containment: String, without call: Int?) -> Command {
    let worker = SpoolProgram.command([
      "worker", "--connect", "ipc://\(directory.file("nobody"))", "--store", directory.path, "--media-root", directory.path,
      "--containment", containment,
    ])
    return call.map { worker.hiding(call: $0) } ?? worker
  }

  @Test(arguments: [(Self.landlock, "files"), (Self.seccomp, "network, processes")])
  func `where a containment is required that the kernel lacks, the worker does not start`(call: Int, missing: String) throws {
    let run = try #require(try worker("required", without: call).run(timeoutMilliseconds: 60_000))
    #expect(run.code == 69)
    #expect(run.errorOutput == "error: --containment: this kernel does not keep attempts from: \(missing)\n")
  }

  @Test(
    arguments: [
      ("required", nil, "files,network,processes", ""), ("available", Self.landlock, "network,processes", "files"),
      ("available", Self.seccomp, "files", "network,processes"), ("none", nil, "nothing", "files,network,processes"),
    ] as [(String, Int?, String, String)])
  func `else it starts, says what attempts are kept from, and warns of the rest`(
    containment: String, call: Int?, parts: String, missing: String
  ) throws {
    let said = try start(worker(containment, without: call))
    #expect(said.contains { $0.contains("attempts_without=\(parts) ") }, "\(said)")
    #expect(said.count { $0.contains("event=warning attempts_may_reach=\(missing) ") } == (missing.isEmpty ? 0 : 1), "\(said)")
  }

  @Test func `of a small share, an attempt may have two GiB of memory, or four of address space, and a TiB in a file`() throws {
    var command = worker("required", without: nil)
    command.arguments += ["--slots", "1024"]
    let said = try start(command).first { $0.contains("event=containment") } ?? ""
    let byGroup = said.contains("memory_mib=2048 memory_by=cgroup cgroup=/")
    #expect(byGroup || said.contains(#"memory_mib=4096 memory_by=address_space cgroup="none: "#), "\(said)")
    #expect(said.contains("open_files=1024 file_mib=1048576 "), "\(said)")
  }

  /// Starts a worker, and stops it.
  ///
  /// - Returns: its log.
  private func start(_ worker: Command) throws -> [String] {
    var command = worker
    command.errorOutput = .pipe
    let child = try ChildProcess(command)
    let output = try #require(child.errorOutput)
    var (lines, said) = (LineReader(output, limit: 4096), [String]())
    while !lines.isAtEnd {
      var entry = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, 1000)
      for case .text(let line) in try lines.read() { said.append(line) }
      if said.contains(where: { $0.contains("event=containment") }) { child.signal(SIGTERM) }
    }
    let end = try child.wait()
    #expect(end == .exited(0), "\(end)")
    return said
  }

  @Test(arguments: [(Self.landlock, "files"), (Self.seccomp, "network, processes")])
  func `what reads media for the command line goes without what the kernel lacks, and says so`(call: Int, missing: String) throws
  {
    let clip = directory.file("clip.mp4")
    try SyntheticSource(width: 64, height: 48, frameCount: 2).write(to: clip, ["-c:v", "libx264"])
    func probe(_ containment: String) throws -> Completed {
      let command = SpoolProgram.command(["probe", clip, "--containment", containment])
      return try #require(try command.hiding(call: call).run(timeoutMilliseconds: 60_000))
    }
    let lack = "this kernel does not keep what reads media from: \(missing)\n"
    let (available, required, none) = (try probe("available"), try probe("required"), try probe("none"))
    #expect(available.code == 0 && available.errorOutput == "warning: \(lack)", "\(available.errorOutput)")
    #expect(required.code == 69 && required.output.isEmpty && required.errorOutput == "error: --containment: \(lack)")
    #expect(none.code == 0 && none.errorOutput.isEmpty && none.output == available.output)
  }

  /// This test hides capset(2). A unit of systemd without privileged calls refuses it to everybody, even to give up capabilities
  /// that a process does not have.
  @Test func `what has no capabilities to give up does not ask to`() throws {
    let clip = directory.file("clip.mp4")
    try SyntheticSource(width: 64, height: 48, frameCount: 2).write(to: clip, ["-c:v", "libx264"])
    var command = Command(SpoolProgram.executable, ["probe", clip, "--containment", "required"]).hiding(call: Self.capset)
    if getuid() == 0 {
      command.arguments = ["--bounding-set=-all", "--inh-caps=-all", "--", command.executable] + command.arguments
      command.executable = "/usr/bin/setpriv"
    }
    let probe = try #require(try command.run(timeoutMilliseconds: 60_000))
    #expect(probe.code == 0 && probe.errorOutput.isEmpty, "\(probe.errorOutput)")
  }

  #if arch(x86_64)
    private static let seccomp = 317
    private static let capset = 126
  #else
    private static let seccomp = 277
    private static let capset = 91
  #endif
  private static let landlock = 444
}
