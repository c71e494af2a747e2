import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// A kind of file, and the damage done to it.
struct DamagedKind: Sendable, CustomTestStringConvertible {
  enum Harm: Sendable {
    case flippedBits(Int)
    case zeros(Int)
  }

  let file: String
  let arguments: String
  let harm: Harm
  let seed: UInt64
  var testDescription: String { "\(file), \(arguments), \(harm), seed \(seed)" }

  static let all: [DamagedKind] = {
    let h264 = "-c:v libx264 -preset veryfast -bf 2 -g 24"
    let open = "\(Kind.x264):open-gop=1"
    let hevc = "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=24:bframes=3"
    let files = [
      ("a.mp4", h264), ("a.mkv", h264), ("a.ts", h264), ("b.ts", open), ("b.mkv", open), ("c.mp4", hevc), ("c.mkv", hevc),
      ("d.ts", "-c:v mpeg2video -bf 2 -g 12"), ("e.mkv", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 24"),
      ("i.ogv", "-c:v libtheora -g 24"), ("j.mpg", "-c:v mpeg2video -bf 2 -g 12"), ("k.flv", h264),
      ("l.avi", "-c:v mpeg4 -bf 0 -g 24"),
    ]
    let zeros = files.flatMap { file in
      (1...2).map { DamagedKind(file: file.0, arguments: file.1, harm: .zeros(1500), seed: $0) }
    }
    let jpeg = ["f.mov": "-huffman optimal -q:v 10", "g.mov": "-huffman default -q:v 2", "h.mkv": "-huffman optimal -q:v 3"]
    let motion = jpeg.sorted { $0.key < $1.key }.flatMap { file in
      (1...3).map { DamagedKind(file: file.key, arguments: "-c:v mjpeg \(file.value)", harm: .zeros(1500), seed: $0) }
    }
    return zeros + motion + [4].map { DamagedKind(file: "a.mp4", arguments: h264, harm: .flippedBits(20), seed: $0) }
  }()

  /// Damages the middle of the file. Its head, and the index at its end, stay whole.
  func apply(to bytes: inout [UInt8]) {
    var random = SeededRandom(seed: seed)
    let middle = bytes.count / 6..<bytes.count * 3 / 5
    switch harm {
    case .flippedBits(let count):
      for _ in 0..<count { bytes[Int.random(in: middle, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    case .zeros(let count):
      let start = Int.random(in: middle, using: &random)
      bytes.replaceSubrange(start..<start + count, with: [UInt8](repeating: 0, count: count))
    }
  }
}

@Suite struct `Damage within a stream` {
  private static let frameCount = 96
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  private func reader(_ path: String, _ track: TrackFacts, _ damage: AssetTreatment.Damage) throws -> VideoReader {
    try VideoReader(path: path, track: track, policy: policy, treatment: AssetTreatment(damage: damage))
  }

  /// Writes a file of pictures that cannot be coded in a few bytes.
  private func write(_ name: String, _ arguments: String) throws -> String {
    let path = directory.file(name)
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=s=192x144:r=25,noise=alls=12:all_seed=5", "-frames:v", "\(Self.frameCount)"]
        + arguments.split(separator: " ").map(String.init) + [path])
    return path
  }

  private func time(_ index: Int) throws -> Rational { try Rational(Int128(2 * index + 1), over: 50) }

  @Test(arguments: DamagedKind.all)
  func `is refused where it would show, or concealed by whole pictures, the same in any order`(_ kind: DamagedKind) throws {
    let path = try write(kind.file, kind.arguments)
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    let healthy = try reader(path, track, .refuse)
    let whole = try (0..<Self.frameCount).map { try healthy.frame(at: time($0)).md5() }
    #expect(!healthy.isStandIn)
    var bytes = try read(path)
    kind.apply(to: &bytes)
    try MediaTests.write(bytes, to: path)

    let forwards = try reader(path, track, .conceal)
    var (shown, standIns): ([String], [Bool]) = ([], [])
    for index in 0..<Self.frameCount {
      shown.append(try forwards.frame(at: time(index)).md5())
      standIns.append(forwards.isStandIn)
    }
    #expect(standIns.contains(true) && standIns.contains(false))
    for index in 0..<Self.frameCount {
      if !standIns[index] {
        #expect(shown[index] == whole[index], "frame \(index) is shown as if it were whole")
      } else if let last = whole.firstIndex(of: shown[index]) {
        #expect(last < index || !standIns[..<index].contains(false), "frame \(last) stands in for \(index)")
      } else {
        Issue.record("frame \(index) is shown as no frame is")
      }
    }

    var random = SeededRandom(seed: kind.seed)
    let (anywhere, backwards, strict) = try (
      reader(path, track, .conceal), reader(path, track, .conceal), reader(path, track, .refuse)
    )
    for index in (0..<Self.frameCount).reversed() {
      #expect(
        try backwards.frame(at: time(index)).md5() == shown[index] && backwards.isStandIn == standIns[index], "frame \(index)")
    }
    for _ in 0..<40 {
      let index = Int.random(in: 0..<Self.frameCount, using: &random)
      #expect(
        try anywhere.frame(at: time(index)).md5() == shown[index] && anywhere.isStandIn == standIns[index], "frame \(index)")
      if standIns[index] {
        #expect { try strict.frame(at: time(index)) } throws: { error in
          (error as? MediaError)?.kind == .corrupt && "\(error)".contains("\(path) track 0 at")
            && "\(error)".contains("the file is damaged: from")
        }
      } else {
        #expect(try strict.frame(at: time(index)).md5() == shown[index], "frame \(index)")
      }
    }
  }

  @Test func `of a recording's last packet is no reason to refuse it`() throws {
    let path = try write("a.ts", "-c:v mpeg2video -bf 2 -g 12 -b:v 2M")
    let bytes = try read(path)
    try MediaTests.write(bytes.prefix(bytes.count * 3 / 4 / 188 * 188 + 188), to: path)
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    let reader = try reader(path, track, .refuse)
    for index in 0..<Self.frameCount { _ = try reader.frame(at: time(index)) }
  }

  @Test func `of sound is refused where it would be heard, or is silence of the packets that it is in`() throws {
    let path = directory.file("a.mp4")
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "anoisesrc=d=6:r=48000:seed=3", "-ac", "1", "-c:a", "aac", "-b:a", "128k", path])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    func samples(_ damage: AssetTreatment.Damage, from: Int = 0) throws -> (samples: [Float], concealed: Int64) {
      let reader = try AudioReader(
        path: path, track: track, policy: policy, from: Rational(Int64(from)), sampleRate: 48_000, layout: .mono, damage: damage)
      var plane = [Float](repeating: 0, count: (6 - from) * 48_000)
      let count = plane.count
      _ = try unsafe plane.withUnsafeMutableBufferPointer { try unsafe reader.read(count, into: [$0]) }
      return (plane, reader.concealedSamples)
    }
    let whole = try samples(.refuse)
    #expect(whole.concealed == 0)
    var bytes = try read(path)
    let start = bytes.count / 2
    bytes.replaceSubrange(start..<start + 1500, with: [UInt8](repeating: 0, count: 1500))
    try MediaTests.write(bytes, to: path)

    #expect { try samples(.refuse) } throws: { ($0 as? MediaError)?.reason.hasPrefix("the file is damaged: its sound") ?? false }
    let concealed = try samples(.conceal)
    #expect(concealed.concealed > 1024 && concealed.concealed < 10 * 1024)
    #expect(concealed.samples[..<96_000] == whole.samples[..<96_000])
    #expect(concealed.samples[192_000...] == whole.samples[192_000...])
    #expect(concealed.samples.filter { $0 == 0 }.count >= Int(concealed.concealed))
    // The sound after the damage is whole.
    #expect(try samples(.refuse, from: 5).concealed == 0)
  }

  @Test(arguments: ["a.mp4", "a.mkv"])
  func `of sound's last packets is told, too, though only a short end is missing`(name: String) throws {
    let (plain, path) = (directory.file("plain.mp4"), directory.file(name))
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "anoisesrc=d=3:r=48000:seed=3", "-ac", "1", "-c:a", "aac", "-b:a", "64k", plain])
    let table = try MediaTools.ffprobe(["-show_entries", "packet=pos,size", "-of", "csv=p=0", plain])
    let packets = table.split(separator: "\n").map { line in line.split(separator: ",").compactMap { Int($0) } }
    var bytes = try read(plain)
    let lost = packets.suffix(8).map { (position: $0[1], size: $0[0]) }
    let contents = lost.map { Array(bytes[$0.position..<$0.position + $0.size]) }
    if name == "a.mp4" {
      for packet in lost {
        bytes.replaceSubrange(packet.position..<packet.position + packet.size, with: [UInt8](repeating: 0, count: packet.size))
      }
      try MediaTests.write(bytes, to: path)
    } else {
      try MediaTools.ffmpeg(["-i", plain, "-c", "copy", path])
      bytes = try read(path)
      for content in contents {
        guard
          let start = bytes.indices.dropLast(content.count).first(where: {
            bytes[$0] == content[0] && bytes[$0..<$0 + content.count].elementsEqual(content)
          })
        else { continue }
        bytes.replaceSubrange(start..<start + content.count, with: [UInt8](repeating: 0, count: content.count))
      }
      try MediaTests.write(bytes, to: path)
    }
    let track = try AssetProbe.facts(of: path, policy: policy).first(.audio)
    #expect(track.timeRange.end.seconds > 2.95)
    func concealed(_ damage: AssetTreatment.Damage) throws -> (count: Int, concealed: Int64) {
      let reader = try AudioReader(
        path: path, track: track, policy: policy, from: Rational(0), sampleRate: 48_000, layout: .mono, damage: damage)
      var plane = [Float](repeating: 0, count: 4 * 48_000)
      let count = plane.count
      let found = try unsafe plane.withUnsafeMutableBufferPointer { try unsafe reader.read(count, into: [$0]) }
      return (found, reader.concealedSamples)
    }
    #expect { try concealed(.refuse) } throws: {
      ($0 as? MediaError)?.reason.hasPrefix("the file is damaged: its sound") ?? false
    }
    let found = try concealed(.conceal)
    #expect(found.concealed > 5 * 1024 && found.concealed <= 9 * 1024)
    #expect(found.count > 143_000)
  }
}
