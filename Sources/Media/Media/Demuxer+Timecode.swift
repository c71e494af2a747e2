internal import CFFmpeg
internal import Formats
internal import MediaTime

extension Demuxer {
  /// The time code that the file states of its picture: a QuickTime file in a track (`tmcd`), others in their metadata.
  ///
  /// - Parameters:
  ///   - tracks: the facts of its tracks.
  ///   - boxes: the boxes of a QuickTime file; nil for other files.
  /// - Returns: nil where there is none that counts frames.
  func timecode(of tracks: [TrackFacts], in boxes: MovieBoxes?) -> SourceTimecode? {
    if let boxes {
      for index in 0..<streamCount { if let found = trackTimecode(index, in: boxes) { return found } }
      return nil
    }
    let picture = tracks.first { $0.media == .video && $0.rejection == nil }
    guard let picture, case .video(let video) = picture.detail, let rate = video.nominalFrameRate,
      let duration = Self.duration(num: rate.value, den: Int64(rate.timescale))
    else { return nil }
    let stated = unsafe Self.text("timecode", in: stream(picture.index).pointee.metadata)
    guard let label = unsafe stated ?? Self.text("timecode", in: context.pointee.metadata) else { return nil }
    return SourceTimecode(label, frameDuration: duration)
  }

  /// The time code of a track of a QuickTime file; nil for one of another kind.
  private func trackTimecode(_ index: Int, in boxes: MovieBoxes) -> SourceTimecode? {
    let stream = unsafe stream(index).pointee
    let isTimecode = unsafe stream.codecpar.pointee.codec_tag == "tmcd".utf8.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard isTimecode, let label = unsafe Self.text("timecode", in: stream.metadata),
      let duration = unsafe Self.duration(num: Int64(stream.avg_frame_rate.num), den: Int64(stream.avg_frame_rate.den))
    else { return nil }
    let tracks = boxes.tracks
    let start = tracks.indices.contains(index) ? boxes.editStart(of: tracks[index]) : nil
    // FFmpeg tells the label of the track's first sample, whatever its edit list shows of it. `try?`: a place that is beyond all times is none.
    let offset = start.flatMap { try? (Rational($0) / Rational(duration)).floor }
    return SourceTimecode(
      label, frameDuration: duration, offset: Int64(clamping: offset ?? 0), beginsAnew: unsafe stream.nb_frames > 1)
  }

  /// The duration of a frame at a rate; nil where there is none.
  private static func duration(num: Int64, den: Int64) -> MediaTime? {
    guard num > 0, den > 0, let scale = Int32(exactly: num) else { return nil }
    return try? MediaTime(den, scale)  // No error is lost: a positive timescale makes a time.
  }

  private static func text(_ key: String, in metadata: OpaquePointer?) -> String? {
    guard let entry = unsafe av_dict_get(metadata, key, nil, 0) else { return nil }
    return unsafe String(cString: entry.pointee.value)
  }
}

extension MovieBoxes {
  /// The time in a track's media at which its edit list begins; nil where it leaves out nothing.
  fileprivate func editStart(of track: Box) -> MediaTime? {
    guard let header = descendant(of: track, ["mdia", "mdhd"]), let list = descendant(of: track, ["edts", "elst"]),
      let version = bytes(header.content.lowerBound, 1)?.first,
      let field = bytes(header.content.lowerBound + (version == 1 ? 20 : 12), 4),
      let scale = Int32(exactly: Self.number(field[...])),
      let opening = bytes(list.content.lowerBound, 8)
    else { return nil }
    let (isLong, count) = (opening[0] == 1, min(Int64(Self.number(opening[4...])), 16))
    let length: Int64 = isLong ? 20 : 12
    for place in 0..<count {
      // An entry is a duration, the place in the media where it begins, and a rate (ISO/IEC 14496-12, 8.6.6). Empty ones begin at -1.
      let start = list.content.lowerBound + 8 + place * length + (isLong ? 8 : 4)
      guard let field = bytes(start, isLong ? 8 : 4) else { return nil }
      let high = isLong ? Int64(Int32(bitPattern: Self.number(field[..<4]))) << 32 | Int64(Self.number(field[4...])) : nil
      let time = high ?? Int64(Int32(bitPattern: Self.number(field[...])))
      // `try?`: a media of no timescale has no times.
      if time >= 0 { return time == 0 ? nil : try? MediaTime(time, scale) }
    }
    return nil
  }
}
