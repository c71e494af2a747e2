import FarmTesting
import Media
import Testing

/// The results of ffmpeg's filters on the same raw pictures.
enum FFmpegOracle {
  /// The frames, in `format` and the given size, that `filter` makes of `input`.
  static func filtered(
    _ input: Samples, _ filter: String, _ format: PixelFormat, _ width: Int, _ height: Int
  ) throws -> Samples {
    let raw = try run(
      ["-f", "rawvideo", "-pix_fmt", input.format.ffmpegName, "-video_size", "\(input.width)x\(input.height)", "-i", "-"],
      input: input.packed, filter: filter, format)
    try #require(raw.count == Samples(format, width, height) { _, _, _ in 0 }.packed.count)
    return Samples(packed: raw, format, width, height)
  }

  /// One frame of a source filter, such as `color`.
  static func generated(_ source: String, _ filter: String, _ format: PixelFormat, _ width: Int, _ height: Int) throws -> Samples
  {
    let raw = try run(["-f", "lavfi", "-i", source], input: [], filter: filter, format)
    try #require(raw.count == Samples(format, width, height) { _, _, _ in 0 }.packed.count)
    return Samples(packed: raw, format, width, height)
  }

  /// The frame that xfade makes of two pictures when `eighths` of its time have passed.
  static func crossed(_ from: Samples, _ to: Samples, _ transition: String, eighths: Int) throws -> Samples {
    let side = "loop=8:1:0,setpts=N/8/TB"
    let filter =
      "split[a][b];[a]trim=end_frame=1,\(side)[from];[b]trim=start_frame=1,setpts=PTS-STARTPTS,\(side)[to];"
      + "[from][to]xfade=duration=1:offset=0:transition=\(transition),trim=start_frame=\(eighths)"
    let size = "\(from.width)x\(from.height)"
    let raw = try run(
      ["-f", "rawvideo", "-pix_fmt", from.format.ffmpegName, "-framerate", "8", "-video_size", size, "-i", "-"],
      input: from.packed + to.packed, filter: filter, from.format)
    try #require(raw.count == from.packed.count)
    return Samples(packed: raw, from.format, from.width, from.height)
  }

  /// The mixture that `blend` makes of two pictures. Each goes through the filters `light` first, and the mixture through
  /// `codes`.
  static func blended(_ from: Samples, _ to: Samples, light: String, share: Double, codes: String) throws -> Samples {
    let filter =
      "\(light),split[a][b];[a]trim=end_frame=1[from];[b]trim=start_frame=1,setpts=PTS-STARTPTS[to];"
      + "[from][to]blend=all_expr='A*(1-\(share))+B*\(share)',\(codes)"
    let size = "\(from.width)x\(from.height)"
    let raw = try run(
      ["-f", "rawvideo", "-pix_fmt", from.format.ffmpegName, "-video_size", size, "-i", "-"], input: from.packed + to.packed,
      filter: filter, from.format)
    try #require(raw.count == from.packed.count)
    return Samples(packed: raw, from.format, from.width, from.height)
  }

  /// The picture that a filter graph makes of pictures. Each is an input of the graph, in its own format.
  static func composed(
    _ inputs: [Samples], _ graph: String, _ format: PixelFormat, _ width: Int, _ height: Int
  ) throws -> Samples {
    let directory = TemporaryDirectory()
    var sources: [String] = []
    for (index, input) in inputs.enumerated() {
      try input.packed.write(toFile: directory.file("\(index).raw"))
      let size = "\(input.width)x\(input.height)"
      sources += [
        "-f", "rawvideo", "-pix_fmt", input.format.ffmpegName, "-video_size", size, "-i", directory.file("\(index).raw"),
      ]
    }
    let result = directory.file("out.raw")
    try MediaTools.ffmpeg(
      sources + ["-filter_complex", graph, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", format.ffmpegName, result])
    let raw = try [UInt8](contentsOf: result)
    try #require(raw.count == Samples(format, width, height) { _, _, _ in 0 }.packed.count)
    return Samples(packed: raw, format, width, height)
  }

  private static func run(_ source: [String], input: [UInt8], filter: String, _ format: PixelFormat) throws -> [UInt8] {
    let directory = TemporaryDirectory()
    let (picture, result) = (directory.file("in.raw"), directory.file("out.raw"))
    try input.write(toFile: picture)
    let filtering = ["-vf", filter, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", format.ffmpegName, result]
    try MediaTools.ffmpeg(source.map { $0 == "-" ? picture : $0 } + filtering)
    return try [UInt8](contentsOf: result)
  }
}

extension PixelFormat {
  /// FFmpeg's name of the format.
  var ffmpegName: String {
    let depth = bitDepth > 8 ? "\(bitDepth)le" : ""
    return switch layout {
    case .gray: "gray\(depth)"
    case .yuv420: "yuv420p\(depth)"
    case .yuv422: "yuv422p\(depth)"
    case .yuv444: "yuv444p\(depth)"
    case .gbr: "gbrp\(depth)"
    }
  }
}
