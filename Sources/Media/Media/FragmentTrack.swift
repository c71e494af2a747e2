internal import CFFmpeg
internal import MediaTime

/// A track of a movie that is written in fragments. A fragment states the sizes of its packets before them, so two readers go through the track's
/// segments: one is a fragment ahead of the other. Memory holds the sizes of one fragment's packets. One owner, one thread.
final class FragmentTrack {
  let isPicture: Bool
  let timescale: Int32
  /// The ticks by which the first packet is decoded before the first frame is shown, or the first sample heard.
  let delay: Int64

  private let ahead: MovieTrack
  private let behind: MovieTrack
  private let ticksPerUnit: Int64

  /// - Parameters:
  ///   - ahead: the track before its first packet was taken.
  ///   - behind: the same track, opened again.
  init(_ ahead: MovieTrack, _ behind: MovieTrack) {
    (self.ahead, self.behind) = (ahead, behind)
    isPicture = ahead.parameters.isPicture
    timescale = isPicture ? TrackFragments.timescale(atLeast: ahead.unit.den) : ahead.unit.den
    ticksPerUnit = Int64(ahead.unit.num) * Int64(timescale / ahead.unit.den)
    delay = unsafe max(0, -ahead.packet.pointee.dts) * ticksPerUnit
  }

  var isAtEnd: Bool { ahead.isAtEnd }
  var parameters: CodecParameters { ahead.parameters }

  /// The time at which the next packet is shown or heard; nil at the end.
  var nextTime: (ticks: Int64, timescale: Int32)? {
    isAtEnd ? nil : unsafe (ahead.packet.pointee.pts * ticksPerUnit, timescale)
  }

  /// The next packets, up to the first keyframe that is shown at or after the next multiple of `interval`, or to the end.
  ///
  /// - Parameter number: the track's number in its file, from 1.
  /// - Throws: `MediaError` naming a segment file; what its supply throws.
  func run(every interval: MediaTime, number: Int = 1) throws -> MovieFragment.Run {
    let unit = try MediaTime(Int64(ahead.unit.num), ahead.unit.den)
    let length = interval.units(of: unit) * ticksPerUnit
    let start = max(0, nextTime?.ticks ?? 0)
    let end = (start / length + 1) * length
    var isFirst = true
    return try run(number) { [self] in
      defer { isFirst = false }
      let isKey = unsafe ahead.packet.pointee.flags & AV_PKT_FLAG_KEY != 0
      return unsafe !isFirst && isKey && ahead.packet.pointee.pts * ticksPerUnit >= end
    }
  }

  /// The next packets, up to the first keyframe that is shown at or after a time; nil for all.
  ///
  /// - Throws: errors as the other.
  func run(until end: MediaTime?) throws -> MovieFragment.Run {
    var isFirst = true
    return try run(1) { [self] in
      defer { isFirst = false }
      guard let end, let next = nextTime, unsafe !isFirst && ahead.packet.pointee.flags & AV_PKT_FLAG_KEY != 0 else {
        return false
      }
      return Int128(next.ticks) * Int128(end.timescale) >= Int128(end.value) * Int128(next.timescale)
    }
  }

  /// The next packets that are heard before a time; nil for all.
  ///
  /// - Throws: errors as the other.
  func run(
    before end: (ticks: Int64, timescale: Int32)?, number: Int
  ) throws -> MovieFragment.Run {
    try run(number) { [self] in
      guard let end, let next = nextTime else { return false }
      return Int128(next.ticks) * Int128(end.timescale) >= Int128(end.ticks) * Int128(next.timescale)
    }
  }

  private func run(
    _ number: Int, isOver: () -> Bool
  ) throws -> MovieFragment.Run {
    var run = MovieFragment.Run(track: number, isPicture: isPicture)
    run.decodeTime = unsafe ahead.packet.pointee.dts * ticksPerUnit + delay
    while !ahead.isAtEnd, !isOver() {
      let (shown, decoded, duration) = unsafe (ahead.packet.pointee.pts, ahead.packet.pointee.dts, ahead.packet.pointee.duration)
      let isKey = unsafe ahead.packet.pointee.flags & AV_PKT_FLAG_KEY != 0
      let byteCount = unsafe SamplePayload(ahead.packet, ahead.parameters).byteCount
      try ahead.advance()
      let length = unsafe ahead.isAtEnd ? duration : ahead.packet.pointee.dts - decoded
      run.samples.append(
        MovieFragment.Sample(
          byteCount: byteCount, duration: length * ticksPerUnit, offset: (shown - decoded) * ticksPerUnit, isKey: isKey))
    }
    return run
  }

  /// Writes the packets of a run, which is the first one that was not written.
  ///
  /// - Parameter progress: called after each packet. What it throws ends the writing.
  /// - Throws: `MediaError` where a segment file has changed; errors as `OutputFile.check`.
  func write(_ run: MovieFragment.Run, to file: OutputFile, progress: () throws -> Void) throws {
    for sample in run.samples {
      let payload = unsafe SamplePayload(behind.packet, behind.parameters)
      guard !behind.isAtEnd, payload.byteCount == sample.byteCount else {
        throw MediaError(.corrupt, at: behind.path, "changed while it was read")
      }
      try payload.write(to: file)
      try behind.advance()
      try progress()
    }
  }
}
