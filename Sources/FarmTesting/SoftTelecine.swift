/// Film in 30000/1001 frames a second whose pictures say for two and three fields in turn how long they are shown: ffmpeg codes the pictures,
/// and their headers are changed, since none of its encoders writes such.
package struct SoftTelecine: Sendable, CustomStringConvertible {
  package enum Codec: String, Sendable { case mpeg2video, h264 }

  package var codec: Codec
  /// Pictures in a row that others do not refer to. (Of raw H.264 ffmpeg does not find the times again where there are any.)
  package var between: Int
  /// Which picture of the cadence is first: 0 and 2 last three fields, 1 and 3 two.
  package var phase: Int
  package var frameCount: Int
  /// Pictures from this one on are video's: they last two fields.
  package var videoFrom = Int.max

  package init(_ codec: Codec = .mpeg2video, between: Int = 0, phase: Int = 0, frameCount: Int) {
    (self.codec, self.between, self.phase, self.frameCount) = (codec, between, phase, frameCount)
  }

  package var description: String { "\(codec), \(between) between, phase \(phase)" }

  /// Writes the movie to each of `paths`, whose names say in which containers.
  ///
  /// - Parameter elementary: where the stream without a container goes.
  package func write(to paths: [String], elementary: String) throws {
    var source = SyntheticSource(width: 160, height: 128, frameRate: "24000/1001", frameCount: frameCount)
    switch codec {
    case .mpeg2video:
      // Filled up, so that in a program stream each picture has a packet, and with it a time, of its own.
      try source.write(
        to: elementary,
        [
          "-c:v", "mpeg2video", "-b:v", "4M", "-minrate", "4M", "-maxrate", "4M", "-bufsize", "1M", "-bf", "\(between)", "-g",
          "12", "-f", "mpeg2video",
        ])
    case .h264:
      // Its own headers tell the carrier's rate.
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
    // In order of showing: pictures before the group, those of it so far, and the place of the latest in it.
    var (before, count, place) = (0, 0, 0)
    for start in bytes.indices.dropLast(8) where bytes[start] == 0 && bytes[start + 1] == 0 && bytes[start + 2] == 1 {
      switch (codec, bytes[start + 3], bytes[start + 4]) {
      // A sequence's header: 30000/1001 frames a second. Its extension: pictures may be of fields.
      case (.mpeg2video, 0xb3, _): bytes[start + 7] = bytes[start + 7] & 0xf0 | 4
      case (.mpeg2video, 0xb5, 0x10..<0x20): bytes[start + 5] &= ~8
      case (.mpeg2video, 0xb8, _): (before, count) = (before + count, 0)
      case (.mpeg2video, 0, _): (place, count) = (Int(bytes[start + 4]) << 2 | Int(bytes[start + 5]) >> 6, count + 1)
      // A picture's coding extension: which field is first, and whether that is repeated.
      case (.mpeg2video, 0xb5, 0x80..<0x90):
        bytes[start + 7] = bytes[start + 7] & ~0x82 | [0x82, 0, 0x02, 0x80][step(before + place)]
      // A message of a picture's timing, of one byte: its fields' order and number, and that no clock follows.
      case (.h264, 6, 1):
        bytes[start + 6] = [0x51, 0x42, 0x61, 0x32][step(count)]
        count += 1
      default: break
      }
    }
  }

  /// Two and three fields in turn; of video always two, with the first one of the cadence's first.
  private func step(_ picture: Int) -> Int { picture < videoFrom ? (picture + phase) % 4 : 3 }
}
