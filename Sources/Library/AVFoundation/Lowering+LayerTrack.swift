internal import Formats
internal import MediaTime
internal import Timeline

// A tree of layers that is a track of its own, which layer instructions lay over the video.
extension Lowering {
  /// The layers of a tree that is a track: once for each instruction that lays it, as long as that instruction, with the opacity that it
  /// has there.
  ///
  /// - Throws: an `AVError` where a track lies over the tree, where it is moved or cut off, and where no instruction lays it.
  mutating func lowered(
    _ tool: AVVideoCompositionCoreAnimationTool, asTrack trackID: CMPersistentTrackID, _ parts: AVVideoComposition.Parts,
    _ frameDuration: MediaTime
  ) throws(AVError) -> [Layer] {
    guard parts.compositor == nil else {
      throw unsaid("additionalLayer", "a layer that is a track is not made with a compositor")
    }
    let ground = CALayer()
    ground.frame = CGRect(origin: .zero, size: parts.renderSize)
    let end = composition.compositionTracks.map(\.edit.duration).max() ?? .zero
    let clock = LayerTime(end: end, frameDuration: frameDuration)
    let tree = try DepthOrder(
      try lowered(tool.rootLayer, on: ground, isDown: false, nil, clock, "additionalLayer")
    ).sorted()
    let frame = LayerGeometry(frame: Rect(0, 0, Double(parts.renderSize.width), Double(parts.renderSize.height)))
    var made: [Layer] = []
    for (index, given) in parts.instructions.enumerated() {
      let place = "instructions[\(index)]"
      guard let layers = (given as? AVVideoCompositionInstruction)?.layerInstructions,
        let position = layers.firstIndex(where: { $0.trackID == trackID })
      else { continue }
      guard position == 0 else {
        throw unsaid("additionalLayer", "\(place): a layer that is a track is made over all others: lay it first")
      }
      let range = try MediaTimeRange(ofInstruction: given.timeRange, "\(place).timeRange", until: end)
      guard let seen = try timed(place, { () throws(TimeError) in try range.clipped(to: end) }), !seen.isEmpty else { continue }
      let opacity = try opacity(of: layers[0], "\(place).layerInstructions[0]", given.timeRange.start)
      try requireInPlace(layers[0], "\(place).layerInstructions[0]")
      made.append(Layer(content: nil, geometry: frame, opacity: opacity, timeRange: seen, sublayers: tree))
    }
    guard !made.isEmpty else { throw unsaid("additionalLayer", "no layer instruction lays the track \(trackID)") }
    return made
  }

  private func requireInPlace(_ layer: AVVideoCompositionLayerInstruction, _ place: String) throws(AVError) {
    let code = AVError.Code.invalidVideoComposition
    let transform = try layer.transform.envelope("\(place).transform", code) { (map) throws(AVError) in
      try affine(map, "\(place).transform", code)
    }
    let crop = try layer.crop.envelope("\(place).cropRectangle", code) { (rect) throws(AVError) in
      try rectangle(rect, "\(place).cropRectangle", code)
    }
    guard transform.keyframes.allSatisfy({ $0.value == .identity }), crop.keyframes.isEmpty else {
      throw unsaid(
        "additionalLayer", "\(place): a layer that is a track is not moved or cut off by its instruction: do it in the tree")
    }
  }
}
