package import Formats
internal import JSON
package import MediaTime
package import Timeline

extension Timeline {
  /// Checks the edit against the facts that probing found, and fills in every default.
  ///
  /// - Precondition: the edit is one that `Timeline.parse` gives. An edit that was made in Swift becomes one by way of its
  ///   canonical form.
  /// - Parameter facts: at least the facts of every asset that a segment, an image layer or a wipe uses. Others are ignored.
  /// - Throws: every fault, with its path in the document.
  package func resolved(with facts: [AssetID: AssetFacts]) throws(DocumentFaults) -> ResolvedTimeline {
    let log = FaultLog()
    var nested: [CompositionID: ResolvedTimeline] = [:]
    for id in compositionsInUse() {
      guard let composition = compositions[id] else { preconditionFailure("composition \(id) was not parsed") }
      nested[id] = TimelineResolver(
        timeline: edit(of: composition), facts: facts, nested: nested, root: .root["compositions"][id.rawValue], log: log
      ).resolved()
    }
    checkTreatments(facts, log)
    checkFonts(facts, log)
    let edit = TimelineResolver(timeline: self, facts: facts, nested: nested, root: .root, log: log).resolved()
    try log.throwIfFaulty()
    guard let edit else { preconditionFailure("no edit is a fault") }
    return edit
  }

  /// The nested compositions that the edit plays. Each comes after those that it plays itself.
  private func compositionsInUse() -> [CompositionID] {
    var (order, seen): ([CompositionID], Set<CompositionID>) = ([], [])
    func visit(_ composition: Composition) {
      for id in composition.nested.sorted() where seen.insert(id).inserted {
        if let nested = compositions[id] { visit(nested.composition) }
        order.append(id)
      }
    }
    visit(composition)
    return order
  }
}

package struct TimelineResolver {
  let timeline: Timeline
  let facts: [AssetID: AssetFacts]
  /// The nested compositions that were resolved before. All that this edit plays are among them, unless they have faults.
  let nested: [CompositionID: ResolvedTimeline]
  /// The path of the edit in the document.
  let root: JSONPath
  let log: FaultLog

  /// The edit, checked and with every default filled in; nil after a fault.
  func resolved() -> ResolvedTimeline? {
    let faultsBefore = log.count
    checkSegments()
    checkImages()
    // The defaults come from the clips, which must be right first. A nested composition with faults has noted them already.
    guard log.count == faultsBefore, timeline.composition.nested.allSatisfy({ nested[$0] != nil }) else { return nil }
    var composition = timeline.videoComposition ?? defaultVideoComposition()
    if root == .root {
      composition?.renderScale *= timeline.export.renderScale
      if let size = timeline.export.maximumSize { composition = composition?.fitting(size) }
      composition?.pixelAspect = timeline.export.video.pixelAspect
    }
    if composition == nil, !timeline.layers.isEmpty {
      log.note("need a picture to stand on: give a videoComposition or a video track", at: root["layers"])
    }
    if composition == nil, !timeline.captions.isEmpty {
      log.note("need a picture to stand on: give a videoComposition or a video track", at: root["captions"])
    }
    guard let range = exportRange() else { return nil }
    let played = timeline.composition.nested
    let used = nested.filter { played.contains($0.key) }.values.reduce(into: usedAssets) { $0.formUnion($1.facts.keys) }
    if let composition { checkTimestamps(composition.frameDuration) }
    let color = timeline.export.video.coding.coder.color(color(of: composition))
    let resolved = ResolvedTimeline(
      timeline: timeline, facts: keptFacts(of: used), nested: nested,
      videoComposition: leavesPictureOut ? nil : composition,
      color: color, hdrMetadata: hdrMetadata(of: color), exportRange: range,
      audio: firstClip(.audio) == nil || leavesSoundOut ? nil : timeline.export.audio)
    checkFrameTimes(resolved)
    if root == .root { checkFields(resolved) }
    checkSourceTimecodes(resolved)
    checkSound(resolved)
    checkWaveforms(resolved)
    checkExport(resolved)
    checkAlpha(resolved)
    return log.count == faultsBefore ? resolved : nil
  }

  /// Whether the edit is exported to a file of sound alone. Nested compositions keep their pictures, which nobody asks for.
  private var leavesPictureOut: Bool { root == .root && !timeline.export.fileType.holdsPicture }

  /// Whether the edit is exported to a file of pictures alone. Nested compositions keep their sound, which nobody asks for.
  private var leavesSoundOut: Bool { root == .root && !timeline.export.fileType.holdsSound }

  /// Checks what the export's codec and file type ask of the edit.
  private func checkExport(_ resolved: ResolvedTimeline) {
    guard root == .root else { return }
    let (type, video) = (timeline.export.fileType, timeline.export.video)
    if leavesPictureOut, resolved.audio == nil {
      log.note("\(type) holds sound alone, and the edit has none", at: root["export"]["fileType"])
    }
    if type.needsPicture, resolved.videoComposition == nil {
      let words = type.holdsSound ? "is a file of pictures" : "holds a picture alone"
      log.note("\(type) \(words), and the edit has none", at: root["export"]["fileType"])
    }
    if let most = type.mostFramesPerSecond, let duration = resolved.videoComposition?.frameDuration,
      duration.value * most < Int64(duration.timescale)
    {
      log.note("\(type) shows at most \(most) frames a second", at: root["videoComposition"]["frameDuration"])
    }
    // Times that overflow are noted elsewhere.
    if let most = type.mostFrames, let count = try? resolved.frameCount, count > most {
      log.note("\(type) holds at most \(most) frames, not \(count)", at: root["export"]["fileType"])
    }
    checkSoundSize(of: resolved)
    noteTimecode(of: resolved)
    checkRenditions(of: resolved)
    checkStills(of: resolved)
    checkTags(of: resolved)
    checkChapters(of: resolved)
    checkCleanAperture(of: resolved)
    checkPixelAspect(of: resolved)
    if !type.tellsPrimaries, resolved.videoComposition != nil, resolved.color.primaries != .bt709 {
      log.note(
        "\(type) does not say which colours it has: give videoComposition.color bt709, or use mov or mkv",
        at: root["export"]["fileType"])
    }
    guard let size = resolved.videoComposition?.outputSize else { return }
    let least = video.coding.coder.leastSize
    if size.width < least.width || size.height < least.height {
      log.note(
        "\(video.codec) is made from \(least.width)x\(least.height) up, not of \(size.width)x\(size.height)",
        at: root["videoComposition"]["renderSize"])
    }
    if let duration = resolved.videoComposition?.frameDuration {
      if let words = type.objection(to: duration) { log.note(words, at: root["videoComposition"]["frameDuration"]) }
      note(video.coding.coder.objection(to: size, lasting: duration))
    }
    if resolved.color.range == .full, [.mov, .mxf].contains(type), [.ffv1, .prores, .dnxhr, .v210].contains(video.codec) {
      log.note(
        "\(video.codec) of full range cannot be told as such in \(type): give videoComposition.color a limited range",
        at: root["videoComposition"]["color"])
    }
  }

  private func note(_ objection: PictureObjection?) {
    switch objection {
    case nil: break
    case .size(let words): log.note(words, at: root["videoComposition"]["renderSize"])
    case .rate(let words): log.note(words, at: root["videoComposition"]["frameDuration"])
    case .setting(let key, let words): log.note(words, at: root["export"]["video"][key])
    }
  }

  /// The path of the tracks in the document.
  private var tracks: JSONPath { root == .root ? root["composition"]["tracks"] : root["tracks"] }

  // MARK: - Against the assets

  private var usedAssets: Set<AssetID> {
    let played = timeline.composition.tracks.flatMap {
      $0.clips.compactMap { if case .asset(let id, _) = $0.source { id } else { nil } }
    }
    return Set(played + images.map(\.asset) + wipeMaps.map(\.asset) + timeline.layers.playedAssets).union(timeline.fontsInUse)
  }

  private func checkSegments() {
    for (trackIndex, track) in timeline.composition.tracks.enumerated() {
      for (index, clip) in track.clips.enumerated() {
        let path = tracks[trackIndex]["segments"][index]
        switch clip.source {
        case .asset(let asset, let position): check(clip.mapping, of: asset, track: position, track.media, at: path)
        case .composition(let id): check(clip.mapping, id, track.media, at: path)
        }
      }
    }
    if firstClip(.video) == nil, firstClip(.audio) == nil {
      log.note("has neither picture nor sound: no track has a segment", at: root == .root ? root["composition"] : root)
    }
  }

  private func check(_ mapping: TimeMapping, _ composition: CompositionID, _ media: MediaKind, at path: JSONPath) {
    // A composition with faults has noted them already.
    guard let nested = nested[composition] else { return }
    if media == .video ? nested.videoComposition == nil : nested.audio == nil {
      log.note("composition '\(composition)' has no \(media)", at: path["composition"], .media)
    }
    SegmentCheck(log).check(
      mapping.source, of: composition, lasting: nested.exportRange.duration, at: path, key: mapping.sourceKey)
    if media == .audio, mapping.curve != nil {
      log.note(
        "the mixed sound of a composition follows no timeMap: give one to its own segments, or play it at a constant speed",
        at: path["timeMap"])
    }
  }

  private func check(
    _ mapping: TimeMapping, of asset: AssetID, track position: Int, _ media: MediaKind, at path: JSONPath
  ) {
    guard let facts = facts[asset] else { return log.note("asset '\(asset)' was not probed", at: path["asset"], .media) }
    SegmentCheck(log).check(mapping.source, of: asset, facts, track: position, media, at: path, key: mapping.sourceKey)
    if media == .video { checkDamage(of: asset, facts, at: path["asset"]) }
  }

  // MARK: - Defaults

  private func firstClip(_ media: MediaKind) -> (track: TrackID, source: SegmentSource)? {
    for track in timeline.composition.tracks where track.media == media {
      if let clip = track.clips.first { return (track.id, clip.source) }
    }
    return nil
  }

  private var firstVideo: VideoFacts? { firstClip(.video).flatMap { picture(of: $0.source) } }

  private var videoClips: [VideoFacts] {
    Set(timeline.composition.tracks.filter { $0.media == .video }.flatMap { $0.clips.map(\.source) }).compactMap(picture)
  }

  private func picture(of source: SegmentSource) -> VideoFacts? {
    switch source {
    case .composition(let id): return nested[id]?.picture
    case .asset(let asset, let position):
      guard case .video(let video)? = facts[asset]?.playableTracks(.video)[position].detail else { return nil }
      return timeline.treatment(of: asset).shown(video)
    }
  }

  /// The default: the first video track with a clip, fitted into that clip's size, at that clip's frame rate.
  private func defaultVideoComposition() -> VideoComposition? {
    guard let track = firstClip(.video)?.track, let video = firstVideo else { return nil }
    do {
      return VideoComposition(
        renderSize: Self.renderSize(for: video.displaySize), frameDuration: try Self.frameDuration(of: video),
        instructions: [
          Instruction(
            timeRange: try MediaTimeRange(start: .zero, duration: timeline.composition.duration),
            backgroundColor: timeline.export.video.usualBackground,
            content: .layerInstructions([LayerInstruction(track: track, gravity: .resizeAspect)]))
        ])
    } catch {
      log.note("\(error)", at: tracks)
      return nil
    }
  }

  /// The render size for a picture of `size`: even sides, rounded down, shrunk where a side is larger than the limit.
  package static func renderSize(for size: PixelSize) -> PixelSize {
    let limits = DocumentLimits.renderSide
    let scale = min(1, Double(limits.upperBound) / Double(max(size.width, size.height)))
    func side(_ length: Int) -> Int { max(limits.lowerBound, Int(Double(length) * scale) & ~1) }
    return PixelSize(side(size.width), side(size.height))
  }

  /// The frame duration at a clip's rate. The rate is 30 where the clip's is unknown, below 1 or above 240; above 240 it is
  /// likely a time base that was taken for a rate.
  package static func frameDuration(of video: VideoFacts) throws(TimeError) -> MediaTime {
    guard let rate = try steadyRate(of: video), rate >= MediaTime(seconds: 1), rate <= MediaTime(seconds: 240),
      let value = Int32(exactly: rate.value)
    else { return try MediaTime(1, 30) }
    return try MediaTime(Int64(rate.timescale), value)
  }

  /// The rate at which to show a clip; nil when it is unknown. Frames that vary in length have a mean rate that nobody works at,
  /// and a long pause lowers it much. Such a clip gets the standard rate within 1 % of its mean, else the rate on whose grid its
  /// frames stand if that is a standard rate up to 60, else the lowest of 30, 60, 120 and 240 that is not below its mean.
  private static func steadyRate(of video: VideoFacts) throws(TimeError) -> MediaTime? {
    guard let mean = video.nominalFrameRate, let base = video.baseFrameRate, mean != base else { return video.nominalFrameRate }
    let broadcast = try [MediaTime(24000, 1001), MediaTime(30000, 1001), MediaTime(60000, 1001)]
    let standard = broadcast + [24, 25, 30, 48, 50, 60, 120, 240].map { MediaTime(seconds: $0) }
    func distance(_ rate: MediaTime) -> Double { abs(rate.seconds / mean.seconds - 1) }
    if let near = standard.min(by: { distance($0) < distance($1) }), distance(near) <= 0.01 { return near }
    if standard.contains(base), base <= MediaTime(seconds: 60) { return base }
    return [30, 60, 120, 240].map { MediaTime(seconds: $0) }.first { $0 >= mean }
  }

  /// The output's colour: what the document says, else the first clip's own. A colour that is taken from a clip is never RGB,
  /// which 4:2:0 cannot hold, and never PQ or HLG in 8 bits, which BT.2100 does not have.
  private func color(of composition: VideoComposition?) -> ColorTags {
    let canBeHighRange = timeline.export.video.bitDepth >= 10
    if let color = composition?.color {
      if color.isHighRange && !canBeHighRange {
        log.note(
          "PQ and HLG have 10 bits: set export.video.bitDepth to 10", at: root["videoComposition"]["color"])
      }
      return color.resolved(height: composition?.renderSize.height ?? 0)
    }
    guard let video = firstVideo else { return .bt709 }
    let color = video.color.resolved(height: video.naturalSize.height)
    if color.isHighRange && !canBeHighRange { return .bt709 }
    return color.matrix == .rgb ? ColorTags(color.primaries, color.transfer, .bt709, .limited) : color
  }

  /// The movie's metadata: what the document says, else what all clips with the movie's own transfer function agree on. It is nil
  /// outside PQ and HLG.
  private func hdrMetadata(of color: ColorTags) -> HDRMetadata? {
    let asked = timeline.export.video.hdrMetadata
    guard color.isHighRange else {
      if asked != nil, root == .root {
        log.note(
          "only a movie in PQ or HLG has masteringDisplay and contentLight; this one is in \(color.transfer.rawValue)",
          at: root["export"]["video"])
      }
      return nil
    }
    let clips = videoClips.filter { $0.color.transfer == color.transfer }
    let displays = Set(clips.map(\.hdrMetadata?.masteringDisplay))
    let lights = Set(clips.map(\.hdrMetadata?.contentLight))
    return HDRMetadata(
      masteringDisplay: asked?.masteringDisplay ?? (displays.count == 1 ? displays.first ?? nil : nil),
      contentLight: asked?.contentLight ?? (lights.count == 1 ? lights.first ?? nil : nil))
  }

  // MARK: - Times

  /// The part of the edit that the document asks for, cut off at the edit's end.
  private func exportRange() -> MediaTimeRange? {
    let duration = timeline.composition.duration
    let asked = timeline.export.timeRange
    let path = JSONPath.root["export"]["timeRange"]
    if let asked, asked.start >= duration {
      log.note("starts at \(asked.start), but the edit ends at \(duration)", at: path)
      return nil
    }
    do {
      return try MediaTimeRange(start: asked?.start ?? .zero, end: min(asked?.end ?? duration, duration))
    } catch {
      log.note("\(error)", at: path)
      return nil
    }
  }

  /// Notes clips at which exact times do not fit. The frame's times and a segment's odd speed may need too large a fraction. This
  /// is tried at the frame after each clip's first one, whose fraction may be simpler, but at none after the movie's last. Each
  /// piece of a retiming curve is tried.
  private func checkFrameTimes(_ resolved: ResolvedTimeline) {
    guard let frameDuration = resolved.videoComposition?.frameDuration else { return }
    for (trackIndex, track) in timeline.composition.tracks.enumerated() where track.media == .video {
      for (index, clip) in track.clips.enumerated() {
        do {
          let last = Int64(try resolved.frameCount) - 1
          for piece in clip.mapping.curve?.pieces.map(\.start) ?? [.zero] {
            let start = try clip.mapping.target.start + piece
            let first =
              start > resolved.exportRange.start ? try (start - resolved.exportRange.start).coveringUnits(of: frameDuration) : 0
            guard first <= last else { continue }
            let time = try resolved.exportRange.start + frameDuration * min(first + 1, last)
            _ = try clip.mapping.sourceTime(at: time)
            guard timeline.export.video.fields != nil, let composition = resolved.videoComposition else { continue }
            _ = try clip.mapping.sourceTime(at: time + composition.halfFrame)
          }
        } catch {
          log.note("\(error)", at: tracks[trackIndex]["segments"][index])
        }
      }
    }
  }

  /// Notes sounds whose times or speeds do not fit. Those of nested compositions multiply. This is tried by computing them.
  private func checkSound(_ resolved: ResolvedTimeline) {
    let count = log.count
    checkCrossfades(at: tracks)
    for (index, track) in timeline.composition.tracks.enumerated() where timeline.audioMix.preservesPitch(track.id) {
      for (position, clip) in track.clips.enumerated() {
        let path = tracks[index]["segments"][position]
        checkStretch(clip.mapping, at: path)
        checkCurves(clip, at: path)
      }
    }
    checkChannels()
    if root == .root { checkEffects() }
    guard root == .root, log.count == count else { return }
    if let fault = resolved.duckingFault { return log.note(fault, at: root["audioMix"]) }
    do { _ = try resolved.soundSpans(SoundMeasures()) } catch { log.note("\(error)", at: root["composition"]) }
  }

  /// Notes a clip that is too fast or too slow to keep its pitch.
  private func checkStretch(_ mapping: TimeMapping, at path: JSONPath) {
    guard mapping.curve == nil else { return }
    let (source, target) = (mapping.source.duration, mapping.target.duration)
    do {
      guard try max(source, target) > min(source, target) * DocumentLimits.preservedSpeed else { return }
      log.note("more than \(DocumentLimits.preservedSpeed) times faster or slower than the source, with preservesPitch", at: path)
    } catch {
      log.note("\(error)", at: path)
    }
  }
}
