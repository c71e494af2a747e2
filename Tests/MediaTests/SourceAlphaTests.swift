import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// A kind of file with alpha.
struct AlphaKind: Sendable, CustomTestStringConvertible {
  let file: String
  let format: String
  let arguments: String
  /// The bits of the alpha that FFmpeg decodes.
  var depth = 8
  /// FFmpeg's decoder that reads the alpha; nil where its first choice does.
  var decoder: String?

  var testDescription: String { "\(file) \(format) \(arguments)" }

  static let all = [
    AlphaKind(file: "a.webm", format: "yuva420p", arguments: "-c:v libvpx-vp9 -lossless 1", decoder: "libvpx-vp9"),
    AlphaKind(file: "a.webm", format: "yuva420p", arguments: "-c:v libvpx -auto-alt-ref 0 -crf 4 -b:v 4M", decoder: "libvpx"),
    AlphaKind(file: "a.mov", format: "yuva444p10le", arguments: "-c:v prores_ks -profile:v 4444", depth: 12),
    AlphaKind(file: "a.mov", format: "argb", arguments: "-c:v qtrle"),
    AlphaKind(file: "a.mov", format: "rgba", arguments: "-c:v png"),
    AlphaKind(file: "a.mkv", format: "yuva420p", arguments: "-c:v ffv1"),
    AlphaKind(file: "a.mkv", format: "yuva422p10le", arguments: "-c:v ffv1", depth: 10),
    AlphaKind(file: "a.mkv", format: "gbrap", arguments: "-c:v utvideo"),
    AlphaKind(file: "a.png", format: "rgba", arguments: ""), AlphaKind(file: "a.png", format: "ya8", arguments: ""),
    AlphaKind(file: "a.webp", format: "yuva420p", arguments: "-c:v libwebp -q:v 90"),
    AlphaKind(file: "a.webp", format: "bgra", arguments: "-c:v libwebp -lossless 1"),
    AlphaKind(file: "a.tiff", format: "rgba", arguments: ""),
  ]
}

@Suite struct `The alpha of a source` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  /// Writes a picture of 72 x 50 pixels, whose alpha goes from clear to opaque.
  private func make(_ kind: AlphaKind, alpha: String = "1023*X/(W-1)", frames: Int = 1) throws -> String {
    let path = directory.file(kind.file)
    let filter = "format=yuva444p10le,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='\(alpha)'"
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=s=72x50:r=25", "-vf", filter, "-pix_fmt", kind.format, "-frames:v", "\(frames)"]
        + kind.arguments.split(separator: " ").map(String.init) + [path])
    return path
  }

  private func video(_ path: String) throws -> (TrackFacts, VideoFacts) {
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    guard case .video(let video) = track.detail else { throw MediaTools.Failure(description: "no picture") }
    return (track, video)
  }

  private func words(_ plane: PixelBuffer) -> [Int] {
    let bytes = plane.packed()
    return stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
  }

  @Test(arguments: AlphaKind.all)
  func `comes as FFmpeg decodes it, beside the colours`(_ kind: AlphaKind) throws {
    let path = try make(kind)
    let (track, facts) = try video(path)
    #expect(facts.alpha == .straight)
    let picture = try VideoReader(path: path, track: track, policy: policy).frame(at: Rational(0))
    let alpha = try #require(picture.alpha)
    let raw = directory.file("raw")
    try MediaTools.ffmpeg(
      (kind.decoder.map { ["-c:v", $0] } ?? []) + ["-i", path, "-vf", "alphaextract", "-frames:v", "1", "-f", "rawvideo", raw])
    var bytes = try read(raw)
    if kind.format == "ya8" {
      // The filter does not take this format, so alpha is every second byte of it.
      try MediaTools.ffmpeg(["-i", path, "-f", "rawvideo", raw])
      bytes = try read(raw).enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }
    let top = (1 << kind.depth) - 1
    let expected =
      kind.depth == 8
      ? bytes.map { Int($0) * 257 }
      : stride(from: 0, to: bytes.count, by: 2).map { ((Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8) * 65535 + top / 2) / top }
    #expect(words(alpha.full) == expected)
    let shift = picture.format.shift(ofPlane: picture.format.planeCount - 1)
    #expect((alpha.chroma == nil) == (shift == (0, 0)))

    // The colours are those without alpha.
    var opaque = track
    var video = facts
    video.alpha = nil
    opaque.detail = .video(video)
    let without = try VideoReader(path: path, track: opaque, policy: policy).frame(at: Rational(0))
    #expect(without.alpha == nil)
    #expect(try without.md5() == picture.md5())
  }

  @Test func `of VP9 does not change the colours that FFmpeg's own decoder gives, frame by frame, and in any order`() throws {
    let kind = AlphaKind.all[0]
    let path = try make(kind, alpha: "1023*mod(X+8*N,72)/71", frames: 12)
    let oracle = try FrameOracle(path)
    let (track, _) = try video(path)
    let reader = try VideoReader(path: path, track: track, policy: policy)
    var forward: [[Int]] = []
    for frame in oracle.frames {
      let picture = try reader.frame(at: frame.time)
      #expect(try picture.md5() == frame.md5)
      forward.append(words(try #require(picture.alpha).full))
    }
    #expect(Set(forward).count == 9)
    for (frame, expected) in zip(oracle.frames, forward).reversed() {
      #expect(try words(#require(reader.frame(at: frame.time).alpha).full) == expected)
    }
  }

  @Test func `whose keyframes are elsewhere than the pictures' is the same in any order`() throws {
    func encoded(_ name: String, group: Int) throws -> [UInt8] {
      let path = directory.file(name)
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-i", "testsrc2=s=72x50:r=25", "-vf",
        "format=yuva420p,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='255*lt(mod(X+3*N,72),36)'", "-frames:v", "50", "-c:v",
        "libvpx-vp9", "-b:v", "400k", "-g", "\(group)", "-lag-in-frames", "0", path,
      ])
      return try read(path)
    }
    var (often, once) = try (MatroskaFile(encoded("a.webm", group: 10)), MatroskaFile(encoded("b.webm", group: 250)))
    often.replaceAdditions(by: once.additions)
    let path = directory.file("a.webm")
    try write(often.bytes, to: path)
    let (track, _) = try video(path)
    let reader = try VideoReader(path: path, track: track, policy: policy)
    func alpha(_ frame: Int) throws -> [Int] {
      try words(#require(reader.frame(at: Rational(Int128(frame), over: 25)).alpha).full)
    }
    let forward = try (0..<50).map(alpha)
    for frame in [37, 12, 49, 11, 10, 25, 3] {
      #expect(try alpha(frame) == forward[frame], "frame \(frame)")
    }
  }

  @Test(arguments: AlphaKind.all.filter { $0.depth == 8 && !$0.arguments.contains("crf") })
  func `that is opaque throughout is none`(_ kind: AlphaKind) throws {
    let path = try make(kind, alpha: "1023")
    let (track, video) = try video(path)
    #expect((video.alpha == nil) == ["png", "webp", "tiff"].contains(path.split(separator: ".").last!))
    #expect(try VideoReader(path: path, track: track, policy: policy).frame(at: Rational(0)).alpha == nil)
  }

  @Test func `of a GIF and of a palette in PNG is there or not`() throws {
    let filter =
      "format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*gte(X,36)',split[a][b];[a]palettegen[p];[b][p]paletteuse"
    for name in ["a.gif", "a.png"] {
      let path = directory.file(name)
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-i", "testsrc2=s=72x50:r=25:d=\(name == "a.gif" ? "0.12" : "0.04")", "-filter_complex", filter, path,
      ])
      let (track, video) = try video(path)
      #expect(video.alpha == .straight)
      let picture = try VideoReader(path: path, track: track, policy: policy).frame(at: Rational(0))
      let alpha = words(try #require(picture.alpha).full)
      #expect(alpha.enumerated().allSatisfy { $0.element == ($0.offset % 72 < 36 ? 0 : 65535) }, "\(name)")
    }
  }

  @Test func `of chroma is that of its cell's pixels, filtered at the sample's site`() throws {
    let full = try PixelBuffer.Alpha.plane(5, 3)
    #expect(full.unpack((0..<15).flatMap { [UInt8($0 * 3 % 7), UInt8(17 * $0)] }))
    let values = words(full)
    func at(_ x: Int, _ y: Int) -> Double { Double(values[min(y, 2) * 5 + min(max(x, 0), 4)]) }
    func row(_ x: Int, _ y: Int) -> Double { (at(2 * x - 1, y) + 2 * at(2 * x, y) + at(2 * x + 1, y)) / 4 }
    let half = try #require(try PixelBuffer.Alpha(full: full, for: PixelFormat(.yuv420)).chroma)
    #expect((half.width, half.height) == (3, 2))
    for (index, value) in words(half).enumerated() {
      let (x, y) = (index % 3, index / 3)
      #expect(abs(Double(value) - (row(x, 2 * y) + row(x, 2 * y + 1)) / 2) <= 0.5)
    }
    let wide = try #require(try PixelBuffer.Alpha(full: full, for: PixelFormat(.yuv422)).chroma)
    #expect((wide.width, wide.height) == (3, 3))
    for (index, value) in words(wide).enumerated() { #expect(abs(Double(value) - row(index % 3, index / 3)) <= 0.5) }
    #expect(try PixelBuffer.Alpha(full: full, for: PixelFormat(.gbr)).chroma == nil)
  }

  @Test(arguments: [
    (0x0000, AlphaForm.straight), (0x0100, .straight), (0x0101, .premultipliedWithWhite), (0x0102, .premultiplied),
  ])
  func `is premultiplied where a QuickTime file's graphics mode says so`(_ mode: Int, _ form: AlphaForm) throws {
    let kind = AlphaKind.all[3]
    let path = try make(kind)
    let (straight, _) = try video(path)
    let original = try VideoReader(path: path, track: straight, policy: policy).frame(at: Rational(0))
    // The picture is laid over black or white.
    let matte = form == .premultipliedWithWhite ? 255 : 0
    func laid(_ component: String) -> String { "\(component)='(\(component)(X,Y)*alpha(X,Y)+\(matte)*(255-alpha(X,Y)))/255'" }
    if form != .straight {
      let other = directory.file("b.mov")
      try MediaTools.ffmpeg([
        "-i", path, "-vf", "format=gbrap,geq=\(laid("r")):\(laid("g")):\(laid("b")):a='alpha(X,Y)'", "-c:v", "qtrle", "-pix_fmt",
        "argb", other,
      ])
      try MediaTools.ffmpeg(["-i", other, "-c", "copy", path])
    }
    var bytes = try read(path)
    let header = try #require((4..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual("vmhd".utf8) })
    (bytes[header + 8], bytes[header + 9]) = (UInt8(mode >> 8), UInt8(mode & 255))
    try write(bytes, to: path)
    let (track, facts) = try video(path)
    #expect(facts.alpha == form)
    let picture = try VideoReader(path: path, track: track, policy: policy).frame(at: Rational(0))
    let shares = words(try #require(picture.alpha).full).map { Double($0) / 65535 }
    let (found, expected) = (picture.packed(), original.packed())
    for index in found.indices {
      // A code that was cut off when it was multiplied is off by as much more as it covers less.
      let share = shares[index % shares.count]
      let difference = abs(Double(found[index]) - Double(expected[index])) * share
      if difference > 1.5 { return #expect(difference == 0, "sample \(index), alpha \(share)") }
    }
  }

  @Test func `of an uncompressed AVI means nothing`() throws {
    let path = try make(AlphaKind(file: "a.avi", format: "bgra", arguments: "-c:v rawvideo"))
    let (track, video) = try video(path)
    #expect(video.alpha == nil)
    #expect(try VideoReader(path: path, track: track, policy: policy).frame(at: Rational(0)).alpha == nil)
  }

  @Test func `is deinterlaced as the picture is, and refused in film`() throws {
    let path = directory.file("a.mov")
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=72x50:r=50", "-vf",
      "format=yuva444p10le,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='1023*lt(mod(X+4*N,72),36)',interlace=lowpass=0",
      "-frames:v", "6", "-c:v", "prores_ks", "-profile:v", "4444", "-flags", "+ildct", path,
    ])
    let (track, video) = try video(path)
    #expect(video.alpha == .straight && video.fieldOrder == .topFirst)
    let treatment = AssetTreatment(interlace: .deinterlace)
    let picture = try VideoReader(path: path, track: track, policy: policy, treatment: treatment).frame(at: Rational(2, over: 25))
    let raw = directory.file("raw")
    try MediaTools.ffmpeg([
      "-i", path, "-vf", "alphaextract,format=gray16le,bwdif=mode=send_frame:parity=tff:deint=all", "-f", "rawvideo", raw,
    ])
    let bytes = try read(raw)
    let frame = Array(bytes[2 * 72 * 50 * 2..<3 * 72 * 50 * 2])
    let oracle = stride(from: 0, to: frame.count, by: 2).map { Int(frame[$0]) | Int(frame[$0 + 1]) << 8 }
    let found = words(try #require(picture.alpha).full)
    #expect(zip(found, oracle).allSatisfy { abs($0 - $1) <= 32 })
    var film = track
    var facts = video
    facts.nominalFrameRate = try MediaTime(25, 1)
    film.detail = .video(facts)
    #expect(throws: MediaError.self) {
      try VideoReader(path: path, track: film, policy: policy, treatment: AssetTreatment(interlace: .inverseTelecine))
    }
  }
}
