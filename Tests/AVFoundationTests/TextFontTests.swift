import AVFoundation
import CoreGraphics
import Document
import Foundation
import SpoolClient
import Testing
import Timeline

/// The fonts of Apple's systems are not free. Others, whose letters are as wide, stand for them.
@Suite(.serialized) struct `A text layer's font` {
  private let text = CATextLayer()
  private let composition = AVMutableComposition()
  private let video: AVMutableVideoComposition
  private let layers: SpoolLayers

  init() throws {
    let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
    try track.insertTimeRange(TestMedia.range(0, 10), of: #require(TestMedia.asset().tracks.first), at: .zero)
    video = AVMutableVideoComposition(propertiesOf: composition)
    layers = SpoolLayers(postProcessingAsVideoLayer: CALayer(), in: CALayer())
    for layer in [layers.videoLayer, layers.animationLayer, text] { layer.frame = CGRect(x: 0, y: 0, width: 64, height: 48) }
    layers.animationLayer.sublayers = [layers.videoLayer, text]
    text.string = "Hello"
  }

  /// The family, weight and slant in the library's document. The client must say the same.
  private func font() async throws -> String {
    let edit = SpoolEdit(composition, videoComposition: video, layers: layers)
    let made = try await edit.document { medium in
      if case .file(let url) = medium { .path(url.path) } else { .path("no picture") }
    }
    let copy = AVMutableVideoComposition()
    (copy.renderSize, copy.frameDuration, copy.instructions) = (video.renderSize, video.frameDuration, video.instructions)
    copy.animationTool = AVVideoCompositionCoreAnimationTool(
      postProcessingAsVideoLayer: layers.videoLayer, in: layers.animationLayer)
    let own = try composition.spoolDocument(videoComposition: copy)
    #expect(String(decoding: try Timeline.parse(Array(made)).canonicalJSON(), as: UTF8.self) == own)
    guard case .text(let content)? = try Timeline.parse(Array(own.utf8)).layers.compactMap(\.content).last else {
      return "no text"
    }
    return "\(content.fonts[0]) \(content.weight) \(content.slant)"
  }

  @Test func `that is not named, or nil, is Helvetica's substitute`() async throws {
    #expect(try await font() == "Liberation Sans 400 normal")
    text.font = nil
    #expect(try await font() == "Liberation Sans 400 normal")
  }

  @Test(arguments: [
    ("Helvetica", "Liberation Sans 400 normal"), ("Helvetica-Bold", "Liberation Sans 700 normal"),
    ("HelveticaNeue-LightItalic", "Liberation Sans 300 italic"), ("Arial-BoldItalicMT", "Liberation Sans 700 italic"),
    ("ArialMT", "Liberation Sans 400 normal"), ("TimesNewRomanPS-BoldMT", "Liberation Serif 700 normal"),
    ("Courier New", "Liberation Mono 400 normal"), ("Menlo-Regular", "DejaVu Sans Mono 400 normal"),
    ("DejaVu Sans", "DejaVu Sans 400 normal"), ("No Such Font", "No Such Font 400 normal"),
  ])
  func `by its name`(name: String, found: String) async throws {
    text.font = name
    #expect(try await font() == found)
  }

  @Test func `is named alike by the library and the client`() {
    for (name, family) in SpoolEdit.usualFontSubstitutes { #expect(FontSubstitutes.family(for: name) == family, "\(name)") }
  }

  @Test func `has the widths that Helvetica's own metrics name`() {
    // Adobe's metrics of Helvetica: H 722, e 556, l 222, o 556 thousandths.
    text.fontSize = 100
    #expect(abs(text.preferredFrameSize().width - 227.8) < 0.5)
  }
}
