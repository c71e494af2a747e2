import FarmTesting
import Formats
import Media
import MediaTime

/// The frames of one video stream as ffmpeg and ffprobe see them, decoded from the start of the file.
struct FrameOracle {
  struct Frame {
    /// The presentation time on the asset's clock, in seconds.
    let time: Rational
    let md5: String
  }

  /// The frames in ffmpeg's output order.
  let frames: [Frame]

  init(_ path: String, track: Int = 0, pixelFormat: String? = nil, filter: String? = nil) throws {
    let origin = try Self.origin(path)
    let text = try MediaTools.ffmpeg(
      [
        "-threads", "1", "-noautorotate", "-copyts", "-i", path, "-map", "0:\(track)", "-fps_mode", "passthrough",
        "-enc_time_base", "-1",
      ]
        + (filter.map { ["-vf", $0] } ?? []) + (pixelFormat.map { ["-pix_fmt", $0] } ?? []) + ["-f", "framemd5", "-"])
    var base = Rational(1)
    var frames: [Frame] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#tb 0: ") { base = try Self.fraction(line.dropFirst(7)) }
      guard !line.hasPrefix("#") else { continue }
      let fields = line.split(separator: ",").map { $0.drop { $0 == " " } }
      frames.append(try Frame(time: Rational(Int64(fields[2])!) * base - origin, md5: String(fields[5])))
    }
    self.frames = frames
  }

  /// The frame that is shown at `time`: the last one that is not later, else the first.
  func shown(at time: Rational) -> Frame { frames.last { $0.time <= time } ?? frames[0] }

  /// The container time of the asset's zero, by ffprobe: 0, or the start of picture and sound where all of it starts later.
  private static func origin(_ path: String) throws -> Rational {
    let entries = "stream=codec_type,time_base,start_pts:stream_disposition=attached_pic"
    let text = try MediaTools.ffprobe(["-show_entries", entries, "-of", "csv=p=0", path])
    let starts = try text.split(separator: "\n").compactMap { line -> Rational? in
      let fields = line.split(separator: ",")
      guard fields.count == 4, fields[0] == "video" || fields[0] == "audio", fields[3] == "0", let start = Int64(fields[2]) else {
        return nil
      }
      return try Rational(start) * fraction(fields[1])
    }
    return max(starts.min() ?? Rational(0), Rational(0))
  }

  private static func fraction(_ text: some StringProtocol) throws -> Rational {
    let parts = text.split(separator: "/").map { Int128($0)! }
    return try Rational(parts[0], over: parts[1])
  }
}

extension AssetFacts {
  /// The first track of a kind that can be decoded.
  func first(_ media: MediaKind) throws -> TrackFacts {
    guard let track = playableTracks(media).first else { throw MediaTools.Failure(description: "no playable \(media) track") }
    return track
  }
}
