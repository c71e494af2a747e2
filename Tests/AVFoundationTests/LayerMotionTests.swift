import AVFoundation
import FarmTesting
import Foundation
import Testing
import Timeline

@Suite(.serialized) struct `Animations of layers` {
  let stage: LayerStage
  let box: CALayer

  init() throws {
    stage = try LayerStage()
    box = stage.box(CGRect(x: 0, y: 20, width: 8, height: 8))
  }

  /// The middles of the box in frames, along x.
  private func places(_ tenths: [Int64]) async throws -> [Double] {
    var found: [Double] = []
    for tenth in tenths { found.append(Double(try await stage.frame(tenth).middle()?.x ?? -1)) }
    return found
  }

  private func isNear(_ one: [Double], _ other: [Double], _ slack: Double = 0.6) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) <= slack }
  }

  @Test func `are paced by the way between their values, whatever their times`() async throws {
    let move = CAKeyframeAnimation(keyPath: "position").at(0, for: 10)
    move.values = [CGPoint(x: 4, y: 24), CGPoint(x: 14, y: 24), CGPoint(x: 54, y: 24)]
    (move.calculationMode, move.keyTimes) = (.paced, [0, 0.9, 1])
    box.add(move, forKey: nil)
    #expect(isNear(try await places([0, 2, 5, 8]), [4, 14, 29, 44]))
  }

  @Test func `lead along a smooth curve, for the whole movie or for a part of it`() async throws {
    let move = CAKeyframeAnimation(keyPath: "position.x").at(0, for: 10)
    (move.values, move.calculationMode) = ([8, 40, 40, 56], .cubic)
    box.add(move, forKey: "move")
    // A Catmull-Rom spline swings beyond two equal values.
    let middle = try #require(try await places([5]).first)
    #expect(abs(middle - (9 * 80 - 8 - 56) / 16.0) < 0.6, "\(middle)")
    #expect(try stage.timeline().layers[0].geometry.position.isCubic)
    // Cut off by its own end it is sampled at the movie's frames, and has the same values there.
    let short = CAKeyframeAnimation(keyPath: "position.x").at(0, for: 8)
    (short.values, short.calculationMode) = ([8, 40, 40, 56], .cubic)
    box.add(short, forKey: "move")
    #expect(abs(try #require(try await places([4]).first) - middle) < 0.6)
    #expect(isNear(try await places([8]), [4]))
    // Cut off by a group that holds its last value, the curve is not gone on with.
    let group = CAAnimationGroup().at(0, for: 5)
    (group.animations, group.fillMode, group.isRemovedOnCompletion) = ([move], .forwards, false)
    box.add(group, forKey: "move")
    #expect(try await places([9]).allSatisfy { abs($0 - middle) < 0.6 })
    short.tensionValues = [0, 0.5, 0, 0]
    box.add(short, forKey: "move")
    #expect(stage.fault()?.contains("tensionValues") == true)
  }

  @Test func `go along a path, turn with it, and are back before and after`() async throws {
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 10, y: 10))
    path.addLine(to: CGPoint(x: 50, y: 10))
    path.addLine(to: CGPoint(x: 50, y: 30))
    let way = CAKeyframeAnimation(keyPath: "position").at(2, for: 6)
    (way.path, way.calculationMode, way.rotationMode) = (path, .paced, .rotateAuto)
    (box.bounds.size, box.position) = (CGSize(width: 12, height: 4), CGPoint(x: 20, y: 24))
    box.add(way, forKey: nil)
    #expect(isNear(try await places([0, 2, 4, 9]), [20, 10, 30, 20]))
    let up = try await stage.frame(7)
    #expect(abs((up.middle()?.y ?? 0) - 20) < 0.6 && up.reach().height > up.reach().width, "\(up.reach())")
    // Along lines each takes as long, unless it is paced.
    (way.calculationMode, way.rotationMode) = (.linear, nil)
    box.removeAllAnimations()
    box.add(way, forKey: nil)
    #expect(isNear(try await places([5]), [50]))
    path.addQuadCurve(to: CGPoint(x: 10, y: 10), control: CGPoint(x: 10, y: 40))
    way.path = path
    box.removeAllAnimations()
    box.add(way, forKey: nil)
    #expect(stage.fault()?.contains("paced") == true)
  }

  @Test func `are added to others and to the layer's own value`() async throws {
    box.position = CGPoint(x: 20, y: 24)
    let shift = CABasicAnimation(keyPath: "position.x").at(0, for: 10)
    (shift.fromValue, shift.toValue, shift.isAdditive) = (0, 20, true)
    let shake = CAKeyframeAnimation(keyPath: "position.x").at(4, for: 4)
    (shake.values, shake.isAdditive) = ([0, 8, 0], true)
    box.add(shift, forKey: nil)
    box.add(shake, forKey: nil)
    #expect(isNear(try await places([0, 3, 5, 6, 9]), [20, 26, 34, 40, 38]))
    // An eased one is sampled at the frames.
    shake.timingFunctions = [CAMediaTimingFunction(name: .easeIn), CAMediaTimingFunction(name: .easeIn)]
    box.add(shake, forKey: "eased")
    let position = try stage.timeline().layers[0].geometry.position
    #expect(position.keyframes.count > 8)
    // One that is not additive replaces what comes before it.
    let late = CABasicAnimation(keyPath: "position.x").at(2, for: 4)
    (late.fromValue, late.toValue) = (40, 20)
    box.add(late, forKey: nil)
    #expect(isNear(try await places([0, 2, 4, 8]), [20, 40, 30, 36]))
  }

  @Test func `are cumulative: each pass begins where the one before it ended`() async throws {
    box.position = CGPoint(x: 4, y: 24)
    let step = CABasicAnimation(keyPath: "position.x").at(0, for: 2)
    (step.fromValue, step.toValue, step.isAdditive, step.isCumulative, step.repeatCount) = (0, 8, true, true, 4)
    box.add(step, forKey: nil)
    #expect(isNear(try await places([0, 1, 3, 5, 7, 9]), [4, 8, 16, 24, 32, 4]))
    // There and back again, a pass ends where it began.
    (step.autoreverses, step.repeatCount) = (true, 2)
    box.add(step, forKey: nil)
    box.removeAllAnimations()
    box.add(step, forKey: nil)
    #expect(isNear(try await places([1, 3, 5]), [8, 8, 8]))
  }

  @Test func `of the whole transform are concatenated`() async throws {
    box.position = CGPoint(x: 20, y: 24)
    let grow = CABasicAnimation(keyPath: "transform").at(0, for: 10)
    (grow.fromValue, grow.toValue) = (CATransform3DMakeScale(2, 2, 1), CATransform3DMakeScale(2, 2, 1))
    let shift = CABasicAnimation(keyPath: "transform").at(0, for: 10)
    (shift.fromValue, shift.toValue) = (CATransform3DIdentity, CATransform3DMakeTranslation(20, 0, 0))
    shift.isAdditive = true
    box.add(grow, forKey: nil)
    box.add(shift, forKey: nil)
    // It is moved after it was scaled, and so by as much as it says.
    #expect(isNear(try await places([0, 5]), [20, 30]))
    #expect(abs(try await stage.frame(5).reach().width - 16) <= 1)
  }

  @Test func `change sizes, places and parts of the transform`() async throws {
    let grow = CABasicAnimation(keyPath: "bounds.size").at(0, for: 10)
    (grow.fromValue, grow.toValue) = (CGSize(width: 8, height: 8), CGSize(width: 28, height: 18))
    box.position = CGPoint(x: 32, y: 24)
    box.add(grow, forKey: nil)
    let shift = CABasicAnimation(keyPath: "transform.translation.x").at(0, for: 10)
    shift.byValue = 20
    box.add(shift, forKey: nil)
    let frame = try await stage.frame(5)
    #expect(abs((frame.middle()?.x ?? 0) - 42) < 0.6)
    #expect(abs(frame.reach().width - 18) <= 1 && abs(frame.reach().height - 13) <= 1, "\(frame.reach())")
  }

  @Test func `lead what stands on a layer along with its bottom, and mask it there`() async throws {
    box.frame = CGRect(x: 12, y: 4, width: 40, height: 20)
    box.anchorPoint = .zero
    box.position = CGPoint(x: 12, y: 4)
    let inner = stage.box(CGRect(x: 0, y: 0, width: 40, height: 8), LayerStage.green, on: box)
    let grow = CABasicAnimation(keyPath: "bounds.size.height").at(0, for: 10)
    (grow.fromValue, grow.toValue) = (20, 40)
    box.add(grow, forKey: nil)
    // The layer's bottom is 4 above that of the picture, and its top rises from 24 to 44.
    let start = try await stage.frame(0)
    #expect(start.has([0, 255, 0], 30, 8) && start.has([255, 0, 0], 30, 18) && start.has([0, 0, 0], 30, 34))
    let middle = try await stage.frame(5)
    #expect(middle.has([0, 255, 0], 30, 8) && middle.has([255, 0, 0], 30, 18) && middle.has([255, 0, 0], 30, 31))
    let mask = CALayer()
    (mask.frame, mask.backgroundColor) = (CGRect(x: 0, y: 0, width: 20, height: 40), LayerStage.red)
    box.mask = mask
    let masked = try await stage.frame(5)
    #expect(masked.has([0, 255, 0], 20, 8) && masked.has([0, 0, 0], 45, 8) && masked.has([255, 0, 0], 20, 28))
    inner.removeFromSuperlayer()
    box.mask = nil
    box.shadowPath = unsafe CGPath(rect: CGRect(x: 0, y: 0, width: 4, height: 4), transform: nil)
    #expect(stage.fault()?.contains("paths count from the bottom") == true)
  }

  @Test func `change the anchor point, the depth, and whether a layer is seen`() async throws {
    box.frame = CGRect(x: 20, y: 20, width: 10, height: 10)
    let shift = CABasicAnimation(keyPath: "anchorPoint").at(0, for: 10)
    (shift.fromValue, shift.toValue) = (CGPoint(x: 0.5, y: 0.5), CGPoint(x: -0.5, y: 0.5))
    box.add(shift, forKey: nil)
    #expect(isNear(try await places([0, 5]), [25, 30]))
    box.removeAllAnimations()
    let cover = stage.box(CGRect(x: 20, y: 20, width: 10, height: 10), LayerStage.green)
    let sink = CAKeyframeAnimation(keyPath: "zPosition").at(0, for: 10)
    (sink.values, sink.calculationMode) = ([1, -1], .discrete)
    cover.add(sink, forKey: nil)
    // Below the video's layer it is not seen at all, and the box stays.
    let (first, last) = (try await stage.frame(2), try await stage.frame(7))
    #expect(first.has([0, 255, 0], 25, 23) && last.has([255, 0, 0], 25, 23))
    cover.removeAllAnimations()
    let blink = CABasicAnimation(keyPath: "hidden").at(2, for: 4)
    (blink.fromValue, blink.toValue) = (false, false)
    cover.isHidden = true
    cover.add(blink, forKey: nil)
    let (before, during) = (try await stage.frame(1), try await stage.frame(3))
    #expect(before.has([255, 0, 0], 25, 23) && during.has([0, 255, 0], 25, 23))
    blink.toValue = true
    cover.removeAllAnimations()
    cover.add(blink, forKey: nil)
    #expect(stage.fault()?.contains("calculationMode discrete") == true)
  }

  @Test func `on several axes at different times are one way`() async throws {
    let (x, y) = (CABasicAnimation(keyPath: "position.x").at(0, for: 10), CABasicAnimation(keyPath: "position.y").at(5, for: 4))
    (x.fromValue, x.toValue, y.fromValue, y.toValue) = (10, 50, 24, 40)
    box.add(x, forKey: nil)
    box.add(y, forKey: nil)
    let middle = try #require(try await stage.frame(7).middle())
    #expect(abs(middle.x - 38) < 0.6 && abs(middle.y - 32) < 0.6, "\(middle)")
    // Where one stretch leads into the next there is one keyframe.
    let keyframes = try stage.timeline().layers[0].geometry.position.keyframes
    #expect(keyframes.count > 2)
    #expect(zip(keyframes, keyframes.dropFirst()).allSatisfy { $0.time != $1.time || $0.value != $1.value }, "\(keyframes)")
  }

  @Test func `that end in the middle of an eased way are cut off there`() async throws {
    let move = CABasicAnimation(keyPath: "position.x").at(0, for: 10)
    (move.fromValue, move.toValue, move.timingFunction) = (0, 40, CAMediaTimingFunction(name: .easeIn))
    let group = CAAnimationGroup().at(0, for: 5)
    group.animations = [move]
    box.add(group, forKey: nil)
    box.position.x = 60
    let eased = 40 * 0.13  // of easeIn after 0.3
    let found = try await places([3, 6])
    #expect(abs(found[0] - eased) < 0.9 && abs(found[1] - 60) < 0.6, "\(found)")
  }
}
