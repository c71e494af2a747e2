internal import Formats
internal import MediaTime
internal import SpoolCalls

/// The facts of a media file, as `spool probe --json` tells them.
struct MediaProbe: Decodable {
  struct Track: Decodable {
    var index: Int
    var media: String
    var codec: String
    var naturalTimeScale: Int32
    var timeRange: MediaTimeRange
    var video: VideoFacts?
    var audio: AudioFacts?
    var rejection: String?
  }

  var container: String
  var duration: MediaTime
  var tracks: [Track]

  /// Reads a file or what is behind a URL, in a process of its own.
  init(of url: URL) throws(AVError) {
    let text: String
    do { text = try SpoolCall(["probe", "--json", url.mediaPlace]).output() } catch {
      let code: AVError.Code =
        switch error.exitCode {
        case 65: .fileFormatNotRecognized
        case 66: .failedToLoadMediaData
        default: .unknown
        }
      throw AVError(code, error.description, url: url)
    }
    do { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) } catch {
      throw AVError(.unknown, "\(url.mediaPlace): 'spool probe' of another version answered", url: url)
    }
  }

  var isStillPicture: Bool { AssetFacts.isStillPicture(container) }
}

extension URL {
  /// The place of the medium as documents write it: a path, or the URL.
  var mediaPlace: String { isFileURL ? standardizedFileURL.path : absoluteString }
}

extension VideoFacts {
  /// The size of the picture as it is stored, with square pixels.
  var storedSize: CGSize {
    CGSize(width: storedSides.width, height: storedSides.height)
  }

  /// The map that lays the stored picture upright, with its corner at zero.
  var preferredTransform: CGAffineTransform {
    let (w, h) = (storedSize.width, storedSize.height)
    return switch orientation {
    case .up: .identity
    case .mirrored: CGAffineTransform(-1, 0, 0, 1, w, 0)
    case .rotated180: CGAffineTransform(-1, 0, 0, -1, w, h)
    case .flipped: CGAffineTransform(1, 0, 0, -1, 0, h)
    case .transposed: CGAffineTransform(0, 1, 1, 0, 0, 0)
    case .rotated90: CGAffineTransform(0, 1, -1, 0, h, 0)
    case .transversed: CGAffineTransform(0, -1, -1, 0, h, w)
    case .rotated270: CGAffineTransform(0, -1, 1, 0, 0, w)
    }
  }
}

extension CMTime {
  /// The time, in a timescale that holds it exactly: the preferred one if it does.
  init(_ time: MediaTime, preferredTimescale: CMTimeScale) {
    let exact = CMTime(value: time.value, timescale: time.timescale)
    let converted = exact.convertScale(preferredTimescale, method: .default)
    self = converted.hasBeenRounded || !converted.isNumeric ? exact : converted
  }
}

extension CMTimeRange {
  init(_ range: MediaTimeRange, preferredTimescale: CMTimeScale) {
    self.init(
      start: CMTime(range.start, preferredTimescale: preferredTimescale),
      duration: CMTime(range.duration, preferredTimescale: preferredTimescale))
  }
}

extension MediaTime {
  /// The time of a number.
  ///
  /// - Throws: an error that names `property` for a time that is no number.
  init(_ time: CMTime, _ property: String, _ code: AVError.Code = .unknown) throws(AVError) {
    let text = CMTimeCopyDescription(allocator: nil, time: time) ?? ""
    guard time.isNumeric else { throw AVError(code, "\(property): \(text) is no time", property: property, time: time) }
    do { try self.init(time.value, time.timescale) } catch {
      throw AVError(code, "\(property): \(text): \(error)", property: property, time: time)
    }
  }
}

extension MediaTimeRange {
  init(_ range: CMTimeRange, _ property: String, _ code: AVError.Code = .unknown) throws(AVError) {
    let (start, duration) = try (MediaTime(range.start, property, code), MediaTime(range.duration, property, code))
    do { try self.init(start: start, duration: duration) } catch {
      throw AVError(code, "\(property): \(error)", property: property, time: range.start)
    }
  }

  /// The part of a composition that is wanted; all of it where none is named.
  init(wanted: CMTimeRange?, lasting duration: MediaTime) throws(AVError) {
    let whole = CMTimeRange(start: .zero, duration: CMTime(exactly: duration))
    let clipped = wanted.map { $0.duration == .positiveInfinity ? CMTimeRange(start: $0.start, end: whole.end) : $0 } ?? whole
    try self.init(clipped.intersection(whole), "timeRange")
  }

  /// The range of a video composition's instruction. One without end lasts until `end`, which is the composition's.
  init(ofInstruction range: CMTimeRange, _ property: String, until end: MediaTime) throws(AVError) {
    let code = AVError.Code.invalidVideoComposition
    guard range.duration == .positiveInfinity else {
      try self.init(range, property, code)
      return
    }
    let start = try MediaTime(range.start, property, code)
    do { try self.init(start: start, end: max(start, end)) } catch {
      throw AVError(code, "\(property): \(error)", property: property, time: range.start)
    }
  }
}
