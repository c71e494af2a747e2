internal import Formats
internal import MediaTime
internal import SampleStream

/// The receiver of a movie's pieces. They come one after the other, on one thread, when the writing is finished.
///
/// A receiver has one of the two functions. If it has both, the one with the report is called.
/// - Partly: pieces come when the writing is finished: docs/avfoundation.md#pieces-for-hls
public protocol AVAssetWriterDelegate: NSObjectProtocol, Sendable {
  func assetWriter(_ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType)
  /// - Parameter segmentReport: the samples of the piece; nil for the opening.
  func assetWriter(
    _ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType,
    segmentReport: AVAssetSegmentReport?)
}

extension AVAssetWriterDelegate {
  public func assetWriter(_ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType) {}
  public func assetWriter(
    _ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType,
    segmentReport: AVAssetSegmentReport?
  ) { assetWriter(writer, didOutputSegmentData: segmentData, segmentType: segmentType) }
}

/// The form of a movie's pieces.
/// - Partly: as `AVAssetWriterDelegate`
public struct AVFileTypeProfile: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
  /// Pieces of all tracks together, as HLS plays them.
  public static let mpeg4AppleHLS = AVFileTypeProfile("MPEG4AppleHLS")
  /// Pieces of one track, whose opening is marked as one of CMAF.
  public static let mpeg4CMAFCompliant = AVFileTypeProfile("MPEG4CMAFCompliant")
}

extension AVAssetWriter {
  private func fault(_ property: String, _ words: String) -> AVError {
    AVError(.operationNotAllowed, "\(property): \(words)", property: property)
  }

  /// A place for the movie of which the pieces are made.
  func pieceFile() throws(AVError) -> URL {
    guard delegate != nil else { throw fault("delegate", "nobody receives the pieces") }
    let folder = directoryForTemporaryFiles ?? FileManager.default.temporaryDirectory
    return folder.appendingPathComponent("AVAssetWriter-\(UUID().uuidString).mp4")
  }

  /// The borders between pieces.
  func pieces(_ fileType: FileType, _ tracks: [WritingOrder.Coding]) throws(AVError) -> WritingOrder.Fragments {
    guard let profile = outputFileTypeProfile else { throw fault("outputFileTypeProfile", "is not set") }
    guard fileType == .mp4, [.mpeg4AppleHLS, .mpeg4CMAFCompliant].contains(profile) else {
      throw fault(
        "outputFileTypeProfile", "\(profile.rawValue) is not written into \(outputFileType.rawValue); pieces are of mp4")
    }
    guard profile != .mpeg4CMAFCompliant || tracks.count == 1 else {
      throw fault("inputs", "a file of CMAF has one track: use a writer for each, or mpeg4AppleHLS")
    }
    try check(tracks, "outputFileTypeProfile")
    guard preferredOutputSegmentInterval.isValid else { return WritingOrder.Fragments(every: MediaTime(seconds: 6)) }
    if preferredOutputSegmentInterval == .indefinite { return WritingOrder.Fragments(every: nil) }
    guard preferredOutputSegmentInterval.isNumeric, preferredOutputSegmentInterval > .zero else {
      throw fault("preferredOutputSegmentInterval", "\(preferredOutputSegmentInterval) is no length of a piece")
    }
    guard initialSegmentStartTime.isNumeric else {
      throw fault("initialSegmentStartTime", "is not set, so that nobody knows where pieces of an interval end")
    }
    return try WritingOrder.Fragments(every: MediaTime(preferredOutputSegmentInterval, "preferredOutputSegmentInterval"))
  }

  /// Gives the delegate the pieces of a movie, and removes the movie.
  ///
  /// - Parameter start: the time of the source that is the movie's zero.
  func give(_ movie: URL, from start: CMTime) throws(AVError) {
    // A file that cannot be removed is one of many temporary ones.
    defer { try? FileManager.default.removeItem(at: movie) }
    do {
      var pieces = try SegmentPieces(of: movie, from: start)
      let opening = outputFileTypeProfile == .mpeg4CMAFCompliant ? pieces.openingOfCMAF : pieces.opening
      try give(opening, .initialization, nil)
      while let (data, report) = try pieces.next() { try give(data, .separable, report) }
    } catch { throw error as? AVError ?? AVError(.unknown, "the pieces: \(error)") }
  }

  private func give(_ data: Data, _ type: AVAssetSegmentType, _ report: AVAssetSegmentReport?) throws(AVError) {
    guard status == .writing else { throw AVError(.operationCancelled, "the writing was cancelled") }
    guard let delegate else { throw fault("delegate", "the receiver of the pieces is gone") }
    delegate.assetWriter(self, didOutputSegmentData: data, segmentType: type, segmentReport: report)
  }
}
