import FarmTesting
import Glibc
import Subprocess
import Testing

/// Renders beside a farm of this machine that is kept running.
@Suite(.serialized) struct ServeTests {
  private let studio: Studio
  private let document: String

  init() throws {
    studio = try Studio()
    document = try studio.document(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"duration": "2"}}]}]},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
      """)
  }

  /// Starts the service, and waits until it says that it is ready.
  private func serve() throws -> ChildProcess {
    var command = SpoolProgram.command(["serve", "--data", studio.dataDirectory, "--workers", "2", "--no-reuse"])
    (command.output, command.errorOutput) = (.pipe, .null)
    let service = try ChildProcess(command)
    let output = try #require(service.output)
    var (lines, said) = (LineReader(output, limit: 4096), [String]())
    let deadline = ContinuousClock.now + .seconds(60)
    while said.isEmpty, !lines.isAtEnd, ContinuousClock.now < deadline {
      var entry = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, 200)
      for case .text(let line) in try lines.read() { said.append(line) }
    }
    #expect(said.count == 1 && said.first?.hasSuffix("; ^C ends them") == true, "\(said)")
    return service
  }

  private func render(_ name: String, _ options: [String] = []) throws -> Completed {
    try SpoolProgram.run(
      ["render", document, "-o", studio.file(name), "--data", studio.dataDirectory, "--chunk-frames", "10"] + options)
  }

  private func frames(_ name: String) throws -> [String] { try Decoded(studio.file(name), hasSound: false).pictures }

  @Test func `renders use it, make the same movies, and leave it running`() throws {
    let alone = try render("alone.mkv", ["--no-reuse"])
    #expect(alone.code == 0 && !alone.errorOutput.contains("reuse"), "\(alone.errorOutput)")
    let service = try serve()
    for (name, options) in [("first.mkv", []), ("second.mkv", ["--no-reuse"])] as [(String, [String])] {
      let rendered = try render(name, options)
      #expect(rendered.code == 0, "\(rendered.errorOutput)")
      #expect(rendered.errorOutput.contains("warning: --no-reuse: another process runs this machine's farm") == !options.isEmpty)
      #expect(try frames(name) == frames("alone.mkv"))
    }
    #expect(try service.poll() == nil)
    // A second service has nothing to start. It would take the farm over.
    var second = SpoolProgram.command(["serve", "--data", studio.dataDirectory, "--json"])
    (second.output, second.errorOutput) = (.pipe, .null)
    let waiting = try ChildProcess(second)
    var lines = LineReader(try #require(waiting.output), limit: 4096)
    var said = [String]()
    let deadline = ContinuousClock.now + .seconds(30)
    while said.isEmpty, ContinuousClock.now < deadline {
      for case .text(let line) in try lines.read() { said.append(line) }
      usleep(20_000)
    }
    #expect(said == [#"{"event":"ready","isOurs":false,"workers":2}"#])
    waiting.signal(SIGINT)
    #expect(try waiting.wait() == .exited(0))
    service.signal(SIGTERM)
    #expect(try service.wait() == .exited(0))
  }

  @Test func `a render goes on when the service ends in its middle, or is killed`() throws {
    let alone = try render("alone.mkv")
    #expect(alone.code == 0, "\(alone.errorOutput)")
    for (name, signal) in [("ended.mkv", SIGTERM), ("killed.mkv", SIGKILL)] {
      let service = try serve()
      var command = SpoolProgram.command(
        ["render", document, "-o", studio.file(name), "--data", studio.dataDirectory, "--chunk-frames", "2", "--no-reuse"])
      (command.output, command.errorOutput) = (.null, .null)
      let rendering = try ChildProcess(command)
      usleep(700_000)
      service.signal(signal)
      _ = try service.wait()
      #expect(try rendering.wait() == .exited(0), "\(name)")
      #expect(try frames(name) == frames("alone.mkv"))
    }
  }
}
