import FarmTesting

/// Facts of a file's streams from ffprobe and ffmpeg, which these tests take as the truth.
extension MediaTools {
  /// Asks ffprobe about the first stream of a kind ("v", "a"). There is a line for each stream, packet or frame, with its
  /// `entries` in ffprobe's order, separated by commas.
  static func probe(_ path: String, _ stream: String, _ entries: String) throws -> [String] {
    let selection = ["-count_frames", "-select_streams", "\(stream):0", "-show_entries", entries, "-of", "csv=p=0", path]
    return try ffprobe(selection, isStrict: true).split(whereSeparator: \.isNewline).map { line in
      // ffprobe ends a packet's line with a comma where side data might follow.
      String(line.hasSuffix(",") ? line.dropLast() : line)
    }
  }

  /// The decoded frames of the first video stream, in order of presentation. Any fault in the stream is a failure.
  static func frames(_ path: String) throws -> [DecodedFrame] {
    let arguments = ["-err_detect", "explode", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-"]
    return try ffmpeg(arguments, isStrict: true).split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: ",").map { $0.drop { $0 == " " } }
      return DecodedFrame(time: Int(fields[2]) ?? -1, duration: Int(fields[3]) ?? -1, md5: String(fields[5]))
    }
  }

  /// The decoded samples of the first audio stream, with channels interleaved, and 24 bits in the upper part of 32.
  static func samples(_ path: String, in directory: TemporaryDirectory) throws -> [Int32] {
    let raw = directory.file("samples.raw")
    try ffmpeg(["-i", path, "-map", "0:a:0", "-f", "s32le", raw], isStrict: true)
    let bytes = try [UInt8](contentsOf: raw)
    // Movies have millions of them.
    return unsafe bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { unsafe bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self) }
    }
  }
}

/// A line of ffmpeg's `framemd5`. Times are in the stream's own time base.
struct DecodedFrame: Hashable {
  let time: Int
  let duration: Int
  let md5: String
}
