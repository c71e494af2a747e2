internal import Media
internal import Messages

/// The peaks of a medium's sound.
package struct SoundPeaks: Sendable {
  package var sampleRate: Int32
  package var samplesPerPixel: Int
  /// The smallest and the largest sample of each pixel in turn.
  package var values: [Int16]

  package var pixelCount: Int { values.count / 2 }

  /// The most pixels of one medium: a hundred hours at 192,000 samples a second, each pixel for 2,048 of them.
  package static let limit = 1 << 25

  /// Reads the peaks of a medium's first track of sound, in a process that is contained.
  ///
  /// - Parameters:
  ///   - path: a path or a URL.
  ///   - samplesPerPixel: at least 1.
  /// - Throws: `MediaError`, `Failure`, `SubprocessError`, and `EditExamination.Broken`.
  package init(of path: String, samplesPerPixel: Int, _ setting: ExaminationSetting) throws {
    (sampleRate, self.samplesPerPixel, values) = (0, samplesPerPixel, [])
    let order = ExaminationOrder.peaks(.init(id: "file", path: path), samplesPerPixel: samplesPerPixel)
    let examination = try Examination(order, setting)
    while true {
      switch try examination.next() {
      case .silence: continue
      case .done:
        guard sampleRate > 0 else { throw EditExamination.Broken(reason: "the process that reads it reported nothing") }
        return
      case .broken(let reason), .hung(let reason): throw EditExamination.Broken(reason: reason)
      case .report(.unreadable(let refusal)): throw refusal.error
      case .report(.failed(let failure)): throw Failure(failure.class, at: failure.place.shown(), failure.reason.shown())
      case .report(.sound(let rate, _)) where sampleRate == 0 && rate > 0: sampleRate = rate
      case .report(.peaks(let peaks)) where sampleRate > 0 && peaks.count.isMultiple(of: 2):
        values += peaks
        guard pixelCount <= Self.limit else {
          throw Failure(
            .content, at: path, "has more than \(Self.limit) pixels of \(samplesPerPixel) samples: take more samples for each")
        }
        examination.hasAdvanced()
      case .report: continue
      }
    }
  }
}
