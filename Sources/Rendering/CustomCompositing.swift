internal import Compositing
internal import Media
internal import MediaTime
internal import Messages
package import SpoolCompositing
internal import Timeline

/// What a rendering is given to call compositors of the user's own: those that the program has, and who hears of it.
package struct CustomCompositing {
  package var registry: CompositorRegistry
  package var cancellation: Cancellation
  /// Called on the rendering thread with the name of the compositor that the next frames need; nil when they need none.
  package var entered: (String?) -> Void

  package init(
    registry: CompositorRegistry = CompositorRegistry(), cancellation: Cancellation = Cancellation(),
    entered: @escaping (String?) -> Void = { _ in }
  ) {
    (self.registry, self.cancellation, self.entered) = (registry, cancellation, entered)
  }
}

/// A compositor could not make a frame.
package struct ComposingError: Error {
  let compositor: String
  /// On the clock of its composition.
  let time: MediaTime
  let reason: String
  /// Whether another worker's program may have the compositor.
  var isMissing = false
}

extension Failure {
  init(_ error: ComposingError) {
    self.init(error.isMissing ? .worker : .content, at: "compositor '\(error.compositor)' at \(error.time) s", error.reason)
  }
}

/// The compositors of one video composition at work. Belongs to one thread.
final class ComposedPictures {
  private let edit: ResolvedTimeline
  private let composition: VideoComposition
  private let surroundings: CustomCompositing
  private var stages: [String: Stage] = [:]
  private var instruction: (position: Int, value: any VideoCompositionInstruction)?
  /// The last frame of an instruction without tweening, and what it was made of.
  private var last: (position: Int, sources: [String: PixelBuffer], frame: PixelBuffer)?

  /// A compositor, and what makes its source frames.
  private struct Stage {
    let host: any HostedCompositor
    let converter: SourceConverter
    let layer: Compositor
  }

  init(_ edit: ResolvedTimeline, _ composition: VideoComposition, _ surroundings: CustomCompositing) {
    (self.edit, self.composition, self.surroundings) = (edit, composition, surroundings)
  }

  /// The scene with the composed frame as its only picture, and that frame; or with the passthrough picture, where nothing is to be composed.
  func replacing(
    _ composed: ComposedPicture, of scene: Scene, _ sources: [PlacedPicture: SourcePicture]
  ) throws -> (Scene, [PlacedPicture: SourcePicture]) {
    guard let use = edit.compositorUse(at: composed.instruction) else {
      preconditionFailure("a composed picture has a compositor")
    }
    let name = use.compositor.name
    let stage = try stage(name, at: scene.time)
    let instruction = try instruction(composed.instruction, use, stage, at: scene.time)
    let overlays = instruction.enablePostProcessing ? scene.overlays : []
    if let passthrough = composed.passthrough, composed.sources.map(\.track) == [passthrough.track],
      let source = composed.sources.first.flatMap({ sources[$0] })
    {
      let picture = Scene.Picture.layers([passthrough])
      return (scene.showing(picture, overlays), [passthrough: source])
    }
    let given = composed.sources.reduce(into: [:]) { $0[$1.track.rawValue] = sources[$1] }
    let buffers = given.mapValues(\.buffer)
    let frame: PixelBuffer
    if !instruction.containsTweening, let last, last.position == composed.instruction, last.sources.same(as: buffers) {
      frame = last.frame
    } else {
      surroundings.entered(name)
      frame = try compose(composed, use, instruction, stage, scene, sources)
    }
    last = instruction.containsTweening ? nil : (composed.instruction, buffers, frame)
    let placed = PlacedPicture(wholeFrameOf: name)
    let picture = SourcePicture(buffer: frame, facts: edit.picture(format: FrameFormat(frame.format)))
    return (scene.showing(.layers([placed]), overlays), [placed: picture])
  }

  private func stage(_ name: String, at time: MediaTime) throws -> Stage {
    if let known = stages[name] { return known }
    guard let host = surroundings.registry.host(name, renderFormat: FrameFormat(edit.renderFormat), composition, edit.color)
    else {
      throw ComposingError(compositor: name, time: time, reason: "this program has no such compositor", isMissing: true)
    }
    let format = host.context.sourceFormat
    let color = edit.color.of(format)
    let stage = Stage(
      host: host,
      converter: SourceConverter(format: format.pixelFormat, color: color, toneMap: composition.toneMap),
      layer: Compositor(
        renderSize: composition.renderSize, format: format.pixelFormat, color: color, toneMap: composition.toneMap))
    stages[name] = stage
    return stage
  }

  private func instruction(
    _ position: Int, _ use: CompositorUse, _ stage: Stage, at time: MediaTime
  ) throws -> any VideoCompositionInstruction {
    if let instruction, instruction.position == position { return instruction.value }
    do {
      let value = try stage.host.instruction(use)
      instruction = (position, value)
      return value
    } catch {
      throw ComposingError(compositor: use.compositor.name, time: time, reason: "\(error)")
    }
  }

  private func compose(
    _ composed: ComposedPicture, _ use: CompositorUse, _ instruction: any VideoCompositionInstruction, _ stage: Stage,
    _ scene: Scene, _ sources: [PlacedPicture: SourcePicture]
  ) throws -> PixelBuffer {
    var frames: [String: VideoFrame] = [:]
    for placed in composed.sources {
      guard let source = sources[placed] else { preconditionFailure("a scene's sources were read") }
      frames[placed.track.rawValue] = try frame(of: source, placed, stage, scene)
    }
    stage.converter.finishScene()
    let progress = try use.instruction.timeRange.progress(at: scene.time)
    let answers = Handover<ComposedAnswer>(capacity: 1)
    let answer = try surroundings.cancellation.during {
      stage.host.start(instruction, at: CompositionTime(scene.time), progress: progress, frames: frames) {
        _ = answers.put($0)
      }
    } wait: {
      answers.take()
    } onCancel: { [host = stage.host] in
      host.cancel()
    }
    func failure(_ reason: String) -> ComposingError {
      ComposingError(compositor: use.compositor.name, time: scene.time, reason: reason)
    }
    switch answer {
    case .composed(let frame):
      let size = composition.renderSize
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
    of source: SourcePicture, _ placed: PlacedPicture, _ stage: Stage, _ scene: Scene
  ) throws -> VideoFrame {
    let display = source.facts.displaySize
    switch stage.host.sourceSize {
    case .natural:
      return VideoFrame(try stage.converter.converted(source), width: display.width, height: display.height)
    case .render(let gravity):
      let size = composition.renderSize
      let laid = placed.placed(by: Gravity(gravity).placement(of: display, in: size))
      let buffer = try stage.layer.composite(scene.showing(.layers([laid]), []), sources: [laid: source], overlays: [])
      return VideoFrame(buffer, width: size.width, height: size.height)
    }
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

extension Scene {
  var isComposed: Bool { if case .composed = picture { true } else { false } }

  fileprivate func showing(_ picture: Picture, _ overlays: [Int]) -> Scene {
    Scene(time: time, background: background, picture: picture, overlays: overlays)
  }
}

extension PlacedPicture {
  /// A composed frame, which is to the scene what a nested composition's would be.
  fileprivate init(wholeFrameOf compositor: String) {
    self.init(
      track: TrackID(compositor), source: .composition(CompositionID(compositor)), sourceTime: Rational(0), crop: nil,
      transform: .identity, opacity: 1)
  }

  fileprivate func placed(by transform: AffineTransform) -> PlacedPicture {
    PlacedPicture(
      track: track, source: source, sourceTime: sourceTime, isReversed: isReversed, crop: nil, transform: transform, opacity: 1)
  }
}

extension ResolvedTimeline {
  /// What composed frames of a format are like.
  fileprivate func picture(format: FrameFormat) -> VideoFacts {
    guard var facts = picture else { preconditionFailure("a composed frame belongs to a picture") }
    facts.color = color.of(format)
    return facts
  }
}

extension [String: PixelBuffer] {
  fileprivate func same(as other: [String: PixelBuffer]) -> Bool {
    count == other.count && allSatisfy { other[$0.key] === $0.value }
  }
}
