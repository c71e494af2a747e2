import AVFoundation
import FarmTesting
import Foundation
import Testing
import Timeline

@Suite(.serialized) struct `Layers in space` {
  let stage: LayerStage

  init() throws { stage = try LayerStage() }

  private func view(_ distance: CGFloat) -> CATransform3D {
    var view = CATransform3DIdentity
    view.m34 = -1 / distance
    return view
  }

  @Test func `are seen in the perspective of m34`() async throws {
    let card = stage.box(CGRect(x: 12, y: 4, width: 40, height: 40))
    card.transform = CATransform3DRotate(view(100), .pi / 3, 0, 1, 0)
    let frame = try await stage.frame(0)
    // The right side goes 17.3 away, and the left one comes as near.
    let (left, right) = (32 - 10 / (1 - 0.1732), 32 + 10 / (1 + 0.1732))
    let reach = frame.reach()
    #expect(abs(reach.minX - left) < 1 && abs(reach.maxX - right) < 1, "\(reach)")
    // The near side is higher than the far one. Without perspective the card would end at 4.
    #expect(frame.has(red, 22, 2) && frame.has(black, 39, 4))
    #expect(frame.has(red, 38, 24))
  }

  @Test func `are seen through a sublayerTransform, from the anchor point of what they stand on`() async throws {
    stage.root.sublayerTransform = view(100)
    let near = stage.box(CGRect(x: 40, y: 20, width: 8, height: 8))
    near.zPosition = 50
    // What is half way to the eye is twice as large, and twice as far from the middle.
    #expect(try await stage.frame(0).reach() == CGRect(x: 48, y: 16, width: 16, height: 16))
    near.zPosition = 0
    #expect(try await stage.frame(0).reach() == CGRect(x: 40, y: 20, width: 8, height: 8))
    // One that moves at that depth moves twice as fast.
    near.zPosition = 50
    let move = CABasicAnimation(keyPath: "position.x").at(0, for: 10)
    (move.fromValue, move.toValue) = (20, 40)
    near.add(move, forKey: nil)
    let frames = (try await stage.frame(0).middle(), try await stage.frame(5).middle())
    #expect(abs((frames.0?.x ?? 0) - 8) < 0.6 && abs((frames.1?.x ?? 0) - 28) < 0.6, "\(frames)")
  }

  @Test func `turn about an axis, and show no back where they are not double sided`() async throws {
    let card = stage.box(CGRect(x: 12, y: 14, width: 40, height: 20))
    card.transform = view(200)
    card.isDoubleSided = false
    let turn = CABasicAnimation(keyPath: "transform.rotation.y").at(0, for: 10)
    (turn.fromValue, turn.toValue) = (0, Double.pi)
    card.add(turn, forKey: nil)
    #expect(abs(try await stage.frame(0).reach().width - 40) <= 1)
    #expect(abs(try await stage.frame(3).reach().width - 40 * cos(0.3 * .pi)) < 2.5)
    #expect(try await stage.frame(8).reach().isNull)
    card.isDoubleSided = true
    #expect(abs(try await stage.frame(8).reach().width - 40 * cos(0.2 * .pi)) < 2.5)
  }

  @Test func `turn the shortest way where the transform changes as a whole`() async throws {
    let box = stage.box(CGRect(x: 24, y: 20, width: 16, height: 8))
    let turn = CABasicAnimation(keyPath: "transform").at(0, for: 10)
    (turn.fromValue, turn.toValue) = (CATransform3DIdentity, CATransform3DMakeRotation(.pi / 2, 0, 0, 1))
    box.add(turn, forKey: nil)
    // Half way it stands on its corner, as large as before: term by term it would have shrunk.
    let reach = try await stage.frame(5).reach()
    let side = 24 / 2.0.squareRoot()
    #expect(abs(reach.width - side) < 1.6 && abs(reach.height - side) < 1.6, "\(reach)")
    turn.toValue = CATransform3DMakeRotation(.pi, 0, 0, 1)
    box.removeAllAnimations()
    box.add(turn, forKey: nil)
    #expect(stage.fault()?.contains("half a turn") == true)
  }

  @Test func `in a transform layer stand in one space, the furthest below`() async throws {
    let cube = CATransformLayer()
    (cube.frame, cube.transform) = (CGRect(x: 12, y: 4, width: 40, height: 40), CATransform3DRotate(view(400), .pi / 4, 0, 1, 0))
    stage.root.addSublayer(cube)
    // The front is added first, so that the order of the list would hide it.
    let front = stage.box(CGRect(x: 5, y: 5, width: 30, height: 30), on: cube)
    front.transform = CATransform3DMakeTranslation(0, 0, 10)
    let back = stage.box(CGRect(x: 5, y: 5, width: 30, height: 30), LayerStage.green, on: cube)
    back.transform = CATransform3DMakeTranslation(0, 0, -10)
    let frame = try await stage.frame(0)
    // By the turn the front goes to the right, and the back to the left.
    let row = (15..<50).map { frame.pixel($0, 24) }
    #expect(frame.has(red, 42, 24) && frame.has(green, 20, 24) && frame.has(red, 32, 24), "\(row)")
    let spin = CABasicAnimation(keyPath: "transform.rotation.y").at(0, for: 10)
    (spin.fromValue, spin.toValue) = (0, 2 * Double.pi)
    cube.add(spin, forKey: nil)
    #expect(stage.fault()?.contains("in turn") == true)
    for face in [front, back] { face.isDoubleSided = false }
    back.transform = CATransform3DMakeRotation(.pi, 0, 1, 0)
    #expect(try await stage.frame(0).has(red, 32, 24))
    #expect(try await stage.frame(5).has(green, 32, 24))
  }

  @Test func `that reach through each other are refused, by both names`() throws {
    _ = stage.box(CGRect(x: 0, y: 0, width: 64, height: 48), LayerStage.blue)
    let card = stage.box(CGRect(x: 12, y: 14, width: 40, height: 20))
    card.transform = CATransform3DMakeRotation(0.5, 0, 1, 0)
    #expect(stage.fault()?.contains("reach through each other") == true)
    card.zPosition = 30
    #expect(throws: Never.self) { try stage.timeline() }
    card.zPosition = -30
    // It lies below the other one now.
    #expect(try stage.timeline().layers.first?.geometry.isSpatial == true)
  }

  @Test func `are put together and undone as matrices`() {
    let map = CATransform3DTranslate(CATransform3DRotate(view(80), 0.4, 1, 2, 3), 5, 6, 7)
    let back = CATransform3DConcat(map, CATransform3DInvert(map))
    for (term, one) in zip(back.terms, CATransform3DIdentity.terms) { #expect(abs(term - one) < 1e-12) }
    #expect(CATransform3DIsIdentity(CATransform3DScale(CATransform3DMakeScale(0.5, 0.25, 1), 2, 4, 1)))
    let flat = CATransform3DMakeScale(0, 1, 1)
    #expect(CATransform3DEqualToTransform(CATransform3DInvert(flat), flat))
  }
}
