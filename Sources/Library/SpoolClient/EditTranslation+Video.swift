internal import AVFoundation

extension EditTranslation {
  /// Adds how the tracks are laid into the frame.
  ///
  /// - Parameter showingLayers: whether the layers are named beside the video composition.
  mutating func add(_ video: AVVideoComposition, showingLayers: Bool) throws {
    guard video.customVideoCompositorClass == nil else {
      throw SpoolClientError(property: "customVideoCompositorClass", reason: "a compositor's code cannot be said in a document")
    }
    guard video.animationTool == nil else {
      throw SpoolClientError(
        property: "animationTool", reason: "nobody can look into one: set it to nil, and name its layers as \"layers\"")
    }
    guard video.sourceTrackIDForFrameTiming == kCMPersistentTrackID_Invalid else {
      throw SpoolClientError(property: "sourceTrackIDForFrameTiming", reason: "frames follow each other by frameDuration")
    }
    var members: [String: DocumentValue] = [
      "renderSize": .numbers([
        try video.renderSize.width.checked("renderSize"), try video.renderSize.height.checked("renderSize"),
      ]),
      "frameDuration": try Self.time(video.frameDuration, "frameDuration"),
    ]
    if video.renderScale != 1 { members["renderScale"] = .number(decimal(video.renderScale)) }
    if let color = try Self.colors(of: video) { members["color"] = color }
    members["instructions"] = .list(try instructions(of: video))
    self.members["videoComposition"] = .object(members)
  }

  /// The instructions, cut off at the composition's end.
  private func instructions(of video: AVVideoComposition) throws -> [DocumentValue] {
    var list: [DocumentValue] = []
    var end = CMTime.zero
    for (index, given) in video.instructions.enumerated() {
      let place = "instructions[\(index)]"
      guard let instruction = given as? AVVideoCompositionInstruction else {
        throw SpoolClientError(property: place, reason: "\(type(of: given)) is an instruction for a custom compositor")
      }
      let range = instruction.timeRange
      guard range.start == end else {
        throw SpoolClientError(
          property: "\(place).timeRange",
          reason: "starts at \(range.start.seconds) s, but the instruction before it ends at \(end.seconds) s")
      }
      end = range.end
      let seen = CMTimeRange(start: range.start, end: min(range.end, composition.duration))
      guard seen.duration > .zero else { continue }
      var members: [String: DocumentValue] = ["timeRange": try Self.range(seen, "\(place).timeRange")]
      members["background"] = try instruction.backgroundColor.map { (color) throws(SpoolClientError) in
        try Self.color(color, "\(place).backgroundColor")
      }
      var layers: [DocumentValue] = []
      for (index, layer) in instruction.layerInstructions.enumerated() {
        if let layer = try self.layer(layer, "\(place).layerInstructions[\(index)]") { layers.append(layer) }
      }
      members["layerInstructions"] = .list(layers)
      list.append(.object(members))
    }
    guard end >= composition.duration else {
      throw SpoolClientError(
        property: "instructions", reason: "end at \(end.seconds) s, but the composition ends at \(composition.duration.seconds) s"
      )
    }
    return list
  }

  /// The layer instruction; nil for a track that plays nothing.
  private func layer(_ layer: AVVideoCompositionLayerInstruction, _ place: String) throws -> DocumentValue? {
    guard let track = tracks[layer.trackID], track.mediaType == .video else {
      if composition.tracks.contains(where: { $0.trackID == layer.trackID && $0.mediaType == .video }) { return nil }
      throw SpoolClientError(
        property: "\(place).trackID", reason: "no video track of the composition has the ID \(layer.trackID)")
    }
    guard let turn = track.turns.first, track.turns.count == 1 else {
      throw SpoolClientError(
        property: place, reason: "track \(layer.trackID) plays media that stand differently, one upright and one turned")
    }
    var members: [String: DocumentValue] = ["track": .text("\(layer.trackID)")]
    let opacities = try unsafe Ramp<Float>.all("\(place).opacity", from: 1) {
      unsafe layer.getOpacityRamp(for: $0, startOpacity: $1, endOpacity: $2, timeRange: $3)
    }
    // A ramp that leaves the bounds would be another one if its ends were brought to them.
    for ramp in opacities where ramp.start != ramp.end {
      guard (0...1).contains(min(ramp.start, ramp.end)), (0...1).contains(max(ramp.start, ramp.end)) else {
        throw SpoolClientError(
          property: "\(place).opacity",
          reason: "moves from \(ramp.start) to \(ramp.end), which is not in 0...1 on all of its way")
      }
    }
    members["opacity"] = try Ramp.keyframes(opacities, "\(place).opacity") { (value) throws(SpoolClientError) in
      .number(min(max(Double(try CGFloat(decimal(value)).checked("\(place).opacity")), 0), 1))
    }
    // A document lays the upright picture, and an instruction the stored one.
    let stored = turn.inverted()
    func terms(_ map: CGAffineTransform) throws(SpoolClientError) -> DocumentValue {
      let map = stored.concatenating(map)
      var terms: [CGFloat] = []
      for term in [map.a, map.b, map.c, map.d, map.tx, map.ty] { terms.append(try term.checked("\(place).transform")) }
      return .numbers(terms)
    }
    let maps = try unsafe Ramp<CGAffineTransform>.all("\(place).transform", from: .identity) {
      unsafe layer.getTransformRamp(for: $0, start: $1, end: $2, timeRange: $3)
    }
    members["transform"] = try Ramp.keyframes(maps, "\(place).transform", terms)
    if !turn.isIdentity { members["transform"] = try upright(members["transform"], before: terms(.identity), maps) }
    let crops = try unsafe Ramp<CGRect>.all("\(place).cropRectangle", from: .zero) {
      unsafe layer.getCropRectangleRamp(for: $0, startCropRectangle: $1, endCropRectangle: $2, timeRange: $3)
    }
    guard turn.isIdentity || crops.first.map({ $0.range.start <= .zero }) ?? true else {
      throw SpoolClientError(
        property: "\(place).cropRectangle", reason: "of a turned picture it must be set from zero on")
    }
    members["crop"] = try Ramp.keyframes(crops, "\(place).cropRectangle") { (crop) throws(SpoolClientError) in
      let seen = crop.applying(turn)
      var sides: [CGFloat] = []
      for side in [seen.minX, seen.minY, seen.width, seen.height] { sides.append(try side.checked("\(place).cropRectangle")) }
      return .numbers(sides)
    }
    return .object(members)
  }

  /// The keyframes of a turned picture. Before the first of them it lies as it is stored.
  private func upright(
    _ keyframes: DocumentValue?, before neutral: DocumentValue, _ ramps: [Ramp<CGAffineTransform>]
  ) -> DocumentValue {
    guard case .list(let list)? = keyframes, let first = ramps.first else { return neutral }
    guard first.range.start > .zero else { return .list(list) }
    return .list([.object(["at": .text("0"), "value": neutral, "hold": .flag(true)])] + list)
  }

  private static func colors(of video: AVVideoComposition) throws(SpoolClientError) -> DocumentValue? {
    let names: [String: String] = [
      AVVideoColorPrimaries_ITU_R_709_2: "bt709", AVVideoColorPrimaries_SMPTE_C: "smpte170m",
      AVVideoColorPrimaries_EBU_3213: "bt470bg", AVVideoColorPrimaries_P3_D65: "smpte432",
      AVVideoColorPrimaries_ITU_R_2020: "bt2020",
    ]
    let transfers: [String: String] = [
      AVVideoTransferFunction_ITU_R_709_2: "bt709", AVVideoTransferFunction_SMPTE_ST_2084_PQ: "smpte2084",
      AVVideoTransferFunction_ITU_R_2100_HLG: "arib-std-b67", AVVideoTransferFunction_IEC_sRGB: "iec61966-2-1",
      AVVideoTransferFunction_Linear: "linear",
    ]
    let matrices: [String: String] = [
      AVVideoYCbCrMatrix_ITU_R_709_2: "bt709", AVVideoYCbCrMatrix_ITU_R_601_4: "smpte170m",
      AVVideoYCbCrMatrix_ITU_R_2020: "bt2020nc",
    ]
    let given = [video.colorPrimaries, video.colorTransferFunction, video.colorYCbCrMatrix]
    guard given.contains(where: { $0 != nil }) else { return nil }
    guard let primaries = given[0].flatMap({ names[$0] }), let transfer = given[1].flatMap({ transfers[$0] }),
      let matrix = given[2].flatMap({ matrices[$0] })
    else {
      throw SpoolClientError(
        property: "colorPrimaries",
        reason: "colorPrimaries, colorTransferFunction and colorYCbCrMatrix must all be set, to values that documents have")
    }
    return .object([
      "primaries": .text(primaries), "transfer": .text(transfer), "matrix": .text(matrix), "range": .text("tv"),
    ])
  }
}
