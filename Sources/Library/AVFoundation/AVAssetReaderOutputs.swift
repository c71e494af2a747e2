internal import Formats
internal import SampleStream
internal import Timeline

/// The pictures or the sound of one track. Pictures are as they are stored, each with its own time.
/// - Partly: as `AVAssetReader`
open class AVAssetReaderTrackOutput: AVAssetReaderOutput, @unchecked Sendable {
  public let track: AVAssetTrack
  public let outputSettings: [String: Any]?
  /// The method by which sound at another speed is made.
  open var audioTimePitchAlgorithm = AVAudioTimePitchAlgorithm.spectral

  /// - Parameters:
  ///   - track: a track of the reader's asset.
  ///   - outputSettings: the form of the samples. Without them, pictures come as 420v and sound as floats: samples are never given as
  ///     they are stored.
  public init(track: AVAssetTrack, outputSettings: [String: Any]?) {
    (self.track, self.outputSettings) = (track, outputSettings)
    super.init()
  }

  open override var mediaType: AVMediaType { track.mediaType }
  override func belongs(to asset: AVAsset) -> Bool { asset.tracks.contains { $0 === track } }

  override func supply(_ asset: AVAsset, _ range: CMTimeRange) throws(AVError) -> any SampleSupply {
    if let metadata = track as? AVMetadataTrack {
      guard outputSettings == nil else {
        throw AVError(.operationNotAllowed, "outputSettings: metadata is given as it is stored", property: "outputSettings")
      }
      return try metadata.samples(in: range)
    }
    var request = Lowering.Request(asset: asset, timePitch: audioTimePitchAlgorithm)
    (request.trackIDs, request.timeRange) = ([track.trackID], range)
    guard track.mediaType == .video else { return try SoundSupply(request, [track], outputSettings, "outputSettings") }
    let form = try PictureForm(outputSettings, "outputSettings")
    request.liesAsStored = true
    // Pictures that are shorter than a thousandth of a second cannot be told apart.
    request.frameDuration = CMTime(value: 1, timescale: 1000)
    return try PictureSupply(request, form, what: "track-pictures")
  }
}

/// The pictures that a video composition makes of tracks.
/// - Partly: as `AVAssetReader`
open class AVAssetReaderVideoCompositionOutput: AVAssetReaderOutput, @unchecked Sendable {
  public let videoTracks: [AVAssetTrack]
  public let videoSettings: [String: Any]?
  /// The composition. Reading begins only with one. It is copied, and stays as it is when a mutable one is changed.
  open var videoComposition: AVVideoComposition? { didSet { videoComposition = videoComposition?.unchanging } }

  public init(videoTracks: [AVAssetTrack], videoSettings: [String: Any]?) {
    (self.videoTracks, self.videoSettings) = (videoTracks, videoSettings)
    super.init()
  }

  open override var mediaType: AVMediaType { .video }
  private let compositors = CompositorKeeper()
  /// The compositor that makes the pictures, of the class that the video composition names.
  open var customVideoCompositor: (any AVVideoCompositing)? { compositors.compositor(of: videoComposition) }
  override func belongs(to asset: AVAsset) -> Bool {
    !videoTracks.isEmpty
      && videoTracks.allSatisfy { track in track.mediaType == .video && asset.tracks.contains { $0 === track } }
  }

  override func supply(_ asset: AVAsset, _ range: CMTimeRange) throws(AVError) -> any SampleSupply {
    guard let videoComposition else {
      throw AVError(.operationNotAllowed, "videoComposition: is not set", property: "videoComposition")
    }
    let form = try PictureForm(videoSettings, "videoSettings")
    var request = Lowering.Request(asset: asset, videoComposition: videoComposition)
    (request.trackIDs, request.timeRange) = (Set(videoTracks.map(\.trackID)), range)
    request.compositor = customVideoCompositor
    if videoComposition.customVideoCompositorClass != nil { return try ComposedSupply(request, form) }
    return try PictureSupply(request, form, what: "frames")
  }
}

/// The sound of tracks, mixed.
/// - Partly: as `AVAssetReader`
open class AVAssetReaderAudioMixOutput: AVAssetReaderOutput, @unchecked Sendable {
  public let audioTracks: [AVAssetTrack]
  public let audioSettings: [String: Any]?
  /// The mix, copied when it is set, as on Apple's systems: it stays as it is then when a mutable one is changed.
  open var audioMix: AVAudioMix? { didSet { audioMix = audioMix?.unchanging } }
  open var audioTimePitchAlgorithm = AVAudioTimePitchAlgorithm.spectral

  public init(audioTracks: [AVAssetTrack], audioSettings: [String: Any]?) {
    (self.audioTracks, self.audioSettings) = (audioTracks, audioSettings)
    super.init()
  }

  open override var mediaType: AVMediaType { .audio }
  override func belongs(to asset: AVAsset) -> Bool {
    !audioTracks.isEmpty
      && audioTracks.allSatisfy { track in track.mediaType == .audio && asset.tracks.contains { $0 === track } }
  }

  override func supply(_ asset: AVAsset, _ range: CMTimeRange) throws(AVError) -> any SampleSupply {
    var request = Lowering.Request(asset: asset, audioMix: audioMix, timePitch: audioTimePitchAlgorithm)
    (request.trackIDs, request.timeRange) = (Set(audioTracks.map(\.trackID)), range)
    if TappedSound.isNeeded(request) { return try TappedSupply(request, audioTracks, audioSettings) }
    return try SoundSupply(request, audioTracks, audioSettings, "audioSettings")
  }
}

/// Pictures of a document.
// The output's lock keeps threads apart.
final class PictureSupply: SampleSupply, @unchecked Sendable {
  private let reading: SampleReading
  private let form: PictureForm
  private var pool: CVPixelBufferPool?
  private var description: CMFormatDescription?

  init(_ request: Lowering.Request, _ form: PictureForm, what: String, frames: Range<Int>? = nil) throws(AVError) {
    self.form = form
    var request = request
    // Nothing is encoded, but a document's codec must go into its file.
    (request.settings.video, request.settings.fileType) = (form.codec, .mkv)
    request.codes = !form.isRGB && form.samples.isFullRange ? .full : .limited
    reading = try SampleReading(request, what: what, isRGB: form.isRGB, frames: frames)
  }

  func picture() throws(AVError) -> (picture: CVPixelBuffer, record: SampleRecord)? {
    guard let (track, record, bytes) = try reading.next() else { return nil }
    guard case .pictures(let stored) = track else { throw AVError(.unknown, "'spool read' of another version answered") }
    return (try form.picture(bytes, stored, from: &pool), record)
  }

  func next() throws(AVError) -> CMSampleBuffer? {
    guard let (picture, record) = try picture() else { return nil }
    let format = description ?? CMFormatDescription(of: picture)
    description = format
    let timing = CMSampleTimingInfo(
      duration: CMTime(exactly: record.duration), presentationTimeStamp: CMTime(exactly: record.time), decodeTimeStamp: .invalid)
    return CMSampleBuffer(picture: picture, block: nil, format, count: 1, timing: [timing])
  }

  func cancel() { reading.cancel() }
}

/// The sound of a document.
// The output's lock keeps threads apart.
final class SoundSupply: SampleSupply, @unchecked Sendable {
  private let reading: SampleReading
  private let form: SoundForm
  private let description: CMFormatDescription

  init(
    _ request: Lowering.Request, _ tracks: [AVAssetTrack], _ settings: [String: Any]?, _ property: String
  ) throws(AVError) {
    form = try SoundForm(settings, tracks[0].soundSource, property)
    description = CMFormatDescription(sound: form.description)
    var request = request
    request.settings.audio = form.codec
    request.settings.fileType = .mov
    reading = try SampleReading(request, what: "sound")
  }

  func next() throws(AVError) -> CMSampleBuffer? {
    guard let (_, record, bytes) = try reading.next() else { return nil }
    let samples = form.samples(ofFloats: bytes)
    let timing = CMSampleTimingInfo(
      duration: CMTime(value: 1, timescale: form.sampleRate), presentationTimeStamp: CMTime(exactly: record.time),
      decodeTimeStamp: .invalid)
    let size = form.bytesPerSample * form.channelCount
    return CMSampleBuffer(
      picture: nil, block: CMBlockBuffer(samples), description, count: samples.count / size, timing: [timing],
      sizes: form.isPlanar ? [] : [size])
  }

  func cancel() { reading.cancel() }
}

extension AVAssetTrack {
  /// The rate and the channels of the sound that the track plays first.
  var soundSource: (sampleRate: Int32, channelCount: Int) {
    let facts = (facts ?? (self as? AVCompositionTrack)?.first?.facts)?.audio
    return (facts?.sampleRate ?? 48_000, facts?.channelCount ?? 2)
  }
}
