internal import Captions
internal import Formats
internal import JSON
internal import MediaTime
internal import PlainText
internal import Timeline

/// A part of a document that has no effect, or not the one that was meant. The edit can be rendered all the same.
package struct DocumentWarning: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The sort of a warning, for programs that read it.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A layer or a track that no frame shows.
    case neverSeen
    /// Sound that is spoken of where there is none.
    case neverHeard
    /// An asset or a composition that nothing plays or shows.
    case unused
    /// An animation of which only the first picture is shown.
    case standsStill
    /// A text with Han characters whose language is not known.
    case languageUnsaid
    /// A text whose lines lie on each other.
    case crowdedLines
    /// A name in braces that a text shows as it is written.
    case unknownName
    /// A part of a caption file that is not shown, or not as it was written.
    case captions
    /// A part of a Lottie file that is not drawn, or not as the file has it.
    case lottie
    /// Frames or sound that are encoded, although packets were to be copied.
    case encoded
    /// Sound whose encoder makes another bit rate of it than the document states.
    case otherBitRate
    /// Metadata of a clip for high dynamic range that the movie does not have.
    case dynamicHDR
  }

  /// The place in the document.
  package let path: String
  package let message: String
  package let kind: Kind

  package var description: String { "\(path): \(message)" }

  package init(path: String, message: String, kind: Kind) { (self.path, self.message, self.kind) = (path, message, kind) }
}

extension ResolvedTimeline {
  /// The warnings about the edit: unused assets, then nested compositions, then the edit itself. There are at most
  /// `DocumentLimits.faults`.
  package var warnings: [DocumentWarning] {
    let unused = timeline.assets.keys.filter { facts[$0] == nil }.sorted().map { id in
      DocumentWarning(
        path: JSONPath.root["assets"][id.rawValue].description,
        message: timeline.treatment(of: id).font == nil ? "nothing plays or shows it" : "no text is drawn in it", kind: .unused)
    }
    let compositions = timeline.compositions.keys.sorted().flatMap { id in
      let path = JSONPath.root["compositions"][id.rawValue]
      guard let edit = nested[id] else {
        return [DocumentWarning(path: path.description, message: "nothing plays it", kind: .unused)]
      }
      return EditWarnings(edit: edit, root: path).all
    }
    return Array((unused + compositions + EditWarnings(edit: self, root: .root).all).prefix(DocumentLimits.faults))
  }
}

/// The warnings about one edit: the document's own or a nested one.
private struct EditWarnings {
  let edit: ResolvedTimeline
  /// The path of the edit in the document.
  let root: JSONPath

  var all: [DocumentWarning] {
    unseenTracks + unseenLayers + uselessBackdrops + unheard + soundsOfNothing + otherBitRates + still + unsaidLanguages
      + captionsWithoutLanguage + crowdedLines + unknownNames + scripts + keptTags + dynamicHDR
  }

  /// The descriptions that are to be kept of a source which does not have them.
  private var keptTags: [DocumentWarning] {
    guard root == .root, let source = edit.timeline.export.keptTags?.source else { return [] }
    return edit.missingTags.map { kind in
      DocumentWarning(
        path: root["export"]["metadata"]["keep"].description, message: "'\(source)' has no \(kind.rawValue) that could be kept",
        kind: .unused)
    }
  }

  /// The metadata of clips that change from picture to picture, and that the movie does not have. A movie of standard range needs none.
  private var dynamicHDR: [DocumentWarning] {
    guard root == .root, edit.color.isHighRange, let composition = edit.videoComposition else { return [] }
    var found: [AssetID: [DynamicHDR]] = [:]
    for clip in edit.timeline.composition.tracks.filter({ $0.media == .video }).flatMap(\.clips) {
      guard case .asset(let asset, _) = clip.source, found[asset] == nil,
        edit.picture(of: clip.source).color.transfer == edit.color.transfer
      else { continue }
      found[asset] = edit.picture(of: clip.source).dynamicHDR
    }
    // A duration that cannot be counted is refused elsewhere.
    let count = (try? edit.exportRange.duration.coveringUnits(of: composition.frameDuration)) ?? 0
    let copied = edit.timeline.export.copies?.frames.reduce(0) { $0 + $1.count } ?? 0
    let copiesAll = edit.timeline.export.video.copy == .require || count > 0 && copied == Int(count)
    return found.sorted { $0.key < $1.key }.flatMap { asset, kinds in
      kinds.filter { !($0.isCopied && copiesAll) }.map { kind in
        let words =
          kind.isCopied && edit.timeline.export.video.copy != .never
          ? "frames that are encoded lose its \(kind.rawValue) metadata, which hold for its own pictures alone; copied ones keep them"
          : "the movie does not have its \(kind.rawValue) metadata, which hold for its own pictures alone"
        return DocumentWarning(path: root["assets"][asset.rawValue].description, message: words, kind: .dynamicHDR)
      }
    }
  }

  private var tracks: JSONPath { root == .root ? root["composition"]["tracks"] : root["tracks"] }

  private var unseenTracks: [DocumentWarning] {
    // A file of sound alone leaves the whole picture out, which is what it was chosen for.
    guard root != .root || edit.timeline.export.fileType.holdsPicture else { return [] }
    let shown = Set((edit.videoComposition?.instructions ?? []).flatMap(\.tracks) + edit.timeline.layers.movingTracks)
    return edit.timeline.composition.tracks.enumerated().compactMap { index, track in
      guard track.media == .video, !track.segments.isEmpty, !shown.contains(track.id) else { return nil }
      return DocumentWarning(
        path: tracks[index].description,
        message:
          "track '\(track.id)' is never seen: no instruction and no layer names it (without instructions the first video track is shown)",
        kind: .neverSeen)
    }
  }

  /// All layers with those on them, each with its path.
  private var layers: [(layer: Layer, path: JSONPath, isOutermost: Bool, isDriven: Bool)] {
    edit.timeline.layers.enumerated().flatMap { index, layer in
      layer.allWithClocks.map { ($0.layer, root["layers"][index].following($0.way), $0.way.isEmpty, $0.isDriven) }
    }
  }

  private var unseenLayers: [DocumentWarning] {
    layers.compactMap { layer, path, isOutermost, isDriven in
      reasonUnseen(layer, standsOnFrame: isOutermost, isDriven: isDriven).map {
        DocumentWarning(path: path.description, message: "is never seen: \($0)", kind: .neverSeen)
      }
    }
  }

  /// The layers that filter what lies below where nothing of it is there.
  private var uselessBackdrops: [DocumentWarning] {
    edit.timeline.layers.enumerated().flatMap { index, layer in
      layer.backdropsOfNothing().map { way in
        DocumentWarning(
          path: root["layers"][index].following(way)["backdropFilters"].description,
          message:
            "does not filter what lies below the layer: it is put together first with a layer that has a blendMode, filters, a shadow of its content or a colour of copies, or that is a mask",
          kind: .neverSeen)
      }
    }
  }

  /// A loudness without sound, and tracks that yield to others of which none is heard.
  private var unheard: [DocumentWarning] {
    let timeline = edit.timeline
    let silent = root == .root && edit.audio == nil && timeline.export.loudness != nil
    let loudness = DocumentWarning(
      path: root["export"]["loudness"].description, message: "the edit has no sound to bring to a loudness", kind: .neverHeard)
    let heard = timeline.composition.tracks.filter { !$0.segments.isEmpty && timeline.audioMix.isHeard($0.id) }.map(\.id)
    let yielding = timeline.audioMix.inputParameters.filter { $0.ducking.map { Set($0.under).isDisjoint(with: heard) } ?? false }
    return (silent ? [loudness] : [])
      + yielding.map {
        DocumentWarning(
          path: root["audioMix"].description,
          message: "track '\($0.track)' yields to tracks that are never heard", kind: .neverHeard)
      }
  }

  /// Bit rates that the encoder does not make of the channels at the sample rate.
  private var otherBitRates: [DocumentWarning] {
    guard root == .root, edit.audio != nil else { return [] }
    let path = root["export"], isOne = edit.timeline.export.sounds.isEmpty
    return edit.sounds.enumerated().compactMap { index, sound in
      guard let audio = sound.audio, let bitRate = audio.coding.bitRate, let nearest = audio.nearestBitRate, nearest != bitRate
      else {
        return nil
      }
      let form = "\(audio.codec) in \(audio.channelLayout.rawValue) at \(audio.sampleRate) Hz"
      return DocumentWarning(
        path: (isOne ? path["audio"] : path["sounds"][index]["audio"])["bitRate"].description,
        message: "\(bitRate) is not a bit rate of \(form): \(nearest) is made", kind: .otherBitRate)
    }
  }

  /// Sounds of the movie in which nothing is heard, and tracks that are in none of them.
  private var soundsOfNothing: [DocumentWarning] {
    guard root == .root, edit.audio != nil else { return [] }
    let sounds = edit.timeline.export.sounds
    guard !sounds.isEmpty else { return [] }
    let tracks = edit.timeline.composition.tracks.filter { $0.media == .audio && !$0.segments.isEmpty }.map(\.id)
    let heard = tracks.filter(edit.timeline.audioMix.isHeard)
    let path = root["export"]["sounds"]
    let silent = sounds.indices.filter { Set(sounds[$0].tracks).isDisjoint(with: heard) }.map {
      DocumentWarning(path: path[$0].description, message: "is silent: none of its tracks is heard", kind: .neverHeard)
    }
    let used = Set(sounds.flatMap(\.tracks))
    return silent
      + tracks.filter { !used.contains($0) }.map {
        DocumentWarning(path: path.description, message: "track '\($0)' is in none of them", kind: .neverHeard)
      }
  }

  /// The layers that show an animation.
  private var still: [DocumentWarning] {
    layers.compactMap { layer, path, _, _ in
      guard case .image(let image)? = layer.content, edit.facts[image.asset]?.isAnimatedPicture == true else { return nil }
      return DocumentWarning(
        path: path["image"].description,
        message: "asset '\(image.asset)' is an animation, of which a layer shows the first picture: with \"clip\" it moves",
        kind: .standsStill)
    }
  }

  /// The lines of scripts that are left out, and the events of carried ones that the movie's own track has no text for.
  private var scripts: [DocumentWarning] {
    edit.timeline.captions.enumerated().flatMap { index, track -> [DocumentWarning] in
      guard let script = track.script?.script else { return [] }
      var messages = script.remarks.map(\.description)
      if script.omittedRemarks > 0 { messages.append("and \(script.omittedRemarks) more remarks") }
      let missing = script.events.count - track.cues.count
      if track.showing.isCarried || track.sidecar != nil, missing > 0 {
        messages.append("\(missing) of the script's \(script.events.count) events have no text for a track")
      }
      let path = root["captions"][index].description
      return messages.map { DocumentWarning(path: path, message: $0, kind: .captions) }
    }
  }

  /// The texts that have Han characters and whose language is not known.
  private var unsaidLanguages: [DocumentWarning] {
    layers.compactMap { layer, path, _, _ in
      guard case .text(let text)? = layer.content, text.hasHanOfUnknownLanguage else { return nil }
      return DocumentWarning(
        path: path.description,
        message:
          "has Han characters and no language: they are drawn in the font's own forms, unless \"language\" says ja, ko, zh-Hans or zh-Hant",
        kind: .languageUnsaid)
    }
  }

  /// The captions with cues that have Han characters and whose language is not known.
  private var captionsWithoutLanguage: [DocumentWarning] {
    edit.timeline.captions.enumerated().compactMap { index, track in
      let count = track.cuesOfUnknownLanguage
      guard count > 0 else { return nil }
      return DocumentWarning(
        path: root["captions"][index].description,
        message:
          "\(count) of \(track.cues.count) cues have Han characters and no language: they are drawn in the font's own forms, unless the style's \"language\" says ja, ko, zh-Hans or zh-Hant",
        kind: .languageUnsaid)
    }
  }

  /// The texts whose lines are a small part of their size high, which is a multiple that was taken for pixels.
  private var crowdedLines: [DocumentWarning] {
    func warning(_ content: Layer.Content?, _ path: JSONPath) -> DocumentWarning? {
      guard case .text(let text)? = content, let height = text.lineHeight, height < text.size / 4,
        text.wrapping != .none || text.string.contains(where: \.isNewline)
      else { return nil }
      return DocumentWarning(
        path: path["lineHeight"].description,
        message: "\(height) is in pixels, so lines lie on each other: a multiple is said by \"lineSpacing\"", kind: .crowdedLines)
    }
    let captions = edit.timeline.captions.enumerated().compactMap { index, track in
      track.drawsCues ? warning(track.style.content, root["captions"][index]["style"]) : nil
    }
    return layers.compactMap { warning($0.layer.content, $0.path) } + captions
  }

  /// The names in braces that a text with a timestamp shows as letters.
  private var unknownNames: [DocumentWarning] {
    layers.flatMap { layer, path, _, _ -> [DocumentWarning] in
      guard case .text(let text)? = layer.content else { return [] }
      return text.unknownFields.map { name in
        let hint = Spelling.hint(for: name, among: Timestamp.Field.allCases.map(\.rawValue))
        return DocumentWarning(
          path: path["text"].description,
          message:
            "'{\(name)}' is no name of a number, and is shown as it is written\(hint): write \\{\(name)} where that is meant",
          kind: .unknownName)
      }
    }
  }

  /// - Parameter isDriven: whether the layer's times count on another clock than the edit's.
  private func reasonUnseen(_ layer: Layer, standsOnFrame: Bool, isDriven: Bool) -> String? {
    guard let size = edit.videoComposition?.renderSize else { return nil }
    let end = edit.timeline.composition.duration
    if !isDriven, let start = layer.timeRange?.start, start >= end { return "it begins at \(start), and the edit ends at \(end)" }
    if standsOnFrame, layer.geometry.isPlain, !touches(layer, Rect(size)) {
      return "it lies outside of the picture, which is \(size.width)x\(size.height)"
    }
    // A layer's own clock drives its opacity, too.
    if !isDriven, layer.clock == nil, !layer.hasOpacity(until: end) { return "its opacity is 0 throughout" }
    if case .text(let text)? = layer.content, text.isClear {
      return "its color is wholly transparent"
    }
    return nil
  }

  /// Whether some of the layer may lie in the picture. A text may extend below its frame, a shape and what stands on the layer
  /// anywhere.
  private func touches(_ layer: Layer, _ picture: Rect) -> Bool {
    guard let frame = layer.geometry.frame, layer.sublayers.isEmpty, layer.style.shadow == nil else { return true }
    switch layer.content {
    case .image, .gradient, .waveform, .moving, nil: return frame.intersection(picture) != nil
    case .text(let text):
      if text.reachesBeyondFrame { return true }
      return frame.x < picture.maxX && frame.maxX > 0 && frame.y < picture.maxY
    case .shape: return true
    }
  }
}

extension TextContent {
  /// Whether nothing of the text has a colour that is seen.
  fileprivate var isClear: Bool {
    color.alpha == 0 && course == Course() && outline == nil && gradient == nil && shadow == nil && glow == nil && box == nil
      && runs.allSatisfy { $0.style.color?.alpha ?? 0 == 0 }
  }

  /// Whether parts of the text may lie to the left or right of its frame, or above it.
  fileprivate var reachesBeyondFrame: Bool { wrapping == .none || shadow != nil || glow != nil || box != nil }
}

extension Layer {
  /// Whether the opacity is above 0 at some moment at which the layer is shown.
  fileprivate func hasOpacity(until editEnd: MediaTime) -> Bool {
    let (start, end) = (timeRange?.start ?? .zero, min(timeRange?.end ?? editEnd, editEnd))
    guard opacity.additions == nil, let first = opacity.keyframes.first, let last = opacity.keyframes.last else { return true }
    if first.value > 0, start < first.time { return true }
    if last.value > 0, last.time < end { return true }
    return zip(opacity.keyframes, opacity.keyframes.dropFirst()).contains { here, next in
      here.time < end && next.time > start && (here.value > 0 || (!here.holds && next.value > 0))
    }
  }
}
