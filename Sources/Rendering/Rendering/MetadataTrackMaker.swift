internal import Media
internal import MediaTime
internal import SampleStream

/// Collects the samples of a track of metadata that changes with time.
final class MetadataTrackMaker {
  private let coding: WritingOrder.MetadataCoding
  /// The samples so far. The last one has no end where it lasts until the next one.
  private var samples: [(bytes: [UInt8], start: MediaTime, end: MediaTime?)] = []

  init(_ coding: WritingOrder.MetadataCoding) { self.coding = coding }

  /// Takes a sample. A part of it before the movie's beginning is left out.
  ///
  /// - Parameter duration: zero for one that lasts until the next one.
  func take(_ bytes: [UInt8], at time: MediaTime, lasting duration: MediaTime) throws {
    let end = duration > .zero ? try time + duration : nil
    guard end.map({ $0 > .zero }) ?? true else { return }
    let start = max(time, .zero)
    if let last = samples.indices.last {
      // One that lasts until the next one, and began before the beginning, may never be seen.
      if samples[last].end == nil, samples[last].start == start { samples.removeLast() }
      guard samples.last.map({ ($0.end ?? $0.start) <= start }) ?? true else {
        throw SampleMovie.Fault("the metadata at \(time) s begins before what came before it has ended")
      }
    }
    if let last = samples.indices.last, samples[last].end == nil { samples[last].end = start }
    samples.append((bytes, start, end))
  }

  /// - Parameters:
  ///   - end: the time at which the movie ends; nil for the end of what came.
  ///   - last: the end of pictures and sound.
  /// - Returns: nil where there is no metadata.
  func finish(at end: MediaTime?, _ last: MediaTime) throws -> MovieMetadata? {
    let kept = try samples.compactMap { sample -> MovieMetadata.Sample? in
      // One that begins with the end of all others is still told.
      var until = try sample.end ?? max(last, sample.start + MediaTime(1, 600))
      if let end { until = min(until, end) }
      guard !sample.bytes.isEmpty, sample.start < until else { return nil }
      return MovieMetadata.Sample(sample.bytes, try MediaTimeRange(start: sample.start, end: until))
    }
    guard !kept.isEmpty else { return nil }
    var made = MovieMetadata(coding.keys, kept)
    made.language = coding.language
    return made
  }
}
