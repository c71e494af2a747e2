import Glibc
import Subprocess
import Testing

/// A command that runs /bin/sh, a program that is not part of this project.
private func shell(_ script: String, _ arguments: [String] = []) -> Command {
  Command("/bin/sh", ["-c", script, "sh"] + arguments, environment: ["PATH": "/usr/bin:/bin"])
}

struct SubprocessTests {
  @Test func `a command's output, errors and exit code come back`() throws {
    let completed = try #require(try shell("echo out; echo err >&2; exit 3").run(timeoutMilliseconds: 20_000))
    #expect(completed.status == .exited(3))
    #expect(completed.output == "out\n")
    #expect(completed.errorOutput == "err\n")
  }

  @Test func `a child reads the bytes it was given, then the end`() throws {
    var command = shell("wc -c")
    command.input = .bytes([UInt8](repeating: 7, count: 3_000_000))
    #expect(try command.run(timeoutMilliseconds: 20_000)?.output == "3000000\n")
  }

  @Test func `a process that was taken hold of is signalled while it lives, and nobody after it`() throws {
    let child = try ChildProcess(shell("exec sleep 1000"))
    let handle = try ProcessHandle(child.processID)
    #expect(handle.signal(SIGTERM))
    #expect(try child.wait() == .signalled(SIGTERM))
    var entry = pollfd(fd: handle.exitDescriptor, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&entry, 1, 0) == 1)
    #expect(!handle.signal(SIGTERM))
    let error = #expect(throws: SubprocessError.self) { _ = try ProcessHandle(child.processID) }
    #expect(error?.code == ESRCH)
  }

  @Test func `a command that nobody waits for any more is killed`() throws {
    let begin = ContinuousClock.now
    var asked = 0
    let completed = try shell("exec sleep 1000").run(timeoutMilliseconds: 500_000) {
      asked += 1
      return asked < 3
    }
    #expect(completed == nil)
    #expect(ContinuousClock.now - begin < .seconds(400))
  }

  @Test func `a child sees only the environment it was given`() throws {
    let command = Command("/usr/bin/env", environment: ["ONE": "1"])
    #expect(try command.run(timeoutMilliseconds: 20_000)?.output == "ONE=1\n")
  }

  @Test func `limits come back from their word, and no other text is taken for limits`() {
    for limits in [
      ResourceLimits(), ResourceLimits(openFiles: 64), ResourceLimits(fileBytes: 0, addressSpace: 1 << 40),
      ResourceLimits(openFiles: 1024, fileBytes: 16 << 20, addressSpace: Int.max),
    ] {
      #expect(ResourceLimits(word: limits.word) == limits)
    }
    #expect(ResourceLimits(openFiles: 64, fileBytes: 5).word == "openFiles=64,fileBytes=5")
    for word in [
      ",", "openFiles", "openFiles=", "openFiles=-1", "openFiles=1,", "openFiles=1,openFiles=1", "files=1", "openFiles=1=2",
    ] {
      #expect(ResourceLimits(word: word) == nil, "\(word)")
    }
  }

  @Test func `no descriptor above the standard three reaches a child`() throws {
    // This descriptor is opened without O_CLOEXEC, as a careless library does.
    let careless = unsafe open("/dev/null", O_RDONLY)
    defer { close(careless) }
    // ls itself opens the folder as descriptor 3.
    let completed = try #require(try shell("ls /proc/self/fd | tr '\\n' ' '").run(timeoutMilliseconds: 20_000))
    #expect(completed.output == "0 1 2 3 ")
  }

  @Test func `a signal that the parent blocks kills the child all the same`() throws {
    var terminate = sigset_t()
    unsafe sigemptyset(&terminate)
    unsafe sigaddset(&terminate, SIGTERM)
    unsafe pthread_sigmask(SIG_BLOCK, &terminate, nil)
    defer { unsafe pthread_sigmask(SIG_UNBLOCK, &terminate, nil) }
    let child = try ChildProcess(shell("kill -TERM $$; exit 0"))
    #expect(try child.wait() == .signalled(SIGTERM))
  }

  @Test func `a signal reaches the grandchildren`() throws {
    var command = shell("sleep 1000 & echo $!; wait")
    command.output = .pipe
    let child = try ChildProcess(command)
    var lines = LineReader(try #require(child.output), limit: 100)
    let grandchild = try #require(try nextLine(&lines, of: child))
    child.signal(SIGKILL)
    #expect(try child.wait() == .signalled(SIGKILL))
    // The pipe's writing end closes only when the grandchild is gone too.
    while !lines.isAtEnd {
      try waitReadable(try #require(child.output).number)
      _ = try lines.read()
    }
    #expect(Int32(grandchild) != nil)
  }

  @Test func `a command that takes too long is killed`() throws {
    #expect(try shell("sleep 1000").run(timeoutMilliseconds: 50) == nil)
  }

  @Test func `a missing executable is an error that names it`() {
    #expect(throws: SubprocessError("posix_spawn", ENOENT, "/nonexistent/tool")) {
      _ = try ChildProcess(Command("/nonexistent/tool"))
    }
  }

  @Test func `the exit descriptor polls readable at the end`() throws {
    let child = try ChildProcess(shell("exit 9"))
    try waitReadable(child.exitDescriptor)
    #expect(try child.poll() == .exited(9))
  }

  @Test func `a child that is dropped is killed and reaped`() throws {
    var child: ChildProcess? = try ChildProcess(shell("sleep 1000"))
    let number = try #require(child).processID
    child = nil
    #expect(kill(number, 0) == -1 && errno == ESRCH)
  }

  @Test func `lines come whole, too long ones are named and the last needs no line feed`() throws {
    var command = shell("printf 'one\\n\\n%0100d\\ntwo\\nrest' 0")
    command.output = .pipe
    let child = try ChildProcess(command)
    var (reader, lines) = (LineReader(try #require(child.output), limit: 99), [LineReader.Line]())
    while !reader.isAtEnd {
      try waitReadable(try #require(child.output).number)
      lines += try reader.read()
    }
    #expect(lines == [.text("one"), .text(""), .tooLong, .text("two"), .text("rest")])
  }

  @Test func `the tail keeps the last bytes`() throws {
    let completed = try #require(try shell("printf 0123456789").run(timeoutMilliseconds: 20_000, limit: 4))
    #expect(completed.output == "6789")
  }

  private func nextLine(_ reader: inout LineReader, of child: ChildProcess) throws -> String? {
    while !reader.isAtEnd {
      try waitReadable(try #require(child.output).number)
      if case .text(let line)? = try reader.read().first { return line }
    }
    return nil
  }

  private func waitReadable(_ descriptor: Int32) throws {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    try #require(unsafe poll(&entry, 1, 20_000) == 1)
  }
}
