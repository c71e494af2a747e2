extension AVAssetReader {
  /// Begins to read.
  ///
  /// - Throws: the reader's error.
  public func start() throws {
    guard startReading() else { throw error ?? AVError(.operationNotAllowed, "start(): reading has begun already") }
  }

  /// Adds an output, and gives what its samples come from.
  public func outputProvider(
    for output: AVAssetReaderOutput
  ) -> sending AVAssetReaderOutput.Provider<CMReadySampleBuffer<CMSampleBuffer.DynamicContent>> {
    add(output)
    return .init(output)
  }

  /// Adds an output of which several ranges are read, one after the other.
  public func outputProviderWithRandomAccess(
    for output: AVAssetReaderOutput
  )
    -> sending (
      AVAssetReaderOutput.Provider<CMReadySampleBuffer<CMSampleBuffer.DynamicContent>>, AVAssetReaderOutput.RandomAccessController
    )
  {
    output.supportsRandomAccess = true
    add(output)
    return (.init(output), AVAssetReaderOutput.RandomAccessController(output))
  }
}

extension AVAssetReaderOutput {
  /// The kinds of samples that a provider gives.
  public protocol SupportedPayload: Sendable {}

  /// The samples of an output, one after the other.
  /// - Partly: as `AVAssetReader`
  public class Provider<Payload: SupportedPayload> {
    private let output: AVAssetReaderOutput
    private let make: @Sendable (CMSampleBuffer) -> Payload
    /// The thread on which the program is waited for.
    private let queue = DispatchQueue(label: "AVAssetReaderOutput.Provider")

    fileprivate init(_ output: AVAssetReaderOutput, make: @escaping @Sendable (CMSampleBuffer) -> Payload) {
      (self.output, self.make) = (output, make)
    }

    /// The next samples; nil at the end, and where reading was cancelled.
    ///
    /// - Throws: the reader's error.
    nonisolated(nonsending) public func next() async throws -> Payload? {
      let (output, make) = (output, make)
      let next = await withCheckedContinuation { done in
        queue.async { done.resume(returning: output.copyNextSampleBuffer().map(make)) }
      }
      if next == nil {
        guard let reader = output.reader else { throw AVError(.operationNotAllowed, "next(): the output has no reader") }
        switch reader.status {
        case .failed: throw reader.error ?? AVError(.unknown, "next(): reading failed")
        case .unknown: throw reader.error ?? AVError(.operationNotAllowed, "next(): reading has not begun")
        case .reading, .completed, .cancelled: break
        }
      }
      return next
    }
  }

  /// Chooses the ranges of an output that are read next.
  /// - Partly: as `AVAssetReader`
  public class RandomAccessController {
    private let output: AVAssetReaderOutput

    fileprivate init(_ output: AVAssetReaderOutput) { self.output = output }

    /// Begins again, with other ranges, when the samples of the last ones have been read.
    public func resetForReading(timeRanges: [CMTimeRange]) {
      output.reset(forReadingTimeRanges: timeRanges.map { NSValue(timeRange: $0) })
    }

    /// Says that no other ranges will be read.
    public func markConfigurationAsFinal() { output.markConfigurationAsFinal() }
  }
}

extension AVAssetReaderOutput.Provider where Payload == CMReadySampleBuffer<CMSampleBuffer.DynamicContent> {
  fileprivate convenience init(_ output: AVAssetReaderOutput) {
    self.init(output) { CMReadySampleBuffer(unsafeBuffer: $0) }
  }
}

extension CMReadySampleBuffer: AVAssetReaderOutput.SupportedPayload where Content == CMSampleBuffer.DynamicContent {}
