import Document
import EditFiles
import FarmTesting
import Formats
import FoundationEssentials
import Media
import MediaTime
import Rendering
import Scenes
import Testing
import Timeline

/// Compares the examples with their goldens, which one process made as one chunk. Every frame is compared as it is composited.
/// Seven in the middle are compared as chunks, and as the movie that the example asks for. `scripts/check-exactness` renders
/// whole examples in chunks, on a farm.
@Suite struct `The examples` {
  static let names = [
    "broadcast", "captions", "card", "colours", "cut", "ducking", "hdr", "inset", "karaoke", "ladder", "linear-light", "lossless",
    "lottie",
    "music-bed",
    "nested",
    "newsroom", "opening", "orientations", "portrait", "preview", "prores", "ramps", "reel", "reverse", "slideshow",
    "slow-motion", "speed-ramp", "text", "thousand", "timing", "titles", "tone-maps",
    "transitions", "vertical", "waveform",
  ]

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "examples").path

  /// The golden of an example, as `scripts/check-exactness --bless` wrote it.
  private struct Golden {
    /// The first half of each frame's MD5.
    var frames: [String] = []
    /// The facts that ffprobe finds in the exported movie, such as "width=1280".
    var facts: [String] = []

    init(_ name: String) throws {
      let text = String(decoding: try [UInt8](contentsOf: "\(`The examples`.folder)/goldens/\(name).txt"), as: UTF8.self)
      for line in text.split(separator: "\n").map(String.init) {
        if line.contains("=") { facts.append(line) } else { frames.append(line) }
      }
    }

    var middle: Range<Int> { frames.count / 2 - 3..<frames.count / 2 + 4 }

    var frameDuration: MediaTime {
      get throws {
        let rate = try #require(facts.first { $0.hasPrefix("r_frame_rate=") }).dropFirst("r_frame_rate=".count)
        let (count, seconds) = try (#require(rate.split(separator: "/").first), #require(rate.split(separator: "/").last))
        return try MediaTime(#require(Int64(seconds)), #require(Int32(count)))
      }
    }
  }

  private let workshop = Workshop(roots: [folder])

  /// The example with its media, to be exported only in `range`.
  private func timeline(_ name: String, _ range: Range<Int>, _ frameDuration: MediaTime) throws -> Timeline {
    // Captions are measured when the edit is checked against this machine's fonts.
    var timeline = try example(name).timeline
    timeline.export.timeRange = try MediaTimeRange(
      start: frameDuration * Int64(range.lowerBound), duration: frameDuration * Int64(range.count))
    return timeline
  }

  /// The example, with its waveforms measured.
  private func example(_ name: String) throws -> ResolvedTimeline {
    let edit = try workshop.editFile("\(Self.folder)/\(name).json").edit
    let waveforms = edit.timeline.unmeasuredWaveforms
    guard !waveforms.isEmpty else { return edit }
    let levels = try WaveformLevels.measure(edit, policy: workshop.policy) {}
    return try edit.timeline.with(Dictionary(uniqueKeysWithValues: zip(waveforms, levels))).resolved(with: edit.facts)
  }

  private func edit(_ timeline: Timeline) throws -> ResolvedTimeline {
    try workshop.edit(String(decoding: timeline.canonicalJSON(), as: UTF8.self))
  }

  @Test(arguments: names)
  func `show what they showed, every frame`(name: String) throws {
    let golden = try Golden(name)
    let edit = try example(name)
    let count = try edit.frameCount
    try #require(count == golden.frames.count)
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    let others = try (0..<count).filter { try renderer.frame($0).md5().prefix(16) != golden.frames[$0] }
    #expect(others == [], "these of \(count)")
  }

  @Test(arguments: names)
  func `show it where each frame is a chunk of its own`(name: String) throws {
    let golden = try Golden(name)
    let range = golden.middle
    var timeline = try timeline(name, range, golden.frameDuration)
    let asked = timeline.export.video
    var lossless = VideoCodecSettings(.ffv1(FFV1(chroma: asked.chroma)), bitDepth: asked.bitDepth)
    (lossless.fields, lossless.pixelAspect) = (asked.fields, asked.pixelAspect)
    (timeline.export.fileType, timeline.export.audio, timeline.export.video) = (.mkv, .usual(.flac), lossless)
    (timeline.export.optimizeForNetworkUse, timeline.export.renditions, timeline.export.fragmentInterval) = (false, [], nil)
    timeline.export.timecode = nil
    let movie = try workshop.movie(of: edit(timeline), borders: Array(0..<range.count), output: "movie.mkv")
    let frames = try MediaTools.ffmpeg(["-i", movie, "-map", "0:v", "-f", "framemd5", "-"]).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last.map { String($0.prefix(16)) } }
    #expect(frames == Array(golden.frames[range]), "frames \(range)")
  }

  @Test(arguments: names)
  func `become the movies that they ask for`(name: String) throws {
    let golden = try Golden(name)
    let edit = try edit(timeline(name, golden.middle, golden.frameDuration))
    let folder = try workshop.movie(of: edit, borders: [0, 2, 5], output: "movie.\(edit.timeline.export.fileType)")
    let pieces = edit.timeline.export.fileType.isFolder ? try PackedPieces(folder) : nil
    let movie = pieces?.paths[0] ?? folder
    let entries = golden.facts.compactMap { $0.split(separator: "=").first }.joined(separator: ",")
    let facts = try MediaTools.ffprobe([
      "-select_streams", "v", "-show_entries", "stream=\(entries):stream_side_data=\(entries)", "-of", "default=nw=1", movie,
    ]).split(separator: "\n").map(String.init)
    #expect(facts == golden.facts)
    let verified = try MovieVerification(
      of: movie, sounds: pieces?.soundPaths ?? [], renditions: pieces?.renditionPaths ?? [], against: edit,
      policy: workshop.policy
    ) { _ in }
    #expect(verified.faults == [])
    switch verified.pictures {
    case .uncompared: Issue.record("no pictures were compared")
    case .equal: break
    case .decibels(let psnr):
      // A bound of the rate weighs heavily on chunks of two frames.
      let isBound = edit.timeline.export.video.coding.coder.rateCap != nil
      #expect(psnr > (isBound ? 28 : 35), "coarser than its crf")
    }
  }

  @Test func `show one chart in eight encodings as one`() throws {
    let golden = try Golden("colours")
    let edit = try edit(timeline("colours", 0..<1, golden.frameDuration))
    let frame = try PictureRenderer(edit: edit, policy: workshop.policy).frame(0)
    for plane in 0..<3 {
      let samples = unsafe frame.plane(plane)
      let (patch, band) = unsafe (samples.width / 8, samples.height / 8)
      for column in 0..<8 {
        let codes = (0..<8).map { row in
          unsafe Int(samples.base[(row * band + band / 2) * samples.stride + column * patch + patch / 2])
        }
        // The clips are lossy, so each is within a code or two of the chart.
        #expect((codes.max() ?? 0) - (codes.min() ?? 255) <= 3, "plane \(plane), colour \(column): \(codes)")
      }
    }
  }
}
