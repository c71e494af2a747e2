internal import MediaTime

extension AVAssetTrack {
  /// The tables of the track in its file; nil for other media.
  var fileTables: MovieTrackTables? {
    // A file that is lost has no tables.
    guard let facts, let place = try? file?.url ?? url, let list = tables.tables(of: place), list.indices.contains(facts.index)
    else { return nil }
    return list[facts.index]
  }

  /// The bytes of the track's samples; 0 where they are unknown.
  ///
  /// They are those of the tables of an MP4 or QuickTime file. An edit's track, whose samples are not stored, has none.
  public var totalSampleDataLength: Int64 { fileTables?.byteCount ?? 0 }

  /// The average number of bits in a second; 0 where it is unknown. A track of an edit has that of the first medium that it plays.
  public var estimatedDataRate: Float {
    if let first = (self as? AVCompositionTrack)?.first {
      // A file that is lost has no tables.
      guard let place = try? first.file?.url ?? first.url, let list = MovieTablesCache().tables(of: place),
        list.indices.contains(first.facts.index)
      else { return 0 }
      return Self.rate(list[first.facts.index].byteCount ?? 0, CMTime(exactly: first.facts.timeRange.duration))
    }
    return Self.rate(totalSampleDataLength, timeRange.duration)
  }

  private static func rate(_ byteCount: Int64, _ duration: CMTime) -> Float {
    duration.seconds > 0 ? Float(Double(byteCount) * 8 / duration.seconds) : 0
  }

  /// Whether samples are decoded in another order than they are shown in. It is unknown, and false, for media without tables.
  public var requiresFrameReordering: Bool { fileTables?.samples?.isReordered ?? false }
  public var hasAudioSampleDependencies: Bool { false }

  /// The kinds of references to other tracks that there are. Those of chapters lead to texts, which are no tracks of an asset here.
  public var availableTrackAssociationTypes: [AssociationType] { [] }
  public func associatedTracks(ofType trackAssociationType: AssociationType) -> [AVAssetTrack] { [] }
  public func loadAssociatedTracks(ofType trackAssociationType: AssociationType) async throws -> [AVAssetTrack] { [] }

  /// Whether the track gives cursors: that of an MP4 or QuickTime file of this machine, of one part, also in fragments.
  public var canProvideSampleCursors: Bool { fileTables?.samples.map { $0.count > 0 } ?? false }

  /// A cursor at the sample that is shown at a time of the track: the last one that begins by then, else the first.
  public func makeSampleCursor(presentationTimeStamp: CMTime) -> AVSampleCursor? {
    cursor { table in
      presentationTimeStamp == .positiveInfinity
        ? table.sample(shownAt: table.count - 1) : table.sample(shownAt: presentationTimeStamp)
    }
  }

  public func makeSampleCursorAtFirstSampleInDecodeOrder() -> AVSampleCursor? { cursor { _ in 0 } }
  public func makeSampleCursorAtLastSampleInDecodeOrder() -> AVSampleCursor? { cursor { $0.count - 1 } }

  private func cursor(_ index: (SampleTable) -> Int) -> AVSampleCursor? {
    guard let url, let table = fileTables?.samples, table.count > 0 else { return nil }
    return AVSampleCursor(table, url, formatDescriptions.first as? CMFormatDescription, at: index(table), file: file)
  }

  /// The time of the medium's samples at a time of the track. They are one here, since a file's edit is applied to samples' times.
  public func samplePresentationTime(forTrackTime trackTime: CMTime) -> CMTime {
    segment(forTrackTime: trackTime).map { part in
      CMTimeMapTimeFromRangeToRange(trackTime, fromRange: part.timeMapping.target, toRange: part.timeMapping.source)
    } ?? .invalid
  }
}
