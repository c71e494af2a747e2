internal import AVFoundation

extension EditTranslation {
  /// The end of the edit, where the track is the first one with pictures and only sound goes on after it; else nil.
  func endOfSound(after track: AVCompositionTrack) -> CMTime? {
    let played = composition.tracks.filter { $0.isEnabled && $0.end != nil }
    let videos = played.filter { $0.mediaType == .video }
    guard let first = videos.first, first.trackID == track.trackID, let pictures = track.end,
      let end = played.filter({ $0.mediaType == .audio }).compactMap(\.end).max(), pictures < end,
      videos.allSatisfy({ ($0.end ?? .zero) <= pictures })
    else { return nil }
    return end
  }

  /// The segment that holds the last picture of a track.
  ///
  /// - Parameter last: the segment before it.
  static func held(
    _ track: AVCompositionTrack, until end: CMTime, as last: [String: DocumentValue], _ property: String
  ) throws(SpoolClientError) -> DocumentValue {
    guard let mapping = track.segments.last(where: { !$0.isEmpty })?.timeMapping else { return .object(last) }
    let moment = DocumentValue.object([
      "start": try time(lastMoment(of: mapping.source), property), "duration": .text("0"),
    ])
    var members = last
    members["source"] = moment
    members["at"] = try time(mapping.target.end, property)
    members["duration"] = try time(end - mapping.target.end, property)
    return .object(members)
  }

  /// A moment at which the last picture of a range is seen: a millisecond before its end, or its start where it is no longer than that.
  /// Where the end's ticks and milliseconds have none in common that fit, it is one tick before the end, which is less.
  private static func lastMoment(of range: CMTimeRange) -> CMTime {
    let end = range.end
    guard range.duration > CMTime(value: 1, timescale: 1000), end.timescale > 0 else { return range.start }
    func divisor(_ a: Int64, _ b: Int64) -> Int64 { b == 0 ? a : divisor(b, a % b) }
    let common = divisor(end.value, Int64(end.timescale))
    let (value, ticks) = (end.value / common, Int64(end.timescale) / common)
    let shared = divisor(ticks, 1000)
    let before = value.multipliedReportingOverflow(by: 1000 / shared)
    let (numerator, denominator) = (before.partialValue - ticks / shared, ticks / shared * 1000)
    let least = divisor(numerator, denominator)
    if !before.overflow, let timescale = Int32(exactly: denominator / least) {
      return CMTime(value: numerator / least, timescale: timescale)
    }
    return CMTime(value: value - 1, timescale: CMTimeScale(ticks))
  }
}

extension AVCompositionTrack {
  /// The end of the last segment that plays something; nil where none does.
  fileprivate var end: CMTime? { segments.last { !$0.isEmpty }?.timeMapping.target.end }
}
