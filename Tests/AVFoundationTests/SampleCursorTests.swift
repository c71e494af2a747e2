import AVFoundation
import FarmTesting
import Foundation
import Testing

/// Cursors over samples, against what ffprobe says of the same packets.
@Suite(.serialized) struct `A cursor over samples` {
  private let directory = TemporaryDirectory()

  private struct Packet: Decodable {
    var pts: Int64
    var dts: Int64
    var duration: Int64
    var size: String
    var pos: String
    var flags: String
    var data_hash: String
  }

  /// Thirty pictures, some of which are shown later than they are decoded.
  private func movie(_ name: String, _ options: [String] = []) throws -> AVURLAsset {
    let path = directory.file(name)
    try SyntheticSource(width: 64, height: 48, frameRate: "25", frameCount: 30).write(
      to: path, ["-map", "0:v", "-c:v", "libx264", "-bf", "2", "-g", "10"] + options, inputs: [])
    return AVURLAsset(url: URL(fileURLWithPath: path))
  }

  private func packets(_ url: URL) throws -> [Packet] {
    let text = try MediaTools.ffprobe([
      "-select_streams", "v", "-show_packets", "-show_data_hash", "md5", "-of", "json", url.path,
    ])
    return try JSONDecoder().decode([String: [Packet]].self, from: Data(text.utf8))["packets"] ?? []
  }

  /// Movies of one table, and in fragments: with an empty head, of half a keyframe's distance, and after a head with samples of its own.
  private static let forms = [
    ("ordered.mp4", ""), ("ordered.mov", ""), ("pieces.mp4", "frag_keyframe+empty_moov"),
    ("based.mp4", "frag_keyframe+empty_moov+default_base_moof"), ("halves.mov", "frag_keyframe+delay_moov"),
    ("headed.mp4", "frag_keyframe"),
  ]

  @Test(arguments: Self.forms) func `steps over them in both orders`(name: String, flags: String) throws {
    let halves = name == "halves.mov" ? ["-frag_duration", "200000"] : []
    let asset = try movie(name, flags.isEmpty ? [] : ["-movflags", flags] + halves)
    let track = try #require(asset.tracks(withMediaType: .video).first)
    #expect(track.canProvideSampleCursors)
    let packets = try packets(asset.url)
    let scale = track.naturalTimeScale
    let cursor = try #require(track.makeSampleCursorAtFirstSampleInDecodeOrder())
    let other = try #require(cursor.copy() as? AVSampleCursor)
    for (index, packet) in packets.enumerated() {
      #expect(cursor.presentationTimeStamp == CMTime(value: packet.pts, timescale: scale))
      #expect(cursor.decodeTimeStamp == CMTime(value: packet.dts, timescale: scale))
      #expect(cursor.currentSampleDuration == CMTime(value: packet.duration, timescale: scale))
      #expect(cursor.currentSampleStorageRange.offset == Int64(packet.pos))
      #expect(cursor.currentSampleStorageRange.length == Int64(packet.size))
      #expect(cursor.currentSampleSyncInfo.sampleIsFullSync.boolValue == packet.flags.hasPrefix("K"))
      #expect(cursor.samplesRequiredForDecoderRefresh == index % 10)
      let chunk = cursor.currentChunkStorageRange
      #expect(chunk.offset <= cursor.currentSampleStorageRange.offset)
      #expect(cursor.currentSampleIndexInChunk < cursor.currentChunkInfo.chunkSampleCount)
      #expect(cursor.stepInDecodeOrder(byCount: 1) == (index + 1 < packets.count ? 1 : 0))
    }
    #expect(cursor.comparePositionInDecodeOrder(withPositionOf: other) == .orderedDescending)
    let shown = packets.map(\.pts).sorted()
    var times = [other.presentationTimeStamp]
    while other.stepInPresentationOrder(byCount: 1) == 1 { times.append(other.presentationTimeStamp) }
    #expect(times == shown.map { CMTime(value: $0, timescale: scale) })
    #expect(other.stepInPresentationOrder(byCount: -100) == -29 && other.presentationTimeStamp == times[0])
    #expect(cursor.currentChunkStorageURL == asset.url && cursor.currentChunkInfo.chunkHasUniformSampleDurations.boolValue)
  }

  @Test func `stands at the sample that is shown at a time`() throws {
    let asset = try movie("timed.mp4")
    let track = try #require(asset.tracks(withMediaType: .video).first)
    func cursor(_ value: Int64, _ scale: CMTimeScale = 25) throws -> AVSampleCursor {
      try #require(track.makeSampleCursor(presentationTimeStamp: CMTime(value: value, timescale: scale)))
    }
    for index in 0..<30 {
      #expect(try cursor(Int64(index)).presentationTimeStamp == CMTime(value: Int64(index), timescale: 25))
      #expect(try cursor(Int64(index) * 40 + 39, 1000).presentationTimeStamp == CMTime(value: Int64(index), timescale: 25))
    }
    #expect(
      try cursor(-4).presentationTimeStamp == .zero && cursor(400).presentationTimeStamp == CMTime(value: 29, timescale: 25))
    let last = try #require(track.makeSampleCursorAtLastSampleInDecodeOrder())
    #expect(last.stepInDecodeOrder(byCount: 1) == 0)
    let moving = try cursor(10)
    var isPinned: ObjCBool = true
    #expect(
      unsafe moving.step(byPresentationTime: CMTime(value: 5, timescale: 25), wasPinned: &isPinned)
        == CMTime(value: 5, timescale: 25))
    #expect(!isPinned.boolValue && moving.presentationTimeStamp == CMTime(value: 15, timescale: 25))
    _ = unsafe moving.step(byPresentationTime: CMTime(value: 500, timescale: 25), wasPinned: &isPinned)
    #expect(isPinned.boolValue && moving.presentationTimeStamp == CMTime(value: 29, timescale: 25))
    // The last picture is shown until 30/25 s.
    _ = unsafe try cursor(0).step(byPresentationTime: CMTime(value: 1199, timescale: 1000), wasPinned: &isPinned)
    #expect(!isPinned.boolValue)
    _ = unsafe try cursor(0).step(byPresentationTime: CMTime(value: 1200, timescale: 1000), wasPinned: &isPinned)
    #expect(isPinned.boolValue)
    let decoded = try cursor(0)
    #expect(unsafe decoded.step(byDecodeTime: CMTime(value: 3, timescale: 25), wasPinned: nil) == CMTime(value: 3, timescale: 25))
    #expect(track.samplePresentationTime(forTrackTime: CMTime(value: 7, timescale: 25)) == CMTime(value: 7, timescale: 25))
  }

  @Test func `says which samples may be left out or come in another order`() throws {
    let track = try #require(try movie("order.mp4").tracks(withMediaType: .video).first)
    let first = try #require(track.makeSampleCursorAtFirstSampleInDecodeOrder())
    let second = try #require(first.copy() as? AVSampleCursor)
    second.stepInDecodeOrder(byCount: 1)
    // The first picture is decoded and shown first; the second one is decoded before those that it is shown after.
    #expect(!first.samplesWithLaterDecodeTimeStampsMayHaveEarlierPresentationTimeStamps(than: first))
    #expect(second.samplesWithLaterDecodeTimeStampsMayHaveEarlierPresentationTimeStamps(than: second))
    #expect(!first.samplesWithEarlierDecodeTimeStampsMayHaveLaterPresentationTimeStamps(than: first))
  }

  @Test func `says which pictures no other one needs`() throws {
    // Without the pyramid of pictures, none needs those that are decoded after a picture that is shown later.
    let asset = try movie("droppable.mov", ["-c:v", "libx265", "-x265-params", "b-pyramid=0:log-level=none"])
    let track = try #require(asset.tracks(withMediaType: .video).first)
    let cursor = try #require(track.makeSampleCursorAtFirstSampleInDecodeOrder())
    var (latest, droppable) = (CMTime.zero, 0)
    repeat {
      let isNeeded = cursor.presentationTimeStamp >= latest
      latest = max(latest, cursor.presentationTimeStamp)
      #expect(cursor.currentSampleSyncInfo.sampleIsDroppable.boolValue == !isNeeded, "\(cursor.presentationTimeStamp.value)")
      droppable += isNeeded ? 0 : 1
    } while cursor.stepInDecodeOrder(byCount: 1) == 1
    #expect(droppable > 5)
  }

  @Test func `is there for sound, and not for files without tables`() throws {
    let clip = AVURLAsset(url: try TestMedia.clip.get())
    let sound = try #require(clip.tracks(withMediaType: .audio).first)
    let cursor = try #require(sound.makeSampleCursor(presentationTimeStamp: CMTime(value: 12_345, timescale: 48_000)))
    #expect(cursor.presentationTimeStamp == CMTime(value: 12_345, timescale: 48_000))
    #expect(cursor.currentSampleStorageRange.length == 2 && cursor.currentChunkInfo.chunkHasUniformSampleSizes.boolValue)
    #expect(sound.totalSampleDataLength == 76_800)
    let track = try #require(try movie("none.mkv").tracks(withMediaType: .video).first)
    #expect(!track.canProvideSampleCursors && track.makeSampleCursorAtFirstSampleInDecodeOrder() == nil)
    let edit = AVMutableComposition()
    try edit.insertTimeRange(TestMedia.range(0, 5), of: clip, at: .zero)
    #expect(edit.tracks.first?.canProvideSampleCursors == false)
  }

  @Test(arguments: ["stored.mp4", "stored-pieces.mp4"]) func `gives samples as they are stored`(name: String) throws {
    let asset = try movie(name, name.contains("pieces") ? ["-movflags", "frag_keyframe+empty_moov"] : [])
    let track = try #require(asset.tracks(withMediaType: .video).first)
    let packets = try packets(asset.url)
    let generator = AVSampleBufferGenerator(asset: asset, timebase: nil)
    let cursor = try #require(track.makeSampleCursorAtFirstSampleInDecodeOrder())
    cursor.stepInDecodeOrder(byCount: 4)
    let one = try generator.makeSampleBuffer(for: AVSampleBufferRequest(start: cursor))
    #expect(one.numSamples == 1 && one.dataBuffer?.dataLength == Int(packets[4].size))
    #expect(one.presentationTimeStamp == cursor.presentationTimeStamp && one.decodeTimeStamp == cursor.decodeTimeStamp)
    let file = directory.file("sample")
    try #require(try one.dataBuffer?.dataBytes()).write(to: URL(fileURLWithPath: file))
    let raw = try [UInt8](Data(contentsOf: asset.url))[Int(packets[4].pos)!..<Int(packets[4].pos)! + Int(packets[4].size)!]
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: file))) == Array(raw))
    let several = AVSampleBufferRequest(start: cursor)
    (several.direction, several.maxSampleCount, several.overrideTime) = (.forward, 3, CMTime(value: 9, timescale: 1))
    let group = try generator.makeSampleBuffer(for: several)
    #expect((1...3).contains(group.numSamples))
    #expect(try group.sampleTimingInfo(at: 0).presentationTimeStamp == CMTime(value: 9, timescale: 1))
    // The file is held open, so that its name may go. What is written into it cannot be told from what was there.
    try FileManager.default.moveItem(atPath: asset.url.path, toPath: directory.file("moved"))
    #expect(try generator.makeSampleBuffer(for: several).numSamples == group.numSamples)
    let moved = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.file("moved")))
    try moved.seekToEnd()
    try moved.write(contentsOf: Data([0]))
    try moved.close()
    #expect(throws: AVError.self) { try generator.makeSampleBuffer(for: several) }
  }

  @Test func `of a movie that is still written has the fragments that are whole`() throws {
    let whole = try movie("growing.mp4", ["-movflags", "frag_keyframe+empty_moov"])
    let bytes = try Data(contentsOf: whole.url)
    let packets = try packets(whole.url)
    // The file ends within the samples of the second of three fragments.
    let cut = URL(fileURLWithPath: directory.file("cut.mp4"))
    try bytes.prefix(#require(Int(packets[19].pos)) - 1).write(to: cut)
    let tables = try #require(MovieTrackTables.list(of: cut)?.first?.samples)
    #expect(tables.count == 10)
    #expect(MovieTrackTables.list(of: whole.url)?.first?.samples?.count == 30)
  }

  @Test(arguments: [("whole.mp4", "+faststart", "stbl", 1200), ("fragments.mp4", "frag_keyframe+empty_moov", "moof", 400)])
  func `of damaged tables is none`(name: String, flags: String, atom: String, length: Int) throws {
    let whole = try Data(contentsOf: movie(name, ["-movflags", flags]).url)
    let tables = try #require(whole.range(of: Data(atom.utf8)))
    let path = URL(fileURLWithPath: directory.file("damaged-" + name))
    var state: UInt64 = 1
    for _ in 0..<200 {
      var bytes = whole
      for _ in 0..<4 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes[tables.upperBound + Int(state >> 33) % length] = UInt8(truncatingIfNeeded: state >> 25)
      }
      try bytes.write(to: path)
      // Whatever they say, nothing stops the program, and no sample lies outside of the list.
      for table in (MovieTrackTables.list(of: path) ?? []).compactMap(\.samples) where table.count > 0 {
        for index in [0, table.count / 2, table.count - 1] {
          _ = (table.presentationTime(index), table.decodeTime(index), table.place(of: index..<index + 1))
          #expect(table.chunk(of: index).samples.contains(index))
          #expect((0..<table.count).contains(table.sample(shownAt: table.presentationTime(index))))
        }
      }
    }
  }
}
