import AVFoundation

// The programs of an article about posting clips with music.

/// The transform that lays a track upright into the middle of 1080 × 1920, as large as fits.
private func makeTransform(with track: AVAssetTrack) -> CGAffineTransform {
  let seen = CGRect(origin: .zero, size: track.naturalSize).applying(track.preferredTransform)
  let scale = min(1080 / seen.width, 1920 / seen.height)
  return track.preferredTransform
    .concatenating(CGAffineTransform(translationX: -seen.minX, y: -seen.minY))
    .concatenating(CGAffineTransform(scaleX: scale, y: scale))
    .concatenating(
      CGAffineTransform(translationX: (1080 - seen.width * scale) / 2, y: (1920 - seen.height * scale) / 2))
}

/// Puts music under a clip, in 1080 × 1920 with the colours of HD.
public func post(
  _ videoPath: URL, audioPath: URL, to output: URL, completion: @escaping @Sendable (AVAssetExportSession) -> Void
) {
  let videoURLAsset: AVURLAsset = .init(url: videoPath)
  let audioURLAsset: AVURLAsset = .init(url: audioPath)
  guard let videoAssetTrack = videoURLAsset.tracks(withMediaType: .video).first,
    let audioAssetTrack = audioURLAsset.tracks(withMediaType: .audio).first
  else {
    return
  }
  let composition: AVMutableComposition = .init()

  guard
    let videoTrack = composition.addMutableTrack(withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid)
  else {
    return
  }
  try? videoTrack.insertTimeRange(videoAssetTrack.timeRange, of: videoAssetTrack, at: .zero)

  guard
    let audioTrack = composition.addMutableTrack(withMediaType: .audio, preferredTrackID: kCMPersistentTrackID_Invalid)
  else {
    return
  }

  let audioTimeRange: CMTimeRange = .init(start: .zero, end: videoTrack.timeRange.end)
  try? audioTrack.insertTimeRange(audioTimeRange, of: audioAssetTrack, at: .zero)

  let videoCompositionLayerInstruction: AVMutableVideoCompositionLayerInstruction = .init(assetTrack: videoTrack)
  let transform = makeTransform(with: videoAssetTrack)
  videoCompositionLayerInstruction.setTransform(transform, at: .zero)

  let videoCompositionInstruction: AVMutableVideoCompositionInstruction = .init()
  videoCompositionInstruction.timeRange = videoTrack.timeRange
  videoCompositionInstruction.layerInstructions = [videoCompositionLayerInstruction]

  let videoComposition: AVMutableVideoComposition = .init()
  videoComposition.colorPrimaries = AVVideoColorPrimaries_ITU_R_709_2
  videoComposition.colorTransferFunction = AVVideoTransferFunction_ITU_R_709_2
  videoComposition.colorYCbCrMatrix = AVVideoYCbCrMatrix_ITU_R_709_2

  let fps = max(videoAssetTrack.nominalFrameRate, 1.0)
  videoComposition.frameDuration = CMTime(value: 1, timescale: CMTimeScale(fps))
  videoComposition.renderSize = CGSize(width: 1080.0, height: 1920.0)
  videoComposition.instructions = [videoCompositionInstruction]

  guard
    let assetExportSession: AVAssetExportSession = .init(
      asset: composition, presetName: AVAssetExportPresetHighestQuality)
  else {
    return
  }
  assetExportSession.videoComposition = videoComposition
  assetExportSession.timeRange = videoTrack.timeRange
  assetExportSession.outputFileType = .mp4
  assetExportSession.outputURL = output
  assetExportSession.shouldOptimizeForNetworkUse = true
  assetExportSession.exportAsynchronously { completion(assetExportSession) }
}

public final class AudioPlayer {
  private let asset: AVAsset
  private let playerItem: AVPlayerItem
  private let player: AVQueuePlayer
  private var playerLooper: AVPlayerLooper?
  private var playerLooperObservation: NSKeyValueObservation?

  public init(withAudioFilePath audioFilePath: URL) {
    asset = .init(url: audioFilePath)
    playerItem = .init(asset: asset)
    player = AVQueuePlayer(items: [playerItem])
  }

  public func play(range: ClosedRange<Double>, completion: @escaping (()) -> Void) {
    player.removeAllItems()
    playerLooper = AVPlayerLooper(
      player: player,
      templateItem: playerItem,
      timeRange: .init(range: range, timescale: asset.duration.timescale)
    )
    player.play()
    playerLooperObservation = playerLooper?.observe(\.loopCount, options: [.new]) { playerLooper, _ in
      guard playerLooper.loopCount > 0 else { return }
      completion(())
    }
  }
}

extension CMTimeRange {
  init(range: ClosedRange<Double>, timescale: CMTimeScale) {
    let start: CMTime = .init(seconds: range.lowerBound, preferredTimescale: timescale)
    let end: CMTime = .init(seconds: range.upperBound, preferredTimescale: timescale)
    self = .init(start: start, end: end)
  }
}
