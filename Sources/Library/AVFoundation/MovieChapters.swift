/// The named parts of a medium, as its file tells them.
struct MovieChapters {
  struct Chapter {
    var title: String
    var start: CMTime
    /// The time that it lasts; nil until the next one begins.
    var duration: CMTime?
  }

  /// The chapters in each of their languages, by codes such as "en" and "und".
  private(set) var lists: [(language: String, chapters: [Chapter])] = []

  /// The most chapters of a language, and the most bytes of a title.
  private static let (mostChapters, longestTitle) = (10_000, 1 << 16)

  init() {}

  /// Reads the chapters of an MP4, QuickTime or Matroska file.
  ///
  /// - Parameters:
  ///   - url: the file's URL, which errors name.
  ///   - place: the URL by which it is read.
  ///   - tables: the tables of the movie's tracks; nil for a file without.
  /// - Throws: an error for what is not read: media behind URLs, and files of other kinds.
  init(of url: URL, at place: URL, _ tables: [MovieTrackTables]?) throws(AVError) {
    guard url.isFileURL else { throw Self.unread("of media behind URLs are not read", url) }
    do {
      let file = try FileHandle(forReadingFrom: place)
      defer { try? file.close() }  // Only read from.
      if let movie = try MovieAtoms.movie(of: file) {
        try read(tables ?? [], file)
        if lists.isEmpty { read(list: MovieAtoms.body("udta", in: movie).flatMap { MovieAtoms.body("chpl", in: $0) } ?? Data()) }
        return
      }
      if let chapters = try MatroskaChapters.read(file) {
        for (language, title, start, duration) in chapters {
          add(Chapter(title: title, start: start, duration: duration), language)
        }
        return
      }
    } catch let error as AVError { throw error } catch {
      throw AVError(.failedToLoadMediaData, "\(url.path): \(error)", url: url)
    }
    throw Self.unread("of such a file are not read: it is no MP4, QuickTime or Matroska file", url)
  }

  private static func unread(_ words: String, _ url: URL) -> AVError {
    AVError(.operationNotAllowed, "chapterMetadataGroups: the chapters \(words)", property: "chapterMetadataGroups", url: url)
  }

  /// The language's shortest code, such as "en" for "eng" and "en-US"; "und" for one that is not known.
  static func code(of language: String) -> String {
    let code = Locale(identifier: language).language.languageCode?.identifier ?? "und"
    return code.allSatisfy { $0.isASCII && $0.isLetter } && !code.isEmpty ? code.lowercased() : "und"
  }

  private mutating func add(_ chapter: Chapter, _ language: String) {
    let code = Self.code(of: language)
    if let index = lists.firstIndex(where: { $0.language == code }) {
      if lists[index].chapters.count < Self.mostChapters { lists[index].chapters.append(chapter) }
    } else {
      lists.append((code, [chapter]))
    }
  }

  /// Reads the tracks of texts that the other tracks name as their chapters.
  private mutating func read(_ tables: [MovieTrackTables], _ file: FileHandle) throws {
    let named = tables.flatMap(\.chapterTracks)
    for track in tables where named.contains(track.trackID) && ["text", "sbtl"].contains(track.handler) {
      guard let samples = track.samples else { continue }
      for index in 0..<min(samples.count, Self.mostChapters) {
        let place = samples.place(of: index..<index + 1)
        guard place.length <= Self.longestTitle else { continue }
        try file.seek(toOffset: place.offset)
        guard let bytes = try file.read(upToCount: place.length), let title = Self.text(bytes) else { continue }
        add(
          Chapter(title: title, start: samples.presentationTime(index), duration: samples.duration(index)), track.language)
      }
    }
  }

  /// The text of a sample: two bytes of its length, and the text.
  private static func text(_ sample: Data) -> String? {
    guard let length = sample.number(at: 0, bytes: 2), Int(length) <= sample.count - 2 else { return nil }
    let bytes = Data(sample.after(2).prefix(Int(length)))
    let isWide = [[0xFE, 0xFF], [0xFF, 0xFE]].contains([UInt8](bytes.prefix(2)))
    return String(data: bytes, encoding: isWide ? .utf16 : .utf8)
  }

  /// Reads a list of chapters, as other players have it. Its times are in tenths of microseconds.
  private mutating func read(list: Data) {
    // A list of version 1 has four bytes more before its number.
    let head = list.first == 1 ? 8 : 4
    guard let count = list.number(at: head, bytes: 1) else { return }
    var place = head + 1
    for _ in 0..<Int(count) {
      guard let start = list.number(at: place, bytes: 8), let length = list.number(at: place + 8, bytes: 1), start < 1 << 62,
        place + 9 + Int(length) <= list.count
      else { return }
      let title = String(decoding: list.after(place + 9).prefix(Int(length)), as: UTF8.self)
      add(Chapter(title: title, start: CMTime(value: Int64(start), timescale: 10_000_000), duration: nil), "und")
      place += 9 + Int(length)
    }
  }
}

/// The chapters of a Matroska file.
package enum MatroskaChapters {
  package typealias Entry = (language: String, title: String, start: CMTime, duration: CMTime?)

  /// The most elements at a file's top level that are passed over, and the most bytes of all chapters.
  private static let (mostElements, mostBytes) = (1_000_000, 16 << 20)

  /// Reads the chapters.
  ///
  /// - Returns: nil for a file of another kind.
  package static func read(_ file: FileHandle) throws -> [Entry]? {
    try file.seek(toOffset: 0)
    guard let head = try element(file, at: 0), head.id == 0x1A45_DFA3, let size = head.size,
      let segment = try element(file, at: head.start + size), segment.id == 0x1853_8067
    else { return nil }
    var place = segment.start
    let end = segment.size.map { segment.start + $0 } ?? .max
    for _ in 0..<mostElements where place < end {
      guard let next = try element(file, at: place) else { break }
      guard let size = next.size else { break }
      if next.id == 0x1043_A770 {
        guard size <= UInt64(mostBytes) else { return [] }
        try file.seek(toOffset: next.start)
        return entries(try file.read(upToCount: Int(size)) ?? Data())
      }
      place = next.start + size
    }
    return []
  }

  private static func element(_ file: FileHandle, at place: UInt64) throws -> (id: UInt64, start: UInt64, size: UInt64?)? {
    guard place < 1 << 62 else { return nil }
    try file.seek(toOffset: place)
    guard let bytes = try file.read(upToCount: 12), let (id, first) = number(bytes, at: 0, keepsMark: true),
      let (size, second) = number(bytes, at: first, keepsMark: false)
    else { return nil }
    // A size of ones alone is not known.
    let isKnown = size != (1 << UInt64(7 * second)) - 1
    guard size < 1 << 56 else { return nil }
    return (id, place + UInt64(first + second), isKnown ? size : nil)
  }

  /// A number of Matroska's, whose first byte tells how long it is.
  private static func number(_ bytes: Data, at place: Int, keepsMark: Bool) -> (UInt64, Int)? {
    guard let first = bytes.number(at: place, bytes: 1), first > 0 else { return nil }
    let length = UInt8(first).leadingZeroBitCount + 1
    guard let whole = bytes.number(at: place, bytes: length) else { return nil }
    return (keepsMark ? whole : whole & ((1 << UInt64(7 * length)) - 1), length)
  }

  /// The elements in the content of one.
  private static func elements(_ bytes: Data) -> [(id: UInt64, body: Data)] {
    var (found, place): ([(UInt64, Data)], Int) = ([], 0)
    while let (id, first) = number(bytes, at: place, keepsMark: true),
      let (size, second) = number(bytes, at: place + first, keepsMark: false), size <= UInt64(bytes.count),
      place + first + second + Int(size) <= bytes.count
    {
      found.append((id, Data(bytes.after(place + first + second).prefix(Int(size)))))
      place += first + second + Int(size)
    }
    return found
  }

  /// The chapters of the first edition, which is the one that players take.
  private static func entries(_ chapters: Data) -> [Entry] {
    guard let edition = elements(chapters).first(where: { $0.id == 0x45B9 })?.body else { return [] }
    return elements(edition).filter { $0.id == 0xB6 }.flatMap { entries(ofAtom: $0.body) }
  }

  private static func entries(ofAtom atom: Data) -> [Entry] {
    let parts = elements(atom)
    func value(_ id: UInt64) -> UInt64? {
      parts.first { $0.id == id }.flatMap { $0.body.count <= 8 ? $0.body.number(at: 0, bytes: $0.body.count) : nil }
    }
    guard let start = value(0x91), start < 1 << 62, value(0x98) ?? 0 == 0 else { return [] }
    let length = value(0x92).flatMap { $0 > start && $0 < 1 << 62 ? Int64($0 - start) : nil }
    return parts.filter { $0.id == 0x80 }.map { display in
      let words = elements(display.body)
      func text(_ id: UInt64) -> String? { words.first { $0.id == id }.map { String(decoding: $0.body, as: UTF8.self) } }
      let (begin, span) = (
        CMTime(value: Int64(start), timescale: 1_000_000_000), length.map { CMTime(value: $0, timescale: 1_000_000_000) }
      )
      return (text(0x437D) ?? text(0x437C) ?? "eng", text(0x85) ?? "", begin, span)
    }
  }
}
