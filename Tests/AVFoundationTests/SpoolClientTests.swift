import AVFoundation
import Document
import FarmTesting
import Formats
import Foundation
import MediaTime
import SpoolClient
import Testing
import Timeline

/// The client is written against AVFoundation's public interface alone, and the library's own lowering is not. Both must say the same.
@Suite(.serialized) struct `A client's document` {
  let composition = AVMutableComposition()
  let track: AVMutableCompositionTrack
  let video = AVMutableVideoComposition()
  let instruction = AVMutableVideoCompositionInstruction()
  let root = CALayer()
  let videoLayer = CALayer()

  init() throws {
    track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
    try track.insertTimeRange(TestMedia.range(0, 10), of: #require(TestMedia.asset().tracks.first), at: .zero)
    (video.renderSize, video.frameDuration) = (CGSize(width: 64, height: 48), CMTime(value: 1, timescale: 10))
    instruction.timeRange = TestMedia.range(0, 10)
    video.instructions = [instruction]
    for layer in [root, videoLayer] { layer.frame = CGRect(x: 0, y: 0, width: 64, height: 48) }
    root.addSublayer(videoLayer)
  }

  private func lay(_ make: (AVMutableVideoCompositionLayerInstruction) -> Void = { _ in }) {
    let layer = AVMutableVideoCompositionLayerInstruction(assetTrack: track)
    make(layer)
    instruction.layerInstructions += [layer]
  }

  private func document(
    _ video: AVVideoComposition?, mix: AVAudioMix? = nil, layers: SpoolLayers? = nil, export: SpoolExport = SpoolExport()
  ) async throws -> String {
    let edit = SpoolEdit(composition, videoComposition: video, audioMix: mix, layers: layers, export: export)
    let text = try await edit.document { medium in
      switch medium {
      case .file(let url): .path(url.path)
      case .picture(let name, let png):
        png.starts(with: [0x89, 0x50, 0x4E, 0x47]) ? .path("/pictures/\(name).png") : .path("no picture")
      }
    }
    return String(decoding: try Timeline.parse(Array(text)).canonicalJSON(), as: UTF8.self)
  }

  private func layers() -> SpoolLayers { SpoolLayers(postProcessingAsVideoLayer: videoLayer, in: root) }

  /// The document of the library's own lowering, with the same layers in an animation tool.
  private func expected(mix: AVAudioMix? = nil) throws -> String {
    let copy = AVMutableVideoComposition()
    (copy.renderSize, copy.frameDuration, copy.instructions) = (video.renderSize, video.frameDuration, video.instructions)
    if root.sublayers != [videoLayer] {
      copy.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: videoLayer, in: root)
    }
    return try composition.spoolDocument(videoComposition: copy, audioMix: mix, pictures: "/pictures")
  }

  @Test func `of a cut with gaps and speeds is the one of the library`() async throws {
    #expect(try await document(nil) == composition.spoolDocument())
    track.scaleTimeRange(TestMedia.range(2, 4), toDuration: TestMedia.tenths(6))
    track.insertEmptyTimeRange(TestMedia.range(8, 11))
    let sound = try #require(composition.addMutableTrack(withMediaType: .audio, preferredTrackID: 0))
    let source = try #require(TestMedia.asset().tracks(withMediaType: .audio).first)
    try sound.insertTimeRange(TestMedia.range(0, 8), of: source, at: TestMedia.tenths(3))
    let made = try await document(nil)
    #expect(try made == composition.spoolDocument())
    #expect(made.contains("duration") && made.contains("media1"))
  }

  @Test func `of ramps, crops and backgrounds is the one of the library`() async throws {
    lay {
      $0.setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0.3, timeRange: TestMedia.range(2, 4))
      $0.setOpacity(0.5, at: TestMedia.tenths(6))
      $0.setOpacityRamp(fromStartOpacity: 0.5, toEndOpacity: 0, timeRange: TestMedia.range(8, 10))
      $0.setTransform(CGAffineTransform(translationX: 3, y: -4), at: .zero)
      $0.setTransform(CGAffineTransform(scaleX: 0.5, y: 2), at: TestMedia.tenths(5))
      $0.setCropRectangle(CGRect(x: 1, y: 2, width: 30, height: 20), at: .zero)
    }
    instruction.backgroundColor = CGColor(red: 0, green: 0.5, blue: 1, alpha: 1)
    #expect(try await document(video) == expected())
  }

  @Test func `of turned media is the one of the library`() async throws {
    let source = try #require(TestMedia.asset(turned: true).tracks.first)
    track.removeTimeRange(TestMedia.range(0, 10))
    try track.insertTimeRange(TestMedia.range(0, 10), of: source, at: .zero)
    lay()
    #expect(try await document(video) == expected())
    instruction.layerInstructions = []
    lay {
      $0.setTransform(source.preferredTransform, at: TestMedia.tenths(3))
      $0.setCropRectangle(CGRect(x: 0, y: 0, width: 32, height: 48), at: .zero)
    }
    #expect(try await document(video) == expected())
  }

  @Test func `of volumes and pitch is the one of the library`() async throws {
    let sound = try #require(composition.addMutableTrack(withMediaType: .audio, preferredTrackID: 0))
    let source = try #require(TestMedia.asset().tracks(withMediaType: .audio).first)
    try sound.insertTimeRange(TestMedia.range(0, 8), of: source, at: .zero)
    sound.preferredVolume = 0.5
    let mix = AVMutableAudioMix()
    let parameters = AVMutableAudioMixInputParameters(track: sound)
    parameters.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: TestMedia.range(0, 5))
    parameters.setVolume(0.2, at: TestMedia.tenths(7))
    mix.inputParameters = [parameters]
    lay()
    #expect(try await document(video, mix: mix) == expected(mix: mix))
    sound.scaleTimeRange(TestMedia.range(0, 4), toDuration: TestMedia.tenths(8))
    instruction.timeRange = TestMedia.range(0, 12)
    #expect(try await document(video, mix: mix) == expected(mix: mix))
    parameters.audioTimePitchAlgorithm = .varispeed
    #expect(try await document(video, mix: mix) == expected(mix: mix))
  }

  @Test func `of a tree of layers is the one of the library`() async throws {
    lay()
    let box = CALayer()
    box.frame = CGRect(x: 4, y: 6, width: 20, height: 10)
    (box.backgroundColor, box.cornerRadius, box.opacity) = (CGColor(red: 1, green: 0, blue: 0, alpha: 1), 3, 0.75)
    (box.shadowOpacity, box.borderWidth, box.zPosition) = (0.5, 2, 3)
    let inner = CALayer()
    inner.bounds = CGRect(x: 0, y: 0, width: 4, height: 2)
    (inner.anchorPoint, inner.position, inner.borderWidth) = (CGPoint(x: 0, y: 0), CGPoint(x: 1, y: 1), 1)
    inner.setAffineTransform(CGAffineTransform(1, 0.5, 0, 1, 3, 2))
    box.addSublayer(inner)
    let text = CATextLayer()
    (text.string, text.font, text.fontSize, text.alignmentMode) = ("Words", "DejaVu Sans", 12, .center)
    text.frame = CGRect(x: 0, y: 30, width: 64, height: 16)
    let shape = CAShapeLayer()
    shape.frame = CGRect(x: 30, y: 4, width: 30, height: 20)
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 1, y: 2))
    path.addLine(to: CGPoint(x: 20, y: 2))
    path.addCurve(to: CGPoint(x: 1, y: 16), control1: CGPoint(x: 24, y: 8), control2: CGPoint(x: 8, y: 18))
    path.closeSubpath()
    (shape.path, shape.strokeColor, shape.lineWidth, shape.lineCap) = (path, .white, 2, .round)
    let gradient = CAGradientLayer()
    gradient.frame = CGRect(x: 2, y: 2, width: 10, height: 40)
    gradient.colors = [CGColor.black, CGColor(red: 0, green: 1, blue: 0, alpha: 0.5)]
    for layer in [box, text, shape, gradient] { root.addSublayer(layer) }
    let made = try await document(video, layers: layers())
    #expect(try made == expected())
    root.isGeometryFlipped = true
    #expect(try await document(video, layers: layers()) == expected())
  }

  @Test func `of layers whose size, anchor point, order, and text change is the one of the library`() async throws {
    lay()
    let holder = CALayer()
    holder.frame = CGRect(x: 0, y: 0, width: 64, height: 48)
    let (box, cover, text) = (CALayer(), CALayer(), CATextLayer())
    for (index, layer) in [box, cover, text].enumerated() {
      layer.frame = CGRect(x: 4 * index, y: 6, width: 20, height: 10)
      holder.addSublayer(layer)
    }
    root.addSublayer(holder)
    (box.backgroundColor, cover.backgroundColor) = (LayerStage.red, LayerStage.green)
    (text.string, text.font, text.fontSize) = ("Words", "DejaVu Sans", 12)
    func change(_ layer: CALayer, _ key: String, _ from: Any, _ to: Any) {
      let change = CABasicAnimation(keyPath: key).at(2, for: 5)
      (change.fromValue, change.toValue) = (from, to)
      layer.add(change, forKey: key)
    }
    change(box, "bounds.size", CGSize(width: 20, height: 10), CGSize(width: 30, height: 5))
    change(box, "anchorPoint", CGPoint(x: 0.5, y: 0.5), CGPoint(x: 0, y: 1))
    change(cover, "bounds.size.width", 20, 8)
    change(cover, "zPosition", -2, 2)
    change(text, "fontSize", 12, 20)
    change(text, "foregroundColor", LayerStage.red, LayerStage.blue)
    let blink = CAKeyframeAnimation(keyPath: "hidden").at(1, for: 6)
    (blink.values, blink.calculationMode) = ([true, false, true], .discrete)
    text.add(blink, forKey: "hidden")
    #expect(try await document(video, layers: layers()) == expected())
    change(text, "hidden", false, true)
    let fault = await #expect(throws: SpoolClientError.self) { try await document(video, layers: layers()) }
    #expect(fault?.property.contains("hidden") == true)
  }

  @Test func `of a text that is read from the right is the one of the library`() async throws {
    lay()
    let text = CATextLayer()
    (text.string, text.font, text.fontSize) = ("\u{5E9}\u{5DC}", "DejaVu Sans", 12)
    text.frame = CGRect(x: 0, y: 30, width: 64, height: 16)
    root.addSublayer(text)
    #expect(try await document(video, layers: layers()) == expected())
    text.string = "w\n\u{5E9}"
    let fault = await #expect(throws: SpoolClientError.self) { try await document(video, layers: layers()) }
    #expect(fault?.property.hasSuffix("alignmentMode") == true)
  }

  @Test func `of pictures and masks is the one of the library, and the pictures are PNG`() async throws {
    lay()
    let space = try #require(CGColorSpace(name: CGColorSpace.sRGB))
    let context = try unsafe #require(
      CGContext(
        data: nil, width: 8, height: 6, bitsPerComponent: 8, bytesPerRow: 0, space: space,
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
    context.setFillColor(CGColor(red: 0, green: 0, blue: 1, alpha: 1))
    context.fill(CGRect(x: 0, y: 0, width: 4, height: 6))
    let image = try #require(context.makeImage())
    let picture = CALayer()
    picture.frame = CGRect(x: 8, y: 8, width: 40, height: 30)
    (picture.contents, picture.contentsGravity) = (image, .bottomLeft)
    picture.contentsRect = CGRect(x: 0, y: 0, width: 0.5, height: 0.5)
    let mask = CALayer()
    mask.frame = CGRect(x: 0, y: 0, width: 20, height: 30)
    mask.backgroundColor = .black
    picture.mask = mask
    root.addSublayer(picture)
    #expect(try await document(video, layers: layers()) == expected())
  }

  @Test func `of animations is the one of the library`() async throws {
    lay()
    let layer = CALayer()
    layer.frame = CGRect(x: 4, y: 6, width: 20, height: 10)
    layer.backgroundColor = .white
    root.addSublayer(layer)
    let fade = CABasicAnimation(keyPath: "opacity")
    (fade.fromValue, fade.toValue, fade.beginTime, fade.duration) = (0, 1, 0.2, 0.4)
    (fade.fillMode, fade.isRemovedOnCompletion) = (.both, false)
    fade.timingFunction = CAMediaTimingFunction(name: .easeInEaseOut)
    layer.add(fade, forKey: "fade")
    let move = CAKeyframeAnimation(keyPath: "position")
    move.values = [CGPoint(x: 14, y: 11), CGPoint(x: 30, y: 20), CGPoint(x: 50, y: 11)]
    (move.beginTime, move.duration) = (AVCoreAnimationBeginTimeAtZero, 0.5)
    layer.add(move, forKey: "move")
    let group = CAAnimationGroup()
    let turn = CABasicAnimation(keyPath: "transform.rotation.z")
    (turn.fromValue, turn.toValue) = (0, Double.pi / 2)
    group.animations = [turn]
    (group.beginTime, group.duration, group.fillMode, group.isRemovedOnCompletion) = (0.3, 0.6, .forwards, false)
    turn.fillMode = .forwards
    layer.add(group, forKey: "group")
    let colour = CABasicAnimation(keyPath: "backgroundColor")
    (colour.toValue, colour.beginTime, colour.duration) = (CGColor(red: 1, green: 0, blue: 0, alpha: 1), 0.1, 0.1)
    (colour.autoreverses, colour.repeatCount) = (true, 2)
    layer.add(colour, forKey: "colour")
    let made = try await document(video, layers: layers())
    #expect(try made == expected())
    #expect(made.contains("rotation") && made.contains("easing"))
  }

  /// The places, scales, angles and opacities of the topmost layer over the time of the movie.
  private func motion(_ document: String) throws -> [[Double]] {
    let layer = try #require(try Timeline.parse(Array(document.utf8)).layers.last)
    let moved = layer.sublayers.last ?? layer
    return try (0..<40).map { number in
      let time = try MediaTime(Int64(number), 40)
      let map = try moved.geometry.map(of: Point(64, 48), at: time)
      return [map.a, map.b, map.c, map.d, map.tx, map.ty, try moved.opacity(at: time)]
    }
  }

  private func animation(
    _ key: String, _ from: Any?, _ to: Any?, begin: Double = AVCoreAnimationBeginTimeAtZero, duration: Double = 0.2,
    repeats: Float = 1
  ) -> CABasicAnimation {
    let animation = CABasicAnimation(keyPath: key)
    (animation.fromValue, animation.toValue) = (from, to)
    (animation.beginTime, animation.duration, animation.repeatCount) = (begin, duration, repeats)
    return animation
  }

  @Test func `of sums and cumulative animations moves as that of the library`() async throws {
    lay()
    let layer = CALayer()
    layer.frame = CGRect(x: 4, y: 6, width: 20, height: 10)
    layer.backgroundColor = .white
    root.addSublayer(layer)
    let way = animation("position", CGPoint(x: 14, y: 11), CGPoint(x: 44, y: 31), duration: 0.8)
    let shake = animation("position", CGPoint(x: -3, y: 0), CGPoint(x: 3, y: 0), begin: 0.1, duration: 0.1, repeats: 4)
    shake.isAdditive = true
    let turn = animation("transform.rotation.z", 0, 0.25, repeats: 4)
    (turn.isCumulative, turn.fillMode, turn.isRemovedOnCompletion) = (true, .forwards, false)
    let more = animation("transform.rotation.z", nil, nil, begin: 0.2, duration: 0.4)
    (more.byValue, more.isAdditive) = (0.5, true)
    let dim = animation("opacity", -0.5, 0, begin: 0.3, duration: 0.3)
    dim.isAdditive = true
    for (number, animation) in [way, shake, turn, more, dim].enumerated() { layer.add(animation, forKey: "\(number)") }
    let made = try await document(video, layers: layers())
    #expect(made.contains(#""additive":true"#))
    let (own, other) = (try motion(made), try motion(expected()))
    for (number, (own, other)) in zip(own, other).enumerated() {
      #expect(zip(own, other).allSatisfy { abs($0 - $1) < 1e-6 }, "\(number): \(own) \(other)")
    }
    #expect(own[12] != own[13] && own[39][6] == 1)
  }

  @Test func `refuses by name sums that it cannot say`() async throws {
    lay()
    let layer = CALayer()
    layer.frame = CGRect(x: 4, y: 6, width: 20, height: 10)
    root.addSublayer(layer)
    let place = "animationLayer.sublayers[1]"
    func refusal(_ animations: CABasicAnimation...) async -> String {
      layer.removeAllAnimations()
      for (number, animation) in animations.enumerated() { layer.add(animation, forKey: "\(number)") }
      do {
        _ = try await document(video, layers: layers())
        return "accepted"
      } catch let error as SpoolClientError { return "\(error.property): \(error.reason)" } catch { return "\(error)" }
    }
    let radius = animation("cornerRadius", 0, 4)
    radius.isAdditive = true
    #expect(await refusal(radius) == "\(place).0: additive animations of cornerRadius are not said")
    let (first, second) = (animation("opacity", -0.5, 0), animation("opacity", 0, 1))
    first.isAdditive = true
    #expect(await refusal(first, second).contains("replaces the additive animations before it"))
    let far = animation("opacity", -2, 0)
    far.isAdditive = true
    let (low, high) = (await refusal(far), await refusal(animation("opacity", 1, 2)))
    #expect(low == "\(place).opacity: -2.0 is not in -1.0...1.0")
    #expect(high == "\(place).opacity: 2.0 is not in 0.0...1.0")
    let back = animation("opacity", 0, 0.5, repeats: 2)
    (back.isCumulative, back.autoreverses) = (true, true)
    #expect(await refusal(back) == "\(place).0: is cumulative and runs back, which is not said")
    let colour = animation("backgroundColor", CGColor.black, CGColor.white, repeats: 2)
    colour.isCumulative = true
    #expect(
      await refusal(colour)
        == "\(place).0: cumulative animations of backgroundColor are not said; those of numbers and points are")
  }

  @Test func `of an export has its preset and its range`() async throws {
    let made = try await document(
      nil, export: SpoolExport(preset: AVAssetExportPresetHEVC1920x1080, fileType: "mov", timeRange: TestMedia.range(2, 5)))
    let timeline = try Timeline.parse(Array(made.utf8))
    #expect(timeline.export.video.codec == .hevc && timeline.export.timeRange?.start.description == "0.2")
  }

  @Test func `refuses by name what it cannot say`() async throws {
    func refusal(_ edit: () async throws -> String) async -> String? {
      do {
        _ = try await edit()
        return nil
      } catch { return (error as? SpoolClientError)?.property }
    }
    lay()
    #expect(await refusal { try await document(video, layers: layers()) } == nil)
    video.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: videoLayer, in: root)
    #expect(await refusal { try await document(video) } == "animationTool")
    video.animationTool = nil
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: 10, height: 10)
    layer.backgroundColor = .white
    root.addSublayer(layer)
    let fade = CABasicAnimation(keyPath: "opacity")
    (fade.fromValue, fade.toValue, fade.duration) = (0, 1, 1)
    layer.add(fade, forKey: "fade")
    #expect(await refusal { try await document(video, layers: layers()) } == "animationLayer.sublayers[1].fade")
    layer.removeAllAnimations()
    layer.speed = 2
    #expect(await refusal { try await document(video, layers: layers()) } == "animationLayer.sublayers[1].beginTime")
    layer.speed = 1
    instruction.timeRange = TestMedia.range(0, 9)
    #expect(await refusal { try await document(video) } == "instructions")
    let empty = SpoolEdit(AVMutableComposition())
    #expect(await refusal { String(decoding: try await empty.document { _ in .path("/") }, as: UTF8.self) } == "composition")
  }
}
