import AVFoundation
import Document
import FarmTesting
import Formats
import Foundation
import MediaTime
import Testing
import Timeline

@Suite(.serialized) struct `An animation tool` {
  let composition = AVMutableComposition()
  let video = AVMutableVideoComposition()
  let root = CALayer()
  let videoLayer = CALayer()
  let layer = CALayer()

  init() throws {
    let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
    try track.insertTimeRange(TestMedia.range(0, 10), of: #require(TestMedia.asset().tracks.first), at: .zero)
    (video.renderSize, video.frameDuration) = (CGSize(width: 64, height: 48), CMTime(value: 1, timescale: 10))
    let instruction = AVMutableVideoCompositionInstruction()
    instruction.timeRange = TestMedia.range(0, 10)
    instruction.layerInstructions = [AVMutableVideoCompositionLayerInstruction(assetTrack: track)]
    video.instructions = [instruction]
    for layer in [root, videoLayer] { layer.frame = CGRect(x: 0, y: 0, width: 64, height: 48) }
    root.addSublayer(videoLayer)
    root.addSublayer(layer)
    layer.frame = CGRect(x: 4, y: 6, width: 20, height: 10)
    layer.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
    video.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: videoLayer, in: root)
  }

  private func timeline() throws -> Timeline {
    try Timeline.parse(Array(composition.spoolDocument(videoComposition: video, pictures: "/pictures").utf8))
  }

  /// The layers of a document that has these, in canonical form.
  private func canonical(_ layers: String) throws -> [Layer] {
    let document = #"""
      {"spool": 1, "assets": {"a": {"path": "/a"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
        {"asset": "a", "source": {"start": "0", "duration": "1"}}]}]}, "layers": \#(layers)}
      """#
    return try Timeline.parse(Array(document.utf8)).layers
  }

  @Test func `has its origin at the bottom left`() throws {
    #expect(try timeline().layers == canonical(##"[{"frame": [4, 32, 20, 10], "backgroundColor": "#ff0000"}]"##))
    root.isGeometryFlipped = true
    #expect(try timeline().layers == canonical(##"[{"frame": [4, 6, 20, 10], "backgroundColor": "#ff0000"}]"##))
  }

  @Test func `whose layer is a track lies over the video, with the opacity of its instruction`() throws {
    layer.removeFromSuperlayer()
    let tree = CALayer()
    tree.frame = root.frame
    tree.addSublayer(layer)
    video.animationTool = AVVideoCompositionCoreAnimationTool(additionalLayer: tree, asTrackID: 9)
    let instruction = try #require(video.instructions.first as? AVMutableVideoCompositionInstruction)
    let laid = AVMutableVideoCompositionLayerInstruction()
    laid.trackID = 9
    laid.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: TestMedia.range(0, 5))
    instruction.layerInstructions.insert(laid, at: 0)
    let expected = ##"""
      [{"frame": [0, 0, 64, 48], "from": "0", "to": "1",
        "opacity": [{"at": "0", "value": 0}, {"at": "0.5", "value": 1}],
        "layers": [{"frame": [0, 0, 64, 48], "layers": [{"frame": [4, 32, 20, 10], "backgroundColor": "#ff0000"}]}]}]
      """##
    #expect(try timeline().layers == canonical(expected))
    let whole = CMTimeRange(start: .zero, duration: composition.duration)
    #expect(video.isValid(for: composition, timeRange: whole, validationDelegate: nil))
    // A track over the layer, and a layer that its instruction moves, are refused.
    for change in [{ instruction.layerInstructions.reverse() }, { laid.setTransform(.init(translationX: 1, y: 0), at: .zero) }] {
      let before = instruction.layerInstructions
      change()
      #expect(throws: AVError.self) { try timeline() }
      instruction.layerInstructions = before
    }
  }

  @Test func `turns anchors, transforms and layers on layers over`() throws {
    let inner = CALayer()
    inner.frame = CGRect(x: 1, y: 1, width: 4, height: 2)
    inner.borderWidth = 1
    inner.anchorPoint = CGPoint(x: 0, y: 0)
    inner.position = CGPoint(x: 1, y: 1)
    inner.setAffineTransform(CGAffineTransform(1, 0.5, 0, 1, 3, 2))
    layer.addSublayer(inner)
    let expected = ##"""
      [{"frame": [4, 32, 20, 10], "backgroundColor": "#ff0000", "layers": [
        {"frame": [1, 7, 4, 2], "anchorPoint": [0, 1], "borderWidth": 1, "transform": [1, -0.5, 0, 1, 3, -2]}]}]
      """##
    #expect(try timeline().layers == canonical(expected))
  }

  @Test func `fades by a basic animation, which is gone after its end`() throws {
    let fade = CABasicAnimation(keyPath: "opacity")
    (fade.fromValue, fade.toValue) = (0, 0.5)
    (fade.beginTime, fade.duration) = (0.2, 0.4)
    fade.timingFunction = CAMediaTimingFunction(name: .easeIn)
    layer.add(fade, forKey: nil)
    let expected = ##"""
      [{"frame": [4, 32, 20, 10], "backgroundColor": "#ff0000", "opacity": [
        {"at": "0", "value": 1, "hold": true}, {"at": "0.2", "value": 0, "easing": "easeIn"}, {"at": "0.6", "value": 0.5},
        {"at": "0.6", "value": 1}]}]
      """##
    #expect(try timeline().layers == canonical(expected))
  }

  @Test func `fills before and after, where an animation says so`() throws {
    let fade = CABasicAnimation(keyPath: "opacity")
    (fade.fromValue, fade.toValue) = (0, 1)
    (fade.beginTime, fade.duration) = (AVCoreAnimationBeginTimeAtZero + 0.2, 0.4)
    (fade.fillMode, fade.isRemovedOnCompletion) = (.both, false)
    layer.add(fade, forKey: "in")
    let out = CABasicAnimation(keyPath: "opacity")
    (out.fromValue, out.toValue) = (1, 0)
    (out.beginTime, out.duration, out.fillMode, out.isRemovedOnCompletion) = (0.8, 0.1, .forwards, false)
    layer.add(out, forKey: "out")
    let opacity = try #require(timeline().layers.first).opacity
    let values = try [0, 2, 3, 5, 7, 8, 9, 10].map { try opacity.value(at: MediaTimeOfTenths($0), neutral: 1) }
    #expect(zip(values, [0, 0, 0.25, 0.75, 1, 1, 0, 0]).allSatisfy { abs($0 - $1) < 1e-12 }, "\(values)")
  }

  @Test func `moves, turns and repeats`() throws {
    let move = CAKeyframeAnimation(keyPath: "position.x")
    (move.values, move.keyTimes) = ([14, 34, 24], [0, 0.5, 1])
    (move.beginTime, move.duration) = (AVCoreAnimationBeginTimeAtZero, 1)
    layer.add(move, forKey: nil)
    let turn = CABasicAnimation(keyPath: "transform.rotation.z")
    (turn.fromValue, turn.toValue) = (0, Double.pi / 2)
    (turn.beginTime, turn.duration, turn.repeatCount, turn.autoreverses) = (AVCoreAnimationBeginTimeAtZero, 0.1, .infinity, true)
    layer.add(turn, forKey: nil)
    let geometry = try #require(timeline().layers.first).geometry
    #expect(try geometry.position.value(at: MediaTimeOfTenths(5), neutral: .zero) == .init(34, 37))
    let angles = try (0...9).map { try geometry.rotation.value(at: MediaTimeOfTenths($0), neutral: 1) }
    #expect(angles == [0, -90, 0, -90, 0, -90, 0, -90, 0, -90])
  }

  @Test func `shows pictures one after the other, and keeps each once`() throws {
    func image(_ width: UInt8) throws -> CGImage {
      let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
      let header = signature + [0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, width, 0, 0, 0, 1, 8, 2]
      let source = try #require(CGDataProvider(data: Data(header)))
      let image = unsafe CGImage(pngDataProviderSource: source, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
      return try #require(image)
    }
    let (first, second) = (try image(1), try image(2))
    let change = CAKeyframeAnimation(keyPath: "contents")
    (change.values, change.keyTimes) = ([first, second, first], [0, 0.2, 0.5])
    (change.beginTime, change.duration, change.calculationMode) = (AVCoreAnimationBeginTimeAtZero, 1, .discrete)
    layer.backgroundColor = nil
    layer.add(change, forKey: nil)
    let timeline = try timeline()
    #expect(timeline.assets.count == 3)
    let pictures = try #require(timeline.layers.first).sublayers
    #expect(pictures.map { $0.timeRange?.description } == ["[0, 0.2)", "[0.2, 0.5)", "[0.5, 1)"])
    change.calculationMode = .linear
    layer.add(change, forKey: nil)
    #expect(throws: AVError.self) { try composition.spoolDocument(videoComposition: video) }
  }

  @Test func `with a clear video shows what lies below on its own colour`() throws {
    videoLayer.opacity = 0
    root.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
    root.insertSublayer(layer, below: videoLayer)
    let timeline = try timeline()
    #expect(timeline.layers.count == 1)
    let instruction = try #require(timeline.videoComposition?.instructions.first)
    #expect(instruction.backgroundColor == .init(0, 0, 1))
    guard case .layerInstructions(let layers) = instruction.content else {
      Issue.record("no layers")
      return
    }
    #expect(layers.map(\.opacity.constant) == [0])
    videoLayer.opacity = 1
    #expect(try self.timeline().layers.isEmpty)
  }

  @Test func `draws texts, shapes and gradients`() throws {
    let (text, shape, gradient) = (CATextLayer(), CAShapeLayer(), CAGradientLayer())
    for layer in [text, shape, gradient] {
      layer.frame = CGRect(x: 0, y: 0, width: 40, height: 20)
      root.addSublayer(layer)
    }
    layer.removeFromSuperlayer()
    (text.string, text.font, text.fontSize, text.alignmentMode) = ("Hello", "DejaVu Sans", 12, .center)
    text.shadowOpacity = 0.5
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 0, y: 0))
    path.addLine(to: CGPoint(x: 40, y: 20))
    (shape.path, shape.fillColor, shape.strokeColor, shape.lineWidth) = (path, nil, .white, 3)
    (gradient.colors, gradient.startPoint, gradient.endPoint) = (
      [CGColor.black, CGColor.white], CGPoint(x: 0, y: 0), CGPoint(x: 0, y: 1)
    )
    let expected = ##"""
      [{"text": "Hello", "font": "DejaVu Sans", "size": 12, "align": "center", "frame": [0, 28, 40, 20],
        "shadow": {"color": [0, 0, 0, 0.5], "offset": [0, 3], "radius": 3}},
       {"shape": {"path": "M 0 20 L 40 0"}, "strokeColor": "#ffffff", "lineWidth": 3, "frame": [0, 28, 40, 20]},
       {"gradient": {"colors": ["#000000", "#ffffff"], "start": [0, 1], "end": [0, 0]}, "frame": [0, 28, 40, 20]}]
      """##
    #expect(try timeline().layers == canonical(expected))
  }

  @Test func `draws a text at the side from which it is read, unless a side is stated`() throws {
    let text = CATextLayer()
    text.frame = CGRect(x: 0, y: 0, width: 60, height: 20)
    (text.font, text.fontSize) = ("DejaVu Sans", 12)
    layer.removeFromSuperlayer()
    root.addSublayer(text)
    func alignment() throws -> TextContent.Alignment? {
      guard case .text(let made)? = try timeline().layers.first?.content else { return nil }
      return made.alignment
    }
    for (string, natural) in [
      ("12 words", TextContent.Alignment.left), ("12 \u{5E9}\u{5DC} w", .right), ("\u{645}\n\u{5E9}", .right),
    ] {
      (text.string, text.alignmentMode) = (string, .natural)
      #expect(try alignment() == natural)
      text.alignmentMode = .left
      #expect(try alignment() == .left)
    }
    // Paragraphs on two sides are no text of a document. They are drawn here.
    (text.string, text.alignmentMode) = ("\u{5E9}\nw", .natural)
    #expect(text.isDrawn)
    text.alignmentMode = .right
    #expect(!text.isDrawn)
  }

  @Test func `shows the video in a layer of any size, and over it and below it`() throws {
    videoLayer.frame = CGRect(x: 8, y: 4, width: 32, height: 24)
    root.insertSublayer(layer, below: videoLayer)
    root.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
    let expected = ##"""
      [{"frame": [0, 0, 64, 48], "backgroundColor": "#0000ff"}, {"frame": [4, 32, 20, 10], "backgroundColor": "#ff0000"},
       {"video": true, "gravity": "resize", "frame": [8, 20, 32, 24]}]
      """##
    #expect(try timeline().layers == canonical(expected))
  }

  @Test func `runs on a layer's own clock`() throws {
    (layer.beginTime, layer.duration, layer.speed) = (0.2, 0.6, 2)
    let fade = CABasicAnimation(keyPath: "opacity")
    (fade.fromValue, fade.toValue, fade.beginTime, fade.duration) = (0, 1, AVCoreAnimationBeginTimeAtZero, 0.4)
    layer.add(fade, forKey: nil)
    let made = try #require(timeline().layers.first)
    #expect(made.clock == LayerClock(begin: try MediaTime(1, 5), speed: Rational(2)))
    #expect(made.timeRange?.description == "[0.2, 0.5)")
    #expect(made.opacity.keyframes.map(\.time) == [.zero, try MediaTime(2, 5), try MediaTime(2, 5)])
  }

  @Test func `moves along springs`() throws {
    let spring = CASpringAnimation(keyPath: "position.x")
    (spring.fromValue, spring.toValue, spring.beginTime, spring.duration) = (0, 10, AVCoreAnimationBeginTimeAtZero, 0.8)
    (spring.stiffness, spring.damping) = (200, 5)
    layer.add(spring, forKey: nil)
    let first = try #require(timeline().layers.first?.geometry.position.keyframes.first)
    #expect(first.easing == .spring(Spring(mass: 1, stiffness: 200, damping: 5)))
    #expect(abs(spring.settlingDuration - 2.763) < 0.001)
    spring.stiffness = 0
    layer.add(spring, forKey: nil)
    #expect(throws: AVError.self) { try composition.spoolDocument(videoComposition: video) }
  }

  @Test func `refuses by name what a document cannot say`() throws {
    func fault(_ change: () -> Void) -> String? {
      change()
      return #expect(throws: AVError.self) { try composition.spoolDocument(videoComposition: video) }?.reason
    }
    let late = CABasicAnimation(keyPath: "opacity")
    (late.fromValue, late.toValue) = (0, 1)
    #expect(fault { layer.add(late, forKey: "a") }?.contains("AVCoreAnimationBeginTimeAtZero") == true)
    (late.beginTime, late.toValue) = (AVCoreAnimationBeginTimeAtZero, 2)
    #expect(fault { layer.add(late, forKey: "a") }?.contains("opacity moves from 0.0 to 2.0, which is not in 0...1") == true)
    let path = CABasicAnimation(keyPath: "anchorPointZ")
    (path.beginTime, path.fromValue, path.toValue) = (AVCoreAnimationBeginTimeAtZero, 0, 1)
    #expect(fault { layer.add(path, forKey: "a") }?.contains("'anchorPointZ'") == true)
    layer.removeAllAnimations()
    #expect(fault { layer.anchorPointZ = 1 }?.contains("anchorPointZ") == true)
    layer.anchorPointZ = 0
    #expect(fault { layer.contents = 3 }?.contains("CGImage") == true)
    layer.contents = nil
    #expect(fault { layer.speed = -1 }?.contains("speed") == true)
    layer.speed = 1
    #expect(fault { root.frame = CGRect(x: 8, y: 8, width: 32, height: 24) }?.contains("animationLayer.frame") == true)
  }
}

/// The time of so many tenths of a second.
private func MediaTimeOfTenths(_ tenths: Int64) throws -> MediaTime { try MediaTime(tenths, 10) }
