import AVFoundation

/// The transitions that the article on compositors names first: those for which layer instructions suffice.
public enum LayerTransition: String, CaseIterable, Sendable {
  /// The first clip becomes transparent.
  case crossfade
  /// The first clip goes out to the left, and the second one comes from the right.
  case swipe
  /// The first clip is cropped from its right edge, until nothing of it is left.
  case reveal
}

/// Goes from one movie to another: three seconds of each, of which they share one, with the sound of both. The second clip stands in the
/// middle, twice as large as it is stored.
///
/// - Throws: an error where a clip has no picture, or is shorter than three seconds.
public func transition(
  _ kind: LayerTransition, from first: URL, to second: URL, output: URL,
  completion: @escaping @Sendable (AVAssetExportSession) -> Void
) throws {
  let (length, overlap) = (CMTime(value: 3, timescale: 1), CMTime(value: 1, timescale: 1))
  let composition = AVMutableComposition()
  let (shared, size) = (CMTimeRange(start: length - overlap, duration: overlap), CGSize(width: 1280, height: 720))
  var (layers, sounds): ([AVMutableVideoCompositionLayerInstruction], [AVAudioMixInputParameters]) = ([], [])
  for (url, start) in [(first, CMTime.zero), (second, shared.start)] {
    let asset = AVURLAsset(url: url)
    let range = CMTimeRange(start: .zero, duration: length)
    guard let picture = asset.tracks(withMediaType: .video).first, asset.duration >= length,
      let track = composition.addMutableTrack(withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid)
    else {
      throw AVError(.invalidSourceMedia)
    }
    try track.insertTimeRange(range, of: picture, at: start)
    layers.append(AVMutableVideoCompositionLayerInstruction(assetTrack: track))
    guard let sound = asset.tracks(withMediaType: .audio).first,
      let audio = composition.addMutableTrack(withMediaType: .audio, preferredTrackID: kCMPersistentTrackID_Invalid)
    else { continue }
    try audio.insertTimeRange(range, of: sound, at: start)
    let parameters = AVMutableAudioMixInputParameters(track: audio)
    parameters.setVolumeRamp(
      fromStartVolume: start == .zero ? 1 : 0, toEndVolume: start == .zero ? 0 : 1, timeRange: shared)
    sounds.append(parameters)
  }

  let (leaving, coming) = (layers[0], layers[1])
  let natural = composition.tracks(withMediaType: .video)[1].naturalSize
  let middle = CGAffineTransform(scaleX: 2, y: 2).concatenating(
    CGAffineTransform(translationX: size.width / 2 - natural.width, y: size.height / 2 - natural.height))
  coming.setTransform(middle, at: .zero)
  switch kind {
  case .crossfade:
    leaving.setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0, timeRange: shared)
  case .swipe:
    let right = middle.concatenating(CGAffineTransform(translationX: size.width, y: 0))
    leaving.setTransformRamp(
      fromStart: .identity, toEnd: CGAffineTransform(translationX: -size.width, y: 0), timeRange: shared)
    coming.setTransformRamp(fromStart: right, toEnd: middle, timeRange: shared)
  case .reveal:
    leaving.setCropRectangleRamp(
      fromStartCropRectangle: CGRect(origin: .zero, size: size),
      toEndCropRectangle: CGRect(x: 0, y: 0, width: 0, height: size.height), timeRange: shared)
  }
  // Whatever was left of the first clip, the last part has the second one alone.
  var instructions: [AVMutableVideoCompositionInstruction] = []
  func show(_ layers: [AVMutableVideoCompositionLayerInstruction], until end: CMTime) {
    let instruction = AVMutableVideoCompositionInstruction()
    instruction.timeRange = CMTimeRange(start: instructions.last?.timeRange.end ?? .zero, end: end)
    instruction.layerInstructions = layers
    instructions.append(instruction)
  }
  show([leaving], until: shared.start)
  show(layers, until: shared.end)
  show([coming], until: composition.duration)

  let videoComposition = AVMutableVideoComposition()
  videoComposition.instructions = instructions
  videoComposition.frameDuration = CMTime(value: 1, timescale: 30)
  videoComposition.renderSize = size
  let audioMix = AVMutableAudioMix()
  audioMix.inputParameters = sounds

  guard let session = AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality) else {
    throw AVError(.exportFailed)
  }
  session.outputURL = output
  session.outputFileType = .mov
  session.videoComposition = videoComposition
  session.audioMix = audioMix
  session.exportAsynchronously { completion(session) }
}
