package import Formats

/// The form of one track's samples in a stream between two processes.
package enum SampleTrack: Hashable, Sendable, Codable {
  case pictures(PictureForm)
  case sound(SoundForm)

  package struct PictureForm: Hashable, Sendable, Codable {
    package var width: Int
    package var height: Int
    /// The planes: "gbr", "yuv420", "yuv422" or "yuv444", row by row without gaps.
    package var layout: String
    /// The bits of a component, 8...16. Above 8 bits a sample is a little-endian number of 16 bits with the value in its low ones.
    package var bitDepth: Int
    /// The colours that the samples stand for.
    package var color: ColorTags

    package init(width: Int, height: Int, layout: String, bitDepth: Int, color: ColorTags) {
      (self.width, self.height, self.layout, self.bitDepth) = (width, height, layout, bitDepth)
      self.color = color
    }

    /// The bytes of a picture.
    package var byteCount: Int {
      let (x, y) = layout == "yuv420" ? (1, 1) : layout == "yuv422" ? (1, 0) : (0, 0)
      let chroma = ((width + x) >> x) * ((height + y) >> y)
      return (width * height + 2 * chroma) * (bitDepth > 8 ? 2 : 1)
    }

    /// Whether the size and the depth are ones that pictures have here.
    package var isPlausible: Bool {
      (1...32_768).contains(width) && (1...32_768).contains(height) && (8...16).contains(bitDepth)
        && ["gbr", "yuv420", "yuv422", "yuv444"].contains(layout)
    }
  }

  /// Sound as floats of 32 bits, little-endian, the channels of a sample beside each other in the order of FFmpeg.
  package struct SoundForm: Hashable, Sendable, Codable {
    package var sampleRate: Int32
    /// 1, 2 or 6.
    package var channelCount: Int

    package init(sampleRate: Int32, channelCount: Int) { (self.sampleRate, self.channelCount) = (sampleRate, channelCount) }

    package var isPlausible: Bool { (1...768_000).contains(sampleRate) && [1, 2, 6].contains(channelCount) }
  }

  package var isPlausible: Bool {
    switch self {
    case .pictures(let form): form.isPlausible
    case .sound(let form): form.isPlausible
    }
  }
}
