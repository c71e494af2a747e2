internal import Formats
package import MediaTime
internal import Timeline

/// Makes the scenes of an edit's frames, one after the other, and keeps what surely does not change from one to the next. The scenes
/// are those that the edit gives by itself: only the time that they take differs (decision 0225). One thread at a time.
package final class SceneReel {
  package let edit: ResolvedTimeline
  private let kept = KeptScene()

  package init(_ edit: ResolvedTimeline) { self.edit = edit }

  /// The scene of output frame `index`, which counts from the start of the exported range.
  ///
  /// - Precondition: the edit has a picture and `index` lies in `0..<frameCount`.
  package func scene(at index: Int) throws(TimeError) -> Scene { try edit.scene(at: index, keeping: kept) }
}

/// The memory of an edit's scenes. All of it depends on the edit alone, or on what is asked of the time, which is noted.
final class KeptScene {
  let layers = KeptLayer()
  private var captions: [Int: KeptCaptions] = [:]
  private var nested: [CompositionID: KeptScene] = [:]
  private var facts: [SegmentSource: Shared<VideoFacts>] = [:]
  private var canvas: Shared<Scene.Canvas>?
  private var showsVideo: Bool?

  func captions(of track: Int) -> KeptCaptions { captions.entry(track, KeptCaptions()) }

  func nested(_ composition: CompositionID) -> KeptScene { nested.entry(composition, KeptScene()) }

  /// The facts of a source's pictures, which are the same throughout.
  func facts(of source: SegmentSource, of edit: ResolvedTimeline) -> Shared<VideoFacts> {
    facts.entry(source, Shared(wrappedValue: edit.picture(of: source)))
  }

  /// The edit's canvas, which is the same throughout.
  func canvas(_ make: @autoclosure () -> Scene.Canvas) -> Shared<Scene.Canvas> {
    if let canvas { return canvas }
    let made = Shared(wrappedValue: make())
    canvas = made
    return made
  }

  /// Whether the edit's layers show the video.
  func showsVideo(_ layers: [Layer]) -> Bool {
    if let showsVideo { return showsVideo }
    let made = layers.showVideo
    showsVideo = made
    return made
  }
}

/// The memory of a track's captions.
final class KeptCaptions {
  private var last: (moment: CaptionTrack.Moment, layers: [Layer], kept: KeptLayer)?

  /// The layers that show captions at a moment, and what is kept of them. Nothing but the moment decides them.
  func layers(
    at moment: CaptionTrack.Moment, _ make: () throws(TimeError) -> [Layer]
  ) throws(TimeError) -> (layers: [Layer], kept: KeptLayer) {
    if let last, last.moment == moment { return (last.layers, last.kept) }
    let made = (layers: try make(), kept: KeptLayer())
    last = (moment, made.layers, made.kept)
    return made
  }
}

/// The memory of a layer, and of those on it.
final class KeptLayer {
  /// A value that was made from the answers to what was asked of the time, and the times at which they are the same.
  struct Entry<Value> {
    let value: Value
    let stretch: Stretch
  }

  /// A value that was made for a layer of a certain size.
  struct Sized<Value> {
    let size: Point
    let entry: Entry<Value>
  }

  var nodes: Entry<Shared<[Scene.Node]>>?
  /// The nodes of all layers on this one, bottommost first.
  var nodesOfSublayers: Entry<[Shared<[Scene.Node]>]>?
  /// The times at which the layers on this one are seen; nil before they were first asked for.
  var roll: LayerRoll?
  var drawing: Sized<Shared<Scene.Drawing>>?
  var text: Sized<Scene.MovingText.Rest>?
  private var sublayers: [KeptLayer] = []

  /// The memory of a layer on this one, by its place in the list.
  func sublayer(_ index: Int) -> KeptLayer {
    while sublayers.count <= index { sublayers.append(KeptLayer()) }
    return sublayers[index]
  }
}

extension Dictionary {
  /// The value of a key, which is made where there is none.
  fileprivate mutating func entry(_ key: Key, _ make: @autoclosure () -> Value) -> Value {
    if let value = self[key] { return value }
    let made = make()
    self[key] = made
    return made
  }
}
