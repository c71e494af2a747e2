package import MediaTime

/// The wishes that a program's own writer has of H.264 and HEVC, beside the settings that documents have.
package struct StreamWishes: Hashable, Sendable, Codable {
  package enum Profile: String, Hashable, Sendable, Codable { case baseline, main, high }

  /// The average of the bits a second, which the encoder keeps in one pass over pictures as they come; nil leaves the bits to the rate factor.
  package var averageBitRate: Double?
  /// The most frames, and the longest time in seconds, from keyframe to keyframe; nil leaves them to the codec.
  package var keyInterval: Int?
  package var keyDuration: Double?
  /// The profile of H.264; nil leaves it to the encoder.
  package var profile: Profile?
  /// Whether H.264 is coded by CAVLC, and not by CABAC.
  package var usesCAVLC = false
  /// Whether frames may refer to frames of the future.
  package var reordersFrames = true

  package init() {}

  /// The most frames from keyframe to keyframe, where frames last so long.
  package func mostFrames(_ frameDuration: MediaTime) -> Int64 {
    let byTime = keyDuration.map { max(1, Int64(min(($0 / frameDuration.seconds + 1e-9).rounded(.down), 1e9))) }
    return min(keyInterval.map { Int64(max($0, 1)) } ?? .max, byTime ?? .max)
  }

  /// The parameters of x264 and x265 for frames in order.
  var orderWords: String { reordersFrames ? "" : ":bframes=0" }
}
