import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// Tests of the length of sound, by the samples that are heard.
@Suite struct `The extent of sound` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  /// A sound of 2.3 s, which is no whole number of any codec's frames.
  private let sound = ["-f", "lavfi", "-i", "aevalsrc=0.5*sin(900*t)|0.5*cos(700*t):s=48000:d=2.3"]

  @Test(arguments: [
    ("a.m4a", "-c:a aac"), ("a.m4a", "-c:a aac -ar 44100"), ("a.mp3", "-c:a libmp3lame"),
    ("a.mp3", "-c:a libmp3lame -ar 44100"),
    ("a.opus", "-c:a libopus"), ("a.ogg", "-c:a libvorbis"), ("a.webm", "-c:a libopus"), ("a.mka", "-c:a libopus"),
    ("a.webm", "-c:a libopus -live 1"), ("a.flac", "-c:a flac"), ("a.mka", "-c:a flac"), ("a.wav", "-c:a pcm_s16le"),
  ])
  func `is without what encoders put before and after it`(_ name: String, _ codec: String) throws {
    let path = directory.file(name)
    try MediaTools.ffmpeg(sound + codec.split(separator: " ").map(String.init) + [path])
    let facts = try AssetProbe.facts(of: path, policy: policy)
    let track = try facts.first(.audio)
    #expect(try track.timeRange.end == MediaTime(23, 10), "\(name) \(codec)")
    #expect(try facts.duration == MediaTime(23, 10))
    #expect(track.timeRange.start == .zero)
    #expect(track.intactEnd == nil)
  }

  @Test func `is what iTunes says of it, where nothing else does`() throws {
    let plain = directory.file("plain.m4a")
    try MediaTools.ffmpeg(sound + ["-c:a", "aac", "-use_editlist", "0", "-movflags", "+faststart", "-f", "ipod", plain])
    var file = ISOBox.all(in: try read(plain)[...])
    // The text states a priming of 1024 samples and a length of 110 400 samples.
    let text = " 00000000 00000400 000000C0 000000000001AF40 00000000 00000000"
    func full(_ type: String, _ text: String, _ head: [UInt8] = [0, 0, 0, 0]) -> ISOBox {
      ISOBox(type: type, payload: head + text.utf8)
    }
    let item = ISOBox(
      type: "----",
      children: [
        full("mean", "com.apple.iTunes"), full("name", "iTunSMPB"), full("data", text, [0, 0, 0, 1, 0, 0, 0, 0]),
      ])
    let handler = ISOBox(
      type: "hdlr", payload: [UInt8](repeating: 0, count: 8) + Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9))
    let meta = ISOBox(type: "meta", payload: [0, 0, 0, 0], children: [handler, ISOBox(type: "ilst", children: [item])])
    for index in file.indices where file[index].type == "moov" {
      file[index].children.removeAll { $0.type == "udta" }
      file[index].children.append(ISOBox(type: "udta", children: [meta]))
    }
    // The index is moved behind the samples, so that it may grow without moving them.
    let (before, movie) = (file.filter { $0.type != "moov" }, file.filter { $0.type == "moov" })
    var moved = movie
    let start = try #require(before.prefix { $0.type != "mdat" }.map(\.bytes.count).reduce(0, +) as Int?) + 8
    for index in moved.indices {
      let first = moved[index].all("stco").first.map { $0[8] } ?? 0
      moved[index].change("stco") { box in
        for entry in 0..<box[4] { box[8 + 4 * entry] += start - first }
      }
    }
    let path = directory.file("a.m4a")
    try write((before + moved).flatMap(\.bytes), to: path)
    #expect(try AssetProbe.facts(of: path, policy: policy).first(.audio).timeRange.duration == MediaTime(23, 10))
  }

  @Test(arguments: [("a.webm", "-c:v libvpx -c:a libopus -live 1 -f webm"), ("a.mkv", "-c:v ffv1 -c:a flac -live 1 -f matroska")])
  func `of a recording that does not say how long it is, is read from its packets`(_ name: String, _ arguments: String) throws {
    let path = directory.file(name)
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=2.4"] + sound + arguments.split(separator: " ").map(String.init) + [path])
    let facts = try AssetProbe.facts(of: path, policy: policy)
    #expect(try facts.first(.audio).timeRange.end == MediaTime(23, 10))
    #expect(abs(facts.duration.seconds - 2.4) < 0.01)
    #expect(facts.tracks.allSatisfy { $0.rejection == nil })
  }

  @Test(arguments: [
    ("a.flac", "-c:a flac"), ("a.mp3", "-c:a libmp3lame"), ("a.mka", "-c:a aac"), ("a.mka", "-c:a flac"),
    ("a.webm", "-c:a libopus"),
    ("a.aiff", "-c:a pcm_s16be"),
  ])
  func `a file that was cut off says so, and its sound ends with an error rather than in silence`(_ name: String, _ codec: String)
    throws
  {
    let (whole, part) = (directory.file("whole-" + name), directory.file(name))
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "aevalsrc=random(0)-0.5:s=48000:d=12"] + codec.split(separator: " ").map(String.init) + [whole])
    let bytes = try read(whole)
    try write(bytes.prefix(bytes.count * 6 / 10), to: part)
    let track = try AssetProbe.facts(of: part, policy: policy).first(.audio)
    #expect(abs((track.intactEnd?.seconds ?? 0) - 7.2) < 0.5)
    #expect(abs(track.timeRange.end.seconds - 12) < 0.1)
    let reader = try AudioReader(
      path: part, track: track, policy: policy, from: Rational(6), sampleRate: 48_000, layout: .mono)
    #expect { try heard(reader, count: 5 * 48_000) } throws: { ($0 as? MediaError)?.reason.contains("cut off") == true }
    let late = try AudioReader(
      path: part, track: track, policy: policy, from: Rational(11), sampleRate: 48_000, layout: .mono)
    #expect(throws: MediaError.self) { try heard(late, count: 1000) }
  }

  @Test(arguments: [
    ("a.wav", "pcm_s16le", 20), ("a.wav", "pcm_s24le", 60), ("a.w64", "pcm_s16le", 30), ("a.aiff", "pcm_s16be", 40),
  ])
  func `uncompressed sound of whole tens of seconds is heard to its end`(name: String, codec: String, seconds: Int) throws {
    let path = directory.file(name)
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=440:r=8000:d=\(seconds)", "-c:a", codec, path])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    // Reading enters a new block every ten seconds, by a seek.
    let reader = try AudioReader(path: path, track: track, policy: policy, from: Rational(0), sampleRate: 8000, layout: .mono)
    #expect(try heard(reader, count: seconds * 8000 + 100) == seconds * 8000)
  }

  @Test func `sound that its decoder does not know is refused when it is probed`() throws {
    let (plain, path) = (directory.file("plain.m4a"), directory.file("usac.m4a"))
    try MediaTools.ffmpeg(sound + ["-c:a", "aac", plain])
    var file = ISOBox.all(in: try read(plain)[...])
    // The AudioSpecificConfig follows the descriptors' tags 4 and 5. The new one has object type 42 (31, and 10 more), 48 kHz,
    // stereo.
    for index in file.indices {
      file[index].change("stsd") { box in
        guard let tag = box.payload.lastIndex(of: 5) else { return }
        let config = tag + 5
        box.payload[config..<config + 2] = [0b1111_1001, 0b0100_0110]
      }
    }
    try write(file.flatMap(\.bytes), to: path)
    let track = try #require(AssetProbe.facts(of: path, policy: policy).tracks.first)
    #expect(track.codec == "aac")
    #expect(track.rejection == "none of its first samples can be decoded")
  }

  private func heard(_ reader: AudioReader, count: Int) throws -> Int {
    let memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
    defer { unsafe memory.deallocate() }
    return try unsafe reader.read(count, into: [memory])
  }

  @Test(arguments: ["pcm_s16le", "pcm_u8", "adpcm_ms", "adpcm_ima_wav", "wmav2", "libmp3lame", "ac3"])
  func `in AVI is heard to its end, though the index counts its bytes; cut off, it is refused`(_ codec: String) throws {
    let path = directory.file("a.avi")
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=2.3"] + sound + ["-ar", "44100", "-c:v", "mpeg4", "-c:a", codec, path])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    func heard() throws -> Int {
      let reader = try AudioReader(
        path: path, track: track, policy: policy, from: Rational(0), sampleRate: 48_000, layout: .mono)
      var plane = [Float](repeating: 0, count: 4 * 48_000)
      let count = plane.count
      return try unsafe plane.withUnsafeMutableBufferPointer { try unsafe reader.read(count, into: [$0]) }
    }
    // Codecs that work in blocks fill up the last one, or drop samples that do not fill it.
    #expect(abs(try heard() - 110_400) < 4800)
    // The index stays as it is, but the last third of the content that it lists is gone.
    var bytes = try read(path)
    let index = try #require(bytes.indices.last { bytes[$0..<min($0 + 4, bytes.count)].elementsEqual("idx1".utf8) })
    let start = index * 2 / 3
    bytes.replaceSubrange(start..<index, with: [UInt8](repeating: 0, count: index - start))
    try write(bytes, to: path)
    #expect(throws: MediaError.self) { try heard() }
  }
}
