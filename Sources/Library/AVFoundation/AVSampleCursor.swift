/// Whether decoding can begin with a sample.
/// - Partly: as `AVSampleCursor`
public struct AVSampleCursorSyncInfo {
  public var sampleIsFullSync: ObjCBool = false
  public var sampleIsPartialSync: ObjCBool = false
  public var sampleIsDroppable: ObjCBool = false
  public init() {}
}

/// The statements of a file on the samples on which one depends, and of those that depend on it.
/// - Partly: as `AVSampleCursor`
public struct AVSampleCursorDependencyInfo {
  public var sampleIndicatesWhetherItHasDependentSamples: ObjCBool = false
  public var sampleHasDependentSamples: ObjCBool = false
  public var sampleIndicatesWhetherItDependsOnOthers: ObjCBool = false
  public var sampleDependsOnOthers: ObjCBool = false
  public var sampleIndicatesWhetherItHasRedundantCoding: ObjCBool = false
  public var sampleHasRedundantCoding: ObjCBool = false
  public init() {}
}

/// A place in a file, in bytes.
/// - Partly: as `AVSampleCursor`
public struct AVSampleCursorStorageRange: Hashable {
  public var offset: Int64 = 0
  public var length: Int64 = 0
  public init() {}
}

/// The samples that stand one after the other in a file.
/// - Partly: as `AVSampleCursor`
public struct AVSampleCursorChunkInfo {
  public var chunkSampleCount: Int64 = 0
  public var chunkHasUniformSampleSizes: ObjCBool = false
  public var chunkHasUniformSampleDurations: ObjCBool = false
  public var chunkHasUniformFormatDescriptions: ObjCBool = false
  public init() {}
}

/// A place among the samples of a track.
// It is its owner's. Everything but the place is constant.
/// - Partly: times are those of the track: an edit that a file has is applied to them
open class AVSampleCursor: NSObject, NSCopying {
  let table: SampleTable
  let url: URL
  /// The medium's file; nil for media behind URLs.
  let file: KeptFile?
  private let format: CMFormatDescription?
  /// The sample, counted in the order of decoding.
  private(set) var index: Int

  init(_ table: SampleTable, _ url: URL, _ format: CMFormatDescription?, at index: Int, file: KeptFile?) {
    (self.table, self.url, self.format, self.index, self.file) = (table, url, format, index, file)
    super.init()
  }

  open func copy(with zone: NSZone? = nil) -> Any { AVSampleCursor(table, url, format, at: index, file: file) }

  // MARK: Steps

  /// Moves by samples in the order of decoding, forward or backward, to the first or last one at most.
  ///
  /// - Returns: the number of samples by which it moved.
  @discardableResult
  open func stepInDecodeOrder(byCount stepCount: Int64) -> Int64 {
    let place = pinned(index, stepCount)
    defer { index = place }
    return Int64(place - index)
  }

  /// Moves by samples in the order in which they are shown.
  @discardableResult
  open func stepInPresentationOrder(byCount stepCount: Int64) -> Int64 {
    let before = table.place(ofShown: index)
    let place = pinned(before, stepCount)
    index = table.sample(shownAt: place)
    return Int64(place - before)
  }

  private func pinned(_ place: Int, _ count: Int64) -> Int {
    let (wanted, isOver) = Int64(place).addingReportingOverflow(count)
    return Int(min(max(isOver ? (count < 0 ? 0 : .max) : wanted, 0), Int64(table.count - 1)))
  }

  /// Moves to the sample that is decoded so much later, or earlier.
  ///
  /// - Parameters:
  ///   - deltaDecodeTime: the time to move by.
  ///   - outWasPinned: is set where the track begins or ends before that.
  /// - Returns: the time by which it moved.
  @discardableResult
  open func step(byDecodeTime deltaDecodeTime: CMTime, wasPinned outWasPinned: UnsafeMutablePointer<ObjCBool>?) -> CMTime {
    let before = decodeTimeStamp
    let wanted = before + deltaDecodeTime
    index = table.sample(decodedAt: wanted)
    let end = table.decodeTime(table.count - 1) + table.duration(table.count - 1)
    unsafe outWasPinned?.pointee = ObjCBool(wanted < table.decodeTime(0) || wanted >= end)
    return decodeTimeStamp - before
  }

  /// Moves to the sample that is shown so much later, or earlier.
  @discardableResult
  open func step(
    byPresentationTime deltaPresentationTime: CMTime, wasPinned outWasPinned: UnsafeMutablePointer<ObjCBool>?
  ) -> CMTime {
    let before = presentationTimeStamp
    let wanted = before + deltaPresentationTime
    index = table.sample(shownAt: wanted)
    let (first, last) = (table.sample(shownAt: 0), table.sample(shownAt: table.count - 1))
    let end = table.presentationTime(last) + table.duration(last)
    unsafe outWasPinned?.pointee = ObjCBool(wanted < table.presentationTime(first) || wanted >= end)
    return presentationTimeStamp - before
  }

  open func comparePositionInDecodeOrder(withPositionOf cursor: AVSampleCursor) -> ComparisonResult {
    index < cursor.index ? .orderedAscending : index > cursor.index ? .orderedDescending : .orderedSame
  }

  /// Whether a sample that is decoded before the other cursor's is shown after it, and the reverse.
  open func samplesWithEarlierDecodeTimeStampsMayHaveLaterPresentationTimeStamps(than cursor: AVSampleCursor) -> Bool {
    let place = cursor.table.place(ofShown: cursor.index)
    return index > 0 && (0..<index).contains { table.place(ofShown: $0) > place }
  }
  open func samplesWithLaterDecodeTimeStampsMayHaveEarlierPresentationTimeStamps(than cursor: AVSampleCursor) -> Bool {
    let place = cursor.table.place(ofShown: cursor.index)
    return index + 1 < table.count && (index + 1..<table.count).contains { table.place(ofShown: $0) < place }
  }

  // MARK: The sample

  open var presentationTimeStamp: CMTime { table.presentationTime(index) }
  open var decodeTimeStamp: CMTime { table.decodeTime(index) }
  open var currentSampleDuration: CMTime { table.duration(index) }

  /// The description of the sample's form.
  open func copyCurrentSampleFormatDescription() -> CMFormatDescription {
    format ?? CMFormatDescription(sound: AudioStreamBasicDescription())
  }

  open var currentSampleSyncInfo: AVSampleCursorSyncInfo {
    var info = AVSampleCursorSyncInfo()
    info.sampleIsFullSync = ObjCBool(table.isSync(index))
    info.sampleIsPartialSync = ObjCBool(table.isPartialSync(index))
    info.sampleIsDroppable = ObjCBool(dependency(at: 2) == 2)
    return info
  }

  /// The statements of the file on dependencies, in its table `sdtp`; what a file without one does not say is not indicated.
  open var currentSampleDependencyInfo: AVSampleCursorDependencyInfo {
    var info = AVSampleCursorDependencyInfo()
    let (dependsOn, isDependedOn, redundancy) = (dependency(at: 4), dependency(at: 2), dependency(at: 0))
    info.sampleIndicatesWhetherItDependsOnOthers = ObjCBool(dependsOn != 0)
    info.sampleDependsOnOthers = ObjCBool(dependsOn == 1)
    info.sampleIndicatesWhetherItHasDependentSamples = ObjCBool(isDependedOn != 0)
    info.sampleHasDependentSamples = ObjCBool(isDependedOn == 1)
    info.sampleIndicatesWhetherItHasRedundantCoding = ObjCBool(redundancy != 0)
    info.sampleHasRedundantCoding = ObjCBool(redundancy == 1)
    return info
  }

  private func dependency(at shift: UInt8) -> UInt8 {
    table.dependencies.indices.contains(index) ? table.dependencies[index] >> shift & 3 : 0
  }

  /// The number of samples that a decoder needs before this one looks right: those since the last one with which it can begin.
  open var samplesRequiredForDecoderRefresh: Int {
    let sync = (0...index).reversed().first { table.isSync($0) } ?? 0
    return index - sync
  }

  // MARK: The place in the file

  open var currentChunkStorageURL: URL? { url }
  open var currentChunkStorageRange: AVSampleCursorStorageRange { stored(table.chunk(of: index).samples) }
  open var currentSampleStorageRange: AVSampleCursorStorageRange { stored(index..<index + 1) }
  open var currentSampleIndexInChunk: Int64 { Int64(index - table.chunk(of: index).samples.lowerBound) }

  open var currentChunkInfo: AVSampleCursorChunkInfo {
    let samples = table.chunk(of: index).samples
    var info = AVSampleCursorChunkInfo()
    info.chunkSampleCount = Int64(samples.count)
    if case .same = table.sizes {
      info.chunkHasUniformSampleSizes = true
    } else {
      info.chunkHasUniformSampleSizes = ObjCBool(samples.allSatisfy { table.size($0) == table.size(samples.lowerBound) })
    }
    let length = table.durations.value(samples.lowerBound)
    let spans = table.durations.sum(before: samples.upperBound - 1) - table.durations.sum(before: samples.lowerBound)
    // Where all are as long as the first, they are so together; and where they are not, some run of other ones begins.
    let isOneRun = table.durations.run(samples.lowerBound) == table.durations.run(samples.upperBound - 1)
    info.chunkHasUniformSampleDurations = ObjCBool(
      isOneRun || spans == length * Int64(samples.count - 1) && samples.allSatisfy { table.durations.value($0) == length })
    info.chunkHasUniformFormatDescriptions = true
    return info
  }

  private func stored(_ samples: Range<Int>) -> AVSampleCursorStorageRange {
    let place = table.place(of: samples)
    var range = AVSampleCursorStorageRange()
    (range.offset, range.length) = (Int64(clamping: place.offset), Int64(place.length))
    return range
  }
}
