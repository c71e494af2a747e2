import AVFoundation
import Document
import Foundation
import Testing
import Timeline

/// The layers and mixes that tutorials write: containers and outlines without a size, animations without an end, groups that repeat, mixes in pieces.
@Suite struct `Layers of tutorials` {
  @Test func `without a size show what stands on them, and their outlines`() async throws {
    let stage = try LayerStage()
    let container = CALayer()
    container.position = CGPoint(x: 20, y: 8)
    container.backgroundColor = LayerStage.blue
    stage.root.addSublayer(container)
    _ = stage.box(CGRect(x: 0, y: 0, width: 8, height: 8), on: container)
    let outline = CAShapeLayer()
    outline.path = unsafe CGPath(rect: CGRect(x: 40, y: 30, width: 10, height: 10), transform: nil)
    outline.fillColor = LayerStage.green
    stage.root.addSublayer(outline)
    let frame = try await stage.frame(0)
    #expect(frame.has([255, 0, 0], 21, 9) && frame.has([255, 0, 0], 25, 14))
    #expect(frame.has([0, 0, 0], 18, 9) && frame.has([0, 0, 0], 29, 9) && frame.has([0, 0, 0], 21, 17))
    #expect(frame.has([0, 255, 0], 41, 31) && frame.has([0, 255, 0], 47, 37) && frame.has([0, 0, 0], 38, 31))
    container.masksToBounds = true
    #expect(try await stage.frame(0).has([0, 0, 0], 21, 9))
  }

  @Test func `repeat without end by the largest number there is`() async throws {
    let stage = try LayerStage()
    let box = stage.box(CGRect(x: 0, y: 0, width: 64, height: 48))
    let blink = CABasicAnimation(keyPath: "opacity")
    (blink.fromValue, blink.toValue, blink.duration, blink.autoreverses) = (1, 0, 0.2, true)
    (blink.repeatCount, blink.beginTime) = (.greatestFiniteMagnitude, AVCoreAnimationBeginTimeAtZero)
    box.add(blink, forKey: nil)
    for (tenth, red) in [(0, 255), (1, 128), (2, 0), (4, 255), (8, 255), (9, 128)] as [(Int64, Int)] {
      #expect(try await stage.frame(tenth).has([red, 0, 0], 10, 10), "\(tenth)")
    }
    box.removeAllAnimations()
    (box.duration, box.repeatCount) = (0.3, .greatestFiniteMagnitude)
    #expect(try await stage.frame(8).has([255, 0, 0], 10, 10))
  }

  @Test func `repeat groups, within which an animation holds what it says`() async throws {
    let stage = try LayerStage()
    let box = stage.box(CGRect(x: 0, y: 0, width: 64, height: 48))
    let fade = CABasicAnimation(keyPath: "opacity")
    (fade.fromValue, fade.toValue, fade.beginTime, fade.duration, fade.fillMode) = (0, 0.5, 0.1, 0.1, .both)
    let group = CAAnimationGroup()
    (group.animations, group.duration, group.repeatCount) = ([fade], 0.4, 2)
    group.beginTime = AVCoreAnimationBeginTimeAtZero
    box.add(group, forKey: nil)
    // Before its beginning in each pass the animation holds 0, after its end 0.5, and after the group the layer is as it was.
    for (tenth, red) in [(0, 0), (1, 0), (2, 128), (3, 128), (4, 0), (5, 0), (6, 128), (7, 128), (8, 255)] as [(Int64, Int)] {
      #expect(try await stage.frame(tenth).has([red, 0, 0], 10, 10), "\(tenth)")
    }
  }

  @Test func `ease groups whose animations last as long as they`() throws {
    func easing(_ change: (CABasicAnimation) -> Void) throws -> Easing? {
      let stage = try LayerStage()
      let box = stage.box(CGRect(x: 0, y: 0, width: 8, height: 8))
      let fade = CABasicAnimation(keyPath: "opacity")
      (fade.fromValue, fade.toValue) = (0, 1)
      change(fade)
      let group = CAAnimationGroup()
      (group.animations, group.duration, group.beginTime) = ([fade], 1, AVCoreAnimationBeginTimeAtZero)
      group.timingFunction = CAMediaTimingFunction(name: .easeIn)
      box.add(group, forKey: nil)
      return try #require(try stage.timeline().layers.last).opacity.keyframes.first?.easing
    }
    #expect(try easing { _ in } == .bezier(x1: 0.42, y1: 0, x2: 1, y2: 1))
    #expect(throws: AVError.self) { try easing { $0.duration = 0.5 } }
    #expect(throws: AVError.self) { try easing { $0.timingFunction = CAMediaTimingFunction(name: .easeOut) } }
  }

  @Test func `mix sound by several parameters of a track, and by those of one that plays nothing`() throws {
    let composition = AVMutableComposition()
    let sound = try #require(composition.addMutableTrack(withMediaType: .audio, preferredTrackID: 1))
    let empty = try #require(composition.addMutableTrack(withMediaType: .audio, preferredTrackID: 2))
    let source = try #require(TestMedia.asset().tracks(withMediaType: .audio).first)
    try sound.insertTimeRange(TestMedia.range(0, 8), of: source, at: .zero)
    let (rise, fall, silent) = (
      AVMutableAudioMixInputParameters(track: sound), AVMutableAudioMixInputParameters(track: sound),
      AVMutableAudioMixInputParameters(track: empty)
    )
    rise.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: TestMedia.range(0, 2))
    fall.setVolumeRamp(fromStartVolume: 1, toEndVolume: 0, timeRange: TestMedia.range(6, 8))
    silent.setVolume(0, at: .zero)
    let mix = AVMutableAudioMix()
    mix.inputParameters = [rise, fall, silent]
    let timeline = try Timeline.parse(Array(composition.spoolDocument(audioMix: mix).utf8))
    let volume = try #require(timeline.audioMix.inputParameters.first).volume
    #expect(timeline.audioMix.inputParameters.count == 1)
    #expect(volume.keyframes.map(\.value) == [0, 1, 1, 0])
    // Parameters of a track that is not there change nothing.
    let document = try composition.spoolDocument(audioMix: mix)
    let unknown = AVMutableAudioMixInputParameters()
    unknown.setVolume(0.5, at: .zero)
    mix.inputParameters += [unknown]
    #expect(try composition.spoolDocument(audioMix: mix) == document)
  }
}
