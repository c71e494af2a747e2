internal import CFFmpeg
internal import Glibc

/// Cuts the sound of an MXF into edit units: the samples of one frame after another, each behind its picture (SMPTE ST 378, ST 382).
///
/// A unit begins at the sample that is nearest to its frame: at 29.97 frames a second 1602, 1601, 1602, 1601 and 1602 samples. FFmpeg's muxer cuts
/// at the same places, and so it holds nothing back. Where the sound ends before the last picture does, silence fills the rest: every edit unit
/// has its sound. One owner, one thread.
@safe final class EditUnits {
  private let track: MovieTrack
  private let frameDuration: AVRational
  /// The bytes of a sample of all channels.
  private let stride: Int
  /// The bytes that were read and not written yet.
  private var bytes: [UInt8] = []
  private var count: Int64 = 0
  /// Owned: the unit that is written next.
  private let packet: UnsafeMutablePointer<AVPacket>
  private let path: String

  /// - Parameter track: the sound, which is PCM.
  /// - Throws: `MediaError` `outOfMemory`.
  init(_ track: MovieTrack, frameDuration: AVRational, at path: String) throws(MediaError) {
    guard let packet = unsafe av_packet_alloc() else { throw MediaError(-ENOMEM, from: "av_packet_alloc", at: path) }
    unsafe self.packet = packet
    (self.track, self.frameDuration, self.path) = (track, frameDuration, path)
    let codec = unsafe track.parameters.codec.pointee
    stride = unsafe Int(codec.ch_layout.nb_channels * av_get_bits_per_sample(codec.codec_id)) / 8
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
    unsafe av_packet_free(&packet)
  }

  /// Writes the sound of the next frame.
  func write(to movie: ContainerWriter, stream: Int) throws {
    let (start, end) = (position(count), position(count + 1))
    let length = Int(end - start) * stride
    while bytes.count < length, !track.isAtEnd { try take() }
    guard unsafe av_new_packet(packet, Int32(length)) >= 0 else { throw MediaError(-ENOMEM, from: "av_new_packet", at: path) }
    defer { unsafe av_packet_unref(packet) }
    let filled = min(length, bytes.count)
    unsafe packet.pointee.data.update(from: bytes, count: filled)
    unsafe (packet.pointee.data + filled).update(repeating: 0, count: length - filled)
    bytes.removeFirst(filled)
    unsafe (packet.pointee.pts, packet.pointee.dts, packet.pointee.duration) = (start, start, end - start)
    unsafe packet.pointee.flags = AV_PKT_FLAG_KEY
    try unsafe movie.write(packet, unit: track.unit, to: stream)
    count += 1
  }

  /// Reads the sound to its end, which proves it whole.
  ///
  /// - Throws: `MediaError` `internal` when there is sound after the last picture.
  func finish() throws {
    while !track.isAtEnd { try take() }
    guard bytes.isEmpty else {
      throw MediaError(.internal, at: path, "\(bytes.count / stride) samples of sound after the last of \(count) pictures")
    }
  }

  private func take() throws {
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: track.packet.pointee.data, count: Int(track.packet.pointee.size)))
    try track.advance()
  }

  /// The sample at which a frame begins.
  private func position(_ frame: Int64) -> Int64 {
    av_rescale(frame, Int64(frameDuration.num) * Int64(track.unit.den), Int64(frameDuration.den) * Int64(track.unit.num))
  }
}
