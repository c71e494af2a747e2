import AVFoundation
import Document
import FarmTesting
import Foundation
import MediaTime
import QuartzCore
import Testing
import Timeline

/// A compositor that gives the first track's picture back.
private final class Passing: NSObject, AVVideoCompositing {
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) {}
  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    guard let frame = request.sourceFrame(byTrackID: 1) else { return request.finishCancelledRequest() }
    request.finish(withComposedVideoFrame: frame)
  }
}

/// A compositor that lets its requests go.
private final class Forgetful: NSObject, AVVideoCompositing {
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) {}
  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {}
}

private class Amount: NSObject, AVVideoCompositionInstructionProtocol {
  let timeRange = TestMedia.range(0, 10)
  let enablePostProcessing = false
  let containsTweening = false
  let passthroughTrackID = kCMPersistentTrackID_Invalid
  var requiredSourceTrackIDs: [NSValue]? { [NSNumber(value: 1)] }
  let amount: Double
  init(_ amount: Double) { self.amount = amount }
}

private final class CodedAmount: Amount, Codable {
  private enum Key: CodingKey { case amount }
  override init(_ amount: Double) { super.init(amount) }
  init(from decoder: any Decoder) throws {
    super.init(try decoder.container(keyedBy: Key.self).decode(Double.self, forKey: .amount))
  }
  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(amount, forKey: .amount)
  }
}

private final class ArchivedAmount: Amount, NSSecureCoding {
  static let supportsSecureCoding = true
  override init(_ amount: Double) { super.init(amount) }
  init?(coder: NSCoder) {
    guard let amount = coder.decodeObject(of: NSNumber.self, forKey: "amount") else { return nil }
    super.init(amount.doubleValue)
  }
  func encode(with coder: NSCoder) { coder.encode(NSNumber(value: amount), forKey: "amount") }
}

private final class UnknownAmount: Amount, Codable {
  override init(_ amount: Double) { super.init(amount) }
  init(from decoder: any Decoder) throws { super.init(0) }
  func encode(to encoder: any Encoder) throws {}
}

/// The classes stay registered: other tests have compositors of other classes.
@Suite(.serialized) struct `An instruction on the way to a farm` {
  private let composition = AVMutableComposition()
  private let video = AVMutableVideoComposition()
  private let classes = FarmClasses(
    compositors: [Passing.self], instructions: [CodedAmount.self, ArchivedAmount.self])

  init() throws {
    FarmClasses.ofProgram = classes
    let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 1))
    try track.insertTimeRange(
      TestMedia.range(0, 10), of: #require(TestMedia.asset().tracks(withMediaType: .video).first), at: .zero)
    (video.renderSize, video.frameDuration) = (CGSize(width: 64, height: 48), TestMedia.tenths(1))
    video.customVideoCompositorClass = Passing.self
  }

  /// The document's compositor for an instruction.
  private func compositor(_ instruction: any AVVideoCompositionInstructionProtocol) throws -> CompositorInstruction {
    video.instructions = [instruction]
    let document = try composition.spoolDocument(videoComposition: video)
    let timeline = try Timeline.parse(Array(document.utf8))
    guard case .compositor(let compositor)? = timeline.videoComposition?.instructions.first?.content else {
      throw MissingCompositor()
    }
    return compositor
  }

  private struct MissingCompositor: Error {}

  private func travelled(
    _ instruction: any AVVideoCompositionInstructionProtocol
  ) throws -> any AVVideoCompositionInstructionProtocol {
    let statement = try compositor(instruction).statement(in: MediaTimeRange(start: .zero, end: .oneSecond))
    return try #require(try classes.instruction(ofParameters: statement.parametersJSON))
  }

  @Test func `arrives as it was, by Codable and by secure coding, though its class is private`() throws {
    let amounts = [1.0 / 3, 0.1, -1e-300, 0]
    for amount in amounts {
      #expect(try (travelled(CodedAmount(amount)) as? CodedAmount)?.amount == amount)
      #expect(try (travelled(ArchivedAmount(amount)) as? ArchivedAmount)?.amount == amount)
    }
  }

  @Test func `is in the document with the compositor's name, its tracks and its traits`() throws {
    let compositor = try compositor(CodedAmount(0.5))
    #expect(compositor.name == "Passing" && compositor.requiredTracks.map(\.rawValue) == ["1"])
    #expect(!compositor.containsTweening && !compositor.enablePostProcessing && compositor.passthrough == nil)
  }

  @Test func `of AVFoundation's own kind brings its colour, its layers and their ramps`() throws {
    let given = AVMutableVideoCompositionInstruction()
    given.timeRange = TestMedia.range(0, 10)
    given.backgroundColor = CGColor(red: 0.1, green: 0.2, blue: 0.3, alpha: 0.4)
    given.enablePostProcessing = false
    let layer = AVMutableVideoCompositionLayerInstruction()
    layer.trackID = 1
    layer.setOpacityRamp(fromStartOpacity: 0.3, toEndOpacity: 0.7, timeRange: TestMedia.range(2, 4))
    layer.setTransform(CGAffineTransform(a: 1, b: 0.25, c: 0, d: 1, tx: 3.5, ty: 1.0 / 3), at: TestMedia.tenths(1))
    given.layerInstructions = [layer]
    let made = try #require(travelled(given) as? AVMutableVideoCompositionInstruction)
    #expect(made.timeRange == given.timeRange && !made.enablePostProcessing)
    #expect(made.backgroundColor?.components == given.backgroundColor?.components)
    let arrived = try #require(made.layerInstructions.first)
    #expect(made.layerInstructions.count == 1 && arrived.trackID == 1)
    var (start, end, range, transform) = (Float(0), Float(0), CMTimeRange.zero, CGAffineTransform.identity)
    #expect(unsafe arrived.getOpacityRamp(for: TestMedia.tenths(3), startOpacity: &start, endOpacity: &end, timeRange: &range))
    #expect(start == 0.3 && end == 0.7 && range == TestMedia.range(2, 4))
    #expect(unsafe arrived.getTransformRamp(for: TestMedia.tenths(3), start: &transform, end: nil, timeRange: nil))
    #expect(transform == CGAffineTransform(a: 1, b: 0.25, c: 0, d: 1, tx: 3.5, ty: 1.0 / 3))
  }

  @Test func `is not in the document where a hidden video layer hides what it would show`() throws {
    let (parent, seen) = (CALayer(), CALayer())
    (parent.frame, seen.frame) = (CGRect(x: 0, y: 0, width: 64, height: 48), CGRect(x: 0, y: 0, width: 64, height: 48))
    seen.opacity = 0
    parent.addSublayer(seen)
    let plain = AVMutableVideoCompositionInstruction()
    plain.timeRange = TestMedia.range(0, 10)
    video.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: seen, in: parent)
    #expect(throws: MissingCompositor.self) { try compositor(plain) }
    // This one declines the layers, so that its frames are seen.
    #expect(try compositor(CodedAmount(1)).name == "Passing")
  }

  @Test func `stays where it is when it cannot be coded, and the reason is told`() throws {
    func reason(_ instruction: any AVVideoCompositionInstructionProtocol) -> String {
      do {
        _ = try compositor(instruction)
        return ""
      } catch { return "\(error)" }
    }
    #expect(reason(Amount(1)).contains("its instruction Amount is neither Codable nor NSSecureCoding"))
    #expect(reason(UnknownAmount(1)).contains("its instruction UnknownAmount is not registered"))
    #expect(reason(CodedAmount(.infinity)).contains("its instruction CodedAmount cannot be coded"))
    video.renderScale = 0.5
    #expect(reason(CodedAmount(1)).contains("its renderScale is 0.5"))
    video.renderScale = 1
    video.customVideoCompositorClass = Forgetful.self
    #expect(reason(CodedAmount(1)).contains("Forgetful is not in a document: the program does not register it for farms"))
  }

  @Test func `is refused on the farm where its words are wrong`() throws {
    func instruction(_ words: String) throws -> (any AVVideoCompositionInstructionProtocol)? {
      try classes.instruction(ofParameters: Array(words.utf8))
    }
    #expect(try instruction(#"{"amount": 1}"#) == nil)
    for words in [
      #"{"instruction": "UnknownAmount", "coded": {}}"#, #"{"instruction": "CodedAmount", "coded": {"amount": "much"}}"#,
      #"{"instruction": "CodedAmount"}"#, #"{"instruction": "ArchivedAmount", "archive": "AAAA"}"#,
      #"{"instruction": "AVVideoCompositionInstruction", "coded": {"layers": []}}"#,
    ] {
      #expect(throws: (any Error).self, "\(words)") { try instruction(words) }
    }
    // Archives are opened in contained processes alone.
    try classes.check(parameters: Array(#"{"instruction": "ArchivedAmount", "archive": "AAAA"}"#.utf8))
    #expect(throws: DecodingError.self) { try classes.check(parameters: Array(#"{"instruction": "CodedAmount"}"#.utf8)) }
  }

  @Test func `a request that is let go unfinished fails instead of hanging`() throws {
    video.customVideoCompositorClass = Forgetful.self
    video.instructions = [CodedAmount(1)]
    let output = AVAssetReaderVideoCompositionOutput(
      videoTracks: composition.tracks(withMediaType: .video), videoSettings: nil)
    output.videoComposition = video
    let reader = try AVAssetReader(asset: composition)
    reader.add(output)
    #expect(reader.startReading())
    #expect(output.copyNextSampleBuffer() == nil)
    #expect(reader.status == .failed && "\(reader.error.map { "\($0)" } ?? "")".contains("let go unfinished"))
  }
}
