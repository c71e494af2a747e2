internal import Compositing
package import Formats
internal import Media
internal import MediaTime
internal import Scenes
internal import Timeline

/// A rendition of a movie, compared with the edit's frames in its size.
package struct ComparedRendition: Hashable, Sendable, Codable {
  package var size: PixelSize
  package var frames: Int
  /// The PSNR in decibels of the frame that is least like its original; nil where all are equal.
  package var leastPSNR: Double?
}

/// Compares a rendition with the edit's frames, which are scaled as its encoder was given them. One thread at a time.
struct RenditionVerification {
  private(set) var result: ComparedRendition
  /// The faults of the rendition, one sentence each.
  private(set) var faults: [String] = []
  private let pictures: TrackPictures
  private let scaler: FrameScaler
  private let frameDuration: MediaTime

  /// - Parameters:
  ///   - path: the path of its pieces, joined.
  ///   - progress: called after each packet with the number of packets so far.
  /// - Throws: `MediaError` where it cannot be read.
  init(
    of path: String, _ size: PixelSize, in edit: ResolvedTimeline, _ composition: VideoComposition, _ policy: SourcePolicy,
    progress: (Int) -> Void
  ) throws {
    let tracks = try AssetProbe.facts(of: path, policy: policy).playableTracks(.video)
    guard let track = tracks.first else { throw MediaError(.corrupt, at: path, "has no picture") }
    pictures = try TrackPictures(path, track, policy: policy, progress: progress)
    scaler = try FrameScaler(edit.renderFormat, edit.color, from: composition.outputSize, to: size)
    frameDuration = composition.frameDuration
    result = ComparedRendition(size: size, frames: pictures.times.presentation.count)
    let expected = try edit.frameCount
    if result.frames != expected { note("it has \(result.frames) frames instead of \(expected)") }
    if let fault = try pictures.times.misplacement(of: frameDuration, after: Rational(0), within: pictures.times.tick) {
      note(fault)
    }
  }

  /// Compares the next frame, as far as there is one and no frame before had another size.
  ///
  /// - Parameters:
  ///   - original: the edit's frame.
  ///   - floor: the PSNR in decibels that it must reach.
  mutating func compare(_ index: Int, with original: PixelBuffer, floor: Double) throws {
    guard index < result.frames, !hasEnded else { return }
    let wanted = try scaler.scaled(original)
    let found = try pictures.frame(index, lasting: frameDuration, after: Rational(0)).holding(wanted.format.bitDepth)
    guard found.format == wanted.format, (found.width, found.height) == (wanted.width, wanted.height) else {
      hasEnded = true
      return note("frame \(index) is \(found.width)x\(found.height) \(found.format)")
    }
    var difference = PictureDifference()
    difference.add(wanted, found)
    guard !difference.isZero, difference.psnr < result.leastPSNR ?? .infinity else { return }
    let wasRight = result.leastPSNR ?? .infinity >= floor
    result.leastPSNR = difference.psnr
    if difference.psnr < floor, wasRight { note("frame \(index) has \(difference.psnr) dB, below \(floor)") }
  }

  private var hasEnded = false

  private mutating func note(_ fault: String) { faults.append("rendition \(result.size.width)x\(result.size.height): \(fault)") }
}

extension PacketTimes {
  /// The first frame that does not stand at its time, in words; nil where all do.
  ///
  /// - Parameters:
  ///   - lead: the time of the first frame, in seconds.
  ///   - tolerance: the distance from its time that no frame has.
  func misplacement(of frameDuration: MediaTime, after lead: Rational, within tolerance: Rational) throws(TimeError) -> String? {
    for (index, time) in presentation.enumerated() {
      let exact = try Rational(frameDuration) * Rational(Int64(index)) + lead
      let distance = try time < exact ? exact - time : time - exact
      if distance >= tolerance {
        return "frame \(index) stands at \(time.approximation) s instead of \(exact.approximation) s"
      }
    }
    return nil
  }
}
