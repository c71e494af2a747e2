import FarmTesting
import Glibc
import Subprocess
import Testing

/// Tests of a farm whose workers share nothing but S3 and the movie's folder.
@Suite(.serialized, .enabled("scripts/test installs moto", { S3Server.isInstalled })) struct S3StoreTests {
  private let directory = TemporaryDirectory()

  @Test func `with its store in S3 a farm makes the movie that a directory gives, and leaves nothing there`() throws {
    #expect(unsafe chmod(directory.path, 0o755) == 0)
    let server = try S3Server()
    try SyntheticSource(width: 160, height: 96, frameCount: 50).write(to: directory.file("clip.mkv"), ["-c:v", "ffv1"])
    try Self.document.write(toFile: directory.file("edit.json"))
    for folder in ["store", "scratch"] { #expect(unsafe mkdir(directory.file(folder), 0o755) == 0) }
    try Self.attempt.write(toFile: directory.file("attempt"))
    #expect(unsafe chmod(directory.file("attempt"), 0o755) == 0)

    let local = try movie("local.mkv", store: directory.file("store"))
    let remote = try movie(
      "remote.mkv", store: "s3://farm/segments", environment: server.environment,
      options: ["--scratch", directory.file("scratch"), "--attempt-program", directory.file("attempt")])
    #expect(try [UInt8](contentsOf: remote) == [UInt8](contentsOf: local))

    // Publishing the movie removed the segments, and the couriers removed their folders.
    let listing = try SpoolProgram.run(
      ["sweep", "--store", "s3://farm/segments"], input: "{\"over\":[]}\n", environment: server.environment)
    #expect(listing.code == 0 && listing.output == "", "\(listing.errorOutput)")
    let left = try #require(
      try Command("/usr/bin/find", [directory.file("scratch"), "-mindepth", "1"]).run(timeoutMilliseconds: 10_000))
    #expect(left.output == "")
    let surroundings = String(decoding: try [UInt8](contentsOf: directory.file("environments")), as: UTF8.self)
    #expect(surroundings.contains("PATH=") && !surroundings.contains("AWS_"))
  }

  @Test func `a farm whose sources are in S3 makes the movie that files give, and its attempts have no credentials`() throws {
    #expect(unsafe chmod(directory.path, 0o755) == 0)
    let server = try S3Server()
    try SyntheticSource(width: 160, height: 96, frameCount: 50).write(to: directory.file("clip.mkv"), ["-c:v", "ffv1"])
    try server.put(directory.file("clip.mkv"), as: "media/the clip.mkv")
    try Self.document.write(toFile: directory.file("edit.json"))
    for folder in ["store", "nothing"] { #expect(unsafe mkdir(directory.file(folder), 0o755) == 0) }
    try Self.attempt.write(toFile: directory.file("attempt"))
    #expect(unsafe chmod(directory.file("attempt"), 0o755) == 0)

    let local = try movie("local.mkv", store: directory.file("store"))
    try Self.document.replacing("\"path\": \"clip.mkv\"", with: "\"url\": \"s3://farm/media/the clip.mkv\"").write(
      toFile: directory.file("edit.json"))
    let remote = try movie(
      "remote.mkv", store: directory.file("store"), mediaRoot: directory.file("nothing"),
      environment: server.environment.merging(["SPOOL_CACHE": directory.file("cache")]) { $1 },
      options: [
        "--media-url", "s3://farm/media", "--media-cache-size", "64", "--attempt-program", directory.file("attempt"),
      ])
    #expect(try [UInt8](contentsOf: remote) == [UInt8](contentsOf: local))
    let surroundings = String(decoding: try [UInt8](contentsOf: directory.file("environments")), as: UTF8.self)
    #expect(surroundings.contains("PATH=") && !surroundings.contains("AWS_"))
  }

  @Test func `a worker whose credentials are wrong does not start`() throws {
    let server = try S3Server()
    let worker = try SpoolProgram.run(
      ["worker", "--connect", "ipc:///nowhere", "--store", "s3://farm/segments", "--media-root", "/"],
      environment: server.environment.merging(["AWS_SECRET_ACCESS_KEY": "wrong"]) { $1 })
    #expect(worker.code == 73)
    #expect(
      worker.errorOutput == "error: \(server.endpoint)/farm: the server refuses it (HTTP status 403, SignatureDoesNotMatch)\n")
  }

  private func movie(
    _ name: String, store: String, mediaRoot: String? = nil, environment: [String: String] = [:], options: [String] = []
  ) throws -> String {
    let database = try TestCluster.shared.get().makeDatabase()
    let endpoint = "ipc://" + directory.file("farm-\(name)")
    var coordinator = SpoolProgram.command(["coordinator", "--database", database, "--endpoint", endpoint])
    (coordinator.output, coordinator.errorOutput) = (.null, .file(directory.file("coordinator.log")))
    let farm =
      [try ChildProcess(coordinator)]
      + (try (1...2).map { number in
        var worker = SpoolProgram.command(
          [
            "worker", "--connect", endpoint, "--name", "w\(number)", "--slots", "1", "--store", store, "--media-root",
            mediaRoot ?? directory.path,
          ]
            + options, environment: environment)
        (worker.output, worker.errorOutput) = (.null, .file(directory.file("worker.log")))
        return try ChildProcess(worker)
      })
    let submitted = try withExtendedLifetime(farm) {
      var run: Completed
      // The command is repeated until the coordinator has made the database's schema.
      repeat {
        run = try SpoolProgram.run(
          ["submit", directory.file("edit.json"), "-o", directory.file(name), "--chunk-frames", "10"],
          environment: environment.merging(["SPOOL_DATABASE": database]) { $1 })
      } while run.errorOutput.contains("there is no Spool schema")
      guard run.code == 0 else { return run }
      let job = String(run.output.dropLast())
      let deadline = ContinuousClock.now + .seconds(120)
      repeat {
        run = try SpoolProgram.run(["status", job], environment: ["SPOOL_DATABASE": database])
      } while !["done", "failed"].contains { run.output.contains("state      \($0)") } && ContinuousClock.now < deadline
      return run
    }
    #expect(submitted.output.contains("state      done"), "\(submitted.output) \(submitted.errorOutput)")
    return directory.file(name)
  }

  /// A program that notes its environment before it becomes an attempt.
  private static let attempt = """
    #!/bin/sh
    env >> "$(dirname "$0")/environments"
    exec \(SpoolProgram.executable) "$@"

    """

  private static let document = """
    {"spool": 1, "assets": {"c": {"path": "clip.mkv"}},
     "composition": {"tracks": [{"id": "v", "media": "video", "segments": [
       {"asset": "c", "source": {"start": "0", "duration": "2"}, "at": "0"}]}]},
     "videoComposition": {"renderSize": [160, 96], "frameDuration": "1/25", "instructions": [
       {"timeRange": {"start": "0", "duration": "2"}, "layerInstructions": [{"track": "v"}]}]},
     "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
    """
}
