import FarmTesting
import Subprocess
import Testing

/// Tests of a program with its own compositors, as a user builds it, and of the ordinary program, which lacks them.
@Suite(.serialized) struct `Programs with compositors of their own` {
  private let studio: Studio

  init() throws { studio = try Studio() }

  /// A movie of 2.4 s at 25 fps: a plain layer, the compositor Mixer with a track to pass through, the compositor Holder, and
  /// then Mixer in a nested composition.
  private static let everything = """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}, "song": {"path": "song.wav"}},
     "compositions": {"mixed": {
       "tracks": [
         {"id": "A", "media": "video", "segments": [{"asset": "b", "source": {"start": "0.5", "duration": "1"}}]},
         {"id": "B", "media": "video", "segments": [{"asset": "a", "source": {"start": "1", "duration": "0.8"}, "at": "0.2"}]}],
       "videoComposition": {"renderSize": [160, 96], "frameDuration": "1001/30000", "instructions": [
         {"timeRange": {"start": "0", "duration": "1"}, "compositor": {"name": "Mixer", "requiredTracks": ["A", "B"]}}]}}},
     "composition": {"tracks": [
       {"id": "A", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0.5", "duration": "1.2"}},
         {"composition": "mixed", "source": {"start": "0.1", "duration": "0.9"}, "at": "1.5"}]},
       {"id": "B", "media": "video", "segments": [{"asset": "b", "source": {"start": "0", "duration": "1.1"}, "at": "0.6"}]},
       {"id": "S", "media": "audio", "segments": [{"asset": "song", "source": {"start": "1", "duration": "2.4"}}]}]},
     "videoComposition": {"renderSize": [160, 96], "frameDuration": "1/25", "color": "bt709", "instructions": [
       {"timeRange": {"start": "0", "duration": "0.4"}, "layerInstructions": ["A"]},
       {"timeRange": {"start": "0.4", "duration": "0.9"}, "compositor": {"name": "Mixer", "requiredTracks": ["A", "B"], "passthrough": "A"}},
       {"timeRange": {"start": "1.3", "duration": "0.2"}, "compositor": {"name": "Holder", "requiredTracks": ["B"], "parameters": {"instruction": "Holding", "coded": {}}}},
       {"timeRange": {"start": "1.5", "duration": "0.9"}, "layerInstructions": ["A"]}]},
     "layers": [{"text": "Spool", "font": "DejaVu Sans", "size": 20, "from": "0.2", "to": "2"}],
     "export": {"fileType": "mkv", "video": {"codec": "ffv1"}, "audio": {"codec": "flac"}}}
    """

  /// One second of `compositor` over the track A, which has a gap from 0.52 s on.
  private static func second(of compositor: String) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
     "composition": {"tracks": [
       {"id": "A", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0", "duration": "0.52"}},
         {"asset": "a", "source": {"start": "1", "duration": "0.2"}, "at": "0.8"}]}]},
     "videoComposition": {"renderSize": [160, 96], "frameDuration": "1/25", "instructions": [
       {"timeRange": {"start": "0", "duration": "1"}, "compositor": \(compositor)}]},
     "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
    """
  }

  private func run(_ arguments: String...) throws -> Completed {
    try SpoolProgram.run(arguments, folder: studio.file(""), executable: SpoolProgram.withCompositors)
  }

  @Test func `chunks and workers do not change a frame, and one process prints the same`() throws {
    let document = try studio.document(Self.everything)
    let printed = try run("frames", document)
    #expect(printed.code == 0, "\(printed.errorOutput)")
    let digests = printed.lines.compactMap { $0.split(separator: " ").last }
    #expect(digests.count == 60)
    for (chunkFrames, workers) in [(60, 1), (9, 3)] {
      let movie = studio.file("\(chunkFrames)x\(workers).mkv")
      let done = try run(
        "render", document, "-o", movie, "--data", studio.dataDirectory, "--chunk-frames", "\(chunkFrames)", "--workers",
        "\(workers)")
      #expect(done.code == 0, "\(done.errorOutput)")
      #expect(try Decoded(movie).pictures.compactMap { $0.split(separator: " ").last } == digests, "\(chunkFrames) x \(workers)")
    }
    let verified = try run("verify", document, studio.file("9x3.mkv"))
    #expect(verified.code == 0, "\(verified.errorOutput)")
  }

  @Test(arguments: [["validate"], ["frames"], ["frame", "--index", "0", "-o", "f.png"], ["render", "-o", "m.mkv"]])
  func `a program that lacks a compositor refuses it with its path`(verb: [String]) throws {
    _ = try studio.document(Self.second(of: #"{"name": "Mixer", "requiredTracks": []}"#))
    let run = try SpoolProgram.run([verb[0], "edit.json"] + verb.dropFirst(), folder: studio.file(""))
    #expect(run.code == 65)
    #expect(
      run.errorOutput
        == "error: edit.json: videoComposition.instructions[0].compositor.name: this program has no compositor 'Mixer': it has none\n"
    )
  }

  @Test func `what an instruction says to its compositor is checked before anything is rendered`() throws {
    let document = try studio.document(
      Self.second(of: #"{"name": "Waiter", "requiredTracks": [], "parameters": {"instruction": "Wait", "coded": {}}}"#))
    let run = try run("render", document, "-o", studio.file("m.mkv"))
    #expect(run.code == 65)
    #expect(run.errorOutput == "error: \(document): videoComposition.instructions[0].compositor.parameters.coded.file: missing\n")
  }

  @Test func `what a compositor throws fails the job at once, with its name and the time`() throws {
    let document = try studio.document(Self.second(of: #"{"name": "Thrower", "requiredTracks": ["A"]}"#))
    let run = try run("render", document, "-o", studio.file("m.mkv"), "--data", studio.dataDirectory)
    #expect(run.code == 65)
    #expect(run.errorOutput.hasSuffix("error: compositor 'Thrower' at 0.52 s: track A has no frame\n"), "\(run.errorOutput)")
  }

  @Test func `a crash that comes back fails the job with the compositor's name`() throws {
    let always = try studio.document(Self.second(of: #"{"name": "Crasher", "requiredTracks": []}"#))
    let failed = try run("render", always, "-o", studio.file("always.mkv"), "--data", studio.dataDirectory)
    #expect(failed.code == 70)
    #expect(failed.errorOutput.contains("error: frames 0..<25, compositor 'Crasher': the attempt crashed with signal"))
  }

  @Test func `an export has the same frames on the farm and in its own process, which is told once`() throws {
    let run = try SpoolProgram.run(
      ["export", studio.file("a.mp4"), studio.file("")], folder: studio.file(""),
      environment: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": studio.dataDirectory],
      executable: SpoolProgram.withCompositors)
    #expect(run.code == 0, "\(run.errorOutput)")
    let local = try Decoded(studio.file("local.mov"), hasSound: false).pictures
    #expect(local.count == 25)
    #expect(try Decoded(studio.file("coded.mov"), hasSound: false).pictures == local)
    #expect(try Decoded(studio.file("archived.mov"), hasSound: false).pictures == local)
    #expect(
      run.errorOutput
        == "AVFoundation: Blend renders in this process: its instruction LocalBlend is neither Codable nor NSSecureCoding\n")
  }
}
