package import MediaTime

/// Motion JPEG as FFmpeg encodes it: each frame on its own, in full range and BT.601's matrix.
package struct MJPEG: VideoCoder {
  /// The quantiser, a whole number from 2 (best) to 31.
  package var quantizer: Double
  package var chroma: ChromaSampling

  package init(quantizer: Double = 3, chroma: ChromaSampling = .yuv420) { (self.quantizer, self.chroma) = (quantizer, chroma) }

  package var fileTypes: [FileType] { [.mov, .mkv, .avi, .jpegSequence] }
  package var isLossless: Bool { false }
  package var fieldObjection: String? { "FFmpeg's encoder of mjpeg makes no fields" }
  package var copiesPackets: Bool { true }
  package var needsEvenSides: Bool { true }
  package var bitDepths: [Int] { [8] }
  // Decoders of JPEG know no other matrix and range, whatever the file says of it.
  package func color(_ tags: ColorTags) -> ColorTags { ColorTags(tags.primaries, tags.transfer, .bt470bg, .full) }
  package var keys: [CodecKey] { [CodecKey(name: "quantizer", form: .number(2...31)), ChromaSampling.key] }

  package subscript(key: String) -> CodecKey.Value? {
    get {
      switch key {
      case "quantizer": .number(quantizer)
      case "chroma": .word(chroma.rawValue)
      default: nil
      }
    }
    set {
      switch (key, newValue) {
      case ("quantizer", .number(let number)): quantizer = number.rounded()
      case ("chroma", let value): chroma = ChromaSampling(value) ?? chroma
      default: break
      }
    }
  }

  package var secondsPerPixel: Double { chroma == .yuv420 ? 8e-9 : 12e-9 }
  package var workWords: [String] { chroma == .yuv420 ? [] : [chroma.rawValue] }

  package var encoderName: String { "mjpeg" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  package func quantizer(for _: EncodedPicture) -> Double? { quantizer }
  package func keyInterval(_: MediaTime) -> Int64 { 1 }
  package func options(for _: EncodedPicture) -> [String: String] { ["sc_threshold": "1000000000"] }
}
