import EditFiles
import FarmTesting
import FoundationEssentials
import Media
import MediaTime
import Rendering
import Testing
import Timeline

@Suite struct `Many clips` {
  private static let count = 1000
  private let workshop = Workshop()

  /// The number of the workshop's clips that this process has open.
  private func openFiles() throws -> Int {
    let folder = workshop.file("clips")
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
      // A file that was closed since it was listed is not open.
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)").hasPrefix(folder)) ?? false
    }
  }

  @Test func `an edit of a thousand files keeps a few of them open, in picture and in sound`() throws {
    let tone = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=0.2"]
    try SyntheticSource(frameCount: 5).write(
      to: workshop.file("clip.mkv"), ["-c:v", "libx264", "-qp", "10", "-map", "0:v", "-map", "1:a", "-c:a", "pcm_s16le"],
      inputs: tone)
    try FileManager.default.createDirectory(atPath: workshop.file("clips"), withIntermediateDirectories: true)
    let clips = (0..<Self.count).map { "c\($0)" }
    for clip in clips {
      try FileManager.default.copyItem(atPath: workshop.file("clip.mkv"), toPath: workshop.file("clips/\(clip).mkv"))
    }
    let assets = clips.map { #""\#($0)": {"path": "clips/\#($0).mkv"}"# }.joined(separator: ", ")
    let segments = clips.enumerated().map { index, clip in
      #"{"asset": "\#(clip)", "source": {"start": "\#(index % 5)/25", "duration": "1/25"}}"#
    }.joined(separator: ", ")
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {\(assets)}, "composition": {"tracks": [
        {"id": "V", "media": "video", "segments": [\(segments)]}, {"id": "S", "media": "audio", "segments": [\(segments)]}]},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
      """)

    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    var most = 0
    for index in 0..<Self.count {
      #expect(SyntheticSource.number(in: try renderer.frame(index)) == index % 5)
      if index % 10 == 0 { most = try max(most, openFiles()) }
    }
    #expect((1...12).contains(most))

    let mix = try SoundMix(edit: edit, policy: workshop.policy)
    var (samples, mostSounds) = (0, 0)
    while let block = try mix.next() {
      samples += block.count
      mostSounds = try max(mostSounds, openFiles())
    }
    #expect(samples == Self.count * 1920)
    // The picture's last files are still open, and so are the clips that one block of 4096 samples reaches into.
    #expect(mostSounds <= 12 + 4)
  }

  @Test func `each source of a frame that shows more of them than are else kept open is opened once`() throws {
    try SyntheticSource(frameCount: 12).write(to: workshop.file("clip.mkv"), ["-c:v", "libx264", "-qp", "10", "-g", "250"])
    let count = 20
    let tracks = (0..<count).map {
      #"{"id": "T\#($0)", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "12/25"}}]}"#
    }
    let layers = (0..<count).map { #"{"track": "T\#($0)", "opacity": 0.5}"# }
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "clip.mkv"}},
       "composition": {"tracks": [\(tracks.joined(separator: ", "))]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "instructions": [
         {"timeRange": {"start": "0", "duration": "12/25"}, "layerInstructions": [\(layers.joined(separator: ", "))]}]},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
      """)
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    for index in 0..<12 { _ = try renderer.frame(index) }
    #expect(renderer.sourceOpenings == count)
  }

  @Test func `of many files all bad ones are told, in the order of their names`() throws {
    try SyntheticSource(frameCount: 1).write(to: workshop.file("good.mkv"), ["-c:v", "ffv1"])
    try "no media".write(toFile: workshop.file("bad.mkv"))
    let names = (0..<50).map { "c\($0 < 10 ? "0" : "")\($0)" }
    let bad = names.enumerated().filter { $0.offset % 7 == 3 }.map(\.element)
    let assets = names.reversed().map { #""\#($0)": {"path": "\#(bad.contains($0) ? "bad" : "good").mkv"}"# }
    let segments = names.map { #"{"asset": "\#($0)", "source": {"start": "0", "duration": "1/25"}}"# }
    let document = """
      {"spool": 1, "assets": {\(assets.joined(separator: ", "))},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [\(segments.joined(separator: ", "))]}]},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
      """
    let error = try #require(throws: EditFileError.self) { try workshop.edit(document) }
    guard case .assets(let faults) = error else { throw error }
    #expect(faults.map(\.asset.rawValue) == bad)
  }
}
