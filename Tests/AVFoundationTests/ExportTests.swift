import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Subprocess
import Testing

@Suite(.serialized) struct `An export` {
  private func layers(_ composition: AVMutableComposition) throws -> AVMutableVideoComposition {
    let video = AVMutableVideoComposition(propertiesOf: composition)
    let (root, videoLayer, mark) = (CALayer(), CALayer(), CALayer())
    for layer in [root, videoLayer] { layer.frame = CGRect(origin: .zero, size: video.renderSize) }
    mark.frame = CGRect(x: 0, y: 0, width: 16, height: 16)
    mark.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
    let fade = CABasicAnimation(keyPath: "opacity")
    (fade.fromValue, fade.toValue, fade.beginTime, fade.duration) = (0, 0, AVCoreAnimationBeginTimeAtZero, 0.5)
    mark.add(fade, forKey: nil)
    root.addSublayer(videoLayer)
    root.addSublayer(mark)
    video.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: videoLayer, in: root)
    return video
  }

  /// The red, green and blue of a pixel of a movie's frame.
  private func pixel(_ movie: String, frame: Int, _ x: Int, _ y: Int, width: Int = 64) throws -> [UInt8] {
    let raw = movie + ".raw"
    try MediaTools.ffmpeg(
      ["-i", movie, "-vf", "select=eq(n\\,\(frame))", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", raw])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw)))
    return Array(bytes[((y * width + x) * 3)..<((y * width + x) * 3 + 3)])
  }

  @Test func `goes through the farm, with the layers where and when they belong`() async throws {
    let clip = try TestMedia.clip.get()
    let directory = TemporaryDirectory()
    #expect(unsafe chmod(directory.path, 0o755) == 0)
    SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
    let composition = AVMutableComposition()
    try composition.insertTimeRange(TestMedia.range(0, 10), of: AVURLAsset(url: clip), at: .zero)
    let session = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
    session.videoComposition = try layers(composition)
    let url = URL(fileURLWithPath: directory.file("movie.mp4"))
    #expect(session.status == .unknown)
    try await session.export(to: url, as: .mp4)
    #expect(session.status == .completed && session.progress == 1 && session.error == nil)
    let shown = try MediaTools.ffprobe([
      "-count_frames", "-show_entries", "stream=codec_name,width,height,nb_read_frames", "-of", "csv=p=0", url.path,
    ])
    #expect(shown.contains("h264,64,48,10") && shown.contains("aac"))
    // The mark is at the bottom left, in the second half of the movie alone.
    let (before, after) = (try pixel(url.path, frame: 3, 6, 40), try pixel(url.path, frame: 7, 6, 40))
    #expect(after[0] > 200 && after[1] < 60, "\(after)")
    #expect(!(before[0] > 200 && before[1] < 60), "\(before)")
    let top = try pixel(url.path, frame: 7, 6, 6)
    #expect(!(top[0] > 200 && top[1] < 60), "\(top)")

    // A name that promises another file type is the caller's.
    let named = URL(fileURLWithPath: directory.file("named.mp4"))
    let other = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
    try await other.export(to: named, as: .mov)
    let brand = try MediaTools.ffprobe(["-show_entries", "format_tags=major_brand", "-of", "csv=p=0", named.path])
    #expect(brand.hasPrefix("qt"))
    #expect(!FileManager.default.fileExists(atPath: named.path + ".mov"))

    // A second export of the session, and one over a file that exists, are refused.
    await #expect(throws: AVError.self) { try await session.export(to: url, as: .mp4) }
    let again = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
    let taken = await #expect(throws: AVError.self) { try await again.export(to: url, as: .mp4) }
    #expect(taken?.code == .fileAlreadyExists && again.status == .failed)
  }

  @Test(.timeLimit(.minutes(10))) func `goes to the farm that is named, and is cancelled there`() async throws {
    let clip = try TestMedia.clip.get()
    let directory = TemporaryDirectory()
    #expect(unsafe chmod(directory.path, 0o755) == 0)
    let (database, endpoint) = (try TestCluster.shared.get().makeDatabase(), "ipc://\(directory.file("farm"))")
    func start(_ arguments: [String]) throws -> ChildProcess {
      // A command that ends with the tests ends with the thread that started it, and this test goes from one thread to another.
      let environment = ["PATH": "/usr/bin:/bin", "HOME": directory.path, "LC_ALL": "C.UTF-8"]
      let command = Command(SpoolProgram.executable, arguments, environment: environment, output: .null, errorOutput: .null)
      return try ChildProcess(command)
    }
    // A coordinator makes the schema too, but on a busy machine an export may ask before that.
    try #require(SpoolProgram.run("migrate", "--database", database).code == 0)
    let coordinator = try start(["coordinator", "--database", database, "--endpoint", endpoint])
    defer { coordinator.signal(SIGKILL) }
    let composition = AVMutableComposition()
    try composition.insertTimeRange(TestMedia.range(0, 10), of: AVURLAsset(url: clip), at: .zero)
    let session = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
    session.farm = database

    // Without a worker the job waits, until it is cancelled.
    let waiting = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
    waiting.farm = database
    let never = URL(fileURLWithPath: directory.file("never.mp4"))
    let wait = Task { try await waiting.export(to: never, as: .mp4) }
    let deadline = ContinuousClock.now + .seconds(30)
    while try jobs(database).isEmpty, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(100)) }
    waiting.cancelExport()
    let cancelled = await #expect(throws: AVError.self) { try await wait.value }
    #expect(cancelled?.code == .operationCancelled && waiting.status == .cancelled)
    #expect(try jobs(database) == ["cancelled"])

    let media = clip.deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: directory.file("store"), withIntermediateDirectories: false)
    let worker = try start([
      "worker", "--connect", endpoint, "--store", directory.file("store"), "--media-root", media, "--media-root", directory.path,
    ])
    defer { worker.signal(SIGKILL) }
    let url = URL(fileURLWithPath: directory.file("movie.mp4"))
    try await session.export(to: url, as: .mp4)
    #expect(session.status == .completed && session.progress == 1)
    let shown = try MediaTools.ffprobe([
      "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", url.path,
    ])
    #expect(shown.hasPrefix("10"))
    #expect(try jobs(database).sorted() == ["cancelled", "done"])
  }

  /// The states of a farm's jobs.
  private func jobs(_ database: String) throws -> [String] {
    struct Report: Decodable {
      struct Job: Decodable { let state: String }
      let jobs: [Job]
    }
    let run = try SpoolProgram.run("status", "--database", database, "--json")
    guard run.code == 0 else { return [] }
    return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).jobs.map(\.state)
  }

  private func frames(of path: String) throws -> [String] {
    try MediaTools.ffmpeg(["-i", path, "-map", "0:v", "-f", "framemd5", "-"], isStrict: true).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last.map(String.init) }
  }

  @Test func `by passthrough copies the pictures to which nothing is done`() async throws {
    let directory = TemporaryDirectory()
    #expect(unsafe chmod(directory.path, 0o755) == 0)
    SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
    let clip = directory.file("a.mp4")
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: 100)
      .write(to: clip, ["-c:v", "libx264", "-crf", "30", "-g", "25", "-bf", "2", "-x264-params", "scenecut=0"])
    let composition = AVMutableComposition()
    let asset = AVURLAsset(url: URL(fileURLWithPath: clip))
    try composition.insertTimeRange(
      CMTimeRange(start: .zero, duration: CMTime(value: 70, timescale: 25)), of: asset, at: .zero)
    let session = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetPassthrough))
    let movie = directory.file("movie.mov")
    try await session.export(to: URL(fileURLWithPath: movie), as: .mov)
    let (made, source) = (try frames(of: movie), try frames(of: clip))
    // The third group is cut off, and encoded.
    #expect(made.count == 70 && made[..<50] == source[..<50] && made[50] != source[50])
  }

  @Test func `by passthrough copies the sound of a whole track, in its own rate and channels`() async throws {
    let directory = TemporaryDirectory()
    #expect(unsafe chmod(directory.path, 0o755) == 0)
    SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
    let (clip, movie) = (directory.file("a.mp4"), directory.file("movie.mp4"))
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=2", "-f", "lavfi", "-i", "sine=440:sample_rate=44100:duration=2",
      "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", clip,
    ])
    let asset = AVURLAsset(url: URL(fileURLWithPath: clip))
    let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetPassthrough))
    try await session.export(to: URL(fileURLWithPath: movie), as: .mp4)
    let packets = try [clip, movie].map { path in
      try MediaTools.ffmpeg(["-i", path, "-map", "0:a", "-c", "copy", "-f", "framemd5", "-"]).split(separator: "\n")
        .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last }
    }
    #expect(packets[0] == packets[1] && packets[0].count > 80)
  }

  @Test func `that is cancelled before it begins leaves no movie`() async throws {
    let clip = try TestMedia.clip.get()
    let directory = TemporaryDirectory()
    let composition = AVMutableComposition()
    try composition.insertTimeRange(TestMedia.range(0, 10), of: AVURLAsset(url: clip), at: .zero)
    let session = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
    (session.outputURL, session.outputFileType) = (URL(fileURLWithPath: directory.file("movie.mp4")), .mp4)
    await withCheckedContinuation { done in
      session.exportAsynchronously { done.resume() }
      session.cancelExport()
    }
    #expect(session.status == .cancelled && session.error != nil)
    #expect(!FileManager.default.fileExists(atPath: directory.file("movie.mp4")))
  }

  @Test func `that is cancelled, or cannot begin, says so`() async throws {
    let composition = AVMutableComposition()
    let session = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPreset1280x720))
    let empty = await #expect(throws: AVError.self) {
      try await session.export(to: URL(fileURLWithPath: "/nonexistent/a.mov"), as: .mov)
    }
    #expect(empty?.code == .noSourceTrack)
    let other = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPreset1280x720))
    other.cancelExport()
    #expect(other.status == .cancelled)
    #expect(AVAssetExportSession(asset: composition, presetName: "AVAssetExportPresetNone") == nil)
    let sound = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetAppleM4A))
    let refused = await #expect(throws: AVError.self) {
      try await sound.export(to: URL(fileURLWithPath: "/nonexistent/a.m4a"), as: .m4a)
    }
    #expect(refused?.code == .noSourceTrack && sound.supportedFileTypes == [.m4a])
  }

  @Test func `of one picture is that of its time, as it is stored or upright`() async throws {
    let generator = AVAssetImageGenerator(asset: try TestMedia.asset(turned: true))
    let stored = try await generator.image(at: CMTime(value: 35, timescale: 100))
    #expect((stored.image.width, stored.image.height) == (64, 48))
    #expect(stored.actualTime == TestMedia.tenths(3))
    generator.appliesPreferredTrackTransform = true
    generator.maximumSize = CGSize(width: 24, height: 0)
    let upright = try await generator.image(at: .zero).image
    #expect((upright.width, upright.height) == (24, 32))
    let late = await #expect(throws: AVError.self) { try await generator.image(at: TestMedia.tenths(10)) }
    #expect(late?.code == .noImageAtTime)
  }
}
