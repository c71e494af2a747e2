/// Film in 30000/1001 frames a second. Its pictures state that they are shown for two and three fields in turn. ffmpeg codes the
/// pictures. Then their headers are changed, because none of its encoders writes such headers.
package struct SoftTelecine: Sendable, CustomStringConvertible {
  package enum Codec: String, Sendable { case mpeg2video, h264 }

  package var codec: Codec
  /// The number of pictures in a row to which no others refer. For H.264 only 0 is of use: ffmpeg does not restore the times of
  /// raw H.264 with such pictures.
  package var between: Int
  /// The picture of the cadence that is first: 0 and 2 are shown for three fields, 1 and 3 for two.
  package var phase: Int
  package var frameCount: Int
  /// The first picture that is video. Pictures from this one on are shown for two fields.
  package var videoFrom = Int.max

  package init(_ codec: Codec = .mpeg2video, between: Int = 0, phase: Int = 0, frameCount: Int) {
    (self.codec, self.between, self.phase, self.frameCount) = (codec, between, phase, frameCount)
  }

  package var description: String { "\(codec), \(between) between, phase \(phase)" }

  /// Writes the movie to each of `paths`. The ends of their names choose the containers.
  ///
  /// - Parameter elementary: the path of the stream without a container, which is written first.
  package func write(to paths: [String], elementary: String) throws {
    var source = SyntheticSource(width: 160, height: 128, frameRate: "24000/1001", frameCount: frameCount)
    switch codec {
    case .mpeg2video:
      // The stream is filled up to a high rate. So each picture in a program stream has a packet, and a time, of its own.
      try source.write(
        to: elementary,
        [
          "-c:v", "mpeg2video", "-b:v", "4M", "-minrate", "4M", "-maxrate", "4M", "-bufsize", "1M", "-bf", "\(between)", "-g",
          "12", "-f", "mpeg2video",
        ])
    case .h264:
      // The headers of the stream state the carrier's rate.
      source.frameRate = "30000/1001"
      try source.write(
        to: elementary,
        [
          "-c:v", "libx264", "-qp", "8", "-bf", "\(between)", "-g", "12", "-x264-params",
          "pic-struct=1:force-cfr=1:fake-interlaced=1", "-f", "h264",
        ])
    }
    var bytes = try [UInt8](contentsOf: elementary)
    mark(&bytes)
    try bytes.write(toFile: elementary)
    for path in paths { try MediaTools.ffmpeg(["-fflags", "+genpts", "-i", elementary, "-c", "copy", path]) }
  }

  private func mark(_ bytes: inout [UInt8]) {
    // Pictures are counted in the order in which they are shown: `before` counts those before the current group, `count` those of
    // the group so far, and `place` is the place of the latest one in the group.
    var (before, count, place) = (0, 0, 0)
    for start in bytes.indices.dropLast(8) where bytes[start] == 0 && bytes[start + 1] == 0 && bytes[start + 2] == 1 {
      switch (codec, bytes[start + 3], bytes[start + 4]) {
      // The sequence header states 30000/1001 frames a second. Its extension states that pictures may consist of fields.
      case (.mpeg2video, 0xb3, _): bytes[start + 7] = bytes[start + 7] & 0xf0 | 4
      case (.mpeg2video, 0xb5, 0x10..<0x20): bytes[start + 5] &= ~8
      case (.mpeg2video, 0xb8, _): (before, count) = (before + count, 0)
      case (.mpeg2video, 0, _): (place, count) = (Int(bytes[start + 4]) << 2 | Int(bytes[start + 5]) >> 6, count + 1)
      // The picture coding extension states which field is first, and whether that field is repeated.
      case (.mpeg2video, 0xb5, 0x80..<0x90):
        bytes[start + 7] = bytes[start + 7] & ~0x82 | [0x82, 0, 0x02, 0x80][step(before + place)]
      // The message of one byte about a picture's timing states the order and number of its fields, and that no clock follows.
      case (.h264, 6, 1):
        bytes[start + 6] = [0x51, 0x42, 0x61, 0x32][step(count)]
        count += 1
      default: break
      }
    }
  }

  /// The place of a picture in the cadence of two and three fields. For video it is always 3, a place with two fields.
  private func step(_ picture: Int) -> Int { picture < videoFrom ? (picture + phase) % 4 : 3 }
}
