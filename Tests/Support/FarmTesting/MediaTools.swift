internal import Subprocess

/// FFmpeg's command-line tools, MediaInfo and others. Tests compare Spool's reading and writing with them.
package enum MediaTools {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
    package init(description: String) { self.description = description }
  }

  /// The time limit of a tool: long enough for any test's clip on a busy machine.
  private static let timeoutMilliseconds: Int32 = 120_000

  /// Runs `ffmpeg -v error -y` with the arguments.
  ///
  /// - Parameter isStrict: whether any complaint is a failure, because ffmpeg goes on after many errors.
  /// - Returns: its standard output.
  /// - Throws: `Failure` unless it ends with 0.
  @discardableResult
  package static func ffmpeg(_ arguments: [String], input: [UInt8]? = nil, isStrict: Bool = false) throws -> String {
    let quiet = ["-v", "error", "-y"] + (input == nil ? ["-nostdin"] : [])
    return try run("/usr/bin/ffmpeg", quiet + arguments, input, isStrict: isStrict)
  }

  /// Runs `ffprobe -v error` with the arguments and returns its standard output. Throws `Failure` unless it ends with 0.
  package static func ffprobe(_ arguments: [String], isStrict: Bool = false) throws -> String {
    try run("/usr/bin/ffprobe", ["-v", "error"] + arguments, nil, isStrict: isStrict)
  }

  /// Runs `mediainfo` with the arguments and returns its standard output. Throws `Failure` unless it ends with 0.
  package static func mediainfo(_ arguments: [String]) throws -> String {
    try run("/usr/bin/mediainfo", arguments, nil, isStrict: true)
  }

  /// Runs `heif-enc` (libheif) with the arguments. Throws `Failure` unless it ends with 0.
  package static func heif(_ arguments: [String]) throws { _ = try run("/usr/bin/heif-enc", arguments, nil, isStrict: false) }

  /// Runs `img2webp` (libwebp) with the arguments. Throws `Failure` unless it ends with 0.
  package static func animatedWebP(_ arguments: [String]) throws {
    _ = try run("/usr/bin/img2webp", arguments, nil, isStrict: false)
  }

  /// The families of this machine's fonts that have all of the characters, as fontconfig's `fc-list` names them, in the order of
  /// their names.
  package static func fontFamilies(having characters: String) throws -> [String] {
    let codes = characters.unicodeScalars.map { String($0.value, radix: 16) }
    let lines = try run("/usr/bin/fc-list", [":charset=" + codes.joined(separator: " "), "family"], nil, isStrict: true)
    return Set(lines.split(separator: "\n").compactMap { $0.split(separator: ",").first.map(String.init) }).sorted()
  }

  private static func run(_ tool: String, _ arguments: [String], _ input: [UInt8]?, isStrict: Bool) throws -> String {
    let line = ([tool] + arguments).joined(separator: " ")
    guard
      let completed = try ForkServer.run(
        tool, arguments, input: input ?? [], timeoutMilliseconds: timeoutMilliseconds, limit: 16 << 20)
    else {
      throw Failure(description: "\(line): not finished in time")
    }
    guard completed.status.isSuccess, !isStrict || completed.errorOutput.isEmpty else {
      throw Failure(description: "\(line): \(completed.status): \(completed.errorOutput)")
    }
    return completed.output
  }
}
