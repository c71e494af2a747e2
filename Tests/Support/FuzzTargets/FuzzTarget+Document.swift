internal import Document
internal import Formats
internal import Lottie
internal import MediaTime
internal import Messages
internal import Scenes
internal import Scheduling
internal import Timeline

extension FuzzTarget {
  /// Checks that an accepted document is accepted again as it is written, that it resolves or is refused, and that frames have a
  /// scene.
  func takeDocument(_ bytes: [UInt8]) {
    guard let document = try? Document(bytes) else { return }  // most inputs are not JSON
    var facts: [AssetID: AssetFacts] = [:]
    for id in document.assets.keys { facts[id] = SampleFacts.facts(for: id) }
    if let timeline = try? Timeline.parse(bytes) { take(timeline, facts) }  // refused when it leaves something open or has faults
    if let timeline = try? document.reading(with: facts).edit() { take(timeline, facts) }  // refused against its media
  }

  /// Checks that the layers of an accepted Lottie file are those of a document that is accepted, too, and have scenes.
  func takeLottie(_ bytes: [UInt8]) {
    let options = LottieOptions(images: ["image_0": AssetID("still")], fonts: ["a": ["DejaVu Sans"]])
    guard let animation = try? LottieAnimation(bytes, options) else { return }  // refused with a reason
    precondition(animation.remarks.count <= LottieLimits.remarks)
    let text = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "still": {"path": "b.png"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "5"}}]}]},
       "videoComposition": {"renderSize": [64, 64], "frameDuration": "1/25", "color": "bt709"},
       "layers": [{"lottie": "a.json", "frame": [0, 0, 64, 64], "loop": false}]}
      """
    do {
      var document = try Document(Array(text.utf8))
      document.animations = ["layers[0]": animation]
      // Files whose layers stand too high, or are too many, are refused.
      guard let timeline = try? document.reading(with: [:]).edit() else { return }
      take(timeline, [AssetID("a"): SampleFacts.movie, AssetID("still"): SampleFacts.stillPicture])
    } catch { preconditionFailure("\(error)") }
  }

  /// A dotLottie archive of an animation with an image, which Python's zipfile packed.
  var lottieSeeds: [[UInt8]] {
    let text = [
      "UEsDBBQAAAAAAMGbfV3zzTiqGwAAABsAAAANAAAAbWFuaWZlc3QuanNvbnsiYW5pbWF0aW9ucyI6W3siaWQiOiJhIn1dfVBLAwQUAAAACADBm3",
      "1dtZJG31wAAACxAAAACAAAAGEvYS5qc29uq1ZKK1KystRRyixQsjLQUcovAPPKwWQGmEwsLk4tKVayiq5WykxRslLKVEKVLwCJ6RXkpSvVxuoo",
      "5SRWphZBVJdUKlkZ6SgVpaZ5wvSh2pINVFddW6tDvNLYWgBQSwMEFAAAAAgAwZt9Xc1EU08EAAAAAgAAAAcAAABpL2kucG5nMzQCAFBLAQIUAx",
      "QAAAAAAMGbfV3zzTiqGwAAABsAAAANAAAAAAAAAAAAAACAAQAAAABtYW5pZmVzdC5qc29uUEsBAhQDFAAAAAgAwZt9XbWSRt9cAAAAsQAAAAgA",
      "AAAAAAAAAAAAAIABRgAAAGEvYS5qc29uUEsBAhQDFAAAAAgAwZt9Xc1EU08EAAAAAgAAAAcAAAAAAAAAAAAAAIAByAAAAGkvaS5wbmdQSwUGAA",
      "AAAAMAAwCmAAAA8QAAAAAA",
    ].joined()
    // The text above is base64.
    guard let archive = try? DataURL("data:image/zip;base64,\(text)") else { preconditionFailure("it is base64") }
    return [archive.bytes]
  }

  private func take(_ timeline: Timeline, _ facts: [AssetID: AssetFacts]) {
    let canonical = timeline.canonicalJSON()
    do {
      let again = try Timeline.parse(canonical)
      precondition(again == timeline, "the canonical form is another edit")
      precondition(again.canonicalJSON() == canonical, "the canonical form has another one")
    } catch { preconditionFailure("the canonical form is refused: \(error)") }
    guard let edit = try? timeline.resolved(with: facts) else { return }  // refused against its media
    _ = edit.warnings
    do {
      let count = try edit.frameCount
      _ = try edit.sampleCount
      for index in Set([0, count / 3, count / 2, count - 1]) where 0..<count ~= index { _ = try edit.scene(at: index) }
      guard try CostProfile(of: edit).spans.count < 10_000 else { return }
      let plan = try ChunkPlan.make(timeline: edit, .init(parallelism: 3))
      precondition(plan.chunks.reduce(0) { $0 + $1.frames.count } == count, "the plan is not the movie")
    } catch is TimeError {  // A time that cannot be represented is refused when it is met.
    } catch is ChunkPlan.Failure {  // refused: times that cannot be exact, or too many chunks
    } catch { preconditionFailure("\(error)") }
  }
}

/// The facts that probing might have found in an asset. Its name decides which ones.
private enum SampleFacts {
  static func facts(for id: AssetID) -> AssetFacts {
    switch id.rawValue.utf8.reduce(0, { $0 &+ Int($1) }) % 3 {
    case 0: facts("mov,mp4,m4a,3gp,3g2,mj2", [picture, sound])
    case 1: facts("mp3", [sound])
    default: facts("png_pipe", [still])
    }
  }

  static var movie: AssetFacts { facts("mov,mp4,m4a,3gp,3g2,mj2", [picture, sound]) }
  static var stillPicture: AssetFacts { facts("png_pipe", [still]) }

  private static func facts(_ container: String, _ details: [TrackFacts.Detail]) -> AssetFacts {
    let length = MediaTime(seconds: container == "png_pipe" ? 0 : 60)
    let tracks = details.enumerated().map { index, detail in
      TrackFacts(
        index: index, codec: "any", naturalTimeScale: 90_000, timeRange: MediaTimeRange(length), detail: detail,
        rejection: container == "png_pipe" ? "is a picture" : nil)
    }
    return AssetFacts(container: container, duration: length, byteCount: 1, tracks: tracks)
  }

  private static let sound = TrackFacts.Detail.audio(AudioFacts(sampleRate: 44_100, channelCount: 2, channelLayout: "stereo"))
  private static let picture = video("yuv420p", rate: MediaTime(seconds: 25))
  private static let still = video("rgba", rate: nil)

  private static func video(_ format: String, rate: MediaTime?) -> TrackFacts.Detail {
    let size = PixelSize(1280, 720)
    return .video(
      VideoFacts(
        naturalSize: size, displaySize: size, orientation: .up, pixelAspect: PixelSize(1, 1), nominalFrameRate: rate,
        pixelFormat: format, bitDepth: 8, color: .bt709))
  }
}

extension MediaTimeRange {
  /// The range from zero to `length`, which is not negative.
  fileprivate init(_ length: MediaTime) {
    do { try self.init(start: .zero, end: length) } catch { preconditionFailure("\(error)") }
  }
}
