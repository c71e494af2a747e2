/// A wish for samples of a track, as they are stored in its file.
// It is its owner's.
/// - Partly: as `AVSampleBufferGenerator`
open class AVSampleBufferRequest: NSObject {
  public enum Direction: Int, Sendable { case reverse = -1, none = 0, forward = 1 }
  public enum Mode: Int, Sendable { case immediate = 0, scheduled, opportunistic }

  /// The first sample.
  public let startCursor: AVSampleCursor
  /// Whether there may be more samples, and on which side.
  open var direction = Direction.none
  /// The sample before which the samples end; nil for no such end.
  open var limitCursor: AVSampleCursor?
  open var preferredMinSampleCount = 0
  /// The most samples; 0 for one.
  open var maxSampleCount = 0
  /// The way of loading: it is at once in every case.
  open var mode = Mode.immediate
  /// The time of the first sample in the buffer; the invalid one for its own.
  open var overrideTime = CMTime.invalid

  public init(start startCursor: AVSampleCursor) {
    self.startCursor = startCursor
    super.init()
  }
}

/// Gives samples as they are stored in a file.
// All is constant.
/// - Partly: samples of one chunk at a time, at once, without a timebase. Their description has no parameter sets
open class AVSampleBufferGenerator: NSObject, @unchecked Sendable {
  private let asset: AVAsset

  /// - Parameters:
  ///   - asset: the asset whose tracks' samples are wanted.
  ///   - timebase: nil. Samples are loaded at once, by no clock.
  public init(asset: AVAsset, timebase: CMClock?) {
    self.asset = asset
    super.init()
  }

  /// Makes a buffer of the samples of a request: of one chunk, one after the other in the order of decoding.
  ///
  /// - Throws: an `AVError` where the file cannot be read.
  open func makeSampleBuffer(for request: AVSampleBufferRequest) throws -> CMSampleBuffer {
    let (cursor, table) = (request.startCursor, request.startCursor.table)
    let samples = range(of: request)
    let place = table.place(of: samples)
    let bytes: Data
    do {
      let file = try FileHandle(forReadingFrom: cursor.file?.url ?? cursor.url)
      defer { try? file.close() }  // It was only read.
      try file.seek(toOffset: place.offset)
      bytes = try file.read(upToCount: place.length) ?? Data()
    } catch let error as AVError {
      throw error
    } catch { throw AVError(.failedToLoadMediaData, "\(cursor.url.path): \(error)", url: cursor.url) }
    guard bytes.count == place.length else {
      throw AVError(
        .failedToLoadMediaData, "\(cursor.url.path): ends before its sample \(samples.upperBound - 1)", url: cursor.url,
        time: cursor.presentationTimeStamp)
    }
    let moved =
      request.overrideTime.isNumeric ? request.overrideTime - table.presentationTime(samples.lowerBound) : CMTime.zero
    let timing = samples.map { index in
      CMSampleTimingInfo(
        duration: table.duration(index), presentationTimeStamp: table.presentationTime(index) + moved,
        decodeTimeStamp: table.decodeTime(index) + moved)
    }
    return CMSampleBuffer(
      picture: nil, block: CMBlockBuffer([UInt8](bytes)), cursor.copyCurrentSampleFormatDescription(), count: samples.count,
      timing: timing, sizes: samples.map { table.size($0) })
  }

  @available(*, deprecated, renamed: "makeSampleBuffer(for:)")
  open func createSampleBuffer(for request: AVSampleBufferRequest) -> CMSampleBuffer? {
    // The older form has no reason.
    try? makeSampleBuffer(for: request)
  }

  /// The samples of a request within the chunk of its first one.
  private func range(of request: AVSampleBufferRequest) -> Range<Int> {
    let start = request.startCursor.index
    let chunk = request.startCursor.table.chunk(of: start).samples
    let most = max(1, request.maxSampleCount > 0 ? request.maxSampleCount : max(1, request.preferredMinSampleCount))
    switch request.direction {
    case .none: return start..<start + 1
    case .forward:
      let limit = request.limitCursor.map { max(start + 1, $0.index) } ?? chunk.upperBound
      return start..<min(chunk.upperBound, limit, start + most)
    case .reverse:
      let limit = request.limitCursor.map { min(start, $0.index + 1) } ?? chunk.lowerBound
      return max(chunk.lowerBound, limit, start + 1 - most)..<start + 1
    }
  }

  /// Calls the handler at once: samples are whole when they are made.
  open class func notifyOfDataReady(
    for sbuf: CMSampleBuffer, completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) { completionHandler(true, nil) }
}
