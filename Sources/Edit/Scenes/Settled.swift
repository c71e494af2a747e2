package import Formats
package import MediaTime
package import Timeline

/// A scene, or a part of one, reduced to the values that decide its picture. Equal values of this type show the same picture
/// (decision 0110).
///
/// It says which frames its clips show, by the frames' own times, in the order of the tree. It drops the times at which the edit
/// asked for them, the tracks that lead to them, and the direction in which they are played. It also drops the time of a composed
/// frame that does not depend on time.
package struct Settled<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The frames come first, since those of two scenes that differ mostly do, and are compared sooner.
  fileprivate let frames: [ShownFrame]
  fileprivate let value: Value

  fileprivate init(_ value: Value, _ frames: [ShownFrame]) { (self.value, self.frames) = (value, frames) }
}

/// The answers that settling a scene needs from others.
package struct SceneWitness {
  /// The frame that a clip shows in the given picture.
  package let shownFrame: (Scene.Clip, Scene.Picture) throws -> ShownFrame
  /// The traits that the compositor's own instruction states, at a time of its composition. They may overrule the document.
  package let traits: (CompositorStatement, MediaTime) throws -> CompositorTraits
  /// The states of a moving text's parts.
  package let textStates: (Scene.MovingText) throws -> [TextState]

  /// - Parameter textStates: for an edit whose texts do not move it is not asked.
  package init(
    shownFrame: @escaping (Scene.Clip, Scene.Picture) throws -> ShownFrame,
    traits: @escaping (CompositorStatement, MediaTime) throws -> CompositorTraits = { statement, _ in statement.traits },
    textStates: @escaping (Scene.MovingText) throws -> [TextState] = { _ in preconditionFailure("no text moves") }
  ) {
    (self.shownFrame, self.traits, self.textStates) = (shownFrame, traits, textStates)
  }
}

extension Scene {
  /// The scene reduced to the values that decide its picture.
  ///
  /// - Throws: what the witness throws.
  package func settled(by witness: SceneWitness) throws -> Settled<Scene> {
    var settler = Settler(witness: witness)
    let value = try settler.settled(self)
    return Settled(value, settler.frames)
  }
}

extension Scene.Composed {
  /// The compositor's frame, without the stills over it, reduced to the values that decide it.
  ///
  /// - Throws: what the witness throws.
  package func settled(by witness: SceneWitness) throws -> Settled<Scene.Composed> {
    var settler = Settler(witness: witness)
    let alone = Scene.Composed(statement: statement, time: time, frameDuration: frameDuration, content: content, stills: [])
    let value = try settler.settled(alone)
    return Settled(value, settler.frames)
  }
}

extension Settled<Scene> {
  /// The still pictures that the scene draws, and those that its wipes go by, also in nested scenes.
  package var stillAssets: Set<AssetID> { value.stillAssets }
}

private struct Settler {
  let witness: SceneWitness
  var frames: [ShownFrame] = []

  mutating func settled(_ scene: Scene) throws -> Scene {
    Scene(canvas: scene.canvas, background: scene.background, nodes: try settled(scene.nodes))
  }

  private mutating func settled(_ nodes: [Scene.Node]) throws -> [Scene.Node] {
    var settled: [Scene.Node] = []
    for node in nodes { settled.append(try self.settled(node)) }
    return settled
  }

  private mutating func settled(_ node: Scene.Node) throws -> Scene.Node {
    switch node {
    case .picture(let picture, let placement): .picture(try settled(picture), placement)
    case .transition(let effect, let from, let to, let progress):
      .transition(effect, from: try settled(from), to: try settled(to), progress: progress)
    case .composed(let composed): .composed(try settled(composed))
    case .still, .backdrop: node
    case .movingText(let text, let placement): .movingText(text.settled(as: try witness.textStates(text)), placement)
    case .video(let scene, let placement): .video(try settled(scene), placement)
    case .woven(let woven): try .woven(Scene.Woven(settled(woven.first), settled(woven.second), woven.fields))
    case .group(let group):
      try .group(
        group.with(settled(group.nodes), mask: group.mask.map { Scene.Mask(try settled($0.nodes), $0.mode) }))
    }
  }

  private mutating func settled(_ picture: Scene.Picture) throws -> Scene.Picture {
    switch picture.content {
    case .clip(let clip):
      frames.append(try witness.shownFrame(clip, picture))
      return Scene.Picture(picture.content, path: [], time: Rational(0))
    case .nested(let composition, let scene):
      return Scene.Picture(.nested(composition, try settled(scene)), path: [], time: Rational(0))
    }
  }

  mutating func settled(_ composed: Scene.Composed) throws -> Scene.Composed {
    let traits = try witness.traits(composed.statement, composed.time)
    var (time, content) = (MediaTime.zero, composed.content)
    switch composed.content {
    case .request(let sources, let progress):
      var settled: [Scene.Composed.Source] = []
      for source in sources { settled.append(.init(track: source.track, picture: try self.settled(source.picture))) }
      if traits.containsTweening { time = composed.time }
      content = .request(settled, progress: traits.containsTweening ? progress : 0)
    case .passthrough(let nodes): content = .passthrough(try settled(nodes))
    }
    return Scene.Composed(
      statement: composed.statement, time: time, frameDuration: composed.frameDuration, content: content,
      stills: traits.enablePostProcessing ? try settled(composed.stills) : [],
      isInLayers: traits.enablePostProcessing && composed.isInLayers)
  }
}
