package import MediaTime

/// FFV1 of version 3, which is lossless.
package struct FFV1: VideoCoder {
  package var chroma: ChromaSampling

  package init(chroma: ChromaSampling = .yuv420) { self.chroma = chroma }

  package var fileTypes: [FileType] { [.mov, .mkv] }
  package var isLossless: Bool { true }
  package var copiesPackets: Bool { true }
  package var fieldObjection: String? { nil }
  package var needsEvenSides: Bool { false }
  package var alphaBitDepths: [Int] { bitDepths }
  package var keys: [CodecKey] { [ChromaSampling.key] }

  package subscript(key: String) -> CodecKey.Value? {
    get { key == "chroma" ? .word(chroma.rawValue) : nil }
    set { if key == "chroma" { chroma = ChromaSampling(newValue) ?? chroma } }
  }

  package var secondsPerPixel: Double { 16e-9 }
  package var workWords: [String] { chroma == .yuv420 ? [] : [chroma.rawValue] }

  package var encoderName: String { "ffv1" }
  /// FFmpeg chooses the number of slices: with one thread it depends on the size alone.
  package var threads: Int32? { nil }
  package var level: Int32? { 3 }
  package func keyInterval(_: MediaTime) -> Int64 { 1 }
  package func options(for _: EncodedPicture) -> [String: String] { ["slicecrc": "1"] }
}
