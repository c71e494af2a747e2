import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// The measures of quality, against closed forms and against FFmpeg's filter.
@Suite struct `a measure of quality` {
  private let directory = TemporaryDirectory()

  private func flat(_ format: PixelFormat, _ side: Int, _ luma: Int, chroma: Int = 128) throws -> PixelBuffer {
    try picture(format, side, side) { plane, _, _ in plane == 0 ? luma : chroma }
  }

  private func picture(
    _ format: PixelFormat, _ width: Int, _ height: Int, _ sample: (_ plane: Int, _ x: Int, _ y: Int) -> Int
  ) throws -> PixelBuffer {
    let buffer = try PixelBuffer(format: format, width: width, height: height, color: .bt709)
    for plane in 0..<format.planeCount {
      let samples = unsafe buffer.plane(plane)
      for y in unsafe 0..<samples.height {
        for x in unsafe 0..<samples.width {
          let row = unsafe UnsafeMutableRawPointer(samples.base + y * samples.stride)
          if format.bytesPerSample == 1 {
            unsafe row.assumingMemoryBound(to: UInt8.self)[x] = UInt8(sample(plane, x, y))
          } else {
            unsafe row.assumingMemoryBound(to: UInt16.self)[x] = UInt16(sample(plane, x, y))
          }
        }
      }
    }
    return buffer
  }

  /// The samples of pictures, packed as ffmpeg's rawvideo.
  private func packed(_ pictures: [PixelBuffer]) -> [UInt8] {
    var bytes: [UInt8] = []
    for picture in pictures {
      for plane in 0..<picture.format.planeCount {
        let samples = unsafe picture.plane(plane)
        for y in unsafe 0..<samples.height {
          unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(
              start: samples.base + y * samples.stride, count: samples.width * picture.format.bytesPerSample))
        }
      }
    }
    return bytes
  }

  private func ssim(_ pairs: [(PixelBuffer, PixelBuffer)]) -> Double {
    var measure = StructuralSimilarity()
    for (reference, other) in pairs { measure.add(reference, other) }
    return measure.mean
  }

  private func noise(_ pairs: [(PixelBuffer, PixelBuffer)], rate: Int64 = 25) throws -> Double {
    var measure = PerceptualNoise(frameTicks: 1, timescale: rate)
    for (reference, other) in pairs { try measure.add(reference, other) }
    return measure.distortion
  }

  @Test(arguments: [PixelFormat.yuv420, PixelFormat(.yuv444, bitDepth: 10)])
  func `is perfect for equal pictures`(format: PixelFormat) throws {
    let picture = try picture(format, 48, 32) { plane, x, y in (x * 5 + y * 3 + plane) % 200 }
    #expect(ssim([(picture, picture)]) == 1)
    #expect(try noise([(picture, picture)]) == 0)
    #expect(StructuralSimilarity().mean == 1)
  }

  @Test(arguments: [(100, 120), (16, 235), (0, 255)])
  func `of flat pictures is their difference of light`(first: Int, second: Int) throws {
    let (a, b) = (try flat(.yuv420, 16, first), try flat(.yuv420, 16, second))
    // Both constants cancel where nothing varies; that of light is 0.01² · 255² · 64, rounded.
    let (p, q) = (Double(64 * first), Double(64 * second))
    let luma = (2 * p * q + 416) / (p * p + q * q + 416)
    // Chroma is equal, and half as many samples as luma.
    #expect(abs(ssim([(a, b)]) - (luma * 2 + 1) / 3) < 1e-12)
    #expect(abs(ssim([(a, b), (a, a)]) - ((luma * 2 + 1) / 3 + 1) / 2) < 1e-12)
  }

  @Test func `of stripes and of their opposite is a similarity below 0`() throws {
    let a = try picture(.yuv420, 16, 16) { plane, x, _ in plane > 0 ? 128 : x % 2 == 0 ? 100 : 156 }
    let b = try picture(.yuv420, 16, 16) { plane, x, _ in plane > 0 ? 128 : x % 2 == 0 ? 156 : 100 }
    // Each window has the mean 128 and the squared deviation 28²; the covariance is its opposite. On the scale of the sums they are 64² times that.
    let (variance, constant) = (4096.0 * 28 * 28, 0.03 * 0.03 * 255 * 255 * 64 * 63)
    let luma = (constant.rounded() - 2 * variance) / (constant.rounded() + 2 * variance)
    #expect(luma < -0.8)
    #expect(abs(ssim([(a, b)]) - (luma * 2 + 1) / 3) < 1e-12)
  }

  @Test(arguments: [PixelFormat.yuv420, PixelFormat(.yuv422), PixelFormat(.yuv444), PixelFormat(.yuv420, bitDepth: 10)])
  func `is the one that ffmpeg measures`(format: PixelFormat) throws {
    let (width, height) = (94, 70)
    let scale = 1 << (format.bitDepth - 8)
    var random = SeededRandom(seed: 7)
    let originals = try (0..<5).map { index in
      try picture(format, width, height) { plane, x, y in (40 + (x * 3 + y * (plane + 2) + 9 * index) % 150) * scale }
    }
    let others = try (0..<5).map { index in
      try picture(format, width, height) { plane, x, y in
        (40 + (x * 3 + y * (plane + 2) + 9 * index) % 150 + Int(random.next() % UInt64(3 + 6 * index))) * scale
      }
    }
    let (a, b) = (directory.file("a.raw"), directory.file("b.raw"))
    try packed(originals).write(toFile: a)
    try packed(others).write(toFile: b)
    let name = format.layout.rawValue + "p" + (format.bitDepth > 8 ? "10le" : "")
    let raw = ["-f", "rawvideo", "-s", "\(width)x\(height)", "-pix_fmt", name, "-i"]
    let lines = try MediaTools.ffmpeg(raw + [b] + raw + [a] + ["-lavfi", "ssim=stats_file=-", "-f", "null", "-"])
    let found = try Self.values(lines)
    try #require(found.count == 5)
    for (index, value) in found.enumerated() {
      #expect(abs(ssim([(originals[index], others[index])]) - value) < 2e-6, "frame \(index)")
    }
    #expect(abs(ssim(Array(zip(originals, others))) - found.reduce(0, +) / 5) < 2e-6)
  }

  /// The values of all planes in the lines of FFmpeg's filter, such as `n:1 Y:0.98 U:0.97 V:0.97 All:0.976 (16.2)`.
  static func values(_ lines: String) throws -> [Double] {
    try lines.split(whereSeparator: \.isNewline).compactMap { line in
      guard let start = line.firstRange(of: "All:")?.upperBound else { return nil }
      let value: Double = try #require(Double(line[start...].prefix { $0 != " " }))
      return value
    }
  }

  @Test func `weighs nothing in pictures of less than a block`() throws {
    let (a, b) = (try flat(.yuv420, 32, 100), try flat(.yuv420, 32, 110))
    // It is the ratio of plain PSNR then, of the plane that is worst.
    #expect(abs(try noise([(a, b)]) - 10.0 / 255) < 1e-6)
    #expect(abs(-20 * (try noise([(a, b)])).log10 - 28.1308) < 1e-3)
  }

  @Test func `weighs errors by the activity of flat pictures in time`() throws {
    // Blocks have four samples a side.
    let (side, error) = (64, 10)
    let (a, b) = (try flat(.yuv420, side, 100), try flat(.yuv420, side, 100 + error))
    let pixels = Double(side * side)
    let average = (16 * 128 / (pixels / (3840 * 2160)).squareRoot()).squareRoot()
    func root(_ activity: Double) -> Double {
      (pixels * Double(error * error) * average / activity + 0.5).rounded(.down).squareRoot()
    }
    let peak = 255 * Double(side)
    // The first picture comes after black ones: 100 a sample, twice. The second stands still, and has the least activity, 4.
    #expect(abs(try noise([(a, b)]) - root(200) / peak) < 1e-9)
    #expect(abs(try noise([(a, b), (a, b)]) - (root(200) + root(4)) / 2 / peak) < 1e-9)
    // Where pictures come fast, a step counts again as it ends.
    #expect(abs(try noise([(a, b), (a, b), (a, b)], rate: 50) - (2 * root(200) + root(4)) / 3 / peak) < 1e-9)
  }

  @Test func `weighs errors in a rough picture less than in a smooth one`() throws {
    let rough = try picture(.yuv420, 64, 64) { plane, x, y in plane > 0 ? 128 : (x + y) % 2 == 0 ? 80 : 120 }
    let smooth = try flat(.yuv420, 64, 100)
    func error(_ picture: PixelBuffer) throws -> PixelBuffer {
      try self.picture(.yuv420, 64, 64) { plane, x, y in
        let samples = unsafe picture.plane(plane)
        return unsafe Int(samples.base[y * samples.stride + x]) + (plane == 0 ? 4 : 0)
      }
    }
    let pairs = try [rough, smooth].map { ($0, try error($0)) }
    let found = try pairs.map { try noise([$0, $0]) }
    #expect(found[0] < found[1] / 2, "\(found)")
  }

  @Test func `is the same in samples of ten bits`() throws {
    let deep = PixelFormat(.yuv420, bitDepth: 10)
    let (a, b) = (try flat(.yuv420, 64, 100), try flat(.yuv420, 64, 110))
    let (c, d) = (try flat(deep, 64, 400, chroma: 512), try flat(deep, 64, 440, chroma: 512))
    let (first, second) = (try noise([(a, b)]), try noise([(c, d)]))
    #expect(abs(first / second - 1) < 0.01, "\(first) \(second)")
  }

  @Test func `counts in large pictures by sums of four samples`() throws {
    let format = PixelFormat.yuv420
    let a = try picture(format, 2304, 1280) { plane, _, _ in plane > 0 ? 128 : 100 }
    let b = try picture(format, 2304, 1280) { plane, _, _ in plane > 0 ? 128 : 103 }
    let pixels = 2304.0 * 1280
    let average = (16 * 128 / (pixels / (3840 * 2160)).squareRoot()).squareRoot()
    // A quarter as many sums, of four samples each, is as much.
    let root = (pixels * 9 * average / 200 + 0.5).rounded(.down).squareRoot()
    #expect(abs(try noise([(a, b)]) - root / (255 * pixels.squareRoot())) < 1e-9)
  }
}

extension `a measure of quality` {
  private static let codings: [VideoCoding] = [
    .h264(H264(crf: 30, speed: .veryfast)), .hevc(HEVC(crf: 30, speed: .ultrafast)), .vp9(VP9(crf: 40, speed: .veryfast)),
    .av1(AV1(crf: 45, speed: .ultrafast)),
  ]

  @Test(arguments: codings)
  func `is that of what an encoder made`(coding: VideoCoding) throws {
    let synthetic = SyntheticSegments(
      settings: VideoCodecSettings(coding), size: PixelSize(128, 96), frameDuration: try MediaTime(1, 25))
    let encoder = try VideoEncoder(
      settings: synthetic.settings, size: synthetic.size, format: synthetic.format, frameDuration: synthetic.frameDuration,
      color: .bt709, measuring: .ssim)
    let path = directory.file("a.nut")
    let writer = try SegmentWriter(path: path, parameters: encoder.parameters)
    let frames = try (0..<40).map(synthetic.frame)
    for frame in frames { try encoder.encode(frame, to: writer) }
    #expect(encoder.distortion == nil)
    try encoder.finish(to: writer)
    _ = try writer.finish()
    let raw = directory.file("a.raw")
    try packed(frames).write(toFile: raw)
    let lines = try MediaTools.ffmpeg([
      "-i", path, "-f", "rawvideo", "-s", "128x96", "-r", "25", "-pix_fmt", "yuv420p", "-i", raw, "-lavfi",
      "[0]settb=1/25,setpts=N[a];[1]settb=1/25,setpts=N[b];[a][b]ssim=stats_file=-", "-f", "null", "-",
    ])
    let found = try Self.values(lines)
    try #require(found.count == 40)
    let measured = 1 - (try #require(encoder.distortion))
    #expect(abs(measured - found.reduce(0, +) / 40) < 1e-5, "\(measured)")
    #expect(measured < 0.9999)
  }

  @Test func `is perfect for what is lossless`() throws {
    let synthetic = SyntheticSegments(settings: .h264(crf: 0, speed: .veryfast), frameDuration: try MediaTime(1, 25))
    for measure in QualityTarget.Measure.allCases {
      let encoder = try VideoEncoder(
        settings: synthetic.settings, size: synthetic.size, format: synthetic.format, frameDuration: synthetic.frameDuration,
        color: .bt709, measuring: measure)
      for index in 0..<70 { try encoder.encode(synthetic.frame(index), to: nil) }
      try encoder.finish(to: nil)
      #expect(encoder.distortion == 0)
    }
  }
}

extension Double {
  /// The decimal logarithm, of a positive number.
  fileprivate var log10: Double { Logarithm.decibels(self) / 20 }
}
