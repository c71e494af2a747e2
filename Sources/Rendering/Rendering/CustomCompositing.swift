internal import Compositing
internal import Formats
internal import Media
internal import MediaTime
internal import Messages
internal import Scenes
package import SpoolCompositing
internal import Timeline

/// The parts that a rendering needs to call compositors of the user's own: the compositors of the program, a way to cancel them,
/// and a listener.
package struct CustomCompositing {
  package var registry: CompositorRegistry
  package var cancellation: Cancellation
  /// A listener, called on the rendering thread with the name of the compositor that the next frames need; nil when they need
  /// none.
  package var entered: (String?) -> Void

  package init(
    registry: CompositorRegistry = CompositorRegistry(), cancellation: Cancellation = Cancellation(),
    entered: @escaping (String?) -> Void = { _ in }
  ) {
    (self.registry, self.cancellation, self.entered) = (registry, cancellation, entered)
  }
}

/// The error of a compositor that could not make a frame.
package struct ComposingError: Error {
  let compositor: String
  /// The frame's time, on the clock of its composition.
  let time: MediaTime
  let reason: String
  /// Whether this program lacks the compositor. Another worker's program may have it.
  var isMissing = false
}

/// The instructions of an edit, made into the types that their compositors use. One thread at a time.
final class CustomInstructions {
  /// The most instructions that are kept. A frame rarely needs more than one. There are few enough to search one by one.
  private static let capacity = 16

  private let registry: CompositorRegistry
  /// The instructions, most recently made last.
  private var known: [(statement: CompositorStatement, value: any VideoCompositionInstruction)] = []

  init(_ registry: CompositorRegistry) { self.registry = registry }

  /// The instruction that a compositor gets.
  ///
  /// - Parameter time: the frame's time, on the clock of its composition. Errors name it.
  /// - Throws: `ComposingError`.
  func instruction(_ statement: CompositorStatement, at time: MediaTime) throws -> any VideoCompositionInstruction {
    if let known = known.first(where: { $0.statement == statement }) { return known.value }
    let made: (any VideoCompositionInstruction)?
    do { made = try registry.instruction(statement) } catch {
      throw ComposingError(compositor: statement.name, time: time, reason: "\(error)")
    }
    guard let made else { throw ComposingError(missing: statement.name, at: time) }
    if known.count == Self.capacity { known.removeFirst() }
    known.append((statement, made))
    return made
  }

  /// The traits that the instruction's type states. They may overrule the document.
  ///
  /// - Throws: `ComposingError`.
  func traits(of statement: CompositorStatement, at time: MediaTime) throws -> CompositorTraits {
    let instruction = try instruction(statement, at: time)
    return CompositorTraits(
      containsTweening: instruction.containsTweening, enablePostProcessing: instruction.enablePostProcessing)
  }
}

/// Calls the compositors for one place in the edit. One thread at a time.
final class ComposedPictures {
  private let supplies: SceneSupplies
  private let canvas: Scene.Canvas
  private var stages: [String: Stage] = [:]
  /// The last frame of an instruction without tweening, and the values that decide it.
  private var last: (composed: Settled<Scene.Composed>, frame: SourcePicture)?

  /// A compositor, and the objects that make its source frames.
  private struct Stage {
    let host: any HostedCompositor
    let converter: SourceConverter
    let layer: Compositor
  }

  init(_ supplies: SceneSupplies, _ canvas: Scene.Canvas) { (self.supplies, self.canvas) = (supplies, canvas) }

  /// The frame that a compositor makes of `sources`, the pictures of its tracks.
  ///
  /// - Parameters:
  ///   - progress: the progress of the instruction, in [0, 1).
  ///   - background: the colour behind source frames that have alpha, or that the compositor wants laid into the frame.
  /// - Throws: `ComposingError`; `CompositingError`; `MediaError`; `Cancellation.Cancelled`.
  func frame(
    of composed: Scene.Composed, _ sources: [(track: TrackID, picture: SourcePicture)], progress: Double, background: RGBAColor
  ) throws -> SourcePicture {
    let settled = try composed.settled(by: supplies.witness)
    if let last, last.composed == settled { return last.frame }
    let instruction = try supplies.instructions.instruction(composed.statement, at: composed.time)
    supplies.compositing.entered(composed.statement.name)
    let stage = try stage(for: composed)
    var frames: [String: VideoFrame] = [:]
    for (track, source) in sources { frames[track.rawValue] = try frame(of: source, stage, background) }
    stage.converter.finishScene()
    let buffer = try compose(composed, instruction, progress: progress, on: stage, of: frames)
    let frame = SourcePicture(rendered: buffer, color: canvas.color.of(FrameFormat(buffer.format)))
    last = instruction.containsTweening ? nil : (settled, frame)
    return frame
  }

  private func stage(for composed: Scene.Composed) throws -> Stage {
    let name = composed.statement.name
    if let known = stages[name] { return known }
    let registry = supplies.compositing.registry
    guard
      let host = registry.host(
        name, renderFormat: FrameFormat(canvas.format), canvas.renderSize, frameDuration: composed.frameDuration, canvas.color)
    else { throw ComposingError(missing: name, at: composed.time) }
    let format = host.context.sourceFormat
    let color = canvas.color.of(format)
    let stage = Stage(
      host: host,
      converter: SourceConverter(format: format.pixelFormat, color: color, toneMap: canvas.toneMap),
      layer: Compositor(renderSize: canvas.renderSize, format: format.pixelFormat, color: color, toneMap: canvas.toneMap))
    stages[name] = stage
    return stage
  }

  private func compose(
    _ composed: Scene.Composed, _ instruction: any VideoCompositionInstruction, progress: Double, on stage: Stage,
    of frames: [String: VideoFrame]
  ) throws -> PixelBuffer {
    let answers = Handover<ComposedAnswer>(capacity: 1)
    let answer = try supplies.compositing.cancellation.during {
      stage.host.start(instruction, at: CompositionTime(composed.time), progress: progress, frames: frames) {
        _ = answers.put($0)
      }
    } wait: {
      answers.take()
    } onCancel: { [host = stage.host] in
      host.cancel()
    }
    func failure(_ reason: String) -> ComposingError {
      ComposingError(compositor: composed.statement.name, time: composed.time, reason: reason)
    }
    switch answer {
    case .composed(let frame):
      let size = canvas.renderSize
      guard (frame.width, frame.height) == (size.width, size.height) else {
        throw failure("made a frame of \(frame.width) x \(frame.height) instead of \(size.width) x \(size.height)")
      }
      return frame.buffer
    case .failed(let error): throw failure("\(error)")
    case .cancelled: throw failure("finished the request as cancelled, but nobody had cancelled it")
    case nil: preconditionFailure("the hand-over is never closed")
    }
  }

  private func frame(
    of source: SourcePicture, _ stage: Stage, _ background: RGBAColor
  ) throws -> VideoFrame {
    let display = source.facts.displaySize
    switch stage.host.sourceSize {
    case .natural:
      return VideoFrame(try stage.converter.converted(source, over: background), width: display.width, height: display.height)
    case .render(let gravity):
      let size = canvas.renderSize
      let laid = Scene.Placement(transform: Gravity(gravity).placement(of: display, in: size))
      let buffer = try stage.layer.composite(Collage(background: background, pieces: [.picture(source, laid)]))
      return VideoFrame(buffer, width: size.width, height: size.height)
    }
  }
}

extension ComposingError {
  fileprivate init(missing compositor: String, at time: MediaTime) {
    self.init(compositor: compositor, time: time, reason: "this program has no such compositor", isMissing: true)
  }
}

extension Gravity {
  fileprivate init(_ gravity: SourceGravity) {
    self =
      switch gravity {
      case .resize: .resize
      case .resizeAspect: .resizeAspect
      case .resizeAspectFill: .resizeAspectFill
      }
  }
}
