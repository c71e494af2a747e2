import FarmTesting
import FoundationEssentials
import Formats
import Ledger
import MediaTime
import Messages
import Operations
import Testing

/// A media playlist, read by the rules of RFC 8216 alone.
struct ReadPlaylist {
  let durations: [String]
  let addresses: [String]
  let map: String?
  let target: Int

  /// - Throws: `MediaTools.Failure` that names the rule which is broken.
  init(_ text: String) throws {
    func require(_ holds: Bool, _ rule: String) throws {
      guard holds else { throw MediaTools.Failure(description: "\(rule)\n\(text)") }
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    try require(lines.first == "#EXTM3U", "4.3.1.1: the first line is #EXTM3U")
    try require(text.hasSuffix("\n") && !text.contains("\r\n\r"), "4.1: lines end")
    func values(_ tag: String) -> [String] {
      lines.filter { $0.hasPrefix("#\(tag):") }.map { String($0.dropFirst(tag.count + 2)) }
    }
    try require(values("EXT-X-VERSION").count == 1, "4.3.1.2: one version")
    // A map in a playlist of other than I-frames takes version 6 (section 7).
    try require(
      values("EXT-X-VERSION").first.flatMap { Int($0) }.map { $0 >= 6 } ?? false, "7: the version is that of what is used")
    try require(values("EXT-X-TARGETDURATION").count == 1, "4.3.3.1: one target duration")
    target = values("EXT-X-TARGETDURATION").first.flatMap { Int($0) } ?? -1
    try require(values("EXT-X-PLAYLIST-TYPE") == ["VOD"], "4.3.3.5: the list does not change")
    try require(lines.filter { $0 == "#EXT-X-ENDLIST" }.count == 1, "4.3.3.4: the list has an end")
    try require(!text.contains("#EXT-X-DISCONTINUITY"), "there is no discontinuity")
    var (durations, addresses, waiting): ([String], [String], String?) = ([], [], nil)
    for line in lines where !line.isEmpty {
      if line.hasPrefix("#EXTINF:") {
        try require(waiting == nil, "4.3.2.1: each duration has its segment")
        waiting = line.dropFirst(8).split(separator: ",", omittingEmptySubsequences: false).first.map(String.init)
      } else if !line.hasPrefix("#") {
        guard let duration = waiting, let seconds = Double(duration) else {
          throw MediaTools.Failure(description: "4.3.2.1: each segment has its duration: \(line)")
        }
        try require(Int(seconds.rounded()) <= target, "4.3.3.1: no segment lasts longer than the target")
        durations.append(duration)
        addresses.append(line)
        waiting = nil
      }
    }
    try require(waiting == nil, "4.3.2.1: each duration has its segment")
    (self.durations, self.addresses) = (durations, addresses)
    let maps = values("EXT-X-MAP")
    try require(maps.count == 1, "one opening")
    map = maps[0].split(separator: "\"").dropFirst().first.map(String.init)
    let first = lines.firstIndex { $0.hasPrefix("#EXTINF:") } ?? lines.count
    try require(lines[..<first].contains { $0.hasPrefix("#EXT-X-MAP:") }, "4.3.2.5: the map applies to what follows it")
  }

  /// The sum of the durations in microseconds, from their decimals.
  var microseconds: Int64 {
    durations.reduce(0) { sum, text in
      let parts = text.split(separator: ".")
      return sum + (Int64(parts[0]) ?? 0) * 1_000_000 + (Int64(parts[1]) ?? 0)
    }
  }
}

@Suite struct `The playlists of a movie` {
  private func plan(starts: [Int], frames: Int, _ frameDuration: MediaTime, samples: Int64 = 0, rate: Int32 = 48_000) -> PlayPlan
  {
    PlayPlan(
      picture: .init(
        frameDuration: frameDuration, size: PixelSize(1920, 1080), frameCount: frames, starts: starts, bitRate: 8_000_000),
      sound: samples == 0
        ? nil
        : .init(
          sampleRate: rate, channelCount: 2, sampleCount: samples, starts: PlayPlan.soundStarts(of: samples, rate, 1024),
          bitRate: 192_000))
  }

  @Test(arguments: [(1, 25), (1001, 30000), (1001, 24000), (1, 60), (7, 3)] as [(Int64, Int32)])
  func `keep the rules, and their durations are the movie's to the microsecond`(value: Int64, timescale: Int32) throws {
    let duration = try MediaTime(value, timescale)
    let starts = [0, 96, 97, 400, 1200, 86_000]
    let list = try ReadPlaylist(plan(starts: starts, frames: 90_000, duration).playlist(of: .picture, query: ""))
    #expect(list.addresses == (0..<6).map { "picture/\($0).m4s" } && list.map == "picture.mp4")
    #expect(list.microseconds == 90_000 * value * 1_000_000 / Int64(timescale))
  }

  @Test(arguments: [1, 1023, 1024, 5 * 48_000, 6 * 48_000, 6 * 48_000 + 1, 6 * 48_000 + 1025, 3_600 * 48_000 + 77] as [Int64])
  func `divide a sound at its blocks, which are counted from its end`(count: Int64) throws {
    let starts = PlayPlan.soundStarts(of: count, 48_000, 1024)
    #expect(starts.first == 0 && starts == starts.sorted() && starts.last.map { $0 < count } ?? false)
    #expect(starts.dropFirst().allSatisfy { (count - $0) % 1024 == 0 })
    let list = try ReadPlaylist(plan(starts: [0], frames: 1, .oneSecond, samples: count).playlist(of: .sound, query: "?hold=60"))
    #expect(list.addresses.count == starts.count && list.addresses.allSatisfy { $0.hasSuffix(".m4s?hold=60") })
    #expect(list.map == "sound.mp4?hold=60" && list.target <= 7)
    #expect(list.microseconds == count * 1_000_000 / 48_000)
  }

  @Test(arguments: [1, 1023, 6 * 48_000 + 1025, 3_600 * 48_000 + 77] as [Int64], [0, 1024, 2112])
  func `divide a copied sound at its own blocks, which are counted from its priming`(count: Int64, priming: Int64) {
    let starts = PlayPlan.soundStarts(of: count, 48_000, 1024, priming: priming)
    #expect(starts.first == 0 && starts == starts.sorted() && starts.last.map { $0 < count } ?? false)
    #expect(starts.dropFirst().allSatisfy { ($0 + priming) % 1024 == 0 })
    #expect(zip(starts, starts.dropFirst() + [count]).allSatisfy { $1 - $0 <= 6 * 48_000 + 1024 })
  }

  @Test func `divide a sound in parts so that each piece lies in one of them`() {
    let (count, length) = (Int64(400 * 48_000 + 77), Int64(120 * 48_000))
    let parts = [0] + [1, 2].map { $0 * length + (count - $0 * length) % 1024 }
    let starts = PlayPlan.soundStarts(of: count, in: parts, 48_000, 1024)
    let sound = PlayPlan.Sound(
      sampleRate: 48_000, channelCount: 2, sampleCount: count, starts: starts, parts: parts, bitRate: 192_000)
    #expect(starts == starts.sorted() && Set(parts).isSubset(of: starts) && starts.last.map { $0 < count } ?? false)
    #expect(starts.dropFirst().allSatisfy { (count - $0) % 1024 == 0 })
    #expect(zip(starts, starts.dropFirst() + [count]).allSatisfy { 1024 <= $1 - $0 && $1 - $0 <= 6 * 48_000 + 1024 })
    #expect((0..<3).map(sound.pieces) == [0..<20, 20..<40, 40..<starts.count])
    #expect([0, 19, 20, 39, 40, starts.count - 1].map(sound.part) == [0, 0, 1, 1, 2, 2])
  }

  @Test func `name the tracks, and their codecs once all are known`() throws {
    let both = plan(starts: [0], frames: 10, try MediaTime(1001, 30000), samples: 48_000)
    let text = both.multivariant(folder: "play", query: "", codecs: [.picture: "avc1.640028"])
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.first == "#EXTM3U" && lines.last == "play/picture.m3u8" && !text.contains("CODECS"))
    #expect(
      lines.contains { $0.hasPrefix("#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"sound\"") && $0.contains("URI=\"play/sound.m3u8\"") })
    let stream = try #require(lines.first { $0.hasPrefix("#EXT-X-STREAM-INF:") })
    #expect(stream.contains("BANDWIDTH=8192000") && stream.contains("RESOLUTION=1920x1080,FRAME-RATE=29.970,AUDIO=\"sound\""))
    let known = both.multivariant(folder: "play", query: "", codecs: [.picture: "avc1.640028", .sound: "mp4a.40.2"])
    #expect(known.contains("CODECS=\"avc1.640028,mp4a.40.2\""))
    let alone = PlayPlan(picture: nil, sound: both.sound).multivariant(folder: "play", query: "", codecs: [:])
    #expect(alone.hasSuffix("play/sound.m3u8\n") && !alone.contains("EXT-X-MEDIA"))
  }

  @Test func `are of a hundred thousand chunks in a moment`() throws {
    let starts = (0..<100_000).map { $0 * 96 }
    let text = plan(starts: starts, frames: 9_600_000, try MediaTime(1, 25)).playlist(of: .picture, query: "")
    #expect(try ReadPlaylist(text).durations.count == 100_000)
  }

  @Test(arguments: [
    (#""fileType": "mkv", "video": {"codec": "ffv1"}"#, "ffv1"), (#""fileType": "mov", "video": {"codec": "prores"}"#, "prores"),
  ]) func `are refused for codecs that players do not take in pieces`(export: String, codec: String) throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    try bench.start()
    try edit.write(EditBench.document.replacing(#""fileType": "mkv", "video": {"codec": "ffv1"}"#, with: export))
    let ending = export.contains("mov") ? "mov" : "mkv"
    let job = try bench.farm.submit(SubmitRequest(document: edit.document, output: edit.path("m.\(ending)")), reading: edit.media)
    { _ in }
    let (spec, starts, _) = try bench.farm.playable(job: job.job)
    #expect { try PlayPlan(for: spec, starts: starts) } throws: {
      ($0 as? PlayPlan.Unplayable)?.reason.contains(codec) ?? false
    }
  }
  @Test func `are refused for a movie of which packets are copied`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    try bench.start()
    try edit.write(
      EditBench.document.replacing(
        #""fileType": "mkv", "video": {"codec": "ffv1"}"#, with: #""fileType": "mkv", "video": {"codec": "h264", "crf": 30}"#))
    let job = try bench.farm.submit(SubmitRequest(document: edit.document, output: edit.path("m.mkv")), reading: edit.media) {
      _ in
    }
    var (spec, starts, _) = try bench.farm.playable(job: job.job)
    #expect(try PlayPlan(for: spec, starts: starts).picture != nil)
    spec.document = spec.document.replacing(#""export":{"#, with: #""export":{"copies":{"frames":[[0,1]]},"#)
    #expect { try PlayPlan(for: spec, starts: starts) } throws: {
      ($0 as? PlayPlan.Unplayable)?.reason.contains("copied") ?? false
    }
  }
}
