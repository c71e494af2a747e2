internal import Synchronization

/// Reads the groups of metadata of a track, one after the other.
open class AVAssetReaderOutputMetadataAdaptor: NSObject {
  public let assetReaderTrackOutput: AVAssetReaderTrackOutput

  /// - Parameter trackOutput: the output of a track of metadata.
  public init(assetReaderTrackOutput trackOutput: AVAssetReaderTrackOutput) {
    assetReaderTrackOutput = trackOutput
    super.init()
  }

  /// The next group; nil at the end, and where reading was cancelled or failed. Times without metadata have none.
  open func nextTimedMetadataGroup() -> AVTimedMetadataGroup? {
    while let sample = assetReaderTrackOutput.copyNextSampleBuffer() {
      if let group = AVTimedMetadataGroup(sampleBuffer: sample), !group.items.isEmpty { return group }
    }
    return nil
  }
}

/// A track of metadata that changes with time, of a QuickTime file of this machine.
// All is constant after `init`.
final class AVMetadataTrack: AVAssetTrack, @unchecked Sendable {
  private let table: MovieTrackTables
  private let place: Int

  /// - Parameter place: the number of the track in its file, from 0.
  init(of asset: AVURLAsset, _ table: MovieTrackTables, at place: Int, file: KeptFile?) {
    (self.table, self.place) = (table, place)
    super.init(of: asset, nil, position: nil, file: file)
  }

  override var trackID: CMPersistentTrackID { CMPersistentTrackID(place + 1) }
  override var mediaType: AVMediaType { .metadata }
  override var isPlayable: Bool { false }
  override var naturalTimeScale: CMTimeScale { table.samples?.timescale ?? 600 }
  override var formatDescriptions: [Any] { [table.description] }
  override var timeRange: CMTimeRange {
    guard let samples = table.samples, samples.count > 0 else { return .zero }
    let (start, last) = (samples.presentationTime(0), samples.count - 1)
    return CMTimeRange(start: start, end: samples.presentationTime(last) + samples.duration(last))
  }

  /// The samples that last into a range, as they are stored.
  func samples(in range: CMTimeRange) throws(AVError) -> any SampleSupply {
    guard let samples = table.samples, let url else {
      throw AVError(.invalidSourceMedia, "track \(trackID): its tables are damaged, or its edits have several parts", url: url)
    }
    return try MetadataSupply(samples, table.description, file?.url ?? url, in: range)
  }
}

extension MovieTrackTables {
  /// The description of samples of metadata.
  fileprivate var description: CMFormatDescription {
    CMFormatDescription(metadata: kCMMetadataFormatType_Boxed, metadataKeys ?? [])
  }
}

/// The samples of a track of metadata.
private final class MetadataSupply: SampleSupply {
  private let table: SampleTable
  private let format: CMFormatDescription
  private let file: FileHandle
  private let range: CMTimeRange
  private let place = Mutex(0)

  /// The largest sample, in bytes: one that memory holds.
  private static let largest = 1 << 28

  init(_ table: SampleTable, _ format: CMFormatDescription, _ url: URL, in range: CMTimeRange) throws(AVError) {
    (self.table, self.format, self.range) = (table, format, range)
    do { file = try FileHandle(forReadingFrom: url) } catch {
      throw AVError(.failedToLoadMediaData, "\(url.path): \(error.localizedDescription)", url: url)
    }
  }

  func next() throws(AVError) -> CMSampleBuffer? {
    while case let index = place.withLock({ place in
      defer { place += 1 }
      return place
    }), index < table.count {
      let part = CMTimeRange(start: table.presentationTime(index), duration: table.duration(index))
      guard part.start < range.end, part.end > range.start else { continue }
      let (offset, length) = table.place(of: index..<index + 1)
      // A sample that cannot be read is damaged, or was cut off.
      guard length <= Self.largest, let bytes = try? bytes(at: offset, length), bytes.count == length else {
        throw AVError(.invalidSourceMedia, "the metadata at \(part.start) cannot be read", time: part.start)
      }
      let timing = CMSampleTimingInfo(duration: part.duration, presentationTimeStamp: part.start, decodeTimeStamp: .invalid)
      return CMSampleBuffer(
        picture: nil, block: CMBlockBuffer([UInt8](bytes)), format, count: 1, timing: [timing], sizes: [length])
    }
    return nil
  }

  private func bytes(at offset: UInt64, _ length: Int) throws -> Data? {
    try file.seek(toOffset: offset)
    return try file.read(upToCount: length)
  }

  func cancel() { place.withLock { $0 = table.count } }
}
