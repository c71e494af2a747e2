import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// The descriptions in movies' files, as ffprobe reads them.
@Suite struct `What a file says of the movie` {
  private let directory = TemporaryDirectory()

  @Test(arguments: FileType.allCases.filter { !$0.tagKeys.isEmpty })
  func `is read as it was given, with the chapters at their times`(type: FileType) throws {
    let texts = Dictionary(
      uniqueKeysWithValues: type.tagKeys.map { ($0, $0 == .date ? "2026-11-24" : "\($0.rawValue) 歌 = \"é\"") })
    let tags = MovieTags(
      texts, location: type.holdsLocation ? MovieTags.Location(latitude: -3.65864, longitude: 139.7454) : nil)
    let times = [MediaTime(seconds: 0), try MediaTime(1001, 30_000), try MediaTime(1, 2), MediaTime(seconds: 1)]
    let chapters = try zip(times, times.dropFirst()).enumerated().map { index, times in
      try MovieChapter("Part \(index) –", MediaTimeRange(start: times.0, duration: times.1 - times.0))
    }
    let sound = try writeSound(
      .usual(AudioCodec.allCases.first { $0.fileTypes.contains(type) } ?? .pcm).stored(in: type), count: 48_000,
      to: directory.file("sound.nut"))
    let movie = directory.file("movie.\(type)")
    try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux(
      [], sound: sound, to: movie, type, moovFirst: type.hasMovableIndex, tags: tags,
      chapters: type.holdsChapters ? chapters : [])
    // Ogg has its words in the stream.
    let found = try MediaTools.ffprobe(["-show_entries", "format_tags:stream_tags", "-of", "default=nk=0:nw=1", movie])
    let words = Dictionary(
      found.split(separator: "\n").compactMap { line -> (String, String)? in
        let parts = line.split(separator: "=", maxSplits: 1)
        return parts.count == 2 ? (parts[0].lowercased(), String(parts[1])) : nil
      }
    ) { first, _ in first }
    for (key, text) in texts {
      let name = key == .albumArtist ? "album_artist" : key.rawValue
      // FFmpeg reads a Vorbis comment's description as a comment.
      #expect((words["tag:\(name)"] ?? words["tag:comment"]) == text, "\(key)")
    }
    #expect(words["tag:location"] == (type.holdsLocation ? "-03.6586+139.7454/" : nil))
    let lines = try MediaTools.ffprobe([
      "-show_chapters", "-show_entries", "chapter=start_time:chapter_tags=title", "-of", "csv=p=0", movie,
    ])
    .split(separator: "\n").map(String.init)
    #expect(lines == (type.holdsChapters ? ["0.000000,Part 0 –", "0.033000,Part 1 –", "0.500000,Part 2 –"] : []))
    #expect(try MediaTools.samples(movie, in: directory).count == 96_000)
  }

  @Test func `is the same bytes each time, and none where nothing is said`() throws {
    let sound = try writeSound(.usual(.flac), count: 4800, to: directory.file("sound.nut"))
    let chapter = try MovieChapter("One", MediaTimeRange(start: .zero, duration: MediaTime(1, 10)))
    let digests = try (0..<3).map { index in
      let movie = directory.file("\(index).mkv")
      try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux(
        [], sound: sound, to: movie, .mkv, tags: MovieTags(index < 2 ? [.title: "T"] : [:]), chapters: index < 2 ? [chapter] : [])
      return try FileDigest(of: movie).hash
    }
    #expect(digests[0] == digests[1] && digests[1] != digests[2])
    let title = try MediaTools.ffprobe(["-show_entries", "format_tags=title", "-of", "default=nw=1", directory.file("2.mkv")])
    #expect(title == "")
  }

  @Test func `a place is written as ISO 6709 writes it`() {
    for (latitude, longitude, text) in [
      (35.6586, 139.7454, "+35.6586+139.7454/"), (0, 0, "+00.0000+000.0000/"), (-89.99999, -0.00004, "-90.0000-000.0000/"),
      (5.5, -180, "+05.5000-180.0000/"),
    ] { #expect(MovieTags.Location(latitude: latitude, longitude: longitude).iso6709 == text) }
  }
}
