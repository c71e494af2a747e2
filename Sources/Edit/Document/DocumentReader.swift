internal import Captions
internal import Formats
internal import JSON
internal import Lottie
internal import MediaTime
internal import Scenes
internal import Timeline

/// Reads a document of version 1. It goes on after a fault, to find all faults.
///
/// It can read without knowing the assets. Whatever depends on an unknown asset is then left unjudged.
struct DocumentReader {
  let log: FaultLog
  /// The facts of those assets that are known.
  let facts: [AssetID: AssetFacts]
  /// The frame duration in which timecodes count; nil when the document states none that can be read.
  private(set) var timecodeFrame: MediaTime?
  /// The background of instructions that state none.
  private(set) var usualBackground = RGBAColor.black
  private(set) var assets: [AssetID: Asset] = [:]
  private(set) var nesting = NestedLengths()
  private(set) var treatments: [AssetID: AssetTreatment] = [:]
  /// The tracks read so far. The media kind is nil where a track's own is faulty.
  private(set) var tracks: [TrackID: MediaKind?] = [:]
  /// The end of the longest track; nil while some track is faulty or unjudged. Nothing is checked against it then.
  private(set) var duration: MediaTime?
  /// The range of each audio track from its first segment on. It is empty while `duration` is nil.
  private(set) var extents: [TrackID: MediaTimeRange] = [:]

  /// Whether the edit that is read has a `videoComposition`, and the height of its frame where that is known.
  private(set) var hasVideoComposition = false
  private(set) var renderHeight: Int?

  /// The cues of those caption files that were read, by the places of their captions.
  let captionCues: [String: [CaptionCue]]
  /// The scripts of those that libass draws.
  let captionScripts: [String: CaptionScript]
  /// The document's own animations of texts, by their names.
  private(set) var textAnimations: [String: TextAnimation] = [:]
  /// The caption files that the document names.
  var captionFiles: [CaptionFileName] = []
  /// The animations of those Lottie files that were read, by the places of their layers.
  let animations: [String: LottieAnimation]
  /// The Lottie files that the document names, with those of its nested compositions.
  let lottieNames: LottieNames

  init(
    knowing facts: [AssetID: AssetFacts], _ captionCues: [String: [CaptionCue]] = [:],
    _ captionScripts: [String: CaptionScript] = [:], _ animations: [String: LottieAnimation] = [:]
  ) {
    (log, self.facts, self.captionCues, self.animations) = (FaultLog(), facts, captionCues, animations)
    self.captionScripts = captionScripts
    lottieNames = LottieNames()
  }

  /// Makes a reader for a nested composition. It knows the document's assets and compositions, but not the tracks of the edit.
  private init(within document: DocumentReader) {
    (log, facts, assets, nesting) = (document.log, document.facts, document.assets, document.nesting)
    (captionCues, captionScripts, textAnimations) = (document.captionCues, document.captionScripts, document.textAnimations)
    (animations, lottieNames) = (document.animations, document.lottieNames)
    treatments = document.treatments
    usualBackground = document.usualBackground
  }

  mutating func read(_ json: JSONValue) -> DocumentReading {
    let root = DocumentNode(value: json, path: .root, log: log)
    guard let document = DocumentObject(.document, root) else { return DocumentReading(log, Timeline()) }
    if let version = document["spool"] { checkVersion(version) }
    timecodeFrame = Self.timecodeFrame(of: document)
    usualBackground = Self.usualBackground(of: document)
    if let node = document["assets"] { readAssets(node) }
    if let node = document["textAnimations"] { textAnimations = namedAnimations(node) }
    let compositions = document["compositions"].map { readCompositions($0) } ?? [:]
    let composition = document["composition"].flatMap { node in
      DocumentObject(.composition, node).flatMap { readComposition($0) }
    }
    let videoComposition = readVideoComposition(document, composition)
    let timeline = Timeline(
      assets: assets, compositions: compositions, composition: composition ?? Composition(),
      videoComposition: videoComposition,
      layers: document["layers"].map(layers) ?? [], captions: document["captions"].map { captions($0) } ?? [],
      audioMix: document["audioMix"].map { audioMix($0) } ?? AudioMix(),
      export: document["export"].flatMap(export) ?? ExportSettings(), treatments: treatments)
    checkCaptions(timeline, root)
    if log.count == 0, log.unjudged == nil {
      var nesting = NestingCheck(timeline, log)
      nesting.run()
    }
    let hasPicture = document["videoComposition"] != nil || tracks.values.contains(.video)
    return DocumentReading(
      log, timeline, hasPicture: hasPicture, captionFiles: captionFiles, lottieFiles: lottieNames.files,
      lottieImages: lottieNames.images)
  }

  private func checkVersion(_ node: DocumentNode) {
    if node.value != .number("1") { node.note("expected 1, the only version of documents that there is") }
  }

  private static func timecodeFrame(of document: DocumentObject) -> MediaTime? {
    guard case .object(let members)? = document["videoComposition"]?.value,
      case .string(let text)? = members.first(where: { $0.key == "frameDuration" })?.value
    else { return nil }
    // The error is not lost: the frame duration is read again in its own place, where its faults are noted.
    return try? MediaTime(parsing: text)
  }

  /// The background that the export asks for, whose faults are noted when it is read in its own place.
  private static func usualBackground(of document: DocumentObject) -> RGBAColor {
    var video = ExportSettings().video
    if case .object(let export)? = document["export"]?.value,
      case .object(let settings)? = export.first(where: { $0.key == "video" })?.value
    {
      video.hasAlpha = settings.contains { $0.key == "alpha" && $0.value == .bool(true) }
    }
    return video.usualBackground
  }

  private mutating func readAssets(_ node: DocumentNode) {
    guard case .object(let members) = node.value else { return node.note("expected an object, found \(node.value.kind)") }
    if members.count > DocumentLimits.assets {
      return node.note("\(members.count) assets; at most \(DocumentLimits.assets) are accepted")
    }
    for member in members {
      let node = DocumentNode(value: member.value, path: node.path[member.key], log: log)
      _ = DocumentNode(value: .string(member.key), path: node.path, log: log).string(atMost: DocumentLimits.nameLength)
      // A faulty asset is known all the same, so that references to it are not faults too.
      let object = DocumentObject(.asset, node)
      assets[AssetID(member.key)] = object.flatMap(asset) ?? Asset(path: "")
      treatments[AssetID(member.key)] = object.map(treatment)
    }
  }

  private func asset(_ object: DocumentObject) -> Asset? {
    switch (object["path"], object["url"], object["data"]) {
    case (let node?, nil, nil): return node.string(atMost: DocumentLimits.pathLength).map(Asset.file)
    case (nil, let node?, nil):
      guard let text = node.string(atMost: DocumentLimits.pathLength) else { return nil }
      do throws(MediaURL.Fault) { return .remote(try MediaURL(text)) } catch { return node.refuse(because: error.reason) }
    case (nil, nil, let node?):
      guard let text = node.string(atMost: DocumentLimits.embeddedLength) else { return nil }
      do throws(DataURL.Fault) { return .embedded(try DataURL(text)) } catch { return node.refuse(because: error.reason) }
    default: return object.node.refuse(because: "needs one of \"path\", \"url\" and \"data\"")
    }
  }

  private func treatment(_ object: DocumentObject) -> AssetTreatment {
    if let kind = object["kind"], kind.choice(AssetKind.self) == .font { return AssetTreatment(font: font(object)) }
    object["face"]?.note("only a font has faces: say \"kind\": \"font\"")
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
    var compositions: [CompositionID: NestedComposition] = [:]
    nesting = NestedLengths(of: members)
    for member in nesting.innermostFirst {
      _ = DocumentNode(value: .string(member.key), path: node.path, log: log).string(atMost: DocumentLimits.nameLength)
      var reader = DocumentReader(within: self)
      let node = DocumentNode(value: member.value, path: node.path[member.key], log: log)
      let id = CompositionID(member.key)
      let nested = DocumentObject(.nestedComposition, node).flatMap { reader.nested($0) }
      captionFiles += reader.captionFiles
      compositions[id] = nested
      let own = nested?.videoComposition.map { FirstPicture(size: $0.outputSize, frameDuration: $0.frameDuration) }
      nesting.note(reader.duration, own ?? nested?.composition.firstPictureSource.flatMap(reader.firstPicture), of: id)
    }
    return compositions
  }

  private mutating func nested(_ object: DocumentObject) -> NestedComposition? {
    timecodeFrame = Self.timecodeFrame(of: object)
    let composition = readComposition(object)
    let videoComposition = readVideoComposition(object, composition)
    return NestedComposition(
      composition: composition ?? Composition(),
      videoComposition: videoComposition,
      layers: object["layers"].map(layers) ?? [], captions: object["captions"].map { captions($0) } ?? [],
      audioMix: object["audioMix"].map { audioMix($0, isNested: true) } ?? AudioMix())
  }

  private mutating func readVideoComposition(_ object: DocumentObject, _ composition: Composition?) -> VideoComposition? {
    let read = object["videoComposition"].flatMap { videoComposition($0, of: composition) }
    (hasVideoComposition, renderHeight) = (object["videoComposition"] != nil, read?.renderSize.height)
    return read
  }

  // MARK: - Composition

  private mutating func readComposition(_ object: DocumentObject) -> Composition? {
    let faultsBefore = log.count
    guard let nodes = object["tracks"]?.elements(atMost: DocumentLimits.tracks) else { return nil }
    let read = nodes.compactMap { track($0) }
    guard log.count == faultsBefore, read.count == nodes.count else { return nil }
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
    for track in composition.tracks where track.media == .audio {
      guard let start = track.clips.first?.mapping.target.start else { continue }
      extents[track.id] = exact(object.node) { () throws(TimeError) in try MediaTimeRange(start: start, end: track.duration) }
    }
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
    let bed = object["bed"].flatMap { node in musicBed(node).map { ($0, node) } }
    let crossfade = object["crossfade"].map { self.crossfade($0) } ?? .zero
    if media == .video {
      object["bed"]?.note("only sound is made as long as the picture")
      object["crossfade"]?.note("only sound fades into what follows: pictures have transitions")
    }
    guard let media, let segments, let crossfade else { return nil }
    do {
      var track = try CompositionTrack(id: id, media: media, segments: segments)
      track.crossfade = crossfade
      return (track, bed)
    } catch { return node.refuse(because: "\(error)") }
  }

  // MARK: - References

  func assetID(_ node: DocumentNode) -> AssetID? {
    guard let name = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    guard assets[AssetID(name)] != nil else {
      return node.refuse("no asset '\(name)'", name, among: assets.keys.lazy.map(\.rawValue))
    }
    if treatments[AssetID(name)]?.font != nil {
      return node.refuse(because: "asset '\(name)' is a font, which only a text's \"font\" can name")
    }
    return AssetID(name)
  }

  /// The name of an asset that is a still picture, as far as that is known.
  func stillPicture(_ node: DocumentNode) -> AssetID? {
    guard let asset = assetID(node) else { return nil }
    if let facts = facts[asset] { SegmentCheck(log).checkStillPicture(asset, facts, at: node.path) }
    return asset
  }

  func compositionID(_ node: DocumentNode) -> CompositionID? {
    guard let name = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    guard nesting.names.contains(name) else {
      return node.refuse("no composition '\(name)'", name, among: nesting.names)
    }
    return CompositionID(name)
  }

  func trackID(_ node: DocumentNode, _ expected: MediaKind) -> TrackID? {
    guard let name = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    guard let media = tracks[TrackID(name)] else {
      return node.refuse("no track '\(name)'", name, among: tracks.keys.lazy.map(\.rawValue))
    }
    guard media == nil || media == expected else { return node.refuse(because: "track '\(name)' is not \(expected.rawValue)") }
    return TrackID(name)
  }
}
