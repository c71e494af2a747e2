package import Media

/// Test movies whose frames show their own number. ffmpeg makes them from raw frames, so Spool's reader has no part in them.
///
/// The luma of a frame is 8 x 4 blocks, one for each bit of its number, lowest bit first. Blocks of bits that are 1 are white,
/// which survives lossy codecs. Chroma changes with the number, so neighbouring frames differ.
package struct SyntheticSource: Sendable {
  package var width: Int
  package var height: Int
  /// The frames in each second, in ffmpeg's form, before `arguments` change it.
  package var frameRate: String
  package var frameCount: Int

  package init(width: Int = 64, height: Int = 48, frameRate: String = "25", frameCount: Int) {
    (self.width, self.height, self.frameRate, self.frameCount) = (width, height, frameRate, frameCount)
  }

  /// Writes the movie to `path`.
  ///
  /// - Parameter arguments: the arguments between the input (stream 0, raw 8-bit 4:2:0) and the output: codec, filters, flags.
  /// - Parameter inputs: further inputs, from stream 1 on.
  package func write(to path: String, _ arguments: [String], inputs: [String] = []) throws {
    let picture = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(width)x\(height)", "-r", frameRate, "-i", "-"]
    try MediaTools.ffmpeg(picture + inputs + arguments + [path], input: (0..<frameCount).flatMap(frame))
  }

  /// The number that a frame of such a movie shows.
  package static func number(in picture: PixelBuffer) -> Int {
    let plane = unsafe picture.plane(0)
    let half = 1 << (picture.format.bitDepth - 1)
    var number = 0
    for bit in 0..<32 {
      let (column, row) = (bit % 8, bit / 8)
      let x = (column * 2 + 1) * picture.width / 16
      let y = (row * 2 + 1) * picture.height / 8
      let sample = unsafe plane.base + y * plane.stride + x * picture.format.bytesPerSample
      let value = unsafe picture.format.bytesPerSample == 1 ? Int(sample[0]) : Int(sample[0]) | Int(sample[1]) << 8
      if value > half { number |= 1 << bit }
    }
    return number
  }

  private func frame(_ number: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(width * height * 3 / 2)
    for y in 0..<height {
      for x in 0..<width {
        let bit = x * 8 / width + y * 4 / height * 8
        bytes.append(number >> bit & 1 == 1 ? 235 : 16)
      }
    }
    let chroma = (width + 1) / 2 * ((height + 1) / 2)
    bytes += [UInt8](repeating: UInt8(64 + number * 7 % 128), count: chroma)
    bytes += [UInt8](repeating: UInt8(64 + number * 13 % 128), count: chroma)
    return bytes
  }
}
