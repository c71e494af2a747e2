import FarmTesting
import Formats
import Glibc
import Media
import Testing

@Suite struct StillImageTests {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  /// ffmpeg's filters that turn a picture upright, for each EXIF orientation.
  static let upright = [
    (1, "null"), (2, "hflip"), (3, "hflip,vflip"), (4, "vflip"), (5, "transpose=cclock_flip"), (6, "transpose=clock"),
    (7, "transpose=clock_flip"), (8, "transpose=cclock"),
  ]

  @Test(arguments: upright)
  func `a JPEG is turned upright by its EXIF orientation`(_ exif: Int, _ filter: String) throws {
    let plain = directory.file("plain.jpg")
    try SyntheticSource(frameCount: 1).write(
      to: plain, ["-vf", "drawbox=w=20:h=10:t=fill:color=white,format=gray,format=yuvj420p", "-q:v", "2"])
    let tagged = directory.file("tagged.jpg")
    let bytes = try read(plain)
    // After SOI comes an APP1 segment: "Exif", a big-endian TIFF header, and a directory with one entry: 0x0112 SHORT 1 value.
    let tiff: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(exif), 0, 0, 0, 0, 0, 0]
    let segment = Array("Exif".utf8) + [0, 0] + tiff
    try write(bytes.prefix(2) + [0xff, 0xe1, 0, UInt8(segment.count + 2)] + segment + bytes.dropFirst(2), to: tagged)

    let expected = try StillImage.load(convert(plain, ["-vf", filter], "upright.png"), policy: policy)
    let found = try StillImage.load(tagged, policy: policy)
    #expect(found.width == expected.width)
    #expect(found.height == expected.height)
    let worst = zip(found.rgba, expected.rgba).map { abs(Int($0) - Int($1)) }.max()
    #expect(worst! <= 4)

    // A clip of the picture is turned by the orientation that probing found.
    let facts = try AssetProbe.facts(of: tagged, policy: policy)
    guard case .video(let video) = facts.tracks[0].detail else {
      Issue.record("no picture")
      return
    }
    #expect(video.orientation == Orientation(rawValue: exif))
    #expect(video.displaySize == PixelSize(expected.width, expected.height))
  }

  @Test(arguments: ["rgba", "rgb24", "gray", "ya8", "pal8", "rgb48be", "rgba64be"])
  func `alpha and colours of a PNG come as they are`(_ pixelFormat: String) throws {
    let path = directory.file("a.png")
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=70x50:d=0.04", "-vf", "format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='X*3'",
      "-pix_fmt", pixelFormat, "-frames:v", "1", path,
    ])
    let raw = directory.file("a.rgba")
    try MediaTools.ffmpeg(["-i", path, "-pix_fmt", "rgba", "-f", "rawvideo", raw])
    let image = try StillImage.load(path, policy: policy)
    #expect(image.width == 70 && image.height == 50)
    #expect(image.rgba == (try read(raw)))
  }

  @Test func `a JPEG's colours are converted by its own matrix and range`() throws {
    let path = directory.file("a.jpg")
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "color=0x3060c0:s=32x32", "-frames:v", "1", "-q:v", "1", path])
    let rgba = try StillImage.load(path, policy: policy).rgba
    for (component, wanted) in [0x30, 0x60, 0xc0, 0xff].enumerated() {
      #expect(abs(Int(rgba[4 * (16 * 32 + 16) + component]) - wanted) <= 3)
    }
  }

  @Test func `a text file with an image's name is refused with a reason`() throws {
    let path = directory.file("a.png")
    try write(Array("not a picture, whatever its name says\n".utf8), to: path)
    #expect { try StillImage.load(path, policy: policy) } throws: { ($0 as? MediaError)?.kind == .unsupported }
  }

  private func convert(_ source: String, _ arguments: [String], _ name: String) throws -> String {
    try MediaTools.ffmpeg(["-i", source] + arguments + [directory.file(name)])
    return directory.file(name)
  }
}
