internal import Formats
package import MediaTime
package import Timeline

/// Frames in a row that show the pictures of one track of an asset, and nothing beside them, sample for sample.
package struct UntouchedRun: Hashable, Sendable {
  package var frames: Range<Int>
  package let asset: AssetID
  /// The track's position among the asset's playable video tracks.
  package let trackPosition: Int
  /// The time of each frame on the asset's clock, in which the last picture is shown that is not later.
  package var times: [Rational]
}

/// Frames in a row of which packets cannot be copied, and the reason.
package struct TouchedRun: Hashable, Sendable {
  package var frames: Range<Int>
  package var reason: String
}

extension ResolvedTimeline {
  /// Divides frames into those that show pictures of a track sample for sample, and all others.
  ///
  /// - Precondition: the edit has a picture, and the frames are its.
  package func runs(in frames: Range<Int>) throws(TimeError) -> (untouched: [UntouchedRun], touched: [TouchedRun]) {
    var (untouched, touched): ([UntouchedRun], [TouchedRun]) = ([], [])
    let reel = SceneReel(self)
    for index in frames {
      switch try reel.scene(at: index).shown {
      case .clip(let clip, let time):
        if var last = untouched.last, last.frames.upperBound == index, last.asset == clip.asset,
          last.trackPosition == clip.trackPosition, let before = last.times.last, before < time
        {
          // The run is taken out, so that its times are not copied at each frame.
          untouched.removeLast()
          last.frames = last.frames.lowerBound..<(index + 1)
          last.times.append(time)
          untouched.append(last)
        } else {
          untouched.append(
            UntouchedRun(frames: index..<(index + 1), asset: clip.asset, trackPosition: clip.trackPosition, times: [time]))
        }
      case .other(let reason):
        if let last = touched.last, last.frames.upperBound == index, last.reason == reason {
          touched[touched.count - 1].frames = last.frames.lowerBound..<(index + 1)
        } else {
          touched.append(TouchedRun(frames: index..<(index + 1), reason: reason))
        }
      }
    }
    return (untouched, touched)
  }
}

extension Scene {
  /// The content of a frame, for those who copy packets.
  fileprivate enum Shown {
    /// A clip's picture at a time of the asset's clock, and nothing else.
    case clip(Clip, Rational)
    /// Something that has to be made, with the reason.
    case other(String)
  }

  fileprivate var shown: Shown {
    guard nodes.count == 1, case .picture(let picture, let placement) = nodes[0] else {
      return .other(nodes.isEmpty ? "nothing is shown there" : "more is shown there than one clip")
    }
    guard case .clip(let clip) = picture.content else { return .other("a nested composition is shown there") }
    let video = clip.video
    if picture.isReversed { return .other("the clip is played backwards") }
    guard placement == Placement() else { return .other("the clip is placed, cropped, turned or faded") }
    guard canvas.renderSize == video.naturalSize, canvas.outputSize == video.naturalSize, video.displaySize == video.naturalSize,
      video.cleanAperture == nil, video.orientation == .up
    else { return .other("the clip has another size or shape than the movie") }
    guard video.fieldOrder == nil, clip.treatment.interlace != .inverseTelecine else {
      return .other("the clip's pictures are made of fields")
    }
    guard !canvas.hasAlpha, video.alpha == nil else { return .other("the clip or the movie has alpha") }
    guard video.bitDepth == canvas.bitDepth, video.hasSamples(of: canvas.chroma) else {
      return .other("the clip has other samples than the movie (\(video.pixelFormat))")
    }
    guard video.color.resolved(height: video.naturalSize.height) == canvas.color else {
      return .other("the clip has another colour than the movie")
    }
    return .clip(clip, picture.time)
  }
}

extension VideoFacts {
  /// Whether the samples lie as the movie's do. Pictures of full range have a name of their own in FFmpeg.
  fileprivate func hasSamples(of chroma: ChromaSampling) -> Bool {
    let name = chroma.pixelFormat(bitDepth: bitDepth)
    return pixelFormat == name || pixelFormat == name.replacing("yuv", with: "yuvj") && color.range == .full
  }
}
