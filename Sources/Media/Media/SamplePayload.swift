internal import CFFmpeg

/// The bytes of a packet as mp4 holds them, like FFmpeg's muxer writes them. The encoders' streams of H.264 and HEVC mark where units begin
/// (Annex B); mp4 states the length of each. Of AV1, units that mp4 leaves out are dropped.
///
/// It refers to the packet's data, which must stay.
@safe struct SamplePayload {
  private let data: UnsafeBufferPointer<UInt8>
  /// The parts of the data that are kept.
  private let units: [Range<Int>]
  private let statesLengths: Bool

  /// The bytes of a unit's length.
  private static let lengthSize = 4

  init(_ packet: UnsafePointer<AVPacket>, _ parameters: CodecParameters) {
    unsafe data = UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
    switch unsafe parameters.codec.pointee.codec_id {
    case AV_CODEC_ID_H264 where parameters.marksUnits, AV_CODEC_ID_HEVC where parameters.marksUnits:
      unsafe (units, statesLengths) = (CodedUnits.places(in: data, lengthSize: nil) ?? [], true)
    case AV_CODEC_ID_AV1: unsafe (units, statesLengths) = (Self.keptOBUs(data), false)
    default: unsafe (units, statesLengths) = ([0..<data.count], false)
    }
  }

  /// The packet's own pointer is constant here, so a mutable one is read.
  init(_ packet: UnsafeMutablePointer<AVPacket>, _ parameters: CodecParameters) {
    unsafe self.init(UnsafePointer(packet), parameters)
  }

  var byteCount: Int { units.reduce(0) { $0 + $1.count + (statesLengths ? Self.lengthSize : 0) } }

  func write(to output: some PacketOutput) throws(MediaError) {
    for unit in units {
      if statesLengths {
        try output.append(stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: unit.count >> $0) })
      }
      try unsafe output.write(UnsafeBufferPointer(rebasing: data[unit]))
    }
  }

  /// The units of AV1 that an mp4 holds: all but temporal delimiters, redundant frame headers, lists of tiles, and padding
  /// (AV1 in ISO base media file format, 2.4). A unit that states no size ends with the packet.
  private static func keptOBUs(_ data: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var (units, start): ([Range<Int>], Int) = ([], 0)
    while start < data.count {
      let header = unsafe data[start]
      var next = start + 1 + Int(header >> 2 & 1)
      var (size, shift) = (data.count - next, 0)
      if header & 2 != 0 {
        size = 0
        // The size is written in groups of seven bits, at most eight of them.
        while next < data.count, shift < 56 {
          let byte = unsafe data[next]
          size |= Int(byte & 0x7f) << shift
          (next, shift) = (next + 1, shift + 7)
          if byte & 0x80 == 0 { break }
        }
      }
      let end = min(max(size, 0), max(data.count - next, 0)) + min(next, data.count)
      if ![2, 7, 8, 15].contains(header >> 3 & 15) { units.append(start..<end) }
      start = max(end, start + 1)
    }
    return units
  }
}

extension CodecParameters {
  /// Whether the stream marks where its units begin, so that their lengths are not stated: its parameter sets begin with a start code.
  fileprivate var marksUnits: Bool { unsafe codec.pointee.extradata_size > 0 && codec.pointee.extradata[0] == 0 }
}
