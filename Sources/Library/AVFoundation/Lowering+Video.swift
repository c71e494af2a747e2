internal import Formats
internal import MediaTime
internal import Timeline

extension Lowering {
  /// The composition that is made where none is given: only where documents' own one would show something else, because the
  /// picture is to be made smaller, or a track does not stand as its medium says.
  func usualVideoComposition(_ tracks: [AVMutableCompositionTrack]) -> AVVideoComposition? {
    let videos = tracks.filter { $0.mediaType == .video }
    let isTurned = videos.contains { track in
      track.media.contains { $0.facts.video.map { $0.preferredTransform != track.preferredTransform } ?? false }
    }
    let sizes = Set(videos.prefix(1).flatMap { $0.media.compactMap { $0.facts.video?.displaySize } })
    let isOfOneSize = sizes.count <= 1 && videos.first.map { $0.naturalSize == composition.naturalSize } ?? true
    guard request.bounds != nil || request.liesAsStored || isTurned || !isOfOneSize || request.codes != nil else { return nil }
    let usual = AVMutableVideoComposition(propertiesOf: composition)
    if let first = videos.first {
      let seen = CGRect(origin: .zero, size: composition.naturalSize).applying(first.preferredTransform)
      usual.renderSize = seen.size.even
    }
    if request.liesAsStored { usual.renderSize = (videos.first?.naturalSize ?? composition.naturalSize).even }
    if let frameDuration = request.frameDuration { usual.frameDuration = frameDuration }
    // Without a video composition, only the first video track is seen.
    let instruction = AVMutableVideoCompositionInstruction()
    instruction.timeRange = CMTimeRange(start: .zero, duration: composition.duration)
    instruction.layerInstructions =
      request.liesAsStored
      ? videos.prefix(1).map(AVMutableVideoCompositionLayerInstruction.init(assetTrack:))
      : composition.tracks.filter { $0.mediaType == .video && $0.isPlayable }.prefix(1)
        .map(AVMutableVideoCompositionLayerInstruction.init(upright:))
    usual.instructions = [instruction]
    return usual
  }

  func lowered(
    _ parts: AVVideoComposition.Parts, _ tracks: [AVMutableCompositionTrack], duration: MediaTime
  ) throws(AVError) -> VideoComposition {
    let code = AVError.Code.invalidVideoComposition
    guard parts.timingTrack == kCMPersistentTrackID_Invalid else {
      throw AVError(
        code, "sourceTrackIDForFrameTiming: frames follow each other by frameDuration", property: "sourceTrackIDForFrameTiming")
    }
    func side(_ length: CGFloat) throws(AVError) -> Int {
      guard let side = Int(exactly: length), side > 0 else {
        throw AVError(code, "renderSize: \(parts.renderSize) is not of whole, positive sides", property: "renderSize")
      }
      return side
    }
    let size = PixelSize(try side(parts.renderSize.width), try side(parts.renderSize.height))
    let frameDuration = try MediaTime(parts.frameDuration, "frameDuration", code)
    guard frameDuration > .zero else {
      throw AVError(code, "frameDuration: must be positive", property: "frameDuration", time: parts.frameDuration)
    }
    guard parts.renderScale > 0, parts.renderScale.isFinite else {
      throw AVError(code, "renderScale: must be positive", property: "renderScale")
    }
    let instructions = try instructions(parts, tracks, duration)
    return VideoComposition(
      renderSize: size, renderScale: decimal(parts.renderScale) * fit(size), frameDuration: frameDuration,
      color: try colorTags(parts) ?? (parts.compositor == nil ? nil : composedColor(of: tracks)), instructions: instructions)
  }

  /// The factor that makes a picture of `size` fit into the preset's sides, which are turned for an upright picture. It is never
  /// more than 1.
  private func fit(_ size: PixelSize) -> Double {
    guard let bounds = request.bounds else { return 1 }
    guard request.turnsBounds else {
      return min(1, bounds.width / Double(size.width), bounds.height / Double(size.height))
    }
    let (long, short) = (max(bounds.width, bounds.height), min(bounds.width, bounds.height))
    return min(1, long / Double(max(size.width, size.height)), short / Double(min(size.width, size.height)))
  }

  /// The instructions in order, cut off at the composition's end.
  private func instructions(
    _ parts: AVVideoComposition.Parts, _ tracks: [AVMutableCompositionTrack], _ duration: MediaTime
  ) throws(AVError) -> [Instruction] {
    let code = AVError.Code.invalidVideoComposition
    let composer = try composer(parts)
    let wanted = try MediaTimeRange(wanted: request.timeRange, lasting: duration)
    var end = MediaTime.zero
    var made: [Instruction] = []
    for (index, given) in parts.instructions.enumerated() {
      let place = "instructions[\(index)]"
      let range = try MediaTimeRange(ofInstruction: given.timeRange, "\(place).timeRange", until: duration)
      // Nobody sees what is before the range that is exported.
      if index == 0, range.start > end, range.start <= wanted.start {
        made.append(try unseen(from: end, to: range.start))
        end = range.start
      }
      guard range.start == end else {
        let word = range.start > end ? "leaves a gap" : "overlaps the one before it"
        throw AVError(
          code, "\(place).timeRange: starts at \(range.start) and \(word), which ends at \(end)", property: "instructions",
          time: CMTime(end, preferredTimescale: 600))
      }
      end = range.end
      do {
        guard let seen = try range.clipped(to: duration), !seen.isEmpty else { continue }
        made.append(try lowered(given, composer, seen, tracks, parts, place))
      } catch let error as AVError {
        throw error
      } catch { throw AVError(code, "\(place).timeRange: \(error)", property: "instructions") }
    }
    guard end >= wanted.end else {
      throw AVError(
        code, "instructions: end at \(end), but the composition ends at \(wanted.end)", property: "instructions",
        time: CMTime(end, preferredTimescale: 600))
    }
    if end < duration { made.append(try unseen(from: end, to: duration)) }
    return made
  }

  /// An instruction for times that are not exported.
  private func unseen(from start: MediaTime, to end: MediaTime) throws(AVError) -> Instruction {
    let range = try timed("instructions") { () throws(TimeError) in try MediaTimeRange(start: start, end: end) }
    return Instruction(timeRange: range, content: .layerInstructions([]))
  }

  private func lowered(
    _ given: any AVVideoCompositionInstructionProtocol, _ composer: FarmComposer?, _ range: MediaTimeRange,
    _ tracks: [AVMutableCompositionTrack], _ parts: AVVideoComposition.Parts, _ place: String
  ) throws(AVError) -> Instruction {
    if let composer { return composer.lowered(given, range, tracks) }
    guard let instruction = given as? AVVideoCompositionInstruction else {
      throw AVError(
        .videoCompositorFailed, "\(place): \(type(of: given)) is an instruction for a compositor, and none is named",
        property: "instructions")
    }
    let layers = try layers(instruction, tracks, parts.animationTool?.trackID, place)
    let background = try instruction.backgroundColor.map { (value) throws(AVError) in
      try color(value, "\(place).backgroundColor")
    }
    return Instruction(timeRange: range, backgroundColor: background ?? .black, content: .layerInstructions(layers))
  }

  private func layers(
    _ instruction: AVVideoCompositionInstruction, _ tracks: [AVMutableCompositionTrack], _ layered: CMPersistentTrackID?,
    _ place: String
  ) throws(AVError) -> [LayerInstruction] {
    let code = AVError.Code.invalidVideoComposition
    var made: [LayerInstruction] = []
    for (index, layer) in instruction.layerInstructions.enumerated() {
      let place = "\(place).layerInstructions[\(index)]"
      // The tree of layers that is a track of its own is laid with the layers.
      if layer.trackID == layered { continue }
      guard let track = tracks.first(where: { $0.trackID == layer.trackID && $0.mediaType == .video }) else {
        // A track that plays nothing has no picture to lay.
        if composition.compositionTracks.contains(where: { $0.trackID == layer.trackID && $0.mediaType == .video }) { continue }
        throw AVError(
          code, "\(place).trackID: no video track of the composition has the ID \(layer.trackID)", property: "trackID",
          time: instruction.timeRange.start)
      }
      let opacity = try opacity(of: layer, place, instruction.timeRange.start)
      let transform = try layer.transform.envelope("\(place).transform", code) { (map) throws(AVError) in
        try affine(map, "\(place).transform", code)
      }
      let crop = try layer.crop.envelope("\(place).cropRectangle", code) { (rect) throws(AVError) in
        try rectangle(rect, "\(place).cropRectangle", code).withArea
      }
      made.append(
        LayerInstruction(
          track: track.edit.id, opacity: opacity,
          transform: try track.uprighted(transform, neutral: .identity) { $0.uprightToStored.then($1) },
          crop: try track.uprightedCrop(crop)))
    }
    return made
  }

  /// The opacity that a layer instruction sets.
  func opacity(
    of layer: AVVideoCompositionLayerInstruction, _ place: String, _ start: CMTime
  ) throws(AVError) -> Envelope<Double> {
    let code = AVError.Code.invalidVideoComposition
    return try layer.opacity.envelope("\(place).opacity", code) { (value) throws(AVError) in
      try number(CGFloat(decimal(value)), "\(place).opacity", code)
    }.shares { AVError(code, "\(place).opacity: \($0)", property: "opacity", time: start) }
  }

  func colorTags(_ parts: AVVideoComposition.Parts) throws(AVError) -> ColorTags? {
    let given = [parts.colorPrimaries, parts.colorTransferFunction, parts.colorYCbCrMatrix]
    guard given.contains(where: { $0 != nil }) else { return nil }
    guard let primary = given[0].flatMap({ ColorNames.primaries[$0] }),
      let transfer = given[1].flatMap({ ColorNames.transfers[$0] }), let matrix = given[2].flatMap({ ColorNames.matrices[$0] })
    else {
      throw AVError(
        .invalidVideoComposition,
        "colorPrimaries, colorTransferFunction and colorYCbCrMatrix must all be set, to values that this library has",
        property: "colorPrimaries")
    }
    return ColorTags(primary, transfer, matrix, .limited)
  }
}

func affine(_ map: CGAffineTransform, _ property: String, _ code: AVError.Code) throws(AVError) -> Formats.AffineTransform {
  var terms: [Double] = []
  for term in [map.a, map.b, map.c, map.d, map.tx, map.ty] { terms.append(try number(term, property, code)) }
  return Formats.AffineTransform(terms[0], terms[1], terms[2], terms[3], terms[4], terms[5])
}

extension Rect {
  /// The rectangle, with sides of a 65,536th of a pixel where it has none: documents have no empty rectangles, and nobody sees so little.
  /// A ramp of a wipe begins or ends with one.
  fileprivate var withArea: Rect {
    let least = 0x1p-16
    return Rect(x, y, Swift.max(width, least), Swift.max(height, least))
  }
}

func rectangle(_ rect: CGRect, _ property: String, _ code: AVError.Code) throws(AVError) -> Rect {
  var sides: [Double] = []
  for side in [rect.minX, rect.minY, rect.width, rect.height] { sides.append(try number(side, property, code)) }
  return Rect(sides[0], sides[1], sides[2], sides[3])
}
