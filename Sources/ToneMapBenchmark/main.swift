// Times the conversion of pictures of high dynamic range to BT.709 without decoding or encoding: `scripts/benchmark` runs it.
// The pictures are raw yuv420p10le, all of the file, and shown over and over.
//
// usage: ToneMapBenchmark PICTURES WIDTH HEIGHT smpte2084|arib-std-b67 FRAMES      prints nanoseconds of processor time per frame

import Compositing
import Glibc
import Media
import MediaTime
import Timeline

struct UsageFault: Error { let reason: String }

/// The pictures of a raw file, in memory.
func pictures(in path: String, _ size: PixelSize, _ color: ColorTags) throws -> [PixelBuffer] {
  guard let file = unsafe fopen(path, "rb") else { throw UsageFault(reason: "\(path): cannot be read") }
  defer { unsafe fclose(file) }
  var pictures: [PixelBuffer] = []
  while true {
    let picture = try PixelBuffer(
      format: PixelFormat(.yuv420, bitDepth: 10), width: size.width, height: size.height, color: color)
    for index in 0..<3 {
      let plane = unsafe picture.plane(index)
      for row in unsafe 0..<plane.height {
        guard unsafe fread(plane.base + row * plane.stride, 2 * plane.width, 1, file) == 1 else { return pictures }
      }
    }
    pictures.append(picture)
  }
}

/// This thread's processor time; reading it cannot fail.
func processorNanoseconds() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

func nanosecondsPerFrame(_ pictures: [PixelBuffer], _ size: PixelSize, _ color: ColorTags, frames: Int) throws -> Int64 {
  let facts = VideoFacts(
    naturalSize: size, displaySize: size, orientation: .up, pixelAspect: PixelSize(1, 1), nominalFrameRate: nil,
    pixelFormat: "yuv420p10le", bitDepth: 10, color: color)
  let compositor = Compositor(renderSize: size, format: .yuv420, color: .bt709)
  let placed = PlacedPicture(
    track: TrackID("V"), source: SegmentSource(asset: AssetID("V")), sourceTime: Rational(0), crop: nil, transform: .identity,
    opacity: 1)
  let scene = Scene(time: .zero, background: .black, picture: .layers([placed]), overlays: [])
  func show(_ index: Int) throws {
    let picture = SourcePicture(buffer: pictures[index % pictures.count], facts: facts)
    _ = try compositor.composite(scene, sources: [placed: picture], overlays: [])
  }
  // The tables, once for a whole movie.
  try show(0)
  let start = processorNanoseconds()
  for index in 1...frames { try show(index) }
  return (processorNanoseconds() - start) / Int64(frames)
}

func complain(_ reason: String) {
  let line = Array("error: \(reason)\n".utf8)
  _ = unsafe write(STDERR_FILENO, line, line.count)
}

do {
  let arguments = CommandLine.arguments
  guard arguments.count == 6, let width = Int(arguments[2]), let height = Int(arguments[3]), width > 0, height > 0,
    let transfer = ColorTags.Transfer(rawValue: arguments[4]), let frames = Int(arguments[5]), frames > 0
  else { throw UsageFault(reason: "usage: ToneMapBenchmark PICTURES WIDTH HEIGHT smpte2084|arib-std-b67 FRAMES") }
  let (size, color) = (PixelSize(width, height), ColorTags(.bt2020, transfer, .bt2020nc, .limited))
  let all = try pictures(in: arguments[1], size, color)
  // Two at least: what a frame before showed is not converted again.
  guard all.count > 1 else { throw UsageFault(reason: "\(arguments[1]): fewer than two pictures") }
  print(try nanosecondsPerFrame(all, size, color, frames: frames))
} catch let fault as UsageFault {
  complain(fault.reason)
  exit(64)
} catch {
  complain("\(error)")
  exit(70)
}
