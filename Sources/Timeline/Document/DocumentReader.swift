internal import MediaTime

/// Reads a document of version 1. Goes on after a fault, to find them all.
struct DocumentReader {
  let log: FaultLog
  /// What timecodes count in; nil when the document gives none that can be read.
  private(set) var timecodeFrame: MediaTime?
  private(set) var assets: [AssetID: Asset] = [:]
  private var treatments: [AssetID: AssetTreatment] = [:]
  private var compositionNames: Set<String> = []
  /// The declared tracks; nil media where a track's own is faulty.
  private(set) var tracks: [TrackID: MediaKind?] = [:]
  /// The end of the longest track; nil while some track is faulty, when nothing can be checked against it.
  private(set) var duration: MediaTime?

  init() { log = FaultLog() }

  /// Reads a nested composition: the document's names are in force, but none of the edit's own.
  private init(within document: DocumentReader) {
    (log, assets, compositionNames) = (document.log, document.assets, document.compositionNames)
  }

  mutating func read(_ json: JSONValue) throws(DocumentFaults) -> Timeline {
    let root = DocumentNode(value: json, path: .root, log: log)
    guard let document = DocumentObject(.document, root) else {
      try log.throwIfFaulty()
      preconditionFailure("a value that is no object is a fault")
    }
    if let version = document["spool"] { checkVersion(version) }
    timecodeFrame = Self.timecodeFrame(of: document)
    if let node = document["assets"] { readAssets(node) }
    let compositions = document["compositions"].map { readCompositions($0) } ?? [:]
    let composition = document["composition"].flatMap { node in
      DocumentObject(.composition, node).flatMap { readComposition($0) }
    }
    let timeline = Timeline(
      assets: assets, compositions: compositions, composition: composition ?? Composition(),
      videoComposition: document["videoComposition"].flatMap { videoComposition($0, of: composition) },
      layers: document["layers"]?.elements(atMost: DocumentLimits.overlayLayers)?.compactMap(overlayLayer) ?? [],
      audioMix: document["audioMix"].map(audioMix) ?? AudioMix(),
      export: document["export"].flatMap(export) ?? ExportSettings(), treatments: treatments)
    try log.throwIfFaulty()
    var nesting = NestingCheck(timeline, log)
    nesting.run()
    try log.throwIfFaulty()
    return timeline
  }

  private func checkVersion(_ node: DocumentNode) {
    if node.value != .number("1") { node.note("expected 1, the only version of documents that there is") }
  }

  private static func timecodeFrame(of document: DocumentObject) -> MediaTime? {
    guard case .object(let members)? = document["videoComposition"]?.value,
      case .string(let text)? = members.first(where: { $0.key == "frameDuration" })?.value
    else { return nil }
    // Not swallowed: the frame duration is read again, with its faults noted, in its own place.
    return try? MediaTime(parsing: text)
  }

  private mutating func readAssets(_ node: DocumentNode) {
    guard case .object(let members) = node.value else { return node.note("expected an object, found \(node.value.kind)") }
    if members.count > DocumentLimits.assets {
      return node.note("\(members.count) assets; at most \(DocumentLimits.assets) are accepted")
    }
    for member in members {
      let node = DocumentNode(value: member.value, path: node.path[member.key], log: log)
      _ = DocumentNode(value: .string(member.key), path: node.path, log: log).string(atMost: DocumentLimits.nameLength)
      // One that is faulty is known all the same, so that those who name it are not faulted too.
      let object = DocumentObject(.asset, node)
      assets[AssetID(member.key)] = object.flatMap(asset) ?? Asset(path: "")
      treatments[AssetID(member.key)] = object.map(treatment)
    }
  }

  private func asset(_ object: DocumentObject) -> Asset? {
    switch (object["path"], object["url"]) {
    case (let node?, nil): return node.string(atMost: DocumentLimits.pathLength).map(Asset.file)
    case (nil, let node?):
      guard let text = node.string(atMost: DocumentLimits.pathLength) else { return nil }
      do throws(MediaURL.Fault) { return .remote(try MediaURL(text)) } catch { return node.refuse(because: error.reason) }
    default: return object.node.refuse(because: "needs either \"path\" or \"url\"")
    }
  }

  private func treatment(_ object: DocumentObject) -> AssetTreatment {
    let usual = AssetTreatment()
    return AssetTreatment(
      damage: object["damage"].map { $0.choice(AssetTreatment.Damage.self) ?? usual.damage } ?? usual.damage,
      interlace: object["interlace"].map { $0.choice(AssetTreatment.Interlace.self) ?? usual.interlace } ?? usual.interlace)
  }

  private mutating func readCompositions(_ node: DocumentNode) -> [CompositionID: NestedComposition] {
    guard case .object(let members) = node.value else { return node.refuse("an object") ?? [:] }
    guard members.count <= DocumentLimits.compositions else {
      return node.refuse(because: "\(members.count) compositions; at most \(DocumentLimits.compositions) are accepted") ?? [:]
    }
    compositionNames = Set(members.map(\.key))
    var compositions: [CompositionID: NestedComposition] = [:]
    for member in members {
      _ = DocumentNode(value: .string(member.key), path: node.path, log: log).string(atMost: DocumentLimits.nameLength)
      var reader = DocumentReader(within: self)
      let node = DocumentNode(value: member.value, path: node.path[member.key], log: log)
      compositions[CompositionID(member.key)] = DocumentObject(.nestedComposition, node).flatMap { reader.nested($0) }
    }
    return compositions
  }

  private mutating func nested(_ object: DocumentObject) -> NestedComposition? {
    timecodeFrame = Self.timecodeFrame(of: object)
    let composition = readComposition(object)
    return NestedComposition(
      composition: composition ?? Composition(),
      videoComposition: object["videoComposition"].flatMap { videoComposition($0, of: composition) },
      layers: object["layers"]?.elements(atMost: DocumentLimits.overlayLayers)?.compactMap(overlayLayer) ?? [],
      audioMix: object["audioMix"].map(audioMix) ?? AudioMix())
  }

  // MARK: - Composition

  private mutating func readComposition(_ object: DocumentObject) -> Composition? {
    let faultsBefore = log.count
    guard let nodes = object["tracks"]?.elements(atMost: DocumentLimits.tracks) else { return nil }
    let read = nodes.compactMap { track($0) }
    guard log.count == faultsBefore else { return nil }
    var composition = Composition(tracks: read.map(\.track))
    let pictureEnd = composition.tracks.filter { $0.media == .video }.map(\.duration).max() ?? .zero
    for (index, bed) in read.map(\.bed).enumerated() {
      if let bed { lay(bed, &composition.tracks[index], under: pictureEnd) }
    }
    guard log.count == faultsBefore else { return nil }
    guard composition.duration > .zero else {
      object.node.note("has neither picture nor sound: no track has a segment")
      return nil
    }
    duration = composition.duration
    return composition
  }

  private func lay(_ bed: (MusicBed, DocumentNode), _ track: inout CompositionTrack, under pictureEnd: MediaTime) {
    let (bed, node) = bed
    guard pictureEnd > .zero else { return node.note("there is no picture to lie under") }
    do { try track.lay(bed, until: pictureEnd) } catch { node.note("\(error)") }
  }

  private mutating func track(_ node: DocumentNode) -> (track: CompositionTrack, bed: (MusicBed, DocumentNode)?)? {
    guard let object = DocumentObject(.track, node) else { return nil }
    let media = object["media"]?.choice(MediaKind.self)
    let segments = object["segments"].flatMap { self.segments($0, media) }
    guard let idNode = object["id"], let name = idNode.string(atMost: DocumentLimits.nameLength) else { return nil }
    let id = TrackID(name)
    guard tracks.updateValue(media, forKey: id) == nil else {
      return idNode.refuse(because: "'\(id)' names an earlier track too")
    }
    let bed = object["bed"].flatMap { node in node.choice(MusicBed.self).map { ($0, node) } }
    if media == .video { object["bed"]?.note("only sound is made as long as the picture") }
    guard let media, let segments else { return nil }
    do {
      return (try CompositionTrack(id: id, media: media, segments: segments), bed)
    } catch { return node.refuse(because: "\(error)") }
  }

  private func segments(_ node: DocumentNode, _ media: MediaKind?) -> [TrackSegment]? {
    guard let nodes = node.elements(atMost: DocumentLimits.segments) else { return nil }
    var segments: [TrackSegment] = []
    // Nil after a segment that could not be read, when the next one's place cannot be judged.
    var end: MediaTime? = .zero
    for node in nodes {
      guard let (source, mapping) = segment(node, media, after: end) else {
        end = nil
        continue
      }
      if let end, end < mapping.target.start {
        let gap = exact(node) { () throws(TimeError) in try MediaTimeRange(start: end, end: mapping.target.start) }
        segments += gap.map { [.empty($0)] } ?? []
      }
      segments.append(.media(source, mapping))
      end = mapping.target.end
    }
    return segments
  }

  private func segment(_ node: DocumentNode, _ media: MediaKind?, after end: MediaTime?) -> (SegmentSource, TimeMapping)? {
    guard let object = DocumentObject(.segment, node) else { return nil }
    let played = played(object)
    let source = object["source"].flatMap { sourceRange($0, media, of: object) }
    let duration = object["duration"].map { time($0, .positive) } ?? source?.duration
    let isReversed = object["reversed"].map { $0.bool() } ?? false
    let start = object["at"].map { time($0) } ?? end
    if let at = object["at"], let start, let end, start < end {
      return at.refuse(because: "\(start) overlaps the previous segment, which ends at \(end)")
    }
    guard let played, let source, let duration, let isReversed, let start else { return nil }
    let (slow, fast) = (max(source.duration, duration), min(source.duration, duration))
    guard source.isEmpty || exact(node, { () throws(TimeError) in try slow <= fast * DocumentLimits.speed }) == true else {
      return object["duration"]?.refuse(because: "more than \(DocumentLimits.speed) times faster or slower than the source")
    }
    let mapping = exact(node) { () throws(TimeError) in
      try TimeMapping(source: source, target: MediaTimeRange(start: start, duration: duration), isReversed: isReversed)
    }
    guard let mapping else { return nil }
    guard mapping.target.end <= DocumentLimits.latest else {
      return node.refuse(because: "ends after \(DocumentLimits.hours) hours")
    }
    return (played, mapping)
  }

  /// An asset or a composition.
  private func played(_ object: DocumentObject) -> SegmentSource? {
    let position = object["sourceTrack"].map { $0.integer(in: 0...DocumentLimits.tracks) } ?? 0
    switch (object["asset"], object["composition"]) {
    case (let asset?, nil):
      guard let asset = assetID(asset), let position else { return nil }
      return .asset(asset, trackPosition: position)
    case (nil, let composition?):
      object["sourceTrack"]?.note("a composition has one picture and one sound, and no tracks to choose from")
      return compositionID(composition).map { .composition($0) }
    default: return object.node.refuse(because: "needs either \"asset\" or \"composition\"")
    }
  }

  /// The range that is played; without duration it is a moment, which only a picture can be held at.
  private func sourceRange(_ node: DocumentNode, _ media: MediaKind?, of segment: DocumentObject) -> MediaTimeRange? {
    guard segment["duration"] != nil, media != .audio else { return timeRange(node) }
    return timeRange(node, duration: .nonNegative)
  }

  // MARK: - References

  func assetID(_ node: DocumentNode) -> AssetID? {
    guard let name = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    guard assets[AssetID(name)] != nil else {
      return node.refuse(because: "no asset '\(name)'\(Spelling.hint(for: name, among: assets.keys.lazy.map(\.rawValue)))")
    }
    return AssetID(name)
  }

  private func compositionID(_ node: DocumentNode) -> CompositionID? {
    guard let name = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    guard compositionNames.contains(name) else {
      return node.refuse(because: "no composition '\(name)'\(Spelling.hint(for: name, among: compositionNames))")
    }
    return CompositionID(name)
  }

  func trackID(_ node: DocumentNode, _ expected: MediaKind) -> TrackID? {
    guard let name = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    guard let media = tracks[TrackID(name)] else {
      return node.refuse(because: "no track '\(name)'\(Spelling.hint(for: name, among: tracks.keys.lazy.map(\.rawValue)))")
    }
    guard media == nil || media == expected else { return node.refuse(because: "track '\(name)' is not \(expected.rawValue)") }
    return TrackID(name)
  }
}
