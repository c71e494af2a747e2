/// Samples as they are, little-endian.
package struct PCM: AudioCoder {
  package enum Samples: String, Hashable, Sendable, CaseIterable { case int16, int24, int32, float32 }

  package var samples: Samples

  package init(samples: Samples = .int24) { self.samples = samples }

  package var fileTypes: [FileType] { [.mov, .mkv, .wav] }
  package var sampleRates: [Int32] { Self.commonRates + [88_200, 96_000, 176_400, 192_000] }
  package var bitRates: ClosedRange<Int>? { nil }

  package var encoderName: String {
    switch samples {
    case .int16: "pcm_s16le"
    case .int24: "pcm_s24le"
    case .int32: "pcm_s32le"
    case .float32: "pcm_f32le"
    }
  }

  package var sampleForm: SampleForm {
    switch samples {
    case .int16: .integers(bits: 16, isPlanar: false)
    case .int24: .integers(bits: 24, isPlanar: false)
    case .int32: .integers(bits: 32, isPlanar: false)
    case .float32: .floats(isPlanar: false)
    }
  }
}
