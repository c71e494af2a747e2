import Formats
import Glibc
import MediaTime
import Messages
import Operations
import Terminal

/// Reports what `spool render` does, in words or in JSON.
struct RenderReporter {
  let json: Bool
  private var display: ProgressDisplay

  init(json: Bool) { (self.json, display) = (json, ProgressDisplay(json: json)) }

  mutating func tell(_ event: RenderEvent) throws(StreamError) {
    switch event {
    case .checked(let warnings): if !json { try StandardStream.error.warn(warnings) }
    case .submitted(let job): if json { try StandardStream.output.json(job) }
    case .progressed(let progress, let seconds): try display.show(progress, at: seconds)
    case .ended: try display.clear()
    case .interrupted:
      guard !json else { return }
      try StandardStream.error.line("interrupted: the render is given up, and no movie is written; ^C again ends at once")
    case .watching(let count):
      guard !json else { return }
      try StandardStream.error.line("watching \(count) file\(count == 1 ? "" : "s"); ^C ends")
    case .changed(let paths):
      guard !json else { return try StandardStream.output.json(ChangedFiles(paths: paths)) }
      for path in paths { try StandardStream.error.line("\(path) has changed") }
      // The next render is another line.
      display = ProgressDisplay(json: json)
    }
  }

  func done(_ movie: RenderedMovie, _ facts: AssetFacts) throws(StreamError) {
    guard !json else { return try StandardStream.output.json(movie) }
    let words = movie.job == nil ? "lies there already, as this edit makes it" : "rendered in \(Self.text(of: movie))"
    try StandardStream.output.line("\(movie.output): \(Self.text(of: facts, frames: movie.frameCount)), \(words)")
    for copy in movie.copies ?? [] where copy.error == nil {
      try StandardStream.output.line("\(copy.output): the same movie")
    }
    if movie.job != nil, let words = movie.reuseWords { try StandardStream.output.line("\(movie.output): \(words)") }
    if let loudness = movie.loudness { try StandardStream.output.line("\(movie.output): \(loudness.words)") }
    if let warning = movie.target?.warning { try StandardStream.error.line("warning: \(movie.output): \(warning)") }
    if let comment = movie.comment { try StandardStream.output.line("\(movie.output): \(comment)") }
  }

  private static func text(of facts: AssetFacts, frames: Int) -> String {
    var parts = ["\(rounded(facts.duration.seconds)) s"]
    for track in facts.tracks {
      switch track.detail {
      case .video(let video):
        parts.append("\(track.codec) \(video.displaySize.width)x\(video.displaySize.height), \(frames) frames")
      case .audio(let audio): parts.append("\(track.codec) \(audio.sampleRate) Hz \(audio.channelLayout)")
      case .other: break
      }
    }
    return (parts + [size(facts.byteCount)]).joined(separator: ", ")
  }

  private static func text(of movie: RenderedMovie) -> String {
    let seconds = movie.elapsedSeconds
    let rate = seconds > 0 ? Double(movie.frameCount) / seconds : 0
    return "\(rounded(seconds)) s (\(ProgressText.decimal(rate)) fps)"
  }

  private static func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

  private static func size(_ bytes: Int64) -> String {
    switch bytes {
    case ..<10_000: "\(bytes) bytes"
    case ..<10_000_000: "\(bytes / 1000) kB"
    default: "\(ProgressText.decimal(Double(bytes) / 1_000_000)) MB"
    }
  }
}

/// The files whose change makes an edit be rendered again, as JSON.
private struct ChangedFiles: Encodable {
  let event = "changed"
  let paths: [String]
}
