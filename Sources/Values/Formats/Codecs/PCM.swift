/// Samples as they are, little-endian except in AIFF.
package struct PCM: AudioCoder {
  package enum Samples: String, Hashable, Sendable, CaseIterable {
    case int16, int24, int32, float32

    /// The bytes of one of them.
    package var byteCount: Int64 {
      switch self {
      case .int16: 2
      case .int24: 3
      case .int32, .float32: 4
      }
    }
  }

  package var samples: Samples
  /// Whether the highest byte of a sample comes first. The file type decides it.
  package var isBigEndian = false

  package init(samples: Samples = .int24) { self.samples = samples }

  package var fileTypes: [FileType] { [.mov, .mkv, .mxf, .avi, .wav, .aiff] }
  package var sampleRates: [Int32] { Self.commonRates + [88_200, 96_000, 176_400, 192_000] }
  package var bitRates: ClosedRange<Int>? { nil }

  package var mostChannels: Int { 12 }
  package var encoderName: String {
    let name =
      switch samples {
      case .int16: "pcm_s16"
      case .int24: "pcm_s24"
      case .int32: "pcm_s32"
      case .float32: "pcm_f32"
      }
    return name + (isBigEndian ? "be" : "le")
  }

  package var sampleForm: SampleForm {
    switch samples {
    case .int16: .integers(bits: 16, isPlanar: false)
    case .int24: .integers(bits: 24, isPlanar: false)
    case .int32: .integers(bits: 32, isPlanar: false)
    case .float32: .floats(isPlanar: false)
    }
  }
  /// Samples stand by themselves. A block is as long as the encoder's packets, so that these are the same however the sound is divided.
  package func dividedBlock(sampleRate: Int32) -> Int64? { 4096 }
}
