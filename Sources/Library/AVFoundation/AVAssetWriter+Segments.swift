internal import Formats
internal import MediaTime
internal import SampleStream
internal import SpoolCalls

/// The receiver of a movie's pieces. They come one after the other, on one thread, while the writing goes on. Where it takes long for one,
/// `append` waits.
///
/// A receiver has one of the two functions. If it has both, the one with the report is called.
public protocol AVAssetWriterDelegate: NSObjectProtocol, Sendable {
  func assetWriter(_ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType)
  /// - Parameters:
  ///   - writer: the writer whose movie it is.
  ///   - segmentData: the bytes of the piece.
  ///   - segmentType: whether it is the opening, or a piece with samples.
  ///   - segmentReport: the samples of the piece; nil for the opening.
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

  /// A place for parts of the pieces.
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

  /// Gives the delegate a piece.
  fileprivate func give(_ data: Data, _ type: AVAssetSegmentType, _ report: AVAssetSegmentReport?) throws(AVError) {
    guard status == .writing else { throw AVError(.operationCancelled, "the writing was cancelled") }
    guard let delegate else { throw fault("delegate", "the receiver of the pieces is gone") }
    delegate.assetWriter(self, didOutputSegmentData: data, segmentType: type, segmentReport: report)
  }

  /// Gives the delegate the opening.
  ///
  /// - Returns: what reads the pieces that follow.
  fileprivate func give(opening: Data) throws(AVError) -> SegmentPieces {
    guard let start = sessionStart else { throw AVError(.unknown, "'spool write' of another version answered") }
    let pieces = try SegmentPieces(opening, from: start)
    try give(outputFileTypeProfile == .mpeg4CMAFCompliant ? pieces.openingOfCMAF : pieces.opening, .initialization, nil)
    return pieces
  }
}

/// Receives a movie's pieces from the program, on a thread of its own, until the program ends.
// The writer is only told of what comes; it may be gone.
final class PieceReceiver: @unchecked Sendable {
  private weak var writer: AVAssetWriter?
  private let call: SampleCall
  private let course = DispatchGroup()

  init(_ writer: AVAssetWriter, _ call: SampleCall) { (self.writer, self.call) = (writer, call) }

  func begin() {
    course.enter()
    Thread.detachNewThread { [self] in
      receive()
      course.leave()
    }
  }

  /// Waits until the last piece was given.
  func wait() { course.wait() }

  private func receive() {
    let input = SampleInput { [call] count in call.bytes(count) }
    var pieces: SegmentPieces?
    // A stream that was broken off ends. The program tells the reason at its end.
    while let (_, bytes) = try? input.next() {
      guard let writer else { return }
      do throws(AVError) {
        guard let following = pieces else {
          pieces = try writer.give(opening: Data(bytes))
          continue
        }
        let (piece, report) = following.moved(Data(bytes))
        try writer.give(piece, .separable, report)
      } catch { return writer.fail(error) }
    }
  }
}
