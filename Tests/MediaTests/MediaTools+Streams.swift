import FarmTesting

/// What tools that are not ours say of a file's streams: the oracle of these tests.
extension MediaTools {
  /// One line for each stream, packet or frame that ffprobe finds in the first stream of a kind ("v", "a"), its
  /// `entries` in ffprobe's order, separated by commas.
  static func probe(_ path: String, _ stream: String, _ entries: String) throws -> [String] {
    let selection = ["-count_frames", "-select_streams", "\(stream):0", "-show_entries", entries, "-of", "csv=p=0", path]
    return try ffprobe(selection, isStrict: true).split(whereSeparator: \.isNewline).map { line in
      // ffprobe ends a packet's line with a comma where side data might follow.
      String(line.hasSuffix(",") ? line.dropLast() : line)
    }
  }

  /// What decoding the first video stream gives, in order of showing; any fault in the stream is a failure.
  static func frames(_ path: String) throws -> [DecodedFrame] {
    let arguments = ["-err_detect", "explode", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-"]
    return try ffmpeg(arguments, isStrict: true).split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: ",").map { $0.drop { $0 == " " } }
      return DecodedFrame(time: Int(fields[2]) ?? -1, duration: Int(fields[3]) ?? -1, md5: String(fields[5]))
    }
  }

  /// The samples that decoding the first audio stream gives, channels interleaved, 24 bits in the upper part of 32.
  static func samples(_ path: String, in directory: TemporaryDirectory) throws -> [Int32] {
    let raw = directory.file("samples.raw")
    try ffmpeg(["-i", path, "-map", "0:a:0", "-f", "s32le", raw], isStrict: true)
    let bytes = try [UInt8](contentsOf: raw)
    return stride(from: 0, to: bytes.count, by: 4).map { start in
      (0..<4).reduce(0) { $0 | Int32(bitPattern: UInt32(bytes[start + $1])) << ($1 * 8) }
    }
  }
}

/// A line of ffmpeg's `framemd5`; times in the stream's own unit.
struct DecodedFrame: Hashable {
  let time: Int
  let duration: Int
  let md5: String
}
