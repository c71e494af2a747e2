import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// Text tracks of movies, as ffmpeg reads them.
@Suite struct `Captions in a movie's file` {
  private let directory = TemporaryDirectory()

  private func range(_ from: String, _ to: String) throws -> MediaTimeRange {
    try MediaTimeRange(start: MediaTime(parsing: from), end: MediaTime(parsing: to))
  }

  private func movie(_ type: FileType, _ captions: [MovieCaptions]) throws -> String {
    let sound = try writeSound(
      .usual([.mkv, .webm].contains(type) ? .opus : .aac), count: 48_000 * 4, to: directory.file("sound.nut"))
    let movie = directory.file("movie.\(type)")
    try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux(
      [], sound: sound, to: movie, type, moovFirst: type.hasMovableIndex, captions: captions)
    return movie
  }

  @Test(arguments: [FileType.mp4, .mov, .mkv, .webm])
  func `are read at their times, in tracks of their languages`(type: FileType) throws {
    let captions = MovieCaptions(
      [
        .init("One – 歌", try range("0.5", "1.5")), .init("Two\nlines", try range("2", "3")),
        .init("Three", try range("2.5", "3.25")),
        .init("never", try range("3.5", "3.5")),
      ], language: "ja")
    let movie = try movie(type, [captions, MovieCaptions([.init("Zwei", try range("0", "1"))], language: "de-CH")])
    let streams = try MediaTools.ffprobe([
      "-select_streams", "s", "-show_entries", "stream=codec_name:stream_tags=language:stream_disposition=default", "-of",
      "csv=p=0", movie,
    ])
    let name = type == .mkv ? "subrip" : type == .webm ? "webvtt" : "mov_text"
    // FFmpeg enables the first track of a kind in mp4 and mov, whatever it is told.
    let isFirstShown = name == "mov_text" ? 1 : 0
    // QuickTime has a number for each language, and FFmpeg names it by a code of its own.
    let german = type == .mov ? "ger" : "deu"
    #expect(streams.split(separator: "\n").map(String.init) == ["\(name),\(isFirstShown),jpn", "\(name),0,\(german)"])
    let file = directory.file("read.srt")
    // FFmpeg would let the priming begin at zero, and the texts later.
    try MediaTools.ffmpeg(["-copyts", "-i", movie, "-map", "0:s:0", file])
    let text = String(decoding: try [UInt8](contentsOf: file), as: UTF8.self).replacing(/<[^>]*>/, with: "")
      .replacing("\r\n", with: "\n")
    let lines = text.split(separator: "\n").map(String.init)
    #expect(
      lines.filter { !$0.contains("-->") && Int($0) == nil } == ["One – 歌", "Two", "lines", "Two", "lines", "Three", "Three"])
    let times = lines.filter { $0.contains("-->") }.flatMap { $0.split(separator: " ") }.compactMap { text in
      text.contains(",") ? Double(text.split(separator: ":").last?.replacing(",", with: ".") ?? "") : nil
    }
    for (found, wanted) in zip(times, [0.5, 1.5, 2, 2.5, 2.5, 3, 3, 3.25]) {
      #expect(abs(found - wanted) < 0.002, "\(times)")
    }
    #expect(times.count == 8)
    #expect(try MediaTools.samples(movie, in: directory).count == 2 * 4 * 48_000)
  }

  @Test func `are refused where a file holds none, and do not change the bytes of movies without them`() throws {
    let error = try #require(throws: MediaError.self) { try self.movie(.m4a, [MovieCaptions([])]) }
    #expect("\(error)".contains("m4a holds no captions"))
  }
}
