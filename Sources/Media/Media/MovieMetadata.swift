internal import CFFmpeg
internal import Formats
package import MediaTime

/// A track of metadata that changes with time (QuickTime File Format, "Timed Metadata Media").
package struct MovieMetadata: Hashable, Sendable {
  package struct Sample: Hashable, Sendable {
    /// The items, each a box whose type is the number of its key.
    package var bytes: [UInt8]
    /// The time in the movie.
    package var range: MediaTimeRange

    package init(_ bytes: [UInt8], _ range: MediaTimeRange) { (self.bytes, self.range) = (bytes, range) }
  }

  /// The box `keys` of the description of samples, which names each number's key and the type of its values.
  package var keys: [UInt8]
  /// The samples in order. They do not overlap. Between them there is no metadata.
  package var samples: [Sample]
  /// The language as a BCP 47 tag; nil where it is not told.
  package var language: String?

  package init(_ keys: [UInt8], _ samples: [Sample]) { (self.keys, self.samples) = (keys, samples) }

  /// An item without key, which stands where there is no metadata.
  private static let nothing: [UInt8] = [0, 0, 0, 8, 0, 0, 0, 0]

  /// The ticks in a second, and the samples with those that fill the gaps between them.
  var timed: (timescale: Int32, samples: [SideTrackWriter.Sample]) {
    let clocks = Set(samples.flatMap { [$0.range.start.timescale, $0.range.end.timescale] }).sorted()
    let timescale = LiveTrack.timescale(for: clocks)
    func tick(_ time: MediaTime) -> Int64 { av_rescale(time.value, Int64(timescale), Int64(time.timescale)) }
    var made: [SideTrackWriter.Sample] = []
    for sample in samples {
      // Times that no clock of 32 bits has in common are rounded, and keep their order.
      let start = max(tick(sample.range.start), made.last?.end ?? 0)
      if let last = made.last, last.end < start { made.append(.init(start: last.end, end: start, bytes: Self.nothing)) }
      made.append(.init(start: start, end: max(start + 1, tick(sample.range.end)), bytes: sample.bytes))
    }
    return (timescale, made)
  }

  /// The denominator of the times at which the track begins and ends, for the clock of edit lists.
  var denominators: [Int64] {
    guard let first = samples.first, let last = samples.last else { return [] }
    return [Int64(first.range.start.timescale), Int64(last.range.end.timescale)]
  }
}

extension SideTrackWriter {
  /// Adds a track of metadata to a QuickTime movie that has not begun. FFmpeg 5.1 writes it as one of another kind with a long name, in whose
  /// place `MetadataBoxes` puts the description.
  ///
  /// - Throws: `MediaError` `unsupported` for another file type; `outOfMemory`.
  convenience init(_ metadata: MovieMetadata, _ movie: ContainerWriter, _ fileType: FileType) throws(MediaError) {
    guard fileType == .mov else {
      throw MediaError(.unsupported, at: movie.file.path, "\(fileType) holds no metadata that changes with time")
    }
    let (timescale, samples) = metadata.timed
    var form = Form(AV_CODEC_ID_BIN_DATA, AVMEDIA_TYPE_DATA, timescale: timescale)
    (form.tag, form.handler) = (MetadataBoxes.foreignTag, MetadataBoxes.room(for: metadata.keys))
    form.language = metadata.language.flatMap { LanguageCode.written($0, in: fileType) }
    try self.init(form, samples, movie)
  }
}
