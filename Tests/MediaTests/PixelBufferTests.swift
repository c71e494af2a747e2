import FarmTesting
import Formats
import Media
import MediaTime
import Testing
import Timeline

@Suite struct PixelBufferTests {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  /// Each case has a pixel format, a file and codec that keep it, and ffmpeg's filter to the planar format with the same samples.
  static let formats = [
    ("nv12", "a.avi", "rawvideo", "format=yuv420p"),
    ("yuyv422", "a.mov", "rawvideo", "format=yuv422p"), ("uyvy422", "a.mov", "rawvideo", "format=yuv422p"),
    ("rgb24", "a.mov", "rawvideo", "format=gbrp"), ("argb", "a.mov", "qtrle", "format=rgb24,format=gbrp"),
    ("pal8", "a.mkv", "png", "format=rgb24,format=gbrp"),
    ("rgb48be", "a.mkv", "png", "format=gbrp16le"), ("gray16be", "a.mkv", "png", "format=gray16le"),
    ("ya8", "a.mkv", "png", "format=gray"), ("monob", "a.mkv", "png", "format=gray"), ("gray", "a.mkv", "ffv1", "format=gray"),
    ("yuva420p", "a.mkv", "ffv1", "format=yuv420p"), ("bgra", "a.mkv", "ffv1", "format=gbrp"),
    ("gbrp10le", "a.mkv", "ffv1", "format=gbrp10le"), ("yuv444p12le", "a.mkv", "ffv1", "format=yuv444p12le"),
    ("yuvj420p", "a.avi", "mjpeg", "format=yuvj420p"),
  ]

  @Test(arguments: formats)
  func `decoded pictures keep every sample in their planar format`(
    _ source: String, _ name: String, _ codec: String, _ filter: String
  ) throws {
    let path = directory.file(name)
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=72x50:d=0.04", "-pix_fmt", source, "-c:v", codec, path])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    guard case .video(let video) = track.detail else { return }
    #expect(video.pixelFormat == source, "the file keeps the format")
    let picture = try VideoReader(path: path, track: track, policy: policy).frame(at: Rational(0))
    let planar = filter.split(separator: "=").last!.replacing("le", with: "").replacing("yuvj", with: "yuv")
    #expect("\(picture.format)" == planar)
    let raw = directory.file("raw")
    try MediaTools.ffmpeg([
      "-i", path, "-frames:v", "1", "-sws_flags", "accurate_rnd+bitexact", "-vf", filter, "-f", "rawvideo", raw,
    ])
    #expect(try samples(picture) == read(raw))
  }

  /// The packed planes, as in ffmpeg's rawvideo.
  private func samples(_ picture: PixelBuffer) -> [UInt8] {
    (0..<picture.format.planeCount).flatMap { index in
      let plane = unsafe picture.plane(index)
      return unsafe (0..<plane.height).flatMap { row in
        unsafe UnsafeBufferPointer(start: plane.base + row * plane.stride, count: plane.width * picture.format.bytesPerSample)
      }
    }
  }

  @Test func `the digest depends on visible samples only, and MD5 is that of the packed planes`() throws {
    func picture(_ padding: UInt8) throws -> PixelBuffer {
      let picture = try PixelBuffer(format: PixelFormat(.yuv420, bitDepth: 10), width: 33, height: 7, color: .bt709)
      for index in 0..<3 {
        let plane = unsafe picture.plane(index)
        #expect(unsafe plane.stride % 64 == 0 && UInt(bitPattern: plane.base) % 64 == 0)
        for row in unsafe 0..<plane.height {
          for byte in unsafe 0..<plane.stride {
            unsafe plane.base[row * plane.stride + byte] =
              byte < plane.width * 2 ? UInt8(truncatingIfNeeded: row * 31 + byte) : padding
          }
        }
      }
      return picture
    }
    let (first, second) = try (picture(0), picture(255))
    #expect(try first.contentDigest() == second.contentDigest())
    let raw = directory.file("raw")
    try write(samples(first), to: raw)
    let text = try MediaTools.ffmpeg([
      "-f", "rawvideo", "-pix_fmt", "yuv420p10le", "-s", "33x7", "-i", raw, "-f", "framemd5", "-",
    ])
    #expect(try text.contains(first.md5()))
  }

  @Test func `the alpha of an opaque picture is full for each pixel, and comes back as it went`() throws {
    let picture = try PixelBuffer(format: PixelFormat(.yuv420, bitDepth: 8), width: 33, height: 7, color: .bt709)
    let alpha = picture.packedAlpha()
    #expect(alpha == [UInt8](repeating: 255, count: 33 * 7 * 2))
    let clear = alpha.indices.map { UInt8(truncatingIfNeeded: $0 / 2) }
    let translucent = try #require(try picture.unpackingAlpha(clear))
    #expect(translucent.packedAlpha() == clear)
    #expect(try picture.unpackingAlpha(Array(alpha.dropLast())) == nil)
  }

  @Test func `a digest of pieces is the digest of the whole, as xxh128sum prints it`() throws {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let hasher = try ContentHasher()
    unsafe bytes[..<333].withUnsafeBytes { unsafe hasher.update($0) }
    unsafe bytes[333...].withUnsafeBytes { unsafe hasher.update($0) }
    #expect(unsafe hasher.digest == bytes.withUnsafeBytes { unsafe ContentDigest(of: $0) })
    // The value is the published test vector for no input.
    #expect("\(try ContentHasher().digest)" == "99aa06d3014798d86001c324468d497f")
  }
}
