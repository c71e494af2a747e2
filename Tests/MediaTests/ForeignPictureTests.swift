import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// Tests of still pictures that FFmpeg does not read.
@Suite struct `A still that another library decodes` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  /// Makes a picture of flat areas, which lossy codecs keep.
  private func picture(_ name: String, _ format: String, alpha: String = "255", size: String = "96x64") throws -> String {
    let path = directory.file(name)
    let filter = "format=rgba,geq=r='if(lt(X,48),200,40)':g='if(lt(Y,32),180,60)':b='if(lt(X+Y,70),30,220)':a='\(alpha)'"
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "color=s=\(size):d=0.04", "-vf", filter, "-pix_fmt", format, "-frames:v", "1", path])
    return path
  }

  private func worst(_ a: StillImage, _ b: StillImage) -> Int {
    guard a.width == b.width, a.height == b.height else { return 256 }
    // Coarse chroma changes the edges, so single pixels say little. The mean of all differences shows a wrong matrix, turn or
    // plane as well.
    let sum = zip(a.rgba, b.rgba).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return sum / (a.width * a.height)
  }

  @Test(arguments: ["heic", "avif"], ["96x64", "71x53"])
  func `is drawn with its colours and its alpha`(kind: String, size: String) throws {
    let source = try picture("a.png", "rgba", alpha: "if(lt(X,20),0,if(lt(X,60),128,255))", size: size)
    let path = directory.file("a.\(kind)")
    try MediaTools.heif((kind == "avif" ? ["-A"] : []) + ["-q", "95", "-p", "chroma=444", "-o", path, source])
    let (found, expected) = try (StillImage.load(path, policy: policy), StillImage.load(source, policy: policy))
    #expect(worst(found, expected) <= 6)
    let alphas = zip(found.rgba, expected.rgba).enumerated().filter { $0.offset % 4 == 3 }
    #expect(alphas.allSatisfy { abs(Int($0.element.0) - Int($0.element.1)) <= 8 })
  }

  @Test(arguments: ["heic", "avif"])
  func `whose colours are multiplied by its alpha has those of the straight one`(kind: String) throws {
    let straight = try picture("a.png", "rgba", alpha: "if(lt(X,20),0,if(lt(X,60),128,255))")
    let multiplied = directory.file("b.png")
    let parts = ["r", "g", "b"].map { "\($0)='\($0)(X,Y)*alpha(X,Y)/255'" }.joined(separator: ":")
    try MediaTools.ffmpeg(["-i", straight, "-vf", "format=rgba,geq=\(parts):a='alpha(X,Y)'", "-pix_fmt", "rgba", multiplied])
    let path = directory.file("a.\(kind)")
    try MediaTools.heif(
      (kind == "avif" ? ["-A"] : []) + ["-q", "95", "-p", "chroma=444", "--premultiplied-alpha", "-o", path, multiplied])
    let (found, expected) = try (StillImage.load(path, policy: policy), StillImage.load(straight, policy: policy))
    var sums = (difference: 0, count: 0)
    for pixel in stride(from: 0, to: expected.rgba.count, by: 4) where expected.rgba[pixel + 3] > 0 {
      for component in 0..<4 {
        sums.difference += abs(Int(found.rgba[pixel + component]) - Int(expected.rgba[pixel + component]))
      }
      sums.count += 1
    }
    #expect(sums.difference / sums.count <= 9)
  }

  private func avif(_ source: String, _ name: String, _ filter: String = "null", format: String = "yuv444p") throws -> String {
    try MediaTools.ffmpeg([
      "-i", source, "-vf", "\(filter),scale=out_color_matrix=bt709:out_range=tv", "-c:v", "libaom-av1", "-still-picture", "1",
      "-crf", "5", "-pix_fmt", format, "-colorspace", "bt709", "-color_primaries", "smpte432", "-color_trc", "iec61966-2-1",
      directory.file(name),
    ])
    return directory.file(name)
  }

  @Test(arguments: [
    ("irot", 1, "transpose=cclock"), ("irot", 2, "hflip,vflip"), ("irot", 3, "transpose=clock"), ("imir", 0, "vflip"),
    ("imir", 1, "hflip"),
  ])
  func `is turned and mirrored as it says`(_ box: String, _ value: UInt8, _ filter: String) throws {
    let source = try picture("a.png", "rgb24")
    var file = try HEIFFile(of: [avif(source, "a.avif")], width: 96, height: 64)
    file.turns = [ISOBox(type: box, payload: [value])]
    let (path, upright) = (directory.file("turned.avif"), directory.file("upright.png"))
    try write(file.bytes, to: path)
    try MediaTools.ffmpeg(["-i", source, "-vf", filter, upright])
    let expected = try StillImage.load(upright, policy: policy)
    #expect(try worst(StillImage.load(path, policy: policy), expected) <= 8)
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    guard case .video(let video) = track.detail else { throw MediaTools.Failure(description: "no picture") }
    #expect(video.displaySize == PixelSize(expected.width, expected.height))
  }

  @Test func `in tiles is put together, and cut to what is seen`() throws {
    let source = try picture("a.png", "rgb24", size: "128x128")
    let tiles = try (0..<4).map { try avif(source, "\($0).avif", "crop=64:64:\($0 % 2 * 64):\($0 / 2 * 64)") }
    var file = try HEIFFile(of: tiles, width: 64, height: 64)
    file.grid = (2, 2, 120, 100)
    let (path, seen) = (directory.file("grid.avif"), directory.file("seen.png"))
    try write(file.bytes, to: path)
    try MediaTools.ffmpeg(["-i", source, "-vf", "crop=120:100:0:0", seen])
    #expect(try worst(StillImage.load(path, policy: policy), StillImage.load(seen, policy: policy)) <= 6)
  }

  @Test(arguments: [("heic", "hevc", 8), ("avif", "av1", 8), ("heic", "hevc", 10), ("avif", "av1", 10)])
  func `is a clip as other stills are`(_ kind: String, _ codec: String, _ depth: Int) throws {
    let source = try picture("a.png", depth == 8 ? "rgb24" : "rgb48be")
    let path = directory.file("a.\(kind)")
    if kind == "heic" {
      try MediaTools.heif(["-b", "\(depth)", "-q", "95", "-p", "chroma=444", "-o", path, source])
    } else {
      _ = try avif(source, "a.avif", format: depth == 8 ? "yuv444p" : "yuv444p10le")
    }
    let facts = try AssetProbe.facts(of: path, policy: policy)
    #expect(facts.isStillPicture && facts.container == "heif_pipe")
    #expect(facts.byteCount == Int64(try read(path).count))
    let track = try facts.first(.video)
    #expect(track.codec == codec)
    let picture = try VideoReader(path: path, track: track, policy: policy).frame(at: Rational(3))
    #expect(picture.format == PixelFormat(.gbr, bitDepth: depth == 8 ? 8 : 16))
    let image = try StillImage.load(path, policy: policy)
    // The AVIF says that it is Display P3. A layer shows what a PNG shows whose profile says so.
    let expected = directory.file("expected.png")
    try write(kind == "avif" ? ProfileMaker.displayP3.png(read(source)) : read(source), to: expected)
    #expect(try worst(image, StillImage.load(expected, policy: policy)) <= 8)
  }

  @Test func `has the colours that it is tagged with`() throws {
    let path = try avif(picture("a.png", "rgb24"), "a.avif")
    guard case .video(let video) = try AssetProbe.facts(of: path, policy: policy).first(.video).detail else {
      throw MediaTools.Failure(description: "no picture")
    }
    #expect(video.color.primaries.rawValue == "smpte432" && video.color.transfer.rawValue == "iec61966-2-1")
  }

  @Test func `that claims to be huge is refused before it is decoded`() throws {
    let source = try picture("a.png", "rgb24")
    try MediaTools.heif(["-o", directory.file("a.heic"), source])
    var bytes = try read(directory.file("a.heic"))
    let name = Array("ispe".utf8)
    for index in bytes.indices.dropLast(16) where bytes[index..<index + 4].elementsEqual(name) {
      bytes.replaceSubrange(index + 8..<index + 16, with: ISOBox.number(30_000, 4) + ISOBox.number(30_000, 4))
    }
    try write(bytes, to: directory.file("bomb.heic"))
    let other = directory.file("b.png")
    try MediaTools.ffmpeg(["-i", source, "-vf", "hflip", other])
    try MediaTools.animatedWebP(["-d", "100", source, other, "-o", directory.file("a.webp")])
    var animation = try read(directory.file("a.webp"))
    animation.replaceSubrange(24..<30, with: [0x2f, 0x75, 0, 0x2f, 0x75, 0])
    try write(animation, to: directory.file("bomb.webp"))
    for bomb in ["bomb.heic", "bomb.webp"] {
      #expect("\(bomb)") { try AssetProbe.facts(of: directory.file(bomb), policy: policy) } throws: { error in
        (error as? MediaError)?.kind == .unsupported && "\(error)".contains("30000x30000")
      }
    }
  }

  @Test(arguments: ["a.heic", "a.avif", "a.webp"])
  func `that is cut off is refused`(name: String) throws {
    let (source, whole) = (try picture("a.png", "rgb24"), directory.file(name))
    if name == "a.webp" {
      let other = directory.file("b.png")
      try MediaTools.ffmpeg(["-i", source, "-vf", "hflip", other])
      try MediaTools.animatedWebP(["-d", "100", source, other, "-o", whole])
    } else {
      try MediaTools.heif((name == "a.avif" ? ["-A"] : []) + ["-o", whole, source])
    }
    let bytes = try read(whole)
    try write(bytes.prefix(bytes.count * 2 / 3), to: directory.file("part"))
    #expect { try AssetProbe.facts(of: directory.file("part"), policy: policy) } throws: { ($0 as? MediaError)?.kind == .corrupt }
  }

  @Test(arguments: ["png", "jpg"])
  func `a still that cannot be decoded is refused when it is probed`(kind: String) throws {
    let (source, path) = (
      try picture("whole.\(kind)", kind == "jpg" ? "yuvj420p" : "rgb24"), directory.file("a.\(kind)")
    )
    var bytes = try read(source)
    // The headers stay; all other bytes become noise.
    for index in bytes.indices.dropFirst(kind == "jpg" ? 20 : 45) { bytes[index] = UInt8(truncatingIfNeeded: index &* 167 >> 3) }
    try write(bytes, to: path)
    #expect(throws: MediaError.self) { try AssetProbe.facts(of: path, policy: policy) }
  }
}
