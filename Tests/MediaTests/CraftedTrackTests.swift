import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// Tests of files that no muxer of FFmpeg writes.
@Suite struct `A crafted track` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  private func clip(_ name: String, _ width: Int, _ height: Int, _ arguments: [String] = []) throws -> [ISOBox] {
    try SyntheticSource(width: width, height: height, frameCount: 10).write(
      to: directory.file(name), ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "0", "-g", "4"] + arguments)
    return ISOBox.all(in: try read(directory.file(name))[...])
  }

  private func reader(_ name: String) throws -> (VideoReader, TrackFacts) {
    let track = try AssetProbe.facts(of: directory.file(name), policy: policy).first(.video)
    return (try VideoReader(path: directory.file(name), track: track, policy: policy), track)
  }

  /// Writes ten frames of one size and ten of another, each with its own sample description. Cameras write such files when they
  /// go on in the same file.
  private func writeTwoSizes(_ name: String) throws {
    let (first, second) = (try clip("first.mp4", 96, 64), try clip("second.mp4", 192, 128))
    func box(_ type: String, _ file: [ISOBox]) throws -> ISOBox { try #require(file.flatMap { $0.all(type) }.first) }
    func table(_ type: String, _ header: [UInt8] = [0, 0, 0, 0], count: Int, _ entries: [UInt8]) -> ISOBox {
      ISOBox(type: type, payload: header + ISOBox.number(count, 4) + entries)
    }
    let media = try (box("mdat", first).payload, box("mdat", second).payload)
    let start = try box("ftyp", first).bytes.count + 8
    let sync = try [(first, 0), (second, 10)].flatMap { file, offset in
      let box = try box("stss", file)
      return (0..<box[4]).map { box[8 + 4 * $0] + offset }
    }
    let tables = try [
      "stsd": table("stsd", count: 2, box("stsd", first).entries + box("stsd", second).entries),
      "stts": table("stts", count: 1, ISOBox.number(20, 4) + box("stts", first).entries.dropFirst(4)),
      "stss": table("stss", count: sync.count, sync.flatMap { ISOBox.number($0, 4) }),
      "stsz": table(
        "stsz", [UInt8](repeating: 0, count: 8), count: 20,
        Array(box("stsz", first).entries.dropFirst(4) + box("stsz", second).entries.dropFirst(4))),
      "stsc": table("stsc", count: 2, [1, 10, 1, 2, 10, 2].flatMap { ISOBox.number($0, 4) }),
      "stco": table("stco", count: 2, [start, start + media.0.count].flatMap { ISOBox.number($0, 4) }),
    ]
    var movie = try box("moov", first)
    for (type, box) in tables { movie.change(type) { $0 = box } }
    for (type, offset) in [("mvhd", 16), ("tkhd", 20), ("mdhd", 16)] { movie.change(type) { $0[offset] *= 2 } }
    movie.change("trak") { $0.children.removeAll { $0.type == "edts" } }
    let data = ISOBox(type: "mdat", payload: media.0 + media.1)
    try write(try box("ftyp", first).bytes + data.bytes + movie.bytes, to: directory.file(name))
  }

  @Test func `that changes its size with its sample description shows each picture as it is, in any order`() throws {
    try writeTwoSizes("both.mp4")
    let (reader, track) = try reader("both.mp4")
    #expect(try track.timeRange == MediaTimeRange(start: .zero, duration: MediaTime(20, 25)))
    var random = SeededRandom(seed: 7)
    for index in Array(0..<20) + Array((0..<20).reversed()) + (0..<60).map({ _ in Int.random(in: 0..<20, using: &random) }) {
      let picture = try reader.frame(at: Rational(Int128(2 * index + 1), over: 50))
      #expect(SyntheticSource.number(in: picture) == index % 10, "frame \(index)")
      #expect((picture.width, picture.height) == (index < 10 ? (96, 64) : (192, 128)), "frame \(index)")
    }
  }

  @Test(arguments: ["heic", "avif"])
  func `in a file of the HEIF family is called what it is`(brand: String) throws {
    let type = ISOBox(type: "ftyp", payload: Array(brand.utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
    let meta = ISOBox(type: "meta", payload: [UInt8](repeating: 0, count: 200))
    try write(type.bytes + meta.bytes, to: directory.file("still"))
    #expect {
      try AssetProbe.facts(of: directory.file("still"), policy: policy)
    } throws: { error in
      (error as? MediaError)?.reason == "is a HEIF picture that is cut off or damaged"
    }
  }

  /// Writes a fragmented file whose decode times are of 64 bits and begin at `tick`.
  private func writeFragments(_ name: String, startingAt tick: Int64) throws {
    var boxes = try clip("fragmented.mp4", 96, 64, ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"])
    for index in boxes.indices {
      boxes[index].change("tfdt") { box in
        let time = box.payload[4..<12].reduce(0) { $0 << 8 | Int64($1) } + tick
        box.payload = [1, 0, 0, 0] + ISOBox.number(Int(time), 8)
      }
    }
    try write(boxes.flatMap(\.bytes), to: directory.file(name))
  }

  @Test(arguments: [1 << 40, 1 << 52, 1 << 60] as [Int64])
  func `that starts very late counts from its start`(tick: Int64) throws {
    try writeFragments("late.mp4", startingAt: tick)
    let (reader, track) = try reader("late.mp4")
    #expect(try track.timeRange == MediaTimeRange(start: .zero, duration: MediaTime(10, 25)))
    for index in [0, 9, 3, 5, 1] {
      #expect(SyntheticSource.number(in: try reader.frame(at: Rational(Int128(2 * index + 1), over: 50))) == index)
    }
  }

  @Test func `that does not know how long it is lasts as long as its packets`() throws {
    var boxes = try clip("fragmented.mp4", 96, 64, ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"])
    for index in boxes.indices { boxes[index].change("mdhd") { $0[16] = 0xffff_ffff } }
    try write(boxes.flatMap(\.bytes), to: directory.file("live.mp4"))
    let (reader, track) = try reader("live.mp4")
    #expect(try track.timeRange == MediaTimeRange(start: .zero, duration: MediaTime(10, 25)))
    for index in [0, 9, 3] {
      #expect(SyntheticSource.number(in: try reader.frame(at: Rational(Int128(2 * index + 1), over: 50))) == index)
    }
  }

  @Test(arguments: [1 << 61, 1 << 62, .max - 20_000] as [Int64])
  func `whose times do not fit is refused`(tick: Int64) throws {
    try writeFragments("beyond.mp4", startingAt: tick)
    let track = try AssetProbe.facts(of: directory.file("beyond.mp4"), policy: policy).tracks[0]
    #expect(track.rejection == "its timestamps are beyond 2^61 ticks")
    #expect(throws: MediaError.self) {
      let reader = try VideoReader(path: directory.file("beyond.mp4"), track: track, policy: policy)
      _ = try reader.frame(at: Rational(1, over: 5))
    }
  }

  /// Writes HEVC with a Dolby Vision record of the given profile (box 'dvcC' or 'dvvC' of Dolby's ISOBMFF specification).
  private func writeDolbyVision(_ name: String, profile: Int, compatibility: Int) throws {
    try SyntheticSource(frameCount: 10).write(
      to: directory.file(name), ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"])
    var boxes = ISOBox.all(in: try read(directory.file(name))[...])
    let record = ISOBox.number(profile << 9 | 1 << 3 | 0b101, 2) + [UInt8(compatibility << 4)]
    let box = ISOBox(
      type: profile > 7 ? "dvvC" : "dvcC", payload: [1, 0] + record + [UInt8](repeating: 0, count: 19))
    for index in boxes.indices {
      boxes[index].change("stsd") { table in
        table[8] += box.bytes.count
        table.payload += box.bytes
      }
    }
    try write(boxes.flatMap(\.bytes), to: directory.file(name))
  }

  @Test func `in Dolby's own colours is refused, and one with a base layer that others can show is not`() throws {
    try writeDolbyVision("five.mp4", profile: 5, compatibility: 0)
    let refused = try AssetProbe.facts(of: directory.file("five.mp4"), policy: policy).tracks[0]
    #expect(refused.rejection == "its colours are Dolby Vision profile 5, which has no base layer that others can show")
    try writeDolbyVision("eight.mp4", profile: 8, compatibility: 1)
    #expect(try reader("eight.mp4").1.rejection == nil)
  }
}
