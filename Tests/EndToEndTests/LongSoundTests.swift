import FarmTesting
import Glibc
import Subprocess
import Testing

/// Sound that is long enough for parts, made by a farm.
@Suite struct `Long sound` {
  @Test func `has the same bytes from one worker and from three, and the plan tells its parts`() throws {
    let studio = try Studio()
    // At 8000 samples a second, six minutes are soon made.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.4*sin(2*PI*(200+2*t)*t)+0.1*(random(0)-0.5)':s=8000:d=370", "-c:a", "pcm_s16le",
      studio.file("long.wav"),
    ])
    let document = try studio.document(
      """
      {"spool": 1, "assets": {"long": {"path": "long.wav"}}, "composition": {"tracks": [
        {"id": "A", "media": "audio", "segments": [{"asset": "long"}]}]},
       "export": {"fileType": "m4a", "audio": {"codec": "aac", "sampleRate": 8000, "channelLayout": "mono", "bitRate": 32000}}}
      """)
    let planned = try SpoolProgram.run(["plan", document, "-o", studio.file("one.m4a"), "--data", studio.dataDirectory])
    #expect(planned.output.contains("and sound in 6 parts"), "\(planned.output)\(planned.errorOutput)")
    let one = try studio.render(document, to: "one.m4a", ["--workers", "1"])
    let three = try studio.render(document, to: "three.m4a", ["--workers", "3"])
    #expect(try [UInt8](contentsOf: one) == [UInt8](contentsOf: three))
    let raw = studio.file("decoded.raw")
    try MediaTools.ffmpeg(["-i", one, "-f", "s16le", raw])
    #expect(try [UInt8](contentsOf: raw).count == 2 * 8000 * 370)
  }

  @Test func `is the same where attempts are killed within its parts`() throws {
    let studio = try Studio()
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.4*sin(2*PI*(200+2*t)*t)+0.1*(random(0)-0.5)':s=16000:d=370", "-c:a", "pcm_s16le",
      studio.file("long.wav"),
    ])
    let document = try studio.document(
      """
      {"spool": 1, "assets": {"long": {"path": "long.wav"}}, "composition": {"tracks": [
        {"id": "A", "media": "audio", "segments": [{"asset": "long"}]}]},
       "export": {"fileType": "m4a", "audio": {"codec": "aac", "sampleRate": 48000, "channelLayout": "mono", "bitRate": 64000}}}
      """)
    let undisturbed = try [UInt8](contentsOf: studio.render(document, to: "undisturbed.m4a"))
    var command = SpoolProgram.command([
      "render", document, "-o", studio.file("disturbed.m4a"), "--data", studio.dataDirectory, "--workers", "2", "--no-reuse",
    ])
    (command.output, command.errorOutput) = (.null, .file(studio.file("errors.txt")))
    // Ending the command ends its farm, also where this test fails.
    let child = try ChildProcess(command)
    var status: Subprocess.ExitStatus?
    var (born, killed): ([Int32: Int], Int) = ([:], 0)
    let deadline = milliseconds() + 90_000
    while status == nil, milliseconds() < deadline {
      for attempt in try ProcessTree().descendants(of: child.processID, role: "attempt") where killed < 3 {
        // An attempt that has worked for a while is in the middle of its part: one takes some seconds at most.
        let since = milliseconds() - born[attempt, default: milliseconds()]
        if born[attempt] == nil { born[attempt] = milliseconds() }
        guard since >= 40 else { continue }
        kill(attempt, SIGKILL)
        (killed, born[attempt]) = (killed + 1, .max / 2)
      }
      usleep(2000)
      status = try child.poll()
    }
    #expect(killed > 0, "nothing was killed")
    let complaint = String(decoding: try [UInt8](contentsOf: studio.file("errors.txt")), as: UTF8.self)
    try #require(status == .exited(0), "\(complaint)")
    #expect(try [UInt8](contentsOf: studio.file("disturbed.m4a")) == undisturbed)
    #expect(try ProcessTree().processes.allSatisfy { !$0.arguments.contains(studio.dataDirectory) }, "a process was left behind")
  }

  private func milliseconds() -> Int {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
  }
}
