import AVFoundation

/// Lays a logo and a line of text over a movie, as an Objective-C article does: its calls in Swift.
public func mark(
  _ movie: URL, logo: CGImage, copyright: String, to output: URL,
  completion: @escaping @Sendable (AVAssetExportSession) -> Void
) throws {
  let videoAsset = AVURLAsset(url: movie, options: nil)
  let mixComposition = AVMutableComposition()
  let compositionVideoTrack = mixComposition.addMutableTrack(
    withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid)!
  let clipVideoTrack = videoAsset.tracks(withMediaType: .video)[0]
  try compositionVideoTrack.insertTimeRange(
    CMTimeRangeMake(start: .zero, duration: videoAsset.duration), of: clipVideoTrack, at: .zero)
  compositionVideoTrack.preferredTransform = clipVideoTrack.preferredTransform
  let videoSize = clipVideoTrack.naturalSize

  let aLayer = CALayer()
  aLayer.contents = logo
  aLayer.frame = CGRect(x: 5, y: 25, width: 57, height: 57)
  aLayer.opacity = 0.65

  let titleLayer = CATextLayer()
  titleLayer.string = copyright
  titleLayer.font = "Helvetica"
  titleLayer.fontSize = videoSize.height / 6
  titleLayer.shadowOpacity = 0.5
  titleLayer.alignmentMode = .center
  titleLayer.bounds = CGRect(x: 0, y: 0, width: videoSize.width, height: videoSize.height / 6)
  titleLayer.position = CGPoint(x: videoSize.width / 2, y: videoSize.height / 12)

  let parentLayer = CALayer()
  let videoLayer = CALayer()
  parentLayer.frame = CGRect(x: 0, y: 0, width: videoSize.width, height: videoSize.height)
  videoLayer.frame = CGRect(x: 0, y: 0, width: videoSize.width, height: videoSize.height)
  parentLayer.addSublayer(videoLayer)
  parentLayer.addSublayer(aLayer)
  parentLayer.addSublayer(titleLayer)

  let videoComp = AVMutableVideoComposition()
  videoComp.renderSize = videoSize
  videoComp.frameDuration = CMTimeMake(value: 1, timescale: 30)
  videoComp.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: videoLayer, in: parentLayer)

  let instruction = AVMutableVideoCompositionInstruction()
  instruction.timeRange = CMTimeRangeMake(start: .zero, duration: mixComposition.duration)
  let videoTrack = mixComposition.tracks(withMediaType: .video)[0]
  let layerInstruction = AVMutableVideoCompositionLayerInstruction(assetTrack: videoTrack)
  instruction.layerInstructions = [layerInstruction]
  videoComp.instructions = [instruction]

  let assetExport = AVAssetExportSession(asset: mixComposition, presetName: AVAssetExportPresetMediumQuality)!
  assetExport.videoComposition = videoComp
  assetExport.outputFileType = .mov
  assetExport.outputURL = output
  assetExport.shouldOptimizeForNetworkUse = true
  assetExport.exportAsynchronously { completion(assetExport) }
}
