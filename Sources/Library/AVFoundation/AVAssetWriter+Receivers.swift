extension AVAssetWriter {
  /// Begins to write.
  ///
  /// - Throws: the writer's error.
  public func start() throws {
    guard startWriting() else { throw error ?? AVError(.operationNotAllowed, "start(): writing has begun already") }
  }

  /// Adds an input, and gives what samples are appended to.
  public func inputReceiver(for input: AVAssetWriterInput) -> sending AVAssetWriterInput.SampleBufferReceiver {
    add(input)
    return AVAssetWriterInput.SampleBufferReceiver(input)
  }

  /// Adds an input, and gives what pictures are appended to.
  ///
  /// - Parameters:
  ///   - input: the input.
  ///   - attributes: those of the pool's pictures; nil for the movie's size, and 420v.
  public func inputPixelBufferReceiver(
    for input: AVAssetWriterInput, pixelBufferAttributes attributes: CVPixelBufferCreationAttributes?
  ) -> sending AVAssetWriterInput.PixelBufferReceiver {
    add(input)
    return AVAssetWriterInput.PixelBufferReceiver(input, attributes)
  }

  /// Adds an input, and gives what groups of pictures are appended to. A group of several pictures fails the writer.
  public func inputTaggedPixelBufferGroupReceiver(
    for input: AVAssetWriterInput, pixelBufferAttributes attributes: CVPixelBufferCreationAttributes?
  ) -> sending AVAssetWriterInput.TaggedPixelBufferGroupReceiver {
    add(input)
    return AVAssetWriterInput.TaggedPixelBufferGroupReceiver(input, attributes)
  }
}

/// The way of samples from tasks to an input. Waiting for the program is done on a thread of its own, and samples keep their order.
private final class InputLine: Sendable {
  let input: AVAssetWriterInput
  private let queue = DispatchQueue(label: "AVAssetWriterInput.Receiver")

  init(_ input: AVAssetWriterInput) { self.input = input }

  /// Appends samples, and waits until the program has taken them.
  nonisolated(nonsending) func append(_ append: @escaping @Sendable () -> Bool) async throws {
    let isTaken = await withCheckedContinuation { done in queue.async { done.resume(returning: append()) } }
    guard isTaken else { throw failure }
  }

  /// - Returns: false where the input takes nothing, because writing has not begun, or it is finished.
  func appendNow(_ append: () -> Bool) throws -> Bool {
    guard input.isReadyForMoreMediaData else {
      if input.writer?.status == .failed { throw failure }
      return false
    }
    guard append() else { throw failure }
    return true
  }

  private var failure: any Error {
    input.writer?.error
      ?? AVError(.operationNotAllowed, "append(_:): there is no session, the input is finished, or the writing has ended")
  }
}

extension AVAssetWriterInput {
  /// Takes the samples of an input.
  /// - Partly: as `AVAssetWriter`
  public class SampleBufferReceiver {
    private let line: InputLine

    init(_ input: AVAssetWriterInput) { line = InputLine(input) }

    /// Appends samples, and waits until the program has taken them.
    ///
    /// - Throws: the writer's error.
    nonisolated(nonsending) public func append(
      _ sampleBuffer: CMReadySampleBuffer<CMSampleBuffer.DynamicContent>
    ) async throws {
      let input = line.input
      try await line.append { sampleBuffer.withUnsafeSampleBuffer { input.append($0) } }
    }

    /// Appends samples at once.
    ///
    /// - Returns: false where the input takes none.
    /// - Throws: the writer's error.
    public func appendImmediately(_ sampleBuffer: CMReadySampleBuffer<CMSampleBuffer.DynamicContent>) throws -> Bool {
      try line.appendNow { sampleBuffer.withUnsafeSampleBuffer { line.input.append($0) } }
    }

    /// Says that no more samples come.
    public func finish() { line.input.markAsFinished() }
  }

  /// Takes the pictures of an input.
  /// - Partly: as `AVAssetWriter`
  public class PixelBufferReceiver {
    private let line: InputLine
    /// The attributes of the pool's pictures.
    public let sourcePixelBufferAttributes: CVPixelBufferCreationAttributes?
    private var pool: CVMutablePixelBuffer.Pool?

    init(_ input: AVAssetWriterInput, _ attributes: CVPixelBufferCreationAttributes?) {
      (line, sourcePixelBufferAttributes) = (InputLine(input), attributes)
    }

    /// Memory for pictures of the attributes, else of the movie's size; nil until writing begins, and where no size is known.
    public var pixelBufferPool: CVMutablePixelBuffer.Pool? {
      guard line.input.writer?.status == .writing else { return nil }
      if pool == nil { pool = line.input.pool(sourcePixelBufferAttributes) }
      return pool
    }

    /// Appends a picture, and waits until the program has taken it.
    ///
    /// - Throws: the writer's error.
    nonisolated(nonsending) public func append(_ pixelBuffer: CVReadOnlyPixelBuffer, with presentationTime: CMTime) async throws {
      let input = line.input
      try await line.append { pixelBuffer.withUnsafeBuffer { input.append($0, at: presentationTime, lasting: .invalid) } }
    }

    /// Appends a picture at once.
    ///
    /// - Returns: false where the input takes none.
    /// - Throws: the writer's error.
    public func appendImmediately(_ pixelBuffer: CVReadOnlyPixelBuffer, with presentationTime: CMTime) throws -> Bool {
      try line.appendNow {
        pixelBuffer.withUnsafeBuffer { line.input.append($0, at: presentationTime, lasting: .invalid) }
      }
    }

    /// Says that no more pictures come.
    public func finish() { line.input.markAsFinished() }
  }

  /// Takes groups of pictures. A group has one picture.
  /// - Partly: as `AVAssetWriterInputTaggedPixelBufferGroupAdaptor`
  public class TaggedPixelBufferGroupReceiver {
    private let pictures: PixelBufferReceiver
    private let input: AVAssetWriterInput

    init(_ input: AVAssetWriterInput, _ attributes: CVPixelBufferCreationAttributes?) {
      (self.input, pictures) = (input, PixelBufferReceiver(input, attributes))
    }

    public var sourcePixelBufferAttributes: CVPixelBufferCreationAttributes? { pictures.sourcePixelBufferAttributes }
    public var pixelBufferPool: CVMutablePixelBuffer.Pool? { pictures.pixelBufferPool }

    /// Appends a group of one picture.
    ///
    /// - Throws: the writer's error; of several pictures one that names them.
    nonisolated(nonsending) public func append(
      _ taggedPixelBufferGroup: [CMTaggedDynamicBuffer], with presentationTime: CMTime
    ) async throws {
      try await pictures.append(picture(taggedPixelBufferGroup, presentationTime), with: presentationTime)
    }

    /// Appends a group of one picture at once.
    ///
    /// - Throws: errors as the other.
    public func appendImmediately(
      _ taggedPixelBufferGroup: [CMTaggedDynamicBuffer], with presentationTime: CMTime
    ) throws -> Bool {
      try pictures.appendImmediately(picture(taggedPixelBufferGroup, presentationTime), with: presentationTime)
    }

    /// Says that no more groups come.
    public func finish() { pictures.finish() }

    private func picture(_ group: [CMTaggedDynamicBuffer], _ time: CMTime) throws(AVError) -> CVReadOnlyPixelBuffer {
      guard group.count == 1, case .pixelBuffer(let picture) = group[0].content else {
        let error = CompressionSettings.severalLayers("append(_:with:)", time)
        input.writer?.fail(error)
        throw error
      }
      return picture
    }
  }

  /// Memory for pictures; nil where no size is known.
  fileprivate func pool(_ attributes: CVPixelBufferCreationAttributes?) -> CVMutablePixelBuffer.Pool? {
    var wanted = attributes
    if wanted == nil, let width = AnyNumber.whole(outputSettings?[AVVideoWidthKey]),
      let height = AnyNumber.whole(outputSettings?[AVVideoHeightKey])
    {
      wanted = CVPixelBufferCreationAttributes(
        pixelFormatType: CVPixelFormatType(rawValue: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange),
        size: CVImageSize(width: width, height: height))
    }
    // A pool whose attributes no picture has would give none.
    return wanted.flatMap { try? CVMutablePixelBuffer.Pool(pixelBufferAttributes: $0) }
  }
}
