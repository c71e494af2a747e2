import Compositing
import Formats
import Glibc
import Media

/// The pictures of a raw file. All are in memory, to be shown over and over.
struct Pictures {
  let all: [PixelBuffer]
  let size: PixelSize
  let color: ColorTags

  /// - Throws: `UsageFault` for a file that cannot be read or has fewer than two pictures. Two are needed because a frame that
  ///   shows the same as the one before is not made again, and would cost nothing.
  init(_ path: String, _ format: PixelFormat, _ size: PixelSize, _ color: ColorTags = .bt709) throws {
    guard let file = unsafe fopen(path, "rb") else { throw UsageFault(reason: "\(path): cannot be read") }
    defer { unsafe fclose(file) }
    var pictures: [PixelBuffer] = []
    var isWhole = true
    while isWhole {
      let picture = try PixelBuffer(format: format, width: size.width, height: size.height, color: color)
      for index in 0..<format.planeCount {
        let plane = unsafe picture.plane(index)
        for row in unsafe 0..<plane.height {
          let count = unsafe fread(plane.base + row * plane.stride, format.bytesPerSample, plane.width, file)
          isWhole = unsafe isWhole && count == plane.width
        }
      }
      if isWhole { pictures.append(picture) }
    }
    guard pictures.count > 1 else { throw UsageFault(reason: "\(path): fewer than two pictures") }
    (all, self.size, self.color) = (pictures, size, color)
  }

  /// The picture that frame `index` shows.
  subscript(index: Int) -> SourcePicture {
    let buffer = all[index % all.count]
    let facts = VideoFacts(
      naturalSize: size, displaySize: size, orientation: .up, pixelAspect: PixelSize(1, 1), nominalFrameRate: nil,
      pixelFormat: buffer.format.description, bitDepth: buffer.format.bitDepth, color: color)
    return SourcePicture(buffer: buffer, facts: facts)
  }
}
