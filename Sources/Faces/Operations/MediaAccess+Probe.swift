internal import Examination
package import Formats
package import MediaTime

/// The contents of a media file, or of what a URL leads to.
package struct MediaReport: Hashable, Sendable, Codable {
  /// FFmpeg's name for the container format.
  package var container: String
  /// The end of the longest track; zero when it is unknown.
  package var duration: MediaTime
  package var byteCount: Int64
  /// The comment in the container's metadata; nil where there is none.
  package var comment: String?
  /// The time code of its picture; nil where it states none.
  package var timecode: SourceTimecode?
  package var tracks: [TrackReport]

  package var isStillPicture: Bool { AssetFacts.isStillPicture(container) }

  init(_ facts: AssetFacts) {
    (container, duration, byteCount) = (facts.container, facts.duration, facts.byteCount)
    (comment, timecode, tracks) = (facts.comment, facts.timecode, facts.tracks.map(TrackReport.init))
  }
}

/// One track of a media file. `TrackFacts` says more about the values.
package struct TrackReport: Hashable, Sendable, Codable {
  package var index: Int
  /// The track's kind: "video", "audio" or "other".
  package var media: String
  package var codec: String
  package var naturalTimeScale: Int32
  package var timeRange: MediaTimeRange
  package var video: VideoFacts?
  package var audio: AudioFacts?
  package var intactEnd: MediaTime?
  package var isDamaged: Bool?
  package var rejection: String?

  init(_ facts: TrackFacts) {
    (index, codec, rejection, intactEnd) = (facts.index, facts.codec, facts.rejection, facts.intactEnd)
    isDamaged = facts.isDamaged
    (naturalTimeScale, timeRange) = (facts.naturalTimeScale, facts.timeRange)
    media = facts.media?.rawValue ?? "other"
    video = if case .video(let video) = facts.detail { video } else { nil }
    audio = if case .audio(let audio) = facts.detail { audio } else { nil }
  }
}

extension MediaAccess {
  /// The facts of a media file that an edit is checked against.
  ///
  /// - Parameter file: a path or a URL.
  package func probe(_ file: String) throws(Complaint) -> MediaReport {
    try complaining { MediaReport(try AssetExamination.facts(of: file, setting(nil))) }
  }
}
