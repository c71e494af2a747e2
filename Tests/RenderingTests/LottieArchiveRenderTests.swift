import Document
import EditFiles
import FarmTesting
import Formats
import FoundationEssentials
import Lottie
import Media
import Rendering
import Scenes
import Subprocess
import Testing
import Timeline

/// dotLottie archives that Python's zipfile and zlib made.
@Suite struct `dotLottie archives as layers` {
  private let workshop = Workshop()

  /// A blue square in the middle, as high as the animation, below a small red one.
  private static let animation = #"""
    {"v": "5.7.0", "fr": 10, "ip": 0, "op": 20, "w": 96, "h": 64,
     "assets": [{"id": "image_0", "w": 96, "h": 64, "u": "/images/", "p": "blue.png", "e": 0}],
     "layers": [
      {"ty": 1, "nm": "square", "sw": 16, "sh": 16, "sc": "ff0000", "ip": 0, "op": 20, "ks": {"p": {"k": [8, 8]}}},
      {"ty": 2, "nm": "photo", "refId": "image_0", "ip": 0, "op": 20, "ks": {}}]}
    """#

  private func python(_ script: String) throws {
    let done = try #require(
      try Command("/usr/bin/python3", ["-c", "import os, random, zipfile, zlib\n" + script, workshop.file("")])
        .run(timeoutMilliseconds: 60_000))
    try #require(done.status == .exited(0), "\(done.errorOutput)")
  }

  /// Writes `a.lottie` with the animation, its image, and what the manifest says.
  private func pack(manifest: String, folders: (String, String), image: [UInt8], streamed: Bool = false) throws {
    try Data(image).write(to: URL(filePath: workshop.file("blue.png")))
    try Self.animation.write(toFile: workshop.file("one.json"))
    try manifest.write(toFile: workshop.file("manifest.json"))
    try python(
      """
      import io, sys
      folder = sys.argv[1]
      class Pipe(io.RawIOBase):
          # A file that cannot be sought has its sizes behind the data.
          def __init__(self, file): self.file = file
          def writable(self): return True
          def write(self, data): return self.file.write(data)
      with open(folder + "/a.lottie", "wb") as file:
          with zipfile.ZipFile(Pipe(file) if \(streamed ? "True" : "False") else file, "w", zipfile.ZIP_DEFLATED) as archive:
              archive.write(folder + "/one.json", "\(folders.0)/one.json")
              archive.write(folder + "/blue.png", "\(folders.1)/blue.png", zipfile.ZIP_STORED)
              archive.write(folder + "/manifest.json", "manifest.json")
      """)
  }

  private func edit(_ more: String = "") throws -> EditFile {
    try workshop.clip("base.mp4", frameRate: "20", frameCount: 40)
    try """
    {"spool": 1, "assets": {"base": {"path": "base.mp4"}},
     "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "base"}]}]},
     "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/20", "color": "bt709",
       "instructions": [{"timeRange": {"start": "0", "duration": "2"}, "background": "#000000"}]},
     "layers": [{"lottie": "a.lottie"\(more)}],
     "export": {"fileType": "mkv", "video": {"codec": "ffv1", "chroma": "4:4:4"}}}
    """.write(toFile: workshop.file("edit.json"))
    return try workshop.editFile()
  }

  private func blue() throws -> [UInt8] {
    let path = workshop.file("image.png")
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "color=0x0000ff:s=16x16,format=rgb24", "-frames:v", "1", path])
    return try [UInt8](contentsOf: path)
  }

  @Test(arguments: [
    (
      #"{"version": "1.0", "animations": [{"id": "one", "speed": 1, "direction": 1, "playMode": "normal", "loop": true}]}"#,
      "animations", "images", false
    ),
    (#"{"version": "2", "generator": "a test", "animations": [{"id": "one"}], "themes": [{"id": "dark"}]}"#, "a", "i", true),
  ])
  func `of both versions are drawn with their images`(manifest: String, text: String, images: String, streamed: Bool) throws {
    try pack(manifest: manifest, folders: (text, images), image: blue(), streamed: streamed)
    let file = try edit()
    #expect(file.warnings.filter { $0.kind == .lottie } == [])
    let movie = try workshop.movie(of: file.edit, borders: [0, 17], output: "m.mkv")
    let raw = workshop.file("9.rgb")
    try MediaTools.ffmpeg(["-i", movie, "-vf", "select=eq(n\\,9)", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", raw])
    let bytes = try [UInt8](contentsOf: raw)
    for (x, y, color) in [(16, 16, [255, 0, 0]), (60, 40, [0, 0, 255]), (4, 4, [0, 0, 0])] {
      let pixel = (0..<3).map { Int(bytes[(y * 96 + x) * 3 + $0]) }
      #expect(zip(pixel, color).allSatisfy { abs($0 - $1) <= 4 }, "\(x), \(y): \(pixel)")
    }
  }

  @Test func `are refused by the name of what is wrong in them`() throws {
    func faults(_ more: String = "") throws -> [String] {
      do {
        _ = try edit(more)
        return []
      } catch EditFileError.lottie(_, let faults) { return faults.map(\.description) }
    }
    try pack(manifest: #"{"animations": [{"id": "one"}]}"#, folders: ("a", "i"), image: [1, 2, 3, 4])
    let broken = try faults()
    #expect(broken.count == 1 && broken[0].contains("i/blue.png: the image cannot be decoded: "), "\(broken)")
    let other = try faults(#", "animation": "two""#)
    #expect(other.count == 1 && other[0].contains("manifest.json: has no animation 'two'; it has 'one'"), "\(other)")
    // 64 MiB of zeros are 64 KiB in it.
    try python(
      """
      import sys
      with zipfile.ZipFile(sys.argv[1] + "/a.lottie", "w", zipfile.ZIP_DEFLATED) as archive:
          archive.writestr("manifest.json", '{"animations": [{"id": "one"}]}')
          with archive.open("a/one.json", "w") as entry:
              for _ in range(64): entry.write(bytes(1 << 20))
      """)
    let bomb = try faults()
    #expect(bomb.count == 1 && bomb[0].hasSuffix("a/one.json: unpacks to 67108864 bytes; 8388608 are accepted"), "\(bomb)")
  }

  /// Images that are no pictures have the bytes that Python packed, by every level and strategy of zlib.
  @Test func `unpack what zlib packs`() throws {
    try python(
      """
      import sys
      folder, random_ = sys.argv[1], random.Random(7)
      def content(kind, size):
          if kind == 0: return random_.randbytes(size)
          if kind == 1: return bytes(random_.choice(b"ab") for _ in range(size))
          if kind == 2: return (b"the same again, " * (size // 16 + 1))[:size]
          if kind == 3: return bytes(int(random_.expovariate(0.1)) % 256 for _ in range(size))
          return bytes(size)
      images = []
      with zipfile.ZipFile(folder + "/b.lottie", "w") as archive:
          for kind in range(5):
              for size in (1, 2, 3, 257, 4096, 70001):
                  for level in (0, 1, 6, 9):
                      for strategy in (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED):
                          images.append((content(kind, size), level, strategy))
          for number, (data, level, strategy) in enumerate(images):
              packer = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
              made = zipfile.zlib.compressobj
              # zipfile packs with the strategy that is asked for here.
              zipfile.zlib.compressobj = lambda *_: packer
              archive.writestr(zipfile.ZipInfo("i/%d.png" % number), data, zipfile.ZIP_DEFLATED)
              zipfile.zlib.compressobj = made
              with open(folder + "/%d.raw" % number, "wb") as file: file.write(data)
          layers = ",".join('{"ty": 2, "refId": "%d", "ip": 0, "op": 9, "ks": {}}' % n for n in range(len(images)))
          assets = ",".join('{"id": "%d", "w": 9, "h": 9, "u": "", "p": "%d.png"}' % (n, n) for n in range(len(images)))
          archive.writestr("a/one.json", '{"fr": 9, "ip": 0, "op": 9, "w": 9, "h": 9, "layers": [%s], "assets": [%s]}' % (layers, assets))
          archive.writestr("manifest.json", '{"animations": [{"id": "one"}]}')
      """)
    let animation = try LottieAnimation([UInt8](contentsOf: workshop.file("b.lottie")))
    #expect(animation.images.count == 480)
    for image in animation.images {
      let number = image.path.drop { $0 != "/" }.dropFirst().prefix { $0 != "." }
      #expect(try image.data.bytes == [UInt8](contentsOf: workshop.file("\(number).raw")), "\(number)")
    }
  }
}
