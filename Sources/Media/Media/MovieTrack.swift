internal import CFFmpeg
internal import Formats
internal import Glibc

/// Reads the packets of one track of a movie, in decode order through all its segment files, and gives them the movie's
/// timestamps. One owner, one thread.
@safe final class MovieTrack {
  /// The parameters of all segments. Where packets are copied, segments of H.264 and HEVC may have parameter sets of their own, and these are
  /// all of them.
  let parameters: CodecParameters
  /// The unit of the packet's times.
  let unit: AVRational
  /// Owned: the packet that is written next. Its times are in `unit` and count from the first frame shown, or the
  /// first sample heard. Its data is empty at the track's end.
  let packet: UnsafeMutablePointer<AVPacket>
  private(set) var isAtEnd = false
  /// The duration of the first packet, in `unit`: that of a block of sound.
  private(set) var blockLength: Int64 = 0
  /// Whether the next packet begins a segment inside the movie.
  private var isInside = false
  /// The denominator, in lowest terms, of the track's duration in seconds.
  let durationDenominator: Int64
  /// The track's duration, in `unit`.
  let length: Int64
  private var finishedByteCount: Int64 = 0
  /// The bytes of the packets so far, as encoders made them.
  private(set) var payloadByteCount: Int64 = 0
  private var reader: SegmentReader
  private var segment: SegmentInput
  private var rest: ArraySlice<SegmentInput>
  /// The segments that are still made behind those; nil where there are none.
  private let coming: ComingTrack?
  /// The frames or samples of the segments that were read.
  private var position: Int64 = 0
  /// The position of the first frame or sample of the segment that is being read.
  private var origin: Int64
  /// Whether units of H.264 and HEVC stand behind their lengths in the movie's packets, and not behind start codes.
  private let hasLengths: Bool
  /// The times of pictures that do not follow each other at one rate; nil where they do.
  private let times: FrameTimes?
  private let supply: SegmentSupply
  /// The time code of the movie's first frame; nil where none is told.
  private let timecode: SourceTimecode?

  /// Opens the first segment, and reads its first packet.
  ///
  /// - Parameters:
  ///   - unit: the frame duration of pictures. Sound does not use it: it counts samples.
  ///   - times: the times of the frames, where they are not multiples of `unit`.
  ///   - timecode: that of the movie's first frame; nil where none is told.
  ///   - subtractsDelay: whether readers of the container subtract a priming that it states from the times of packets, as those
  ///     of Matroska do. The times then count from the first sample of the priming.
  ///   - joinsParameterSets: whether segments may have parameter sets of their own, because packets of sources were copied.
  ///   - coming: the segments that are still made behind the given ones. All have the parameter sets of the first one.
  ///   - statesLengths: whether units of H.264 stand behind their lengths in the movie. Else they do where there are several sets of parameters.
  ///   - supply: opens the segment files.
  /// - Precondition: there is a segment.
  /// - Throws: `MediaError` naming a segment file: `unreadable`, `corrupt`, `outOfMemory`; what `supply` throws.
  init(
    _ segments: [SegmentInput], unit: AVRational, times: FrameTimes? = nil, timecode: SourceTimecode? = nil, subtractsDelay: Bool,
    joinsParameterSets: Bool = false, coming: ComingTrack? = nil, statesLengths: Bool = false,
    from supply: SegmentSupply
  ) throws {
    precondition(coming == nil || !joinsParameterSets, "parameter sets are joined once all are known")
    (self.coming, self.timecode, self.supply) = (coming, timecode, supply)
    segment = segments[0]
    rest = segments.dropFirst()
    var kinds: [SegmentInput] = []
    for input in segments where !kinds.contains(where: { $0.facts.parameterSetDigest == input.facts.parameterSetDigest }) {
      kinds.append(input)
    }
    if kinds.count > 1, !joinsParameterSets {
      throw MediaError(.corrupt, at: kinds[1].path, "other parameter sets than \(segment.path)")
    }
    reader = try SegmentReader(segment, from: supply.open(segment), unit: unit)
    var all = [reader.parameters]
    for kind in kinds.dropFirst() {
      all.append(try SegmentReader(kind, from: supply.open(kind), unit: unit).parameters)
    }
    // Only pictures are copied. Sound has one set of parameters, with its priming.
    let areJoined = all.count > 1 || joinsParameterSets && all[0].isPicture
    let joined = areJoined ? try CodecParameters(joining: all, at: segment.path) : all[0]
    let configured = statesLengths && kinds.count == 1 ? try joined.withConfiguration : nil
    (parameters, hasLengths) = (configured ?? joined, kinds.count > 1 || configured != nil)
    origin = subtractsDelay && parameters.hasOwnDelay ? 0 : -Int64(parameters.priming)
    self.times = parameters.isPicture ? times : nil
    self.unit = self.times.map { AVRational(num: 1, den: $0.timescale) } ?? parameters.timeBase
    let count = coming?.length ?? segments.reduce(0) { $0 + $1.facts.length }
    let ticks = self.times?.end ?? count * Int64(parameters.timeBase.num)
    durationDenominator = Int64(self.unit.den) / gcd(ticks, Int64(self.unit.den))
    length = ticks / Int64(self.unit.num)
    guard let packet = unsafe av_packet_alloc() else { throw MediaError(-ENOMEM, from: "av_packet_alloc", at: segment.path) }
    unsafe self.packet = packet
    expectNext()
    try advance()
    blockLength = unsafe packet.pointee.duration
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
    unsafe av_packet_free(&packet)
  }

  /// Goes on to the next packet. It passes the end of a segment only after the segment was proved whole.
  ///
  /// - Throws: `MediaError` naming the segment file; what the supply throws.
  func advance() throws {
    while try unsafe !reader.next(into: packet) {
      finishedByteCount += segment.facts.digest.byteCount
      // Sound begins with its priming, which only its first part has.
      origin += Int64(reader.parameters.priming) + segment.facts.length
      position += segment.facts.length
      guard let next = try nextSegment() else {
        isAtEnd = true
        return
      }
      segment = next
      reader = try SegmentReader(next, from: supply.open(next), unit: parameters.timeBase)
      isInside = true
      expectNext()
    }
    if isInside { unsafe packet.dropFileHeader(parameters) }
    isInside = false
    payloadByteCount += unsafe Int64(packet.pointee.size)
    unsafe packet.pointee.pts += origin
    try unsafe MPEG2Headers.state(frame: packet.pointee.pts, from: timecode, in: packet, parameters)
    // A segment's own reorder depth may be smaller than the movie's.
    unsafe packet.pointee.dts += origin + reader.parameters.reorderDepth - parameters.reorderDepth
    if hasLengths { try unsafe packet.putLengths(at: segment.path) }
    guard let times else { return }
    // Positions become times. They keep their order, so that no frame is decoded after it is shown.
    let (shown, decoded) = unsafe (packet.pointee.pts, packet.pointee.dts)
    unsafe packet.pointee.pts = times.tick(shown)
    unsafe packet.pointee.dts = times.tick(decoded)
    unsafe packet.pointee.duration = times.tick(shown + 1) - times.tick(shown)
  }

  /// Has the segment read that comes after the one that is being read, if it is there.
  private func expectNext() {
    if let next = rest.first ?? coming?.ready(position + segment.facts.length) { supply.expect(next) }
  }

  /// The segment after the one that was read; nil at the track's end. It waits for one that is still made.
  private func nextSegment() throws -> SegmentInput? {
    if let next = rest.popFirst() { return next }
    guard let coming, position < coming.length else { return nil }
    let next = try coming.next(position)
    guard next.facts.parameterSetDigest == segment.facts.parameterSetDigest else {
      throw MediaError(.corrupt, at: next.path, "other parameter sets than \(segment.path)")
    }
    return next
  }

  /// Attaches the priming to the packet, which is the first one.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  func tellPriming() throws(MediaError) {
    // The side data is two numbers of 32 bits, little-endian, and two bytes: samples to skip at the start and at the end, and why.
    guard let data = unsafe av_packet_new_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, 10) else {
      throw MediaError(-ENOMEM, from: "av_packet_new_side_data", at: segment.path)
    }
    for index in 0..<10 { unsafe data[index] = index < 4 ? UInt8(truncatingIfNeeded: parameters.priming >> (8 * index)) : 0 }
  }

  /// The path of the segment file that is being read.
  var path: String { segment.path }

  /// The number of bytes read from the segment files.
  var readByteCount: Int64 { finishedByteCount + (isAtEnd ? 0 : reader.readByteCount) }

  /// The priming that Matroska does not state, in milliseconds, rounded up.
  var primingMilliseconds: Int64 {
    parameters.hasOwnDelay
      ? 0
      : av_rescale_rnd(
        Int64(parameters.priming) * 1000, Int64(parameters.timeBase.num), Int64(parameters.timeBase.den), AV_ROUND_UP)
  }

  /// The time by which the first packet, which is still there, comes before the movie begins, in seconds, rounded up.
  var leadSeconds: Int64 {
    unsafe av_rescale_rnd(max(0, -packet.pointee.dts) * Int64(unit.num), 1, Int64(unit.den), AV_ROUND_UP)
  }

  /// Whether this track's packet is to be decoded before the other's.
  func isBefore(_ other: MovieTrack) -> Bool {
    guard !isAtEnd, !other.isAtEnd else { return other.isAtEnd }
    return unsafe av_compare_ts(packet.pointee.dts, unit, other.packet.pointee.dts, other.unit) <= 0
  }
}

extension UnsafeMutablePointer<AVPacket> {
  /// Leaves out the header of a file, which FFmpeg's encoder of GIF puts in front of its first picture: 13 bytes, and the file's palette
  /// where it has one (GIF89a, chapters 17 to 19).
  fileprivate func dropFileHeader(_ parameters: CodecParameters) {
    let fixed = 13
    guard unsafe parameters.codec.pointee.codec_id == AV_CODEC_ID_GIF, unsafe Int(pointee.size) > fixed,
      let data = unsafe pointee.data,
      unsafe data[0] == UInt8(ascii: "G"), unsafe data[1] == UInt8(ascii: "I"), unsafe data[2] == UInt8(ascii: "F")
    else { return }
    let flags = unsafe data[10]
    let length = fixed + (flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1))
    guard unsafe length < Int(pointee.size) else { return }
    unsafe pointee.data = data + length
    unsafe pointee.size -= Int32(length)
  }
}

/// The greatest common divisor of two positive numbers.
func gcd(_ a: Int64, _ b: Int64) -> Int64 { av_gcd(a, b) }
