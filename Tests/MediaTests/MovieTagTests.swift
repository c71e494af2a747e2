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

  @Test(arguments: [FileType.mp4, .mov, .m4a, .mkv, .webm, .mp3, .flac, .ogg], [20, 255, 256, 1000])
  func `has as many chapters as it was given, each with all of its title`(type: FileType, count: Int) throws {
    guard count <= type.mostChapters ?? count else { return }
    let title = String(repeating: "歌", count: 99)
    let chapters = try (0..<count).map { index in
      try MovieChapter(
        index == 7 ? title : "Part \(index)", MediaTimeRange(start: MediaTime(Int64(index), 100), duration: MediaTime(1, 100)))
    }
    let codec = AudioCodec.allCases.first { $0.fileTypes.contains(type) } ?? .pcm
    let sound = try writeSound(.usual(codec), count: count * 480, to: directory.file("sound.nut"))
    let movie = directory.file("movie.\(type)")
    try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux(
      [], sound: sound, to: movie, type, moovFirst: type.hasMovableIndex, chapters: chapters)
    let found = try MediaTools.ffprobe(["-show_entries", "chapter_tags=title", "-of", "csv=p=0", movie])
    // FFmpeg reads the sizes of frames within CHAP in eight bits a byte, so it finds no title of 128 bytes and more there.
    let titles = type == .mp3 ? chapters.map(\.title).filter { $0 != title } : chapters.map(\.title)
    #expect(found.split(separator: "\n").map(String.init) == titles)
    #expect(try MediaTools.samples(movie, in: directory).count == count * 480 * 2)
    let bytes = try read(movie)
    if type == .mp3 {
      #expect(try frames(ofTag: bytes).filter { $0 == "CHAP" }.count == count)
      #expect(bytes.contains(Array(title.utf8)))
    }
    // Players that read the list see no other chapters, and it holds neither more nor longer ones.
    if type.hasMovableIndex { #expect(!bytes.contains(Array("chpl".utf8))) }
  }

  @Test(arguments: [FileType.mp4, .mov, .m4a]) func `lists chapters where the list holds all of them`(type: FileType) throws {
    let sound = try writeSound(.usual(.aac), count: 255 * 480, to: directory.file("sound.nut"))
    let movie = directory.file("movie.\(type)")
    let chapters = try (0..<255).map { index in
      try MovieChapter("Part \(index)", MediaTimeRange(start: MediaTime(Int64(index), 100), duration: MediaTime(1, 100)))
    }
    try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux([], sound: sound, to: movie, type, chapters: chapters)
    let bytes = try read(movie)
    let list = try #require(bytes.firstRange(of: Array("chpl".utf8)))
    // A version and flags, four bytes that mean nothing, and the number.
    #expect(bytes[list.upperBound + 8] == 255)
  }

  @Test(arguments: [FileType.mp4, .mov, .m4a, .mkv, .webm])
  func `has the longest title of a sound whole`(type: FileType) throws {
    let codec = AudioCodec.allCases.first { $0.fileTypes.contains(type) } ?? .pcm
    let sound = try writeSound(.usual(codec), count: 4800, to: directory.file("sound.nut"))
    let title = String(repeating: "é", count: ((type.longestSoundTitle ?? 4096) - 1) / 2) + "x"
    let form = MovieForm(type, frameDuration: try MediaTime(1, 25), color: .bt709)
    let movie = directory.file("movie.\(type)")
    try MovieMux.write(
      MovieSegments(pictures: [], sounds: [SoundInput([sound], language: "de", title: title)]), as: form, to: movie
    ) { _, _ in }
    let key = type.hasMovableIndex ? "handler_name" : "title"
    #expect(try MediaTools.probe(movie, "a", "stream_tags=\(key)") == [title])
  }

  /// The names of the frames in an ID3v2.4 tag, whose sizes have seven bits a byte.
  private func frames(ofTag bytes: [UInt8]) throws -> [String] {
    func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 7 | Int($1 & 127) } }
    let end = 10 + number(6)
    var (place, names) = (10, [String]())
    while place < end, bytes[place] != 0 {
      try #require(!bytes[place + 4..<place + 8].contains { $0 > 127 }, "a size after \(names.count) frames")
      names.append(String(decoding: bytes[place..<place + 4], as: UTF8.self))
      place += 10 + number(place + 4)
    }
    try #require(place <= end && bytes[place..<end].allSatisfy { $0 == 0 } && bytes[end] == 0xFF, "the sound follows the tag")
    return names
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
