import FarmTesting
import Formats
import Media
import MediaTime
import Testing

@Suite struct `An animated WebP` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  /// Makes PNG pictures that have little in common, and of which only a part moves.
  private func pictures(_ count: Int, size: String = "96x64", format: String = "rgb24") throws -> [String] {
    try (0..<count).map { index in
      let path = directory.file("\(index).png")
      let alpha = format == "rgba" ? ",format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='if(lt(X,20+\(index)),0,255)'" : ""
      let box = "drawbox=x=\(index * 7):y=\(index * 3):w=20:h=12:t=fill:color=\(["red", "lime", "white"][index % 3])"
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-i", "testsrc=s=\(size):d=0.04", "-vf", "\(box),format=rgb24\(alpha)", "-frames:v", "1", "-pix_fmt",
        format,
        path,
      ])
      return path
    }
  }

  private func animation(_ pictures: [String], durations: [Int], _ options: [String] = []) throws -> String {
    let path = directory.file("a.webp")
    try MediaTools.animatedWebP(
      options + ["-lossless"] + zip(pictures, durations).flatMap { ["-d", "\($1)", $0] } + ["-o", path])
    return path
  }

  private func digest(ofStill path: String) throws -> String {
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    return try VideoReader(path: path, track: track, policy: policy).frame(at: Rational(0)).md5()
  }

  /// The offsets at which the chunks of frames begin.
  private func frames(of bytes: [UInt8]) -> [Int] {
    bytes.indices.dropLast(24).filter { bytes[$0..<$0 + 4].elementsEqual("ANMF".utf8) }
  }

  private static let durations = [100, 40, 333, 7, 1000, 51, 52, 53, 54, 11, 12, 300]

  @Test(arguments: [["-kmin", "3", "-kmax", "5"], ["-kmin", "0", "-kmax", "0"]])
  func `is a clip whose frames have its own times, in any order`(options: [String]) throws {
    let pictures = try pictures(Self.durations.count)
    let path = try animation(pictures, durations: Self.durations, options)
    let facts = try AssetProbe.facts(of: path, policy: policy)
    let bytes = try read(path)
    #expect(facts.container == "webp" && !facts.isStillPicture && facts.byteCount == Int64(bytes.count))
    let track = try facts.first(.video)
    #expect(track.codec == "webp" && track.naturalTimeScale == 1000 && track.rejection == nil)
    #expect(try facts.clipDuration == MediaTime(Int64(Self.durations.reduce(0, +)), 1000))
    guard case .video(let video) = track.detail else { throw MediaTools.Failure(description: "no picture") }
    #expect(video.displaySize == PixelSize(96, 64) && video.bitDepth == 8)

    let expected = try pictures.map(digest)
    #expect(Set(expected).count == expected.count)
    var asked: [(Rational, Int)] = []
    var start: Int64 = 0
    for (index, duration) in Self.durations.enumerated() {
      asked += try [
        (Rational(Int128(start), over: 1000), index), (Rational(Int128(start + Int64(duration)) * 10 - 1, over: 10_000), index),
      ]
      start += Int64(duration)
    }
    asked.append((Rational(99), Self.durations.count - 1))
    let reader = try VideoReader(path: path, track: track, policy: policy)
    for (time, index) in asked { #expect(try reader.frame(at: time).md5() == expected[index], "at \(time)") }
    for (time, index) in asked.reversed() { #expect(try reader.frame(at: time).md5() == expected[index], "at \(time)") }
    var random = SeededRandom(seed: 4)
    for _ in 0..<60 {
      let (time, index) = asked.randomElement(using: &random)!
      #expect(try reader.frame(at: time).md5() == expected[index], "at \(time)")
    }
  }

  @Test func `is its first picture as a layer, alpha and all`() throws {
    let pictures = try pictures(3, format: "rgba")
    let path = try animation(pictures, durations: [100, 100, 100])
    let facts = try AssetProbe.facts(of: path, policy: policy)
    guard case .video(let video) = try facts.first(.video).detail else { throw MediaTools.Failure(description: "no picture") }
    #expect(video.pixelFormat == "rgba")
    let (found, expected) = try (StillImage.load(path, policy: policy), StillImage.load(pictures[0], policy: policy))
    #expect(found.width == expected.width && found.height == expected.height)
    // Colours of transparent pixels are not compared.
    let seen = zip(found.rgba, expected.rgba).enumerated().filter { expected.rgba[$0.offset | 3] > 0 || $0.offset % 4 == 3 }
    #expect(seen.allSatisfy { $0.element.0 == $0.element.1 })
  }

  @Test func `shows a frame without a duration for a tenth of a second, as browsers do`() throws {
    let pictures = try pictures(3)
    let path = try animation(pictures, durations: [50, 50, 50])
    var bytes = try read(path)
    for start in frames(of: bytes) { bytes.replaceSubrange(start + 20..<start + 23, with: [0, 0, 0]) }
    try write(bytes, to: path)
    let facts = try AssetProbe.facts(of: path, policy: policy)
    #expect(try facts.clipDuration == MediaTime(3, 10))
    let reader = try VideoReader(path: path, track: facts.first(.video), policy: policy)
    #expect(try reader.frame(at: Rational(15, over: 100)).md5() == digest(ofStill: pictures[1]))
  }

  @Test(arguments: ["canvas", "frames"])
  func `that asks for too much is refused`(kind: String) throws {
    let path = try animation(pictures(2), durations: [50, 50])
    var bytes = try read(path)
    if kind == "canvas" {
      // This makes the canvas 16383 x 16383.
      bytes.replaceSubrange(24..<30, with: [0xfe, 0x3f, 0, 0xfe, 0x3f, 0])
    } else {
      let starts = frames(of: bytes)
      let last = Array(bytes[starts[1]...])
      for _ in 0..<17_000 { bytes += last }
      let size = bytes.count - 8
      bytes.replaceSubrange(4..<8, with: (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) })
    }
    try write(bytes, to: path)
    #expect { try AssetProbe.facts(of: path, policy: policy) } throws: { error in
      (error as? MediaError)?.kind == .unsupported && "\(error)".contains(kind == "canvas" ? "16383x16383" : "pictures")
    }
  }

  @Test func `of thousands of frames is read backwards in bounded time`() throws {
    let path = try animation(pictures(2, size: "16x16"), durations: [40, 40], ["-kmin", "0", "-kmax", "0"])
    var bytes = try read(path)
    let last = Array(bytes[frames(of: bytes)[1]...])
    for _ in 0..<5000 { bytes += last }
    let size = bytes.count - 8
    bytes.replaceSubrange(4..<8, with: (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) })
    try write(bytes, to: path)
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    let reader = try VideoReader(path: path, track: track, policy: policy)
    let clock = ContinuousClock()
    let taken = try clock.measure {
      for index in stride(from: 5001, through: 0, by: -1) { _ = try reader.frame(at: Rational(Int128(index), over: 25)) }
    }
    #expect(taken < .seconds(60))
  }

  @Test(arguments: [AssetTreatment.Damage.refuse, .conceal])
  func `with a damaged frame is refused there, or shows the whole ones before it`(_ damage: AssetTreatment.Damage) throws {
    let pictures = try pictures(12)
    let path = try animation(pictures, durations: [Int](repeating: 100, count: 12), ["-kmin", "3", "-kmax", "4"])
    let expected = try pictures.map(digest)
    var bytes = try read(path)
    let starts = frames(of: bytes)
    // These bytes are the middle of the sixth picture's code.
    let (from, to) = (starts[5] + 60, starts[6] - 8)
    bytes.replaceSubrange(from..<to, with: [UInt8](repeating: 0xff, count: to - from))
    try write(bytes, to: path)
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    func reader() throws -> VideoReader {
      try VideoReader(path: path, track: track, policy: policy, treatment: AssetTreatment(damage: damage))
    }
    let forwards = try reader()
    var standIns: [Int] = []
    for index in 0..<12 {
      let time = try Rational(Int128(2 * index + 1), over: 20)
      if damage == .refuse {
        do throws(MediaError) {
          let found = try forwards.frame(at: time).md5()
          #expect(found == expected[index])
        } catch {
          standIns.append(index)
          #expect(error.kind == .corrupt && error.reason.contains("the file is damaged"))
        }
      } else {
        let found = try forwards.frame(at: time).md5()
        if forwards.isStandIn { standIns.append(index) }
        #expect(found == expected[forwards.isStandIn ? 4 : index])
      }
    }
    #expect(standIns.first == 5 && standIns.count < 5 && standIns == Array(5..<5 + standIns.count))
    let backwards = try reader()
    for index in (0..<12).reversed() where damage == .conceal || !standIns.contains(index) {
      let found = try backwards.frame(at: Rational(Int128(2 * index + 1), over: 20)).md5()
      #expect(found == expected[standIns.contains(index) ? 4 : index] && backwards.isStandIn == standIns.contains(index))
    }
  }
}
