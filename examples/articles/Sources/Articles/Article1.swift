public import AVFoundation
public import UIKit

/// The edits of an introduction to AVFoundation for iOS. README.md lists where they differ from what is printed there.
public struct Article1 {
  public let movieURL: URL
  public let exportURL: URL

  public init(movieURL: URL, exportURL: URL) { (self.movieURL, self.exportURL) = (movieURL, exportURL) }

  /// Puts the picture of one file and the sound of another together, or of both the first five seconds.
  ///
  /// - Parameter isUpright: whether the picture is turned as its camera was held. Else it is copied as it is.
  public func merge(
    audioURL: URL, isShort: Bool = false, isUpright: Bool = true, completion: @escaping @Sendable (AVAssetExportSession) -> Void
  ) {
    // create an empty composition
    let mutableComposition = AVMutableComposition()

    // add an empty video track to the composition
    guard
      let compositionVideoTrack = mutableComposition.addMutableTrack(
        withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid)
    else {
      print("failed to add video track")
      return
    }

    // add an empty audio track to the composition
    guard
      let compositionAudioTrack = mutableComposition.addMutableTrack(
        withMediaType: .audio, preferredTrackID: kCMPersistentTrackID_Invalid)
    else {
      print("failed to add audio track")
      return
    }

    // add a video track of asset to the composition video track
    let videoAsset = AVURLAsset(url: movieURL)
    guard videoAsset.tracks(withMediaType: .video).first != nil else { return }
    let sourceVideoTrack = videoAsset.tracks(withMediaType: .video)[0]
    do {
      if isShort {
        let firstFiveSeconds = CMTimeRange(
          start: .zero, end: CMTime(seconds: 5.0, preferredTimescale: sourceVideoTrack.naturalTimeScale))
        try compositionVideoTrack.insertTimeRange(firstFiveSeconds, of: sourceVideoTrack, at: .zero)
      } else {
        try compositionVideoTrack.insertTimeRange(sourceVideoTrack.timeRange, of: sourceVideoTrack, at: .zero)
      }
    } catch {
      print(error)
    }

    // add a audio track of asset to the composition audio track
    let audioAsset = AVURLAsset(url: audioURL)
    guard audioAsset.tracks(withMediaType: .audio).first != nil else { return }
    let sourceAudioTrack = audioAsset.tracks(withMediaType: .audio)[0]
    do {
      let range = isShort ? compositionVideoTrack.timeRange : sourceAudioTrack.timeRange
      try compositionAudioTrack.insertTimeRange(range, of: sourceAudioTrack, at: .zero)
    } catch {
      print(error)
    }

    // create export session
    guard let session = AVAssetExportSession(asset: mutableComposition, presetName: AVAssetExportPresetPassthrough) else {
      print("failed to prepare session")
      return
    }

    // set up output file
    session.outputURL = exportURL
    session.outputFileType = .mp4
    if isUpright {
      session.videoComposition = uprightVideoComposition(mutableComposition, compositionVideoTrack, sourceVideoTrack)
    }

    // export the composition
    session.exportAsynchronously {
      switch session.status {
      case .completed:
        print("completed")
      case .failed:
        print("export error: \(session.error!.localizedDescription)")
      default:
        break
      }
      completion(session)
    }
  }

  private func uprightVideoComposition(
    _ mutableComposition: AVMutableComposition, _ compositionVideoTrack: AVMutableCompositionTrack,
    _ sourceVideoTrack: AVAssetTrack
  ) -> AVMutableVideoComposition {
    // create mutable video composition which mainly decides frame duration, render size and instruction
    let videoComposition: AVMutableVideoComposition = AVMutableVideoComposition()

    // set up frame size and render size
    videoComposition.frameDuration = CMTimeMake(value: 1, timescale: 30)
    videoComposition.renderSize = sourceVideoTrack.naturalSize

    // create mutable video composition instruction
    let instruction: AVMutableVideoCompositionInstruction = AVMutableVideoCompositionInstruction()

    // set time range in which this instruction is active
    instruction.timeRange = CMTimeRangeMake(start: CMTime.zero, duration: mutableComposition.duration)

    // create and set up layer instruction
    let layerInstruction = AVMutableVideoCompositionLayerInstruction(assetTrack: compositionVideoTrack)
    layerInstruction.setTransform(sourceVideoTrack.preferredTransform, at: .zero)  // rotate video here
    instruction.layerInstructions = [layerInstruction]
    videoComposition.instructions = [instruction]
    return videoComposition
  }

  /// Puts lyrics over the movie, and, if there is a background image, that in the place of its picture.
  ///
  /// - Parameter hasLayers: whether each lyric is a layer of its own. Else one layer has a picture of each, one after the other.
  public func lyricMovie(
    _ lyricData: [[String: Any]], backgroundImage: UIImage?, hasLayers: Bool = false,
    completion: @escaping @Sendable (AVAssetExportSession) -> Void
  ) throws {
    let asset = AVURLAsset(url: movieURL)
    guard let videoTrack = asset.tracks(withMediaType: .video).first else { return print("video track not found") }
    guard let audioTrack = asset.tracks(withMediaType: .audio).first else { return print("audio track not found") }

    let mutableComposition: AVMutableComposition = AVMutableComposition()
    let compositionVideoTrack: AVMutableCompositionTrack! = mutableComposition.addMutableTrack(
      withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid)
    let compositionAudioTrack: AVMutableCompositionTrack! = mutableComposition.addMutableTrack(
      withMediaType: .audio, preferredTrackID: kCMPersistentTrackID_Invalid)
    let whole = CMTimeRangeMake(start: CMTime.zero, duration: asset.duration)
    try compositionVideoTrack.insertTimeRange(whole, of: videoTrack, at: CMTime.zero)
    try compositionAudioTrack.insertTimeRange(whole, of: audioTrack, at: CMTime.zero)

    let videoComposition = uprightVideoComposition(mutableComposition, compositionVideoTrack, videoTrack)
    let videoSize: CGSize = mutableComposition.naturalSize

    // create parent layer
    let parentLayer: CALayer = CALayer()
    parentLayer.frame = CGRect(x: 0, y: 0, width: videoSize.width, height: videoSize.height)

    // create videp layer which will be associated with composition video track
    let videoLayer: CALayer = CALayer()
    videoLayer.frame = CGRect(x: 0, y: 0, width: videoSize.width, height: videoSize.height)

    // add video layer to parent layer and attach video contents to video layer
    parentLayer.addSublayer(videoLayer)
    videoComposition.animationTool = AVVideoCompositionCoreAnimationTool(
      postProcessingAsVideoLayer: videoLayer, in: parentLayer)

    if backgroundImage != nil {
      // create background layer
      let backgroundLayer: CALayer = CALayer()
      backgroundLayer.frame = CGRect(x: 0, y: 0, width: videoSize.width, height: videoSize.height)
      backgroundLayer.opacity = 1.0
      backgroundLayer.masksToBounds = true
      backgroundLayer.backgroundColor = UIColor.clear.cgColor
      backgroundLayer.contentsGravity = CALayerContentsGravity.resizeAspectFill

      // add contents to background layer
      backgroundLayer.contents = backgroundImage!.cgImage

      // add background layer over video layer
      parentLayer.addSublayer(backgroundLayer)

      // make video layer clear to lighten video
      videoLayer.opacity = 0
    }
    parentLayer.addSublayer(
      hasLayers ? makeLyricLayers(lyricData, for: mutableComposition) : makeLyricLayer(lyricData, for: mutableComposition))

    guard let session = AVAssetExportSession(asset: mutableComposition, presetName: AVAssetExportPresetMediumQuality) else {
      return print("failed to prepare session")
    }
    session.videoComposition = videoComposition
    session.outputFileType = AVFileType.mov
    session.outputURL = exportURL
    session.shouldOptimizeForNetworkUse = true
    session.exportAsynchronously(completionHandler: { () -> Void in
      if session.status == AVAssetExportSession.Status.failed {
        print("failed:", session.error ?? "error")
      }
      completion(session)
    })
  }

  /// The lyrics as layers of text, each of which is seen in its time.
  private func makeLyricLayers(_ lyricData: [[String: Any]], for mutableComposition: AVMutableComposition) -> CALayer {
    let videoSize = mutableComposition.naturalSize
    let lyricLayer: CALayer = CALayer()
    lyricLayer.frame = CGRect(x: 0, y: 0, width: videoSize.width, height: videoSize.height)
    for lyricDatum in lyricData {
      guard let startTime = lyricDatum["start_at"] as? CMTime, let endTime = lyricDatum["end_at"] as? CMTime,
        let lyric = lyricDatum["lyric"] as? String, startTime < endTime
      else { continue }
      let textLayer: CATextLayer = CATextLayer()
      textLayer.frame = CGRect(x: 0, y: videoSize.height / 6 - 20, width: videoSize.width, height: 40)
      textLayer.string = lyric
      textLayer.fontSize = 24
      textLayer.foregroundColor = UIColor.white.cgColor
      textLayer.alignmentMode = .center
      textLayer.opacity = 0

      let appearance: CABasicAnimation = CABasicAnimation(keyPath: "opacity")
      appearance.beginTime = startTime == .zero ? AVCoreAnimationBeginTimeAtZero : CMTimeGetSeconds(startTime)
      appearance.duration = CMTimeGetSeconds(endTime - startTime)
      appearance.fromValue = 1
      appearance.toValue = 1
      textLayer.add(appearance, forKey: nil)
      lyricLayer.addSublayer(textLayer)
    }
    return lyricLayer
  }

  private func makeLyricLayer(_ data: [[String: Any]], for mutableComposition: AVMutableComposition) -> CALayer {
    var lyricData = data
    let videoSize = mutableComposition.naturalSize

    // create parent layer
    let lyricLayer: CALayer = CALayer()
    lyricLayer.frame = CGRect(x: 0, y: 0, width: videoSize.width, height: videoSize.height)
    lyricLayer.opacity = 1.0
    lyricLayer.backgroundColor = UIColor.clear.cgColor
    lyricLayer.masksToBounds = true

    // prepare animation
    let frameAnimation: CAKeyframeAnimation = CAKeyframeAnimation(keyPath: "contents")
    frameAnimation.beginTime = AVCoreAnimationBeginTimeAtZero  // attention! apple recommends
    frameAnimation.duration = CMTimeGetSeconds(mutableComposition.duration)
    frameAnimation.repeatCount = 1
    frameAnimation.autoreverses = false
    frameAnimation.isRemovedOnCompletion = false  // apple recommends
    frameAnimation.fillMode = CAMediaTimingFillMode.forwards
    frameAnimation.calculationMode = CAAnimationCalculationMode.discrete

    // set up key times
    var imageKeyTimes: Array<NSNumber> = []

    // set up values
    var imageValues: Array<CGImage> = []

    // create transparent image
    UIGraphicsBeginImageContext(videoSize)
    guard let cgEmptyImage = UIGraphicsGetImageFromCurrentImageContext()?.cgImage else { return lyricLayer }
    UIGraphicsEndImageContext()

    lyricData.sort { d0, d1 in
      guard let startTime0 = d0["start_at"] as? CMTime, let startTime1 = d1["start_at"] as? CMTime else { return false }
      return startTime0 < startTime1
    }

    for (index, lyricDatum) in lyricData.enumerated() {
      guard let startTime = lyricDatum["start_at"] as? CMTime,  // time at which the lyric appears
        let endTime = lyricDatum["end_at"] as? CMTime,  // time at which lyric disappears
        let lyric = lyricDatum["lyric"] as? String
      else { continue }

      if startTime == endTime { continue }

      if index == 0, startTime != .zero {
        imageKeyTimes.append(0)
        imageValues.append(cgEmptyImage)
      }

      // if current frame is between start time and end time, render lyric label
      imageKeyTimes.append(NSNumber(value: CMTimeGetSeconds(startTime) / CMTimeGetSeconds(mutableComposition.duration)))
      imageKeyTimes.append(NSNumber(value: CMTimeGetSeconds(endTime) / CMTimeGetSeconds(mutableComposition.duration)))

      // begin rendering
      UIGraphicsBeginImageContext(videoSize)

      let attributedString = NSMutableAttributedString(
        string: lyric,
        attributes: [
          NSAttributedString.Key.font: UIFont.systemFont(ofSize: 24),
          NSAttributedString.Key.foregroundColor: UIColor.white,
        ])
      let label = UILabel()
      label.frame.size = videoSize
      label.textAlignment = .center
      label.numberOfLines = 2
      label.clipsToBounds = true
      label.allowsDefaultTighteningForTruncation = true
      label.attributedText = attributedString
      label.drawText(
        in: CGRect(
          x: lyricLayer.bounds.origin.x, y: lyricLayer.bounds.maxY * 2 / 3, width: videoSize.width, height: videoSize.height / 3))

      guard let cgLyricImage = UIGraphicsGetImageFromCurrentImageContext()?.cgImage else {
        UIGraphicsEndImageContext()
        imageValues.append(cgEmptyImage)
        imageValues.append(cgEmptyImage)
        continue
      }

      // end rendering
      UIGraphicsEndImageContext()

      imageValues.append(cgLyricImage)
      imageValues.append(cgEmptyImage)
    }

    // set the last key time and the last value
    imageKeyTimes.append(1)
    imageValues.append(cgEmptyImage)

    // set key times
    frameAnimation.keyTimes = imageKeyTimes

    // set values
    frameAnimation.values = imageValues

    // add animation to lyric layer
    lyricLayer.add(frameAnimation, forKey: nil)

    return lyricLayer
  }
}
