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

  /// A TIFF's directory with one entry: 0x0112 SHORT 1 value.
  private static func orientation(_ exif: Int) -> [UInt8] {
    [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(exif), 0, 0, 0, 0, 0, 0]
  }

  @Test(arguments: upright)
  func `a PNG is turned upright by its chunk eXIf`(_ exif: Int, _ filter: String) throws {
    let plain = directory.file("plain.png")
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=30x20:d=0.04", "-pix_fmt", "rgb24", "-frames:v", "1", plain])
    let (bytes, chunk) = (try read(plain), Array("eXIf".utf8) + Self.orientation(exif))
    let crc = chunk.reduce(UInt32.max) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }
    func word(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
    // Behind the signature and IHDR.
    let tagged = directory.file("tagged.png")
    let (head, rest): ([UInt8], [UInt8]) = (Array(bytes[..<33]), Array(bytes[33...]))
    let whole: [UInt8] = word(UInt32(chunk.count - 4)) + chunk + word(~crc)
    try write(head + whole + rest, to: tagged)
    let found = try StillImage.load(tagged, policy: policy)
    let expected = try StillImage.load(convert(plain, ["-vf", filter], "upright.png"), policy: policy)
    #expect((found.width, found.height) == (expected.width, expected.height) && found.rgba == expected.rgba)
    // What is cut off states nothing.
    let cut: [UInt8] = word(9_000_000) + chunk
    try write(head + cut, to: tagged)
    #expect(throws: (any Error).self) { try StillImage.load(tagged, policy: policy) }
  }

  @Test(arguments: [false, true], upright)
  func `a TIFF is turned upright by its tag`(isLittle: Bool, _ turn: (exif: Int, filter: String)) throws {
    // Three by two pixels of red, from 0 on, in one strip behind the directory.
    let pixels: [UInt8] = (0..<6).flatMap { [UInt8($0 * 40), 0, 255] }
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 255) }
      return isLittle ? bytes : bytes.reversed()
    }
    let entries = [
      (256, 3), (257, 2), (258, 8), (259, 1), (262, 2), (273, 8 + 2 + 12 * 9 + 4), (274, turn.exif), (277, 3),
      (279, pixels.count),
    ]
    var file = Array((isLittle ? "II*\0" : "MM\0*").utf8)
    for (value, count) in [(8, 4), (entries.count, 2)] { file += number(value, count) }
    for (tag, value) in entries {
      for (part, count) in [(tag, 2), (3, 2), (1, 4), (value, 2), (0, 2)] { file += number(part, count) }
    }
    let path = directory.file("a.tif")
    file += number(0, 4)
    try write(file + pixels, to: path)
    let found = try StillImage.load(path, policy: policy)
    let stored = Orientation(rawValue: turn.exif)!
    #expect((found.width, found.height) == (stored.swapsAxes ? (2, 3) : (3, 2)))
    // The number of the stored pixel that is seen at the top left.
    let first = [1: 0, 2: 2, 3: 5, 4: 3, 5: 0, 6: 3, 7: 5, 8: 2][turn.exif]
    #expect(Int(found.rgba[0]) == first! * 40)
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
