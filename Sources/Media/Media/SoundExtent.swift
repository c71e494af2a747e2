internal import CFFmpeg
internal import Formats
internal import MediaTime

extension TrackFacts {
  /// The most bytes that are read to find out how long a track is, for a file and for a URL. The examination waits a minute for
  /// progress before it gives up.
  private static let maxScannedBytes: (file: Int64, remote: Int64) = (4 << 30, 256 << 20)
  /// The time before the stated end that is decoded, in seconds: long enough to contain the track's last packets.
  private static let tailSeconds: Int64 = 2
  /// The part of a second, as a divisor, by which a header may state too late an end. Where more is missing, the file was cut
  /// off.
  private static let carelessEnd: Int128 = 2
  /// The number of packets that are decoded until one gives sound. Together they last a second or more.
  private static let packetsHeard = 256

  /// Decodes some of the track to find out whether it can be decoded, and where its last sample is. The headers' end may be a
  /// guess, or may count what an encoder put before the sound and after it.
  mutating func listen(to path: String, _ policy: SourcePolicy) throws(MediaError) {
    guard case .audio = detail, rejection == nil else { return }
    guard try isHeard(in: path, policy) else {
      rejection = "none of its first samples can be decoded"
      return
    }
    let demuxer = try Demuxer(path: path, track: self, policy: policy)
    let isGuess = unsafe demuxer.context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE
    let heard: MediaTime?
    switch demuxer.formatName {
    case let name where name.hasPrefix("mov"): heard = try demuxer.gaplessEnd(of: self)
    case "avi": heard = nil
    default:
      let byEnd = try tail(of: path, policy, demuxer, isGuess: isGuess)
      heard = if let byEnd { byEnd } else { try demuxer.scan(upTo: Self.maxScanned(demuxer))?[index] }
    }
    guard let heard else { return }
    let careless = try demuxer.exact { () throws(TimeError) in
      try Rational(timeRange.end) - Rational(heard) <= Rational(1, over: Self.carelessEnd)
    }
    if isGuess || careless {
      timeRange = try demuxer.exact { () throws(TimeError) in
        try MediaTimeRange(start: timeRange.start, end: max(timeRange.start, heard))
      }
    } else {
      intactEnd = min(intactEnd ?? heard, max(heard, .zero))
    }
  }

  fileprivate static func maxScanned(_ demuxer: Demuxer) -> Int64 {
    demuxer.version == nil ? maxScannedBytes.file : maxScannedBytes.remote
  }

  private func isHeard(in path: String, _ policy: SourcePolicy) throws(MediaError) -> Bool {
    let demuxer = try Demuxer(path: path, track: self, policy: policy)
    let decoder: Decoder
    do throws(MediaError) {
      decoder = try unsafe Decoder(demuxer.stream(index), threads: 1, at: demuxer.path)
    } catch {
      // The decoder does not know the codec's parameters.
      guard error.kind == .corrupt || error.kind == .unsupported else { throw error }
      return false
    }
    var left = Self.packetsHeard
    while true {
      switch try decoder.receive() {
      case .frame(let frame): if unsafe frame.pointer.pointee.nb_samples > 0 { return true }
      case .ended: return false
      case .needsPacket:
        left -= 1
        let isMore = left > 0 ? try demuxer.nextPacket(of: index) : false
        try unsafe decoder.send(isMore ? UnsafePointer(demuxer.packet.pointer) : nil)
      }
    }
  }

  /// Finds the end of the last sample near the stated end. A track that begins with its encoder's priming is made to begin with
  /// the first sample to be heard.
  ///
  /// - Returns: nil when there is no sample near the end, or the format cannot seek there.
  private mutating func tail(of path: String, _ policy: SourcePolicy, _ demuxer: Demuxer, isGuess: Bool) throws(MediaError)
    -> MediaTime?
  {
    let from = try demuxer.exact { () throws(TimeError) in try Rational(timeRange.end) - Rational(Self.tailSeconds) }
    if demuxer.formatName == "flac" { return isGuess ? nil : try demuxer.lastEnd(of: index, from: from) }
    // Files of these formats may have no index. Then they are read from the start.
    let isRead = demuxer.formatName.hasPrefix("matroska") || demuxer.formatName == "flv"
    guard !isRead || demuxer.byteCount <= Self.maxScanned(demuxer) else { return nil }
    let source = try SoundSource(path: path, track: self, policy: policy, scans: nil)
    guard source.isSeekable else { return nil }
    let rate = Rational(Int64(source.sampleRate))
    let position = try demuxer.exact { () throws(TimeError) in try (from * rate).floor }
    try source.go(to: Int64(clamping: position))
    var last: Int64?
    while let piece = try source.next() { last = max(last ?? piece.end, piece.end) }
    // The last packet of a recording that was stopped is seldom whole, so it does not count if it alone is lost.
    if let lost = source.lostEnd, lost.packets > 1 { last = max(last ?? lost.end, lost.end) }
    guard let last else { return nil }
    if timeRange.start < .zero {
      timeRange = try demuxer.exact { () throws(TimeError) in
        let start = try Demuxer.mediaTime(Rational(source.start) / rate)
        return try MediaTimeRange(start: start, end: max(start, timeRange.end))
      }
    }
    return try demuxer.exact { () throws(TimeError) in try Demuxer.mediaTime(Rational(last) / rate) }
  }
}

extension [TrackFacts] {
  /// Finds the length of the tracks that state none, as in recordings of browsers and in streams, by reading the file through.
  mutating func measure(_ path: String, _ policy: SourcePolicy) throws(MediaError) {
    let silent = indices.filter { self[$0].media != nil && self[$0].rejection == nil && self[$0].timeRange.duration == .zero }
    guard !silent.isEmpty else { return }
    let demuxer = try Demuxer(path: path, policy: policy)
    let ends = try demuxer.scan(upTo: TrackFacts.maxScanned(demuxer))
    for index in silent {
      guard let ends else {
        self[index].rejection = "does not say how long it is, and is too large to be read through for that: remux it"
        continue
      }
      guard let end = ends[self[index].index], end > self[index].timeRange.start else { continue }
      let start = self[index].timeRange.start
      self[index].timeRange = try demuxer.exact { () throws(TimeError) in try MediaTimeRange(start: start, end: end) }
    }
  }
}

extension Demuxer {
  /// The end of each track's packets in the whole file, on the asset's clock; nil when the file is longer than `limit` bytes.
  /// After it the demuxer is at its end.
  func scan(upTo limit: Int64) throws(MediaError) -> [Int: MediaTime]? {
    guard unsafe avio_size(context.pointee.pb) <= limit else { return nil }
    var ends: [Int: PacketsEnd] = [:]
    while try nextPacket() {
      let packet = unsafe packet.pointer.pointee
      unsafe ends[Int(packet.stream_index), default: PacketsEnd()].add(packet)
    }
    var found: [Int: MediaTime] = [:]
    for (index, end) in ends { found[index] = try time(of: end, index) }
    return found
  }

  /// The end of one track's packets from a time on; nil when it has no packet there. After it the demuxer is at its end.
  func lastEnd(of index: Int, from seconds: Rational) throws(MediaError) -> MediaTime? {
    let base = unsafe stream(index).pointee.time_base
    let tick = try exact { () throws(TimeError) in
      try (seconds + origin) / Rational(Int128(base.num), over: Int128(base.den))
    }
    guard seek(index, to: max(0, Int64(clamping: tick.floor))) else { return nil }
    var end: PacketsEnd?
    while try nextPacket(of: index) { unsafe end = (end ?? PacketsEnd()).adding(packet.pointer.pointee) }
    return try end.flatMap { (end) throws(MediaError) in try time(of: end, index) }
  }

  /// The end of the sound by the number of samples that iTunes states ("iTunSMPB"), where nothing else states it.
  func gaplessEnd(of track: TrackFacts) throws(MediaError) -> MediaTime? {
    guard case .audio(let audio) = track.detail,
      let entry = unsafe av_dict_get(context.pointee.metadata, "iTunSMPB", nil, 0)
    else { return nil }
    let fields = unsafe String(cString: entry.pointee.value).split(separator: " ").map { Int64($0, radix: 16) }
    guard fields.count > 3, let padding = fields[2], let count = fields[3], padding >= 0, count > 0, count < 1 << 48 else {
      return nil
    }
    let end = try exact { () throws(TimeError) in
      try Self.mediaTime(Rational(track.timeRange.start) + Rational(Int128(count), over: Int128(audio.sampleRate)))
    }
    return end < track.timeRange.end ? end : nil
  }

  private func time(of end: PacketsEnd, _ index: Int) throws(MediaError) -> MediaTime? {
    let stream = unsafe stream(index).pointee
    guard let tick = end.tick, let seconds = try unsafe stream.seconds(tick, path) else { return nil }
    let rate = unsafe Int128(max(stream.codecpar.pointee.sample_rate, 1))
    return try exact { () throws(TimeError) in
      // The duration of Ogg's last packet counts only what is heard. In other formats it counts the whole packet.
      let discarded = formatName == "ogg" ? Rational(0) : try Rational(Int128(end.discarded), over: rate)
      return try max(Self.mediaTime(seconds - discarded - origin), .zero)
    }
  }

  /// Reads the next packet of any track.
  private func nextPacket() throws(MediaError) -> Bool {
    while true {
      unsafe av_packet_unref(packet.pointer)
      let code = unsafe av_read_frame(context, packet.pointer)
      try requireRead()
      if code == spool_AVERROR_EOF || code == spool_AVERROR_INVALIDDATA { return false }
      if code == spool_AVERROR_EAGAIN { continue }
      guard code >= 0 else { throw MediaError(code, from: "av_read_frame", at: path) }
      return true
    }
  }
}

/// The latest end of the packets that were read.
@safe private struct PacketsEnd {
  private(set) var tick: Int64?
  /// The number of samples at the end of the last packet that are not to be heard.
  private(set) var discarded: UInt32 = 0
  private var latest: Int64?

  mutating func add(_ packet: AVPacket) {
    guard unsafe packet.pts != spool_AV_NOPTS_VALUE, unsafe packet.pts.magnitude <= Demuxer.maxTick else { return }
    let (time, stated) = unsafe (packet.pts, max(0, min(packet.duration, Demuxer.maxTick)))
    // A packet that states no duration lasts as long as the one before it.
    let duration = stated > 0 ? stated : latest.map { max(0, time - $0) } ?? 0
    latest = max(latest ?? time, time)
    guard time + duration >= tick ?? .min else { return }
    tick = time + duration
    discarded = unsafe Self.discarded(packet)
  }

  func adding(_ packet: AVPacket) -> PacketsEnd {
    var sum = self
    unsafe sum.add(packet)
    return sum
  }

  /// FFmpeg's AV_PKT_DATA_SKIP_SAMPLES holds two little-endian numbers of samples, those to skip at the start and those at the
  /// end.
  private static func discarded(_ packet: AVPacket) -> UInt32 {
    for index in unsafe 0..<Int(packet.side_data_elems) {
      let data = unsafe packet.side_data[index]
      guard unsafe data.type == AV_PKT_DATA_SKIP_SAMPLES, unsafe data.size >= 8 else { continue }
      return unsafe UInt32(littleEndian: UnsafeRawPointer(data.data).loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }
    return 0
  }
}
