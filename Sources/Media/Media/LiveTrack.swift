internal import CFFmpeg
package import MediaTime

/// A track of a movie whose fragments are made while its samples are encoded. It keeps the packets that no fragment has yet, as mp4 holds them.
///
/// Pictures have times of their own, rounded to the track's ticks. Sound counts its samples. One owner, one thread.
package final class LiveTrack: PacketReceiver {
  /// A packet that waits for its fragment. Its times count from the movie's zero, in the track's ticks.
  struct Packet {
    let bytes: [UInt8]
    let shown: Int64
    let decoded: Int64
    /// The time until the next packet is decoded; of the last one the time that it is shown or heard.
    var length: Int64
    let isKey: Bool
  }

  let parameters: CodecParameters
  /// The unit of the track's times.
  let unit: AVRational
  /// The ticks by which the first packet is decoded before the movie's zero.
  let delay: Int64
  private(set) var packets: [Packet] = []
  /// Whether no more packets come.
  package private(set) var isAtEnd = false
  /// The ticks of the first frame, and of the second one.
  private let opening: (first: Int64, second: Int64)
  /// The ticks of the frames whose packets have not come, and of some before them, and the number of the first of these.
  private var ticks: [Int64] = []
  private var base: Int64 = 0
  /// The tick at which the last frame ends; nil before that is known.
  private var end: Int64?
  private var count: Int64 = 0
  /// The number of packets that come before a keyframe whose own has not come, and the tick at which that is shown.
  private var settled: (count: Int, shown: Int64)?
  /// The samples of a full block of sound; 0 for pictures.
  let blockLength: Int64

  /// Makes a track of pictures.
  ///
  /// - Parameters:
  ///   - timescale: the ticks in a second.
  ///   - times: the times of the first two frames, of which the second may be the first one's end. They ascend.
  /// - Throws: `MediaError` `unsupported` for times that are too far apart.
  package convenience init(of encoder: VideoEncoder, timescale: Int32, times: (MediaTime, MediaTime)) throws(MediaError) {
    let opening = (try Self.tick(times.0, timescale), try Self.tick(times.1, timescale))
    let delay = encoder.parameters.reorderDepth * (opening.1 - opening.0) - opening.0
    guard UInt32(exactly: max(0, delay)) != nil else {
      throw MediaError(.unsupported, at: "fragment", "the frames are reordered over too long a time")
    }
    self.init(encoder.parameters, AVRational(num: 1, den: timescale), delay: max(0, delay), opening: opening)
  }

  /// Makes a track of sound, whose ticks are samples.
  package convenience init(of encoder: AudioEncoder) {
    let parameters = encoder.parameters
    self.init(
      parameters, parameters.timeBase, delay: Int64(parameters.priming), blockLength: Int64(encoder.blockLength), opening: (0, 0))
  }

  private init(
    _ parameters: CodecParameters, _ unit: AVRational, delay: Int64, blockLength: Int64 = 0,
    opening: (first: Int64, second: Int64)
  ) {
    (self.parameters, self.unit, self.delay, self.blockLength, self.opening) = (parameters, unit, delay, blockLength, opening)
  }

  /// The ticks in a second of a track of pictures whose times are in one of these clocks: the first that holds all of them as far as 32 bits
  /// do, and QuickTime's usual 600.
  package static func timescale(for clocks: [Int32]) -> Int32 {
    var common: Int64 = 1
    for clock in clocks + [600] {
      let next = common / gcd(common, Int64(clock)) * Int64(clock)
      if next <= Int32.max { common = next }
    }
    return TrackFragments.timescale(atLeast: Int32(common))
  }

  private static func tick(_ time: MediaTime, _ timescale: Int32) throws(MediaError) -> Int64 {
    // A time that is no number of ticks is refused like one that is too late.
    guard let ticks = try? (Rational(time) * Rational(Int64(timescale))).rounded(), let tick = Int64(exactly: ticks),
      abs(tick) < 1 << 60
    else {
      throw MediaError(.unsupported, at: "fragment", "the time \(time) s is too late")
    }
    return tick
  }

  /// The tick that is nearest to a time.
  func tick(of time: MediaTime) throws(MediaError) -> Int64 { try Self.tick(time, unit.den) }

  /// Tells the time of the frame that is encoded next.
  ///
  /// - Returns: false where the track's clock does not tell it from the frame before.
  /// - Throws: `MediaError` `unsupported` for a time that no track has.
  package func add(_ time: MediaTime) throws(MediaError) -> Bool {
    let tick = try Self.tick(time, unit.den)
    guard ticks.last.map({ $0 < tick }) ?? true else { return false }
    ticks.append(tick)
    return true
  }

  /// Says that the packets of all frames before the last one that was added have come, and that this one is a keyframe.
  package func settle() {
    guard let last = packets.indices.last, let shown = ticks.last else { return }
    packets[last].length = tick(count - parameters.reorderDepth) - packets[last].decoded
    settled = (packets.count, shown)
  }

  /// The number of packets before the first keyframe behind the first packet that is shown at or after a tick, and the tick at which it is shown;
  /// nil where it has not come.
  func border(from tick: Int64) -> (count: Int, shown: Int64)? {
    let place = packets.indices.dropFirst().first { packets[$0].isKey && packets[$0].shown >= tick }
    if let place { return (place, packets[place].shown) }
    return settled.flatMap { $0.shown >= tick && $0.count == packets.count ? $0 : nil }
  }

  /// Says that all packets have come.
  ///
  /// - Parameter time: the time at which the last frame ends; nil for sound.
  package func close(_ time: MediaTime?) throws(MediaError) {
    end = try time.map { time throws(MediaError) in try Self.tick(time, unit.den) }
    if let last = packets.indices.last, let end, parameters.isPicture {
      packets[last].length = max(1, (ticks.first { $0 > packets[last].shown } ?? end) - packets[last].shown)
    }
    isAtEnd = true
  }

  /// Takes away what is heard from a sample on, as far as no fragment has it.
  package func cut(at sample: Int64) {
    packets.removeAll { $0.shown >= sample }
    guard let last = packets.indices.last else { return }
    packets[last].length = min(packets[last].length, sample - packets[last].shown)
  }

  func append(_ packet: UnsafeMutablePointer<AVPacket>, to stream: Int, length: Int64) throws(MediaError) {
    let output = PacketBytes()
    try unsafe SamplePayload(packet, parameters).write(to: output)
    let isKey = unsafe packet.pointee.flags & AV_PKT_FLAG_KEY != 0
    let place = unsafe packet.pointee.pts
    guard parameters.isPicture else {
      let heard = place - Int64(parameters.priming)
      packets.append(Packet(bytes: output.bytes, shown: heard, decoded: heard, length: length, isKey: true))
      return
    }
    let decoded = tick(count - parameters.reorderDepth)
    packets.append(Packet(bytes: output.bytes, shown: tick(place), decoded: decoded, length: 0, isKey: isKey))
    count += 1
    // A packet is decoded by the next one's time.
    if packets.count > 1 { packets[packets.count - 2].length = decoded - packets[packets.count - 2].decoded }
    forget(before: count - parameters.reorderDepth - 1)
  }

  private func tick(_ index: Int64) -> Int64 {
    index < 0 ? opening.first + index * (opening.second - opening.first) : ticks[Int(index - base)]
  }

  /// Forgets the times of the frames before a number, now and then.
  private func forget(before number: Int64) {
    guard number - base > 1024 else { return }
    ticks.removeFirst(Int(number - base))
    base = number
  }

  /// Takes out the first packets.
  func takeFirst(_ number: Int) -> ArraySlice<Packet> {
    let taken = packets.prefix(number)
    packets.removeFirst(number)
    settled?.count -= number
    return taken
  }
}

extension LiveTrack: StreamedTrack {}
