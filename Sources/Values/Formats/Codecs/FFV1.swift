package import MediaTime

/// FFV1 of version 3, which is lossless and has no settings.
package struct FFV1: VideoCoder {
  package init() {}

  package var fileTypes: [FileType] { [.mov, .mkv] }
  package var isLossless: Bool { true }
  package var needsEvenSides: Bool { false }
  package var keys: [CodecKey] { [] }

  package subscript(key: String) -> CodecKey.Value? {
    get { nil }
    set {}
  }

  package var secondsPerPixel: Double { 16e-9 }
  package var workWords: [String] { [] }

  package var encoderName: String { "ffv1" }
  /// FFmpeg chooses the number of slices: with one thread it depends on the size alone.
  package var threads: Int32? { nil }
  package var level: Int32? { 3 }
  package func keyInterval(_: MediaTime) -> Int64 { 1 }
  package func options(for _: EncodedPicture) -> [String: String] { ["slicecrc": "1"] }
}
