internal import Document
internal import Formats
internal import MediaTime
internal import Timeline

/// The making of the document's values from this library's objects.
struct Lowering {
  /// The wishes of an export.
  struct Request {
    var asset: AVAsset
    var videoComposition: AVVideoComposition?
    /// The compositor that the caller knows; nil for a new one.
    var compositor: (any AVVideoCompositing)?
    var audioMix: AVAudioMix?
    /// The method for the tracks whose parameters name none.
    var timePitch = AVAudioTimePitchAlgorithm.spectral
    var settings = ExportSettings()
    /// The sides that the picture must fit into; nil for any size.
    var bounds: CGSize?
    /// Whether these sides are turned for an upright picture.
    var turnsBounds = true
    /// Whether a picture is shown as it is stored where no video composition says more.
    var liesAsStored = false
    var timeRange: CMTimeRange?
    /// The tracks that are seen and heard; nil for all.
    var trackIDs: Set<CMPersistentTrackID>?
    /// The rate at which the pictures are made where no video composition says more; nil for the usual one.
    var frameDuration: CMTime?
    /// The range of the pictures' codes; nil for the usual one.
    var codes: ColorTags.Range?
    /// The colour of the pictures; nil for the first medium's.
    var color: ColorTags?
  }

  let request: Request
  let composition: AVComposition
  /// The names that media have in the document, by those that they have in the edit.
  private var names: [AssetID: AssetID] = [:]
  var assets: [AssetID: Asset] = [:]
  /// The pictures of layers, which are written into files.
  var pictures: [(image: CGImage, name: AssetID)] = []
  /// The layers that show the video as one of the layers.
  var videoLayers: [CALayer] = []
  /// The folder for these files.
  let folder: String
  /// The files that the document names by their places.
  private(set) var files: [KeptFile] = []
  /// The media whose files have lost their names, with the paths under which the document names them; empty unless `replacesGoneFiles`.
  private(set) var goneFiles: [(file: KeptFile, path: String)] = []
  /// Whether such media are given another place, in the folder. Else a medium whose name another file has is refused.
  var replacesGoneFiles = false

  init(_ request: Request, folder: String) throws(AVError) {
    (self.request, self.folder) = (request, folder)
    composition = try request.asset.asComposition()
  }

  mutating func timeline() throws(AVError) -> Timeline {
    for track in composition.compositionTracks { if let fault = track.fault { throw fault } }
    let tracks = composition.compositionTracks.filter { track in
      track.isEnabled && !track.edit.segments.isEmpty && request.trackIDs?.contains(track.trackID) ?? true
    }
    guard !tracks.isEmpty else {
      throw AVError(.noSourceTrack, "the composition is empty: no track plays anything", property: "asset")
    }
    var edit = Composition()
    for track in tracks { edit.tracks.append(try lowered(track)) }
    if request.videoComposition == nil { try holdLastPicture(in: &edit) }
    var timeline = Timeline(composition: edit, export: request.settings)
    timeline.export.takeSound(of: tracks)
    let hasPicture = tracks.contains { $0.mediaType == .video }
    if let given = request.videoComposition ?? (hasPicture ? usualVideoComposition(tracks) : nil) {
      let parts = given.parts
      if let fault = parts.fault { throw fault }
      timeline.videoComposition = try lowered(parts, tracks, duration: edit.duration)
      if let tool = parts.animationTool, var video = timeline.videoComposition {
        timeline.layers = try lowered(tool, &video, parts)
        timeline.videoComposition = video
      }
    }
    if let range = request.codes, var color = timeline.videoComposition?.color ?? request.color ?? sourceColor(tracks) {
      color.range = range
      timeline.videoComposition?.color = color
    }
    timeline.audioMix = try audioMix(tracks)
    timeline.assets = assets
    if let range = request.timeRange, range.start != .zero || range.duration != .positiveInfinity {
      timeline.export.timeRange = try exported(range, duration: edit.duration)
    }
    return timeline
  }

  /// The colour that a video composition sets, else that of the first medium.
  func colors(of tracks: [AVMutableCompositionTrack]) throws(AVError) -> ColorTags? {
    try request.videoComposition.flatMap { (video) throws(AVError) in try colorTags(video.parts) } ?? sourceColor(tracks)
  }

  /// The colour of the first medium, without unknown parts.
  func sourceColor(_ tracks: [AVMutableCompositionTrack]) -> ColorTags? {
    let facts = tracks.first { $0.mediaType == .video }?.first?.facts.video
    return facts.map { $0.color.resolved(height: $0.naturalSize.height) }
  }

  private func exported(_ range: CMTimeRange, duration: MediaTime) throws(AVError) -> MediaTimeRange {
    let start = try MediaTime(range.start, "timeRange")
    guard range.duration == .positiveInfinity else { return try MediaTimeRange(range, "timeRange") }
    do { return try MediaTimeRange(start: start, end: duration) } catch {
      throw AVError(.exportFailed, "timeRange: starts at \(start), but the asset ends at \(duration)", property: "timeRange")
    }
  }

  /// The track, with documents' names of media.
  private mutating func lowered(_ track: AVCompositionTrack) throws(AVError) -> CompositionTrack {
    var segments: [TrackSegment] = []
    for segment in track.edit.segments {
      guard case .media(let played, let mapping) = segment, case .asset(let medium, let position) = played,
        let source = track.sources[played]
      else {
        segments.append(segment)
        continue
      }
      segments.append(.media(.asset(try name(of: medium, source), trackPosition: position), mapping))
    }
    do { return try CompositionTrack(id: track.edit.id, media: track.edit.media, segments: segments) } catch {
      throw AVError(.unknown, "track \(track.trackID): \(error)")
    }
  }

  private mutating func name(of medium: AssetID, _ source: SourceTrack) throws(AVError) -> AssetID {
    if let name = names[medium] { return name }
    let (name, place) = (AssetID("media\(names.count + 1)"), source.url.mediaPlace)
    // A place that is no URL of a medium is a path. A path that is wrong is refused by its name.
    let url = place.hasPrefix("/") ? nil : try? MediaURL(place)
    if let url { assets[name] = .remote(url) } else { assets[name] = .file(try kept(source.file, as: name) ?? place) }
    names[medium] = name
    return name
  }

  /// A new path for a file that has lost its name; nil for others.
  private mutating func kept(_ file: KeptFile?, as name: AssetID) throws(AVError) -> String? {
    guard let file else { return nil }
    let state = file.state
    if state == .inPlace { files.append(file) }
    guard state != .inPlace, state != .removed || replacesGoneFiles else { return nil }
    if let loss = file.loss(state) { throw file.fault(loss) }
    guard replacesGoneFiles else {
      throw file.fault("another file has this name now than when it was inserted, and a document goes by names")
    }
    let ending = URL(fileURLWithPath: file.place).pathExtension
    let path = "\(folder)/\(name.rawValue)" + (ending.isEmpty ? "" : ".\(ending)")
    goneFiles.append((file, path))
    return path
  }

  private func audioMix(_ tracks: [AVMutableCompositionTrack]) throws(AVError) -> AudioMix {
    var mixed: [AudioMixInputParameters] = []
    let audio = tracks.filter { $0.mediaType == .audio }
    let given = request.audioMix?.inputParameters ?? []
    // Parameters of a track that plays nothing change nothing.
    let known = composition.compositionTracks.filter { $0.mediaType == .audio }
    for parameters in given where !known.contains(where: { $0.trackID == parameters.trackID }) {
      UnusedParameters.tell(parameters.trackID)
    }
    for track in audio {
      let own = given.filter { $0.trackID == track.trackID }
      let parameters = own.count > 1 ? AVAudioMixInputParameters(of: own) : own.first
      guard parameters?.audioTapProcessor == nil else {
        throw AVError(
          .operationNotAllowed, "audioTapProcessor: track \(track.trackID): a tap is code, which a document cannot have",
          property: "audioTapProcessor")
      }
      let algorithm = parameters?.audioTimePitchAlgorithm ?? request.timePitch
      let share = try number(CGFloat(decimal(track.preferredVolume)), "preferredVolume")
      let volume = try parameters?.volume.envelope("volume", .unknown) { (value) throws(AVError) in
        try number(CGFloat(decimal(value)) * share, "volume")
      }
      let isSet = volume.map { !$0.keyframes.isEmpty } ?? false
      mixed.append(
        AudioMixInputParameters(
          track: track.edit.id, volume: isSet ? volume ?? Envelope() : share == 1 ? Envelope() : Envelope(constant: share),
          preservesPitch: algorithm != .varispeed && track.isScaled))
    }
    return AudioMix(mixed)
  }
}

/// Parameters of a mix for a track that is not there.
enum UnusedParameters {
  /// Says on the standard error that parameters change nothing.
  static func tell(_ trackID: CMPersistentTrackID) {
    let words = "AVFoundation: parameters of an audio mix change nothing: no audio track has the ID \(trackID)\n"
    FileHandle.standardError.write(Data(words.utf8))
  }
}

extension AVCompositionTrack {
  /// Whether a part is played faster or slower.
  fileprivate var isScaled: Bool { edit.clips.contains { !$0.mapping.isIdentityRate } }
}

/// The number that a Float such as 0.3 was written as.
func decimal(_ value: Float) -> Double { Double(value.description) ?? Double(value) }

/// The number.
///
/// - Throws: an error that names `property` where it is infinite or no number.
func number(_ value: CGFloat, _ property: String, _ code: AVError.Code = .unknown) throws(AVError) -> Double {
  guard value.isFinite else { throw AVError(code, "\(property): \(value) is no number", property: property) }
  return value == 0 ? 0 : Double(value)
}

func color(_ color: CGColor, _ property: String) throws(AVError) -> RGBAColor {
  var values: [Double] = []
  for component in color.sRGB { values.append(min(max(try number(component, property), 0), 1)) }
  return RGBAColor(values[0], values[1], values[2], alpha: values[3])
}

extension ExportSettings {
  /// Takes over sample rate and channels of the first sound, where packets of it are to be copied.
  fileprivate mutating func takeSound(of tracks: [AVMutableCompositionTrack]) {
    guard audio.copy != .never, let facts = tracks.first(where: { $0.mediaType == .audio })?.first?.facts.audio,
      audio.codec.sampleRates.contains(facts.sampleRate),
      let layout = AudioCodecSettings.ChannelLayout(rawValue: facts.channelLayout),
      layout.channelCount <= audio.coding.coder.mostChannels
    else { return }
    (audio.sampleRate, audio.channelLayout) = (facts.sampleRate, layout)
    audio.fitBitRate()
    for index in sounds.indices { sounds[index].audio = audio }
  }
}
