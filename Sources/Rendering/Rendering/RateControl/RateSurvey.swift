internal import Formats
package import Messages

/// The bytes of the frames of a section, as the first pass over a movie encoded them (decision 0196).
package struct SurveyedSection: Hashable, Sendable, Codable {
  /// The frames in the movie.
  package let frames: FrameRange
  /// The bytes of each frame, for each of `RateTarget.surveyedFactors`.
  package let byteCounts: [[Int]]

  package init(frames: FrameRange, byteCounts: [[Int]]) { (self.frames, self.byteCounts) = (frames, byteCounts) }

  /// The parts of so many frames, counted from its first frame. The last one may be shorter.
  func slices(of length: Int) -> [SurveyedSection] {
    stride(from: 0, to: frames.count, by: length).map { first in
      let end = min(first + length, frames.count)
      return SurveyedSection(
        frames: FrameRange(first: frames.first + first, count: end - first),
        byteCounts: byteCounts.map { Array($0[first..<end]) })
    }
  }

  /// The most bytes of a frame. No sum over a movie overflows then.
  private static let mostBytes = 1 << 32

  /// Whether it can be a survey of these frames. It may come from another process, which is not trusted.
  func isPlausible(for frames: FrameRange) -> Bool {
    self.frames == frames && byteCounts.count == RateTarget.surveyedFactors.count
      && byteCounts.allSatisfy { counts in
        counts.count == frames.count && counts.allSatisfy { (0...Self.mostBytes).contains($0) } && counts.contains { $0 > 0 }
      }
  }
}

/// The size of a movie's sound, as it was encoded once to know it.
package struct SurveyedSound: Hashable, Sendable, Codable {
  package let byteCount: Int64
  package let packetCount: Int64

  package init(byteCount: Int64, packetCount: Int64) { (self.byteCount, self.packetCount) = (byteCount, packetCount) }

  package static let silent = SurveyedSound(byteCount: 0, packetCount: 0)

  /// Whether a movie can have such a sound.
  var isPlausible: Bool { (0...(1 << 44)).contains(byteCount) && (0...(1 << 40)).contains(packetCount) }
}

/// The whole first pass over a movie. It depends on the edit alone, and not on its division into chunks.
package struct RateSurvey: Hashable, Sendable {
  /// The sections in the order of their frames, from frame 0 to the last.
  package let sections: [SurveyedSection]
  package let sound: SurveyedSound

  package init(sections: [SurveyedSection], sound: SurveyedSound = .silent) { (self.sections, self.sound) = (sections, sound) }

  var frameCount: Int { sections.last?.frames.indices.upperBound ?? 0 }
}
