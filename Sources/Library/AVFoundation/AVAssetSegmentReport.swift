/// The kind of a piece of a movie.
public enum AVAssetSegmentType: Int, Sendable {
  /// The opening, without samples, which players read before the pieces.
  case initialization = 1
  /// Samples that can be played behind the opening, whatever other pieces are.
  case separable = 2
}

/// The contents of a piece of a movie.
// All is constant after `init`.
open class AVAssetSegmentReport: NSObject, @unchecked Sendable {
  public let segmentType: AVAssetSegmentType
  /// The tracks that have samples in the piece.
  public let trackReports: [AVAssetSegmentTrackReport]

  init(_ segmentType: AVAssetSegmentType, _ trackReports: [AVAssetSegmentTrackReport]) {
    (self.segmentType, self.trackReports) = (segmentType, trackReports)
    super.init()
  }
}

/// The samples of one track in a piece of a movie.
// All is constant after `init`.
open class AVAssetSegmentTrackReport: NSObject, @unchecked Sendable {
  public let trackID: CMPersistentTrackID
  public let mediaType: AVMediaType
  /// The time of the source at which the first sample is seen or heard.
  public let earliestPresentationTimeStamp: CMTime
  public let duration: CMTime
  /// The sample that is decoded first; nil for sound.
  public let firstVideoSampleInformation: AVAssetSegmentReportSampleInformation?

  init(
    _ trackID: CMPersistentTrackID, _ mediaType: AVMediaType, from start: CMTime, lasting duration: CMTime,
    first: AVAssetSegmentReportSampleInformation?
  ) {
    (self.trackID, self.mediaType, earliestPresentationTimeStamp, self.duration) = (trackID, mediaType, start, duration)
    firstVideoSampleInformation = first
    super.init()
  }
}

/// One sample in a piece of a movie.
// All is constant after `init`.
open class AVAssetSegmentReportSampleInformation: NSObject, @unchecked Sendable {
  public let presentationTimeStamp: CMTime
  /// Its place in the piece, and its size, in bytes.
  public let offset: Int
  public let length: Int
  public let isSyncSample: Bool

  init(at time: CMTime, offset: Int, length: Int, isSyncSample: Bool) {
    (presentationTimeStamp, self.offset, self.length, self.isSyncSample) = (time, offset, length, isSyncSample)
    super.init()
  }
}
