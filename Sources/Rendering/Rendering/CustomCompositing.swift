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
  private var known: [(statement: CompositorStatement, value: HostedInstruction)] = []

  init(_ registry: CompositorRegistry) { self.registry = registry }

  /// The instruction that a compositor gets.
  ///
  /// - Parameter time: the frame's time, on the clock of its composition. Errors name it.
  /// - Throws: `ComposingError`.
  func instruction(_ statement: CompositorStatement, at time: MediaTime) throws -> HostedInstruction {
    if let known = known.first(where: { $0.statement == statement }) { return known.value }
    let made: HostedInstruction?
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
    try instruction(statement, at: time).traits
  }
}

/// Calls the compositors for one place in the edit. One thread at a time.
final class ComposedPictures {
  private let supplies: SceneSupplies
  private let canvas: Scene.Canvas
  private var stages: [String: Stage] = [:]
  /// The last frame of an instruction without tweening, and the values that decide it.
  private var last: (composed: Settled<Scene.Composed>, frame: SourcePicture)?

  /// A compositor, and the object that makes its source pictures; nil where it wants none.
  private struct Stage {
    let host: any HostedCompositor
    let stored: StoredPictures?
  }

  init(_ supplies: SceneSupplies, _ canvas: Scene.Canvas) { (self.supplies, self.canvas) = (supplies, canvas) }

  /// The frame that a compositor makes of `sources`, the pictures of its tracks.
  ///
  /// - Parameter background: the colour behind sources that have alpha.
  /// - Throws: `ComposingError`; `CompositingError`; `MediaError`; `Cancellation.Cancelled`.
  func frame(
    of composed: Scene.Composed, _ sources: [(track: TrackID, picture: SourcePicture)], over background: RGBAColor
  ) throws -> SourcePicture {
    let settled = try composed.settled(by: supplies.witness)
    if let last, last.composed == settled { return last.frame }
    let instruction = try supplies.instructions.instruction(composed.statement, at: composed.time)
    supplies.compositing.entered(composed.statement.name)
    let stage = try stage(for: composed)
    var given: [HostedRequest.Source] = []
    if let stored = stage.stored {
      for (track, source) in sources { given.append(.init(track, try stored.picture(of: source, over: background, composed))) }
    }
    let picture = try compose(composed, HostedRequest(instruction, at: composed.time, given), on: stage)
    let frame = try kept(picture, composed, in: stage.host.keptFormat)
    last = instruction.traits.containsTweening ? nil : (settled, frame)
    return frame
  }

  private func stage(for composed: Scene.Composed) throws -> Stage {
    let name = composed.statement.name
    if let known = stages[name] { return known }
    let wanted = HostedCanvas(renderSize: canvas.renderSize, frameDuration: composed.frameDuration, color: canvas.color)
    let host: (any HostedCompositor)?
    do { host = try supplies.compositing.registry.host(name, for: wanted) } catch { throw composed.failure("\(error)") }
    guard let host else { throw ComposingError(missing: name, at: composed.time) }
    let stage = Stage(host: host, stored: host.sourceForm.map(StoredPictures.init))
    stages[name] = stage
    return stage
  }

  private func compose(_ composed: Scene.Composed, _ request: HostedRequest, on stage: Stage) throws -> HostedPicture {
    let answers = Handover<ComposedAnswer>(capacity: 1)
    let answer = try supplies.compositing.cancellation.during {
      stage.host.start(request) { _ = answers.put($0) }
    } wait: {
      answers.take()
    } onCancel: { [host = stage.host] in
      host.cancel()
    }
    switch answer {
    case .composed(let picture): return picture
    case .failed(let error): throw composed.failure("\(error)")
    case .cancelled: throw composed.failure("finished the request as cancelled, but nobody had cancelled it")
    case nil: preconditionFailure("the hand-over is never closed")
    }
  }

  /// The picture as the clip of a compositor in the user's own process would keep it: as large as the frame, in Y'CbCr.
  private func kept(_ picture: HostedPicture, _ composed: Scene.Composed, in format: PixelFormat) throws -> SourcePicture {
    let (picture, own) = (picture.buffer, picture.color)
    let (x, y) = picture.format.shift(ofPlane: picture.format.planeCount - 1)
    guard picture.width % (1 << x) == 0, picture.height % (1 << y) == 0 else {
      throw composed.failure("made a picture of \(picture.width) x \(picture.height), which has half a sample of colour")
    }
    let (size, color) = (canvas.renderSize, own.inYCbCr)
    let whole = Rect(0, 0, Double(picture.width), Double(picture.height))
    let kept = try picture.converted(
      whole, of: own, to: format, width: size.width, height: size.height, color: color)
    return SourcePicture(rendered: kept, color: color)
  }
}

extension StoredPictures {
  /// The picture for a composed frame, to which a refusal belongs.
  fileprivate func picture(
    of source: SourcePicture, over background: RGBAColor, _ composed: Scene.Composed
  ) throws -> HostedPicture {
    do { return try picture(of: source, over: background) } catch let refusal as Refusal { throw composed.failure("\(refusal)") }
  }
}

extension Scene.Composed {
  fileprivate func failure(_ reason: String) -> ComposingError {
    ComposingError(compositor: statement.name, time: time, reason: reason)
  }
}

extension ComposingError {
  fileprivate init(missing compositor: String, at time: MediaTime) {
    self.init(compositor: compositor, time: time, reason: "this program has no such compositor", isMissing: true)
  }
}
