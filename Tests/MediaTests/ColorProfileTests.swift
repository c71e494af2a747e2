import FarmTesting
import Formats
import Glibc
import Media
import Testing

/// Still pictures with ICC profiles, as layers read them and as clips are probed.
@Suite struct `Pictures with colour profiles` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }
  /// Colours that lie within sRGB by all the profiles here.
  private static let colors = [[120, 150, 100], [200, 120, 90], [60, 70, 160], [128, 128, 128], [255, 255, 255], [0, 0, 0]]

  /// Writes a picture of one colour in 32x32.
  private func picture(_ color: [Int], _ name: String, _ arguments: [String] = []) throws -> [UInt8] {
    let path = directory.file("plain-\(name)")
    let filter = "color=black:s=32x32,format=gbrp,geq=r=\(color[0]):g=\(color[1]):b=\(color[2])"
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", filter, "-frames:v", "1"] + arguments + [path])
    return try read(path)
  }

  private func middle(_ bytes: [UInt8], _ name: String) throws -> [Double] {
    let path = directory.file(name)
    try write(bytes, to: path)
    let image = try StillImage.load(path, policy: policy)
    return (0..<3).map { Double(image.rgba[4 * (16 * image.width + 16) + $0]) }
  }

  private func color(_ name: String) throws -> ColorTags {
    let facts = try AssetProbe.facts(of: directory.file(name), policy: policy)
    #expect(facts.isStillPicture && facts.tracks.count == 1)
    guard case .video(let video) = facts.tracks[0].detail else { throw MediaTools.Failure(description: "no picture") }
    return video.color
  }

  @Test(arguments: colors, [ProfileMaker.adobeRGB, .powerP3])
  func `have the colours that their profile says`(_ samples: [Int], _ profile: ProfileMaker) throws {
    let expected = profile.sRGB(of: samples.map { Double($0) / 255 })
    func expect(_ found: [Double], within tolerance: Double, _ kind: String) {
      let distance = zip(found, expected).map { abs($0 - min(max($1, 0), 255)) }.max() ?? 255
      #expect(distance <= tolerance, "\(kind) \(samples): \(found), expected \(expected)")
    }
    let png = try picture(samples, "a.png", ["-pix_fmt", "rgb24"])
    expect(try middle(profile.png(png), "a.png"), within: 1, "png")
    #expect(try color("a.png").primaries == .smpte432 && color("a.png").transfer == .srgb)
    let jpeg = try picture(samples, "a.jpg", ["-pix_fmt", "yuvj444p", "-qmin", "1", "-q:v", "1"])
    expect(try middle(profile.jpeg(jpeg), "a.jpg"), within: 3, "jpeg")
    let webp = try picture(samples, "a.webp", ["-c:v", "libwebp", "-lossless", "1"])
    expect(try middle(profile.webp(webp, width: 32, height: 32), "a.webp"), within: 1, "webp")
    let wide = try picture(samples, "w.png", ["-pix_fmt", "rgb48be"])
    // FFmpeg makes 16 bits of 8 by a shift here, which is a quarter of a code value less.
    expect(try middle(profile.png(wide), "w.png"), within: 1.5, "16 bits")
  }

  @Test func `keep what their profile says of colours that sRGB has not`() throws {
    // The full green of Adobe RGB is no colour of sRGB: red would be negative. What is within is cut off, and not mirrored.
    let expected = ProfileMaker.adobeRGB.sRGB(of: [0.2, 1, 0.2])
    #expect(expected[0] < 0)
    let png = try picture([51, 255, 51], "a.png", ["-pix_fmt", "rgb24"])
    let found = try middle(ProfileMaker.adobeRGB.png(png), "a.png")
    #expect(found[0] == 0 && found[1] >= 245, "\(found)")
  }

  @Test func `are as they were where the profile is sRGB, or none of red, green and blue`() throws {
    let png = try picture([120, 150, 100], "a.png", ["-pix_fmt", "rgb24"])
    var gray = ProfileMaker.adobeRGB
    gray.space = "GRAY"
    for (name, profile) in [("srgb.png", ProfileMaker.sRGB), ("gray.png", gray)] {
      #expect(try middle(profile.png(png), name) == [120, 150, 100])
      #expect(try color(name).primaries != .smpte432)
    }
  }

  @Test func `are turned upright as their EXIF says`() throws {
    let plain = directory.file("plain.jpg")
    try SyntheticSource(frameCount: 1).write(
      to: plain, ["-vf", "drawbox=w=20:h=10:t=fill:color=white,format=gray,format=yuvj444p", "-q:v", "2"])
    let bytes = try read(plain)
    let tiff: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    let segment = Array("Exif".utf8) + [0, 0] + tiff
    let tagged = bytes.prefix(2) + [0xff, 0xe1, 0, UInt8(segment.count + 2)] + segment + bytes.dropFirst(2)
    try write(Array(tagged), to: directory.file("tagged.jpg"))
    try write(ProfileMaker.powerP3.jpeg(Array(tagged)), to: directory.file("profiled.jpg"))
    let (plainly, profiled) = try (
      StillImage.load(directory.file("tagged.jpg"), policy: policy),
      StillImage.load(directory.file("profiled.jpg"), policy: policy)
    )
    #expect((plainly.width, plainly.height) == (profiled.width, profiled.height))
    // Greys differ by their curve alone, which is steady: what is white and black stays in its place.
    let worst = zip(plainly.rgba, profiled.rgba).map { abs(Int($0) - Int($1)) }.max()
    #expect(worst! <= 12)
    let facts = try AssetProbe.facts(of: directory.file("profiled.jpg"), policy: policy)
    guard case .video(let video) = facts.tracks[0].detail else { throw MediaTools.Failure(description: "no picture") }
    #expect(video.orientation == .up && video.displaySize == PixelSize(plainly.width, plainly.height))
  }

  @Test func `keep their alpha`() throws {
    let path = directory.file("a.png")
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "color=black:s=32x32,format=rgba,geq=r=120:g=150:b=100:a='X*8'", "-frames:v", "1", "-pix_fmt", "rgba",
      path,
    ])
    try write(ProfileMaker.adobeRGB.png(read(path)), to: directory.file("b.png"))
    let (plain, profiled) = try (StillImage.load(path, policy: policy), StillImage.load(directory.file("b.png"), policy: policy))
    for pixel in stride(from: 3, to: plain.rgba.count, by: 4) { #expect(plain.rgba[pixel] == profiled.rgba[pixel]) }
    #expect(plain.rgba[4 * 16] != profiled.rgba[4 * 16])
  }

  @Test func `that are cut off are refused as damaged, like others`() throws {
    let jpeg = ProfileMaker.adobeRGB.jpeg(try picture([120, 150, 100], "a.jpg", ["-q:v", "1"]))
    try write(Array(jpeg.dropLast(200)), to: directory.file("cut.jpg"))
    #expect { try StillImage.load(directory.file("cut.jpg"), policy: policy) } throws: { ($0 as? MediaError)?.kind == .corrupt }
    for length in stride(from: 0, to: jpeg.count, by: 97) {
      try write(Array(jpeg.prefix(length)), to: directory.file("cut.jpg"))
      _ = try? StillImage.load(directory.file("cut.jpg"), policy: policy)  // It may be refused, and does not crash.
    }
  }
}
