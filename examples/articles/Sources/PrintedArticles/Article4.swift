import AVFoundation
import UIKit

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
///
/// - Parameter range: the part of the clip that is posted; nil is all of it.
public func post(
  _ videoPath: URL, audioPath: URL, range: CMTimeRange? = nil, to output: URL,
  completion: @escaping @Sendable (AVAssetExportSession) -> Void
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
  try? videoTrack.insertTimeRange(range ?? videoAssetTrack.timeRange, of: videoAssetTrack, at: .zero)

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

/// Colours a picture from left to right, where its mask has something.
final class WaveFormColoringAnimationView: UIView {
  private var liquidView: UIView!

  func startAnimation(image: UIImage, animationDuration: Double) {
    liquidView = UIView(frame: bounds)
    addSubview(liquidView)
    mask = UIImageView(image: image)
    liquidView.backgroundColor = .blue
    let animation: CAKeyframeAnimation = .init(keyPath: "position.x")
    animation.values = [-(liquidView.bounds.size.width * 0.5), liquidView.bounds.size.width * 0.5]
    animation.duration = CFTimeInterval(animationDuration)
    animation.isRemovedOnCompletion = false
    animation.beginTime = AVCoreAnimationBeginTimeAtZero
    liquidView.layer.add(animation, forKey: "coloringAnimation")
  }
}

/// Draws a bar for each 16 pixels: how loud the sound's part is.
private func waveFormImage(of track: AVAssetTrack, in asset: AVAsset, size: CGSize) throws -> UIImage {
  let reader = try AVAssetReader(asset: asset)
  let output = AVAssetReaderTrackOutput(
    track: track,
    outputSettings: [
      AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: 16, AVLinearPCMIsFloatKey: false,
      AVLinearPCMIsBigEndianKey: false, AVLinearPCMIsNonInterleaved: false, AVNumberOfChannelsKey: 1,
    ])
  reader.add(output)
  guard reader.startReading() else { throw reader.error! }
  var samples: [Int16] = []
  while let buffer = output.copyNextSampleBuffer() {
    guard let block = CMSampleBufferGetDataBuffer(buffer) else { continue }
    var part = [Int16](repeating: 0, count: CMBlockBufferGetDataLength(block) / 2)
    part.withUnsafeMutableBytes { bytes in
      _ = CMBlockBufferCopyDataBytes(
        block, atOffset: 0, dataLength: bytes.count, destination: bytes.baseAddress!)
    }
    samples += part
  }
  let count = Int(size.width / 16)
  return UIGraphicsImageRenderer(size: size).image { context in
    UIColor.white.setFill()
    for bar in 0..<count {
      let part = samples[(bar * samples.count / count)..<((bar + 1) * samples.count / count)]
      let loudest = part.reduce(0) { max($0, abs(Int($1))) }
      let height = max(2, size.height * CGFloat(loudest) / 32768)
      context.fill(CGRect(x: CGFloat(bar * 16 + 2), y: (size.height - height) / 2, width: 12, height: height))
    }
  }
}

/// Shows a waveform over a clip with music, which is coloured as far as the music was heard.
public func colorWaveForm(
  _ videoPath: URL, audioPath: URL, to output: URL, completion: @escaping @Sendable (AVAssetExportSession) -> Void
) throws {
  let (video, audio) = (AVURLAsset(url: videoPath), AVURLAsset(url: audioPath))
  let (videoAssetTrack, audioAssetTrack) = (video.tracks(withMediaType: .video)[0], audio.tracks(withMediaType: .audio)[0])
  let composition: AVMutableComposition = .init()
  let videoTrack = composition.addMutableTrack(withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid)!
  let audioTrack = composition.addMutableTrack(withMediaType: .audio, preferredTrackID: kCMPersistentTrackID_Invalid)!
  try videoTrack.insertTimeRange(videoAssetTrack.timeRange, of: videoAssetTrack, at: .zero)
  try audioTrack.insertTimeRange(.init(start: .zero, end: videoTrack.timeRange.end), of: audioAssetTrack, at: .zero)

  let size = videoAssetTrack.naturalSize
  let waveSize = CGSize(width: size.width, height: size.height / 4)
  let image = try waveFormImage(of: audioAssetTrack, in: audio, size: waveSize)
  let (parentLayer, videoLayer, whiteLayer) = (CALayer(), CALayer(), CALayer())
  parentLayer.frame = CGRect(origin: .zero, size: size)
  videoLayer.frame = parentLayer.frame
  whiteLayer.frame = CGRect(origin: .zero, size: waveSize)
  whiteLayer.contents = image.cgImage
  let animationView = WaveFormColoringAnimationView(frame: CGRect(origin: .zero, size: waveSize))
  animationView.startAnimation(image: image, animationDuration: CMTimeGetSeconds(composition.duration))
  for layer in [videoLayer, whiteLayer, animationView.layer] { parentLayer.addSublayer(layer) }

  let instruction: AVMutableVideoCompositionInstruction = .init()
  instruction.timeRange = CMTimeRange(start: .zero, duration: composition.duration)
  instruction.layerInstructions = [AVMutableVideoCompositionLayerInstruction(assetTrack: videoTrack)]
  let videoComposition: AVMutableVideoComposition = .init()
  videoComposition.renderSize = size
  videoComposition.frameDuration = CMTime(value: 1, timescale: 25)
  videoComposition.instructions = [instruction]
  videoComposition.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: videoLayer, in: parentLayer)

  let session = AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality)!
  session.videoComposition = videoComposition
  session.outputFileType = .mp4
  session.outputURL = output
  // A view that nobody holds takes its subviews with it.
  session.exportAsynchronously { withExtendedLifetime(animationView) { completion(session) } }
}
