internal import Formats
internal import MediaTime
package import Messages
internal import Scenes
internal import Timeline

/// The bits that a chunk of a movie with a target is given, and the rate factor with which its encoder begins to look for them.
struct RateBudget: Hashable, Sendable {
  /// The share of its bits, and of an average chunk's of its length, by which a chunk may miss them. All together miss by twice that at most.
  private static let tolerance = 0.004

  /// The search with which each chunk begins.
  let search: RateSearch
  /// The factor from frame to frame of the first encoding; nil for an encoder that is not steered.
  let pilot: RatePilot?
  /// The words for the target that cannot be reached in a chunk.
  let refusal: String

  /// Decides what a chunk is given.
  ///
  /// - Throws: a `Failure` where sound and container leave too little for the picture.
  init(_ frames: FrameRange, of edit: ResolvedTimeline, _ survey: RateSurvey) throws {
    let coder = edit.timeline.export.video.coding.coder
    guard let target = coder.rateTarget, let composition = edit.videoComposition else {
      preconditionFailure("the movie has a picture and a target")
    }
    let frameSeconds = composition.frameDuration.seconds
    let seconds = frameSeconds * Double(survey.frameCount)
    let picture = EncodedPicture(
      size: composition.outputSize, frameDuration: composition.frameDuration, hdrMetadata: nil, hasAVX512: false, seconds: seconds
    )
    let cap = coder.rateCap(for: picture)
    let bits: Double
    switch target {
    case .bitRate(let bitRate): bits = bitRate * seconds
    case .fileSize(let byteCount):
      let overhead = try MovieOverhead(of: edit, survey.sound)
      bits = 8 * (byteCount - overhead.byteCount - Double(survey.sound.byteCount))
      try Self.require(bits / seconds, of: cap, survey.sound, overhead)
    }
    let allocation = RateAllocation(bits, over: survey, within: cap, frameSeconds: frameSeconds)
    let budget = max(1, allocation.bits(of: frames))
    let average = bits / Double(survey.frameCount) * Double(frames.count)
    search = RateSearch(
      budget: budget, tolerance: Self.tolerance * (budget + average), from: allocation.factor, in: coder.rateFactors)
    pilot = coder.isSteered ? RatePilot(allocation.weights(of: frames), budget: budget, from: search.factor) : nil
    let share = Int((budget / (frameSeconds * Double(frames.count)) / 1000).rounded())
    refusal =
      "cannot be encoded in \(share) kbit/s, their share of export.video.\(target.key): raise it, or make the picture smaller"
  }

  /// Checks what sound and container leave for the picture.
  private static func require(_ bitRate: Double, of cap: RateCap?, _ sound: SurveyedSound, _ overhead: MovieOverhead) throws {
    let place = "export.video.fileSize"
    guard bitRate >= RateTarget.leastBitRate else {
      throw Failure(
        .content, at: place,
        "leaves the picture less than \(Int(RateTarget.leastBitRate)) bits a second beside \(sound.byteCount) bytes of sound and "
          + "\(Int(overhead.byteCount)) of the container: raise it")
    }
    guard let cap, bitRate > RateTarget.mostOfCap * cap.maxBitRate else { return }
    throw Failure(
      .content, at: place,
      "leaves the picture \(Int(bitRate)) bits a second, more than 3/4 of the most, \(Int(cap.maxBitRate)): raise maxBitRate, or lower this"
    )
  }
}

extension ResolvedTimeline {
  /// How well a movie meets the target of its bits; nil for a movie without one.
  func targetMeasure(pictureBytes: Int64, fileBytes: Int64) throws -> TargetMeasure? {
    guard let target = timeline.export.video.coding.coder.rateTarget, let composition = videoComposition else { return nil }
    let seconds = composition.frameDuration.seconds * Double(try frameCount)
    return TargetMeasure(target, pictureBytes: pictureBytes, seconds: seconds, fileBytes: fileBytes)
  }

  /// Checks that a movie's file is not larger than the target that it has. It may be smaller, where its pictures need no more.
  ///
  /// - Throws: a `Failure`: all chunks have kept their shares, so the bytes of the container were counted wrong.
  func requireTarget(_ byteCount: Int64) throws(Failure) {
    guard case .fileSize(let target)? = timeline.export.video.coding.coder.rateTarget,
      Double(byteCount) > target * (1 + RateTarget.tolerance)
    else { return }
    throw Failure(.bug, at: "export.video.fileSize", "the movie has \(byteCount) bytes, more than 1 % above \(Int64(target))")
  }
}

extension AttemptOrder {
  /// Checks that the work needs nothing of other attempts, since they have no folder in common.
  ///
  /// - Throws: a `Failure` for a chunk of a movie with a target: attempts tell each other of their first pass through a folder.
  package func requireLoneWork() throws {
    guard case .picture = work, let target = try spec.edit.timeline.export.video.coding.coder.rateTarget else { return }
    throw Failure(
      .content, at: "export.video.\(target.key)", "needs a segment store that is a shared folder, and this one is in S3: use crf")
  }
}
