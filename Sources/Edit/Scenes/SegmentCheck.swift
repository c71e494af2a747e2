package import Formats
package import JSON
package import MediaTime
package import Timeline

/// Checks the ranges that segments play against the facts of their sources.
package struct SegmentCheck {
  private let log: FaultLog

  package init(_ log: FaultLog) { self.log = log }

  /// Notes a range that the asset's track does not have.
  ///
  /// - Parameters:
  ///   - position: the track's position among the asset's playable tracks of the kind.
  ///   - path: the segment's path.
  ///   - key: the key of the segment that says the range.
  package func check(
    _ range: MediaTimeRange, of asset: AssetID, _ facts: AssetFacts, track position: Int, _ media: MediaKind, at path: JSONPath,
    key: String = "source"
  ) {
    guard facts.playableTracks(media).indices.contains(position) else {
      return log.note(
        Self.noTrack(position, media, of: asset, facts), at: path[position == 0 ? "asset" : "sourceTrack"], .media)
    }
    if let end = facts.playableTracks(media)[position].intactEnd, range.end > end {
      log.note("ends at \(range.end), but the file of asset '\(asset)' is cut off at \(end)", at: path[key], .media)
    }
    // A still picture lasts as long as it is shown. Where a stream's duration is unknown, its end is not checked.
    if !facts.isStillPicture, facts.duration > .zero, range.end > facts.duration {
      log.note("ends at \(range.end), but asset '\(asset)' lasts \(facts.duration)", at: path[key], .media)
    }
  }

  package func check(
    _ range: MediaTimeRange, of composition: CompositionID, lasting duration: MediaTime, at path: JSONPath, key: String = "source"
  ) {
    guard range.end > duration else { return }
    log.note("ends at \(range.end), but composition '\(composition)' lasts \(duration)", at: path[key], .media)
  }

  /// Notes an asset that is no still picture. Image layers and the maps of wipes need one.
  package func checkStillPicture(_ asset: AssetID, _ facts: AssetFacts, at path: JSONPath) {
    // A track counts even where it is rejected: a still picture is drawn with its alpha, and need not be fit for a video track.
    guard !facts.isStillPicture && !facts.showsFirstPicture || !facts.tracks.contains(where: { $0.media == .video }) else {
      return
    }
    log.note("asset '\(asset)' is no still picture, but \(facts.container)", at: path, .media)
  }

  /// Notes an asset that has no picture that a layer could play.
  func checkPlayed(_ asset: AssetID, _ facts: AssetFacts, at path: JSONPath) {
    guard facts.playableTracks(.video).isEmpty else { return }
    log.note(Self.noTrack(0, .video, of: asset, facts), at: path, .media)
  }

  private static func noTrack(_ position: Int, _ media: MediaKind, of asset: AssetID, _ facts: AssetFacts) -> String {
    let rejected = facts.tracks.filter { $0.media == media && $0.rejection != nil }
      .map { "stream \($0.index) (\($0.codec)): \($0.rejection ?? "")" }.joined(separator: ", ")
    let playable = facts.playableTracks(media).count
    let count = playable == 0 ? "no \(media) track" : playable == 1 ? "1 \(media) track" : "\(playable) \(media) tracks"
    let usable = rejected.isEmpty ? "" : " that can be played (\(rejected))"
    return "asset '\(asset)' has \(count)\(usable)"
      + (playable == 0 ? "" : "; positions count from 0, so there is no \(position)")
  }
}
