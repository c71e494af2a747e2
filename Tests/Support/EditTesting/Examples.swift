import Captions
import Document
import FarmTesting
import Formats
import FoundationEssentials
import Lottie
import MediaTime
package import Scenes
import Timeline

/// The documents in `examples`, and random ones, without their media.
package enum Examples {
  private static let folder = URL(filePath: #filePath).appending(path: "../../../../examples").standardized.path

  /// The path of a file beside the documents.
  package static func file(_ name: String) -> String { "\(folder)/\(name)" }

  /// The documents, by their names.
  package static func documents() throws -> [(name: String, text: [UInt8])] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }.sorted().map {
      ($0, try [UInt8](contentsOf: "\(folder)/\($0)"))
    }
  }

  /// The edit of a document whose caption and Lottie files are those of the examples.
  package static func edit(_ text: [UInt8]) throws -> ResolvedTimeline {
    var document = try Document(text)
    for file in document.captionFiles {
      guard let format = CaptionFormat(fileName: file.path) else { continue }
      let captions = try [UInt8](contentsOf: "\(folder)/\(file.path)")
      if file.isDrawnAsScript {
        document.captionScripts[file.place] = try CaptionScript(String(decoding: captions, as: UTF8.self))
        continue
      }
      document.captionCues[file.place] = try CaptionFile(String(decoding: captions, as: UTF8.self), format).cues
    }
    for file in document.lottieFiles {
      document.animations[file.place] = try LottieAnimation([UInt8](contentsOf: "\(folder)/\(file.path)"), file.options)
    }
    var known = try document.assets.mapValues { try facts($0.path) }
    if !document.lottieFiles.isEmpty {
      for image in document.reading(with: known).lottieImages { known[image.asset] = try facts(image.data.text) }
    }
    return try document.resolved(with: known)
  }

  /// Random edits that have a picture, as documents.
  ///
  /// - Parameter count: the seeds that are tried. Most random edits contradict their media. They are passed over.
  package static func random(_ count: UInt64) throws -> [[UInt8]] {
    try (0..<count).compactMap { seed in
      var random = RandomEdit(seed: seed)
      let text = try random.timeline().canonicalJSON()
      // One that its media contradict is passed over.
      guard let edit = try? edit(text), try edit.frameCount > 0 else { return nil }
      return text
    }
  }

  private static func facts(_ path: String) throws -> AssetFacts {
    if path.hasSuffix(".m4a") { return try Assets.song(seconds: 1_000) }
    if [".ttf", ".otf", ".ttc"].contains(where: path.hasSuffix) {
      return AssetFacts(
        font: FontFacts(digest: String(repeating: "0f", count: 16), faces: ["Face Regular"]), byteCount: 1, version: nil)
    }
    let tracks = try (0..<8).map { index in
      let picture = Assets.video(size: PixelSize(640, 360), rate: MediaTime(seconds: 25), color: .bt709)
      let sound = AudioFacts(sampleRate: 48_000, channelCount: 2, channelLayout: "stereo")
      return try Assets.track(index, index < 4 ? .video(picture) : .audio(sound), 1_000)
    }
    // Layers show it as a still picture, and tracks play it.
    return AssetFacts(container: AssetFacts.animatedWebP, duration: try MediaTime(1_000), byteCount: 1, tracks: tracks)
  }
}

extension Scene {
  /// The scene without the tracks that lead to its pictures.
  package var withoutPaths: Scene { Scene(canvas: canvas, background: background, nodes: nodes.map(\.withoutPaths)) }
}

extension Scene.Node {
  fileprivate var withoutPaths: Scene.Node {
    switch self {
    case .picture(let picture, let placement): .picture(picture.withoutPaths, placement)
    case .transition(let effect, let from, let to, let progress):
      .transition(effect, from: from.map(\.withoutPaths), to: to.map(\.withoutPaths), progress: progress)
    case .video(let scene, let placement): .video(scene.withoutPaths, placement)
    case .group(let group):
      .group(
        group.with(
          group.nodes.map(\.withoutPaths), mask: group.mask.map { Scene.Mask($0.nodes.map(\.withoutPaths), $0.mode) }))
    case .woven(let woven): .woven(Scene.Woven(woven.first.withoutPaths, woven.second.withoutPaths, woven.fields))
    case .composed, .still, .movingText, .backdrop: self
    }
  }
}

extension Scene.Picture {
  fileprivate var withoutPaths: Scene.Picture {
    let content: Content =
      switch self.content {
      case .clip(let clip): .clip(clip)
      case .nested(let composition, let scene): .nested(composition, scene.withoutPaths)
      }
    return Scene.Picture(content, path: [], time: time, isReversed: isReversed)
  }
}
