import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing

@Suite(.serialized) struct `The chapters of a medium` {
  private let directory = TemporaryDirectory()

  private static let words = """
    ;FFMETADATA1
    [CHAPTER]
    TIMEBASE=1/1000
    START=0
    END=400
    title=Opening
    [CHAPTER]
    TIMEBASE=1/1000
    START=400
    END=1000
    title=Das Meer – 海
    """

  /// The test's clip with two chapters, in a file of FFmpeg's.
  private func asset(_ name: String, _ options: [String] = []) throws -> AVURLAsset {
    let (words, path) = (directory.file("words.txt"), directory.file(name))
    try Self.words.write(toFile: words, atomically: true, encoding: .utf8)
    try MediaTools.ffmpeg(
      [
        "-i", TestMedia.clip.get().path, "-i", words, "-map", "0:v", "-map", "0:a", "-map_metadata", "1", "-c:v", "copy", "-c:a",
        "aac",
      ]
        + options + [path])
    return AVURLAsset(url: URL(fileURLWithPath: path))
  }

  @Test(arguments: ["parts.mp4", "parts.mov", "parts.mkv", "parts.m4b"])
  func `are read with their titles and ranges`(name: String) async throws {
    let asset = try asset(name, name.hasSuffix("m4b") ? ["-vn", "-f", "ipod"] : [])
    let locales = try await asset.load(.availableChapterLocales)
    #expect(locales.count == 1 && locales == asset.availableChapterLocales)
    let groups = try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["fr"] + locales.map(\.identifier))
    #expect(groups.map { $0.items.first?.stringValue } == ["Opening", "Das Meer – 海"])
    #expect(groups.map(\.timeRange.start.seconds).allSatisfy { abs($0) < 1e-3 || abs($0 - 0.4) < 1e-3 })
    #expect(abs((groups.last?.timeRange.end.seconds ?? 0) - 1) < 0.03)
    let title = try #require(groups.first?.items.first)
    #expect(title.commonKey == .commonKeyTitle && title.time == groups[0].timeRange.start)
    #expect(try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["ja"]).isEmpty)
    #expect(
      asset.chapterMetadataGroups(withTitleLocale: locales[0], containingItemsWithCommonKeys: [.commonKeyArtwork]).count == 2)
    #expect(asset.chapterMetadataGroups(withTitleLocale: Locale(identifier: "ja")).isEmpty)
  }

  @Test func `are those of a list where a movie has no track of them, and none where there are none`() async throws {
    let listed = try asset("listed.mp4")
    var bytes = try Data(contentsOf: listed.url)
    // Where no track names it, the track of titles is no track of chapters.
    for reference in bytes.ranges(of: Data("chap".utf8)) { bytes.replaceSubrange(reference, with: Data("free".utf8)) }
    let path = URL(fileURLWithPath: directory.file("bare.mp4"))
    try bytes.write(to: path)
    let groups = try await AVURLAsset(url: path).loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["und"])
    #expect(groups.map { $0.items.first?.stringValue } == ["Opening", "Das Meer – 海"])
    #expect(groups.map(\.timeRange.start) == [.zero, CMTime(value: 4, timescale: 10)])
    #expect(groups.last?.timeRange.end == AVURLAsset(url: path).duration)
    let plain = AVURLAsset(url: try TestMedia.clip.get())
    #expect(try await plain.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["en"]).isEmpty)
    #expect(try await plain.load(.availableChapterLocales).isEmpty)
    #expect(try await AVMutableComposition().loadChapterMetadataGroups(bestMatchingPreferredLanguages: []).isEmpty)
  }

  @Test func `are refused by name in other files`() async throws {
    let path = directory.file("sound.wav")
    try MediaTools.ffmpeg(["-i", TestMedia.clip.get().path, "-vn", path])
    let error = await #expect(throws: AVError.self) {
      try await AVURLAsset(url: URL(fileURLWithPath: path)).load(.availableChapterLocales)
    }
    #expect(error?.property == "chapterMetadataGroups" && error?.code == .operationNotAllowed)
  }

  @Test func `of damaged files end where the damage is`() throws {
    let whole = try Data(contentsOf: asset("whole.mkv").url)
    let path = URL(fileURLWithPath: directory.file("cut.mkv"))
    let place = try #require(whole.range(of: Data([0x10, 0x43, 0xA7, 0x70]))?.lowerBound)
    for end in place..<min(place + 120, whole.count) {
      try whole.prefix(end).write(to: path)
      let file = try FileHandle(forReadingFrom: path)
      #expect((try MatroskaChapters.read(file)?.count ?? 0) <= 2)
      try file.close()
    }
  }

  @Test func `of calendars and of edits are groups of words`() {
    let title = AVMutableMetadataItem()
    (title.identifier, title.value) = (.commonIdentifierTitle, "Noon" as NSString)
    let start = Date(timeIntervalSince1970: 1_000_000)
    let group = AVMutableDateRangeMetadataGroup(items: [title], start: start, end: nil)
    group.endDate = start + 60
    #expect(group.startDate == start && group.endDate == start + 60 && group.items.count == 1 && group.uniqueID == nil)
  }
}

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `With chapters` {
    private let directory = TemporaryDirectory()

    init() {
      // The database runs as another user.
      #expect(unsafe chmod(directory.path, 0o755) == 0)
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
    }

    private func group(_ title: String, _ start: Int64, _ end: Int64) -> AVTimedMetadataGroup {
      let item = AVMutableMetadataItem()
      (item.identifier, item.value) = (.commonIdentifierTitle, title as NSString)
      return AVTimedMetadataGroup(items: title.isEmpty ? [] : [item], timeRange: TestMedia.range(start, end))
    }

    private func session(_ chapters: [AVTimedMetadataGroup]) throws -> AVAssetExportSession {
      let session = try #require(
        AVAssetExportSession(asset: TestMedia.asset(), presetName: AVAssetExportPresetHighestQuality))
      session.chapters = chapters
      return session
    }

    @Test(.timeLimit(.minutes(10))) func `writes them into the movie`() async throws {
      let url = URL(fileURLWithPath: directory.file("parts.mp4"))
      try await session([group("Sand", 0, 3), group("Salt", 3, 10)]).export(to: url, as: .mp4)
      let shown = try MediaTools.ffprobe(["-show_chapters", "-of", "csv=p=0", url.path])
      #expect(shown.contains("0.300000") && shown.contains("Sand") && shown.contains("Salt"))
      let read = try await AVURLAsset(url: url).loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["en", "und"])
      #expect(read.map { $0.items.first?.stringValue } == ["Sand", "Salt"])
      #expect(read.map(\.timeRange.start) == [.zero, TestMedia.tenths(3)])
    }

    @Test func `refuses by name what documents do not say`() async throws {
      for (chapters, words) in [
        ([group("Sand", 0, 3), group("Salt", 4, 10)], "'Sand' does not end where the next chapter begins"),
        ([group("", 0, 10)], "chapter 1 has no title"), ([group("Sand", 2, 10)], "the first chapter begins at 0"),
      ] {
        let session = try session(chapters)
        let url = URL(fileURLWithPath: directory.file("refused.mp4"))
        let error = await #expect(throws: AVError.self) { try await session.export(to: url, as: .mp4) }
        #expect(error?.reason.contains(words) == true, "\(String(describing: error))")
      }
    }
  }
}
