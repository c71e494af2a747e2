import Foundation
import Media
import Testing

/// What ffmpeg's filters make of the same raw picture.
enum FFmpegOracle {
  /// `input` through `filter`, as raw frames of `format` and the given size.
  static func filtered(
    _ input: Samples, _ filter: String, _ format: PixelFormat, _ width: Int, _ height: Int
  ) throws -> Samples {
    let raw = try run(
      ["-f", "rawvideo", "-pix_fmt", input.format.ffmpegName, "-video_size", "\(input.width)x\(input.height)", "-i", "-"],
      input: input.packed, filter: filter, format)
    try #require(raw.count == Samples(format, width, height) { _, _, _ in 0 }.packed.count)
    return Samples(packed: raw, format, width, height)
  }

  /// One frame of a source filter such as `color`.
  static func generated(_ source: String, _ filter: String, _ format: PixelFormat, _ width: Int, _ height: Int) throws -> Samples
  {
    let raw = try run(["-f", "lavfi", "-i", source], input: [], filter: filter, format)
    try #require(raw.count == Samples(format, width, height) { _, _, _ in 0 }.packed.count)
    return Samples(packed: raw, format, width, height)
  }

  private static func run(_ source: [String], input: [UInt8], filter: String, _ format: PixelFormat) throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "compositing-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      // Left behind at worst in the system's temporary folder.
      try? FileManager.default.removeItem(at: folder)
    }
    let (picture, result) = (folder.appending(path: "in.raw"), folder.appending(path: "out.raw"))
    try Data(input).write(to: picture)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin"] + source.map { $0 == "-" ? picture.path : $0 }
      + ["-vf", filter, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", format.ffmpegName, result.path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return [UInt8](try Data(contentsOf: result))
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
