import AVFoundation
import Formats
import Foundation
import MediaTime
import Testing
import Timeline

/// Emitters of particles, as layers of the document and as frames.
@Suite struct `Particles` {
  /// A picture of one colour.
  private func dot(_ color: CGColor = .white, side: Int = 4) throws -> CGImage {
    let made = unsafe CGContext(
      data: nil, width: side, height: side, bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue)
    let context = try #require(made)
    context.setFillColor(color)
    context.fill(CGRect(x: 0, y: 0, width: side, height: side))
    return try #require(context.makeImage())
  }

  private func emitter(_ cell: CAEmitterCell, on stage: LayerStage) -> CAEmitterLayer {
    let emitter = CAEmitterLayer()
    (emitter.emitterCells, emitter.emitterPosition) = ([cell], CGPoint(x: 10, y: 24))
    stage.root.addSublayer(emitter)
    return emitter
  }

  private func cell(_ rate: Float, lifetime: Float) throws -> CAEmitterCell {
    let cell = CAEmitterCell()
    (cell.contents, cell.birthRate, cell.lifetime) = (try dot(), rate, lifetime)
    return cell
  }

  @Test func `fly from the emitter in its direction, each for its lifetime`() async throws {
    let stage = try LayerStage()
    let cell = try cell(1, lifetime: 0.5)
    (cell.velocity, cell.color) = (80, LayerStage.green)
    _ = emitter(cell, on: stage)
    // One is born at zero, goes to the right by 80 a second, and is gone after half a second.
    #expect(try await stage.frame(0).has([0, 255, 0], 10, 24))
    let later = try await stage.frame(4)
    #expect(later.has([0, 255, 0], 42, 24))
    #expect(later.has([0, 0, 0], 10, 24))
    let gone = try await stage.frame(6)
    #expect((0..<64).allSatisfy { gone.has([0, 0, 0], $0, 24) })
  }

  @Test func `are born at their rate, and lie on each other by their age`() throws {
    let stage = try LayerStage()
    let emitter = emitter(try cell(5, lifetime: 10), on: stage)
    let layers = try #require(try stage.timeline().layers.last).sublayers
    let wanted = try (0..<5).map { try MediaTime(Int64($0), 5) }
    #expect(layers.map { $0.clock?.begin ?? .zero } == wanted)
    emitter.renderMode = .oldestLast
    let turned = try #require(try stage.timeline().layers.last).sublayers
    #expect(turned.map { $0.clock?.begin ?? .zero } == layers.reversed().map { $0.clock?.begin ?? .zero })
    emitter.birthRate = 0
    #expect(try stage.timeline().layers.isEmpty)
  }

  @Test func `fall, shrink and fade as the cell says`() async throws {
    let stage = try LayerStage()
    let cell = try cell(1, lifetime: 10)
    (cell.yAcceleration, cell.scale, cell.scaleSpeed) = (-80, 2, -1)
    _ = emitter(cell, on: stage)
    // After half a second it has fallen by 10, and is 6 units wide.
    let fallen = try await stage.frame(5)
    #expect(fallen.has([255, 255, 255], 10, 14) && fallen.has([255, 255, 255], 12, 14))
    #expect(fallen.has([0, 0, 0], 14, 14) && fallen.has([0, 0, 0], 10, 24))

    let fading = try LayerStage()
    let faint = try self.cell(1, lifetime: 10)
    faint.alphaSpeed = -1
    _ = emitter(faint, on: fading)
    #expect(try await fading.frame(5).has([128, 128, 128], 10, 24))
  }

  @Test func `are gone when nothing of them is left`() async throws {
    let stage = try LayerStage()
    let cell = try cell(1, lifetime: 10)
    cell.scaleSpeed = -2
    _ = emitter(cell, on: stage)
    #expect(try await stage.frame(1).has([255, 255, 255], 10, 24))
    // It has shrunk to nothing after half a second, long before its lifetime is over.
    #expect(try await stage.frame(6).has([0, 0, 0], 10, 24))
  }

  @Test func `are the same for the same seed, and others for another one`() throws {
    func places(_ seed: UInt32) throws -> [String] {
      let stage = try LayerStage()
      let cell = try cell(20, lifetime: 1)
      (cell.velocity, cell.velocityRange, cell.emissionRange, cell.spinRange) = (40, 20, 2 * .pi, 3)
      let emitter = emitter(cell, on: stage)
      (emitter.seed, emitter.emitterShape, emitter.emitterSize) = (seed, .line, CGSize(width: 40, height: 1))
      return try #require(try stage.timeline().layers.last).sublayers.map { "\($0.geometry)" }
    }
    let first = try places(1)
    #expect(Set(first).count == 20)
    #expect(try places(1) == first)
    #expect(try places(2) != first)
  }

  @Test func `on a line go down, and on a circle's outline away from its middle`() throws {
    func ways(_ shape: CAEmitterLayerEmitterShape, _ mode: CAEmitterLayerEmitterMode) throws -> [(from: Point, to: Point)] {
      let stage = try LayerStage()
      let cell = try cell(20, lifetime: 1)
      cell.velocity = 30
      let emitter = emitter(cell, on: stage)
      (emitter.emitterShape, emitter.emitterMode, emitter.emitterSize) = (shape, mode, CGSize(width: 20, height: 20))
      return try #require(try stage.timeline().layers.last).sublayers.map {
        let keyframes = $0.geometry.position.keyframes
        return (try #require(keyframes.first).value, try #require(keyframes.last).value)
      }
    }
    // A document's y grows downwards.
    for way in try ways(.line, .volume) { #expect(abs(way.to.x - way.from.x) < 1e-6 && way.to.y > way.from.y) }
    for way in try ways(.circle, .outline) {
      // The middle is (10, 24), and the layer, which has no size, is one unit high in the document.
      func far(_ point: Point) -> Double {
        let (x, y) = (point.x - 10, point.y + 23)
        return (x * x + y * y).squareRoot()
      }
      #expect(abs(far(way.from) - 10) < 1e-6)
      #expect(far(way.to) > far(way.from))
    }
  }

  @Test func `are refused by name where they are not made`() throws {
    func fault(_ change: (CAEmitterLayer, CAEmitterCell) -> Void) throws -> String {
      let stage = try LayerStage()
      let cell = try cell(1, lifetime: 1)
      let emitter = emitter(cell, on: stage)
      change(emitter, cell)
      return stage.fault() ?? ""
    }
    #expect(try fault { emitter, _ in emitter.renderMode = .additive }.contains("renderMode additive"))
    #expect(try fault { emitter, _ in emitter.preservesDepth = true }.contains("preservesDepth"))
    #expect(try fault { _, cell in cell.redSpeed = 1 }.contains("redSpeed"))
    #expect(try fault { _, cell in cell.zAcceleration = 1 }.contains("zAcceleration"))
    #expect(try fault { _, cell in cell.emitterCells = [CAEmitterCell()] }.contains("emitterCells[0].emitterCells"))
    #expect(try fault { _, cell in cell.contents = "confetti" }.contains("emitterCells[0].contents: String is not a CGImage"))
    #expect(try fault { _, cell in cell.birthRate = 20_000 }.contains("20000 particles"))
    #expect(try fault { _, cell in cell.velocity = .nan }.contains("no numbers"))
  }
}
