extension CMSampleBuffer {
  /// The wishes for a list of a sample's sound.
  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let audioBufferListAssure16ByteAlignment = Flags(
      rawValue: kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment)
  }

  private func succeed(_ status: OSStatus) throws { if status != noErr { throw CMFailure(status) } }

  /// The bytes of all samples; 0 for a picture.
  public var totalSampleSize: Int { CMSampleBufferGetTotalSampleSize(self) }
  public func sampleSize(at sampleIndex: Int) -> Int { CMSampleBufferGetSampleSize(self, at: sampleIndex) }

  /// The bytes of each sample, or one number for all of them.
  public func sampleSizes() throws -> [Int] {
    guard !sizes.isEmpty else { throw CMFailure(kCMSampleBufferError_BufferHasNoSampleSizes) }
    return sizes
  }

  public var outputDecodeTimeStamp: CMTime { decodeTimeStamp }

  /// Samples are ready as soon as they have bytes.
  public func makeDataReady() throws {}

  /// Gives samples that have no bytes a block.
  public func setDataBuffer(_ dataBuffer: CMBlockBuffer) throws {
    try succeed(CMSampleBufferSetDataBuffer(self, newValue: dataBuffer))
  }

  /// Gives samples that have no bytes a copy of those of a list.
  public func setDataBuffer(
    fromAudioBufferList bufferList: UnsafePointer<AudioBufferList>,
    blockBufferMemoryAllocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []
  ) throws {
    try succeed(
      unsafe CMSampleBufferSetDataBufferFromAudioBufferList(
        self, blockBufferAllocator: nil, blockBufferMemoryAllocator: nil, flags: flags.rawValue, bufferList: bufferList))
  }

  /// Copies frames of linear PCM into the memory of a list.
  public func copyPCMData(fromRange range: Range<Int>, into bufferList: UnsafeMutablePointer<AudioBufferList>) throws {
    try succeed(
      unsafe CMSampleBufferCopyPCMDataIntoAudioBufferList(
        self, at: Int32(clamping: range.lowerBound), frameCount: Int32(clamping: range.count), into: bufferList))
  }

  /// Hands a list of the sound's buffers, and the block whose bytes they are, to a function.
  public func withAudioBufferList<Result>(
    blockBufferMemoryAllocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = [],
    body: (UnsafeMutableAudioBufferListPointer, CMBlockBuffer) throws -> Result
  ) throws -> Result {
    var size = 0
    try succeed(
      unsafe CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
        self, bufferListSizeNeededOut: &size, bufferListOut: nil, bufferListSize: 0, blockBufferAllocator: nil,
        blockBufferMemoryAllocator: nil, flags: flags.rawValue, blockBufferOut: nil))
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { unsafe memory.deallocate() }
    let list = unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    let buffers = unsafe UnsafeMutableRawPointer(list).assumingMemoryBound(to: AudioBufferList.self)
    try succeed(
      unsafe CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
        self, bufferListSizeNeededOut: nil, bufferListOut: buffers, bufferListSize: size, blockBufferAllocator: nil,
        blockBufferMemoryAllocator: nil, flags: flags.rawValue, blockBufferOut: nil))
    guard let block = dataBuffer else { throw CMFailure(kCMSampleBufferError_InvalidMediaFormat) }
    return try body(unsafe UnsafeMutableAudioBufferListPointer(buffers), block)
  }
}
