/// The buffers of a list, wherever it lies. They lie one after the other behind the list's number. The pointer owns nothing.
@safe public struct UnsafeMutableAudioBufferListPointer {
  /// The list.
  public var unsafeMutablePointer: UnsafeMutablePointer<AudioBufferList>

  public init(_ p: UnsafeMutablePointer<AudioBufferList>) { unsafe unsafeMutablePointer = unsafe p }

  public init?(_ p: UnsafeMutablePointer<AudioBufferList>?) {
    guard let p = unsafe p else { return nil }
    unsafe unsafeMutablePointer = unsafe p
  }

  public var unsafePointer: UnsafePointer<AudioBufferList> { unsafe UnsafePointer(unsafeMutablePointer) }
}

extension UnsafeMutableAudioBufferListPointer: MutableCollection, RandomAccessCollection {
  /// The number of buffers. Whoever sets it promises that there is memory for them.
  public var count: Int {
    get { unsafe Int(unsafeMutablePointer.pointee.mNumberBuffers) }
    nonmutating set { unsafe unsafeMutablePointer.pointee.mNumberBuffers = UInt32(newValue) }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  public subscript(index: Int) -> AudioBuffer {
    get {
      precondition(index >= 0 && index < count, "the list has \(count) buffers")
      return unsafe address(index).pointee
    }
    nonmutating set {
      precondition(index >= 0 && index < count, "the list has \(count) buffers")
      unsafe address(index).pointee = newValue
    }
  }

  private func address(_ index: Int) -> UnsafeMutablePointer<AudioBuffer> {
    let first = MemoryLayout<AudioBufferList>.size - MemoryLayout<AudioBuffer>.size
    let bytes = unsafe UnsafeMutableRawPointer(unsafeMutablePointer) + first
    return unsafe bytes.assumingMemoryBound(to: AudioBuffer.self) + index
  }
}

extension AudioBufferList {
  /// The bytes of a list of so many buffers.
  public static func sizeInBytes(maximumBuffers: Int) -> Int {
    precondition(maximumBuffers >= 1, "a list has at least one buffer")
    return MemoryLayout<AudioBufferList>.size + (maximumBuffers - 1) * MemoryLayout<AudioBuffer>.stride
  }

  /// Allocates a list with so many buffers, all of them empty. The caller frees `unsafeMutablePointer` by `free`.
  public static func allocate(maximumBuffers: Int) -> UnsafeMutableAudioBufferListPointer {
    let size = sizeInBytes(maximumBuffers: maximumBuffers)
    guard let bytes = unsafe calloc(1, size) else { preconditionFailure("no memory for \(size) bytes") }
    let list = unsafe UnsafeMutableAudioBufferListPointer(bytes.bindMemory(to: AudioBufferList.self, capacity: 1))
    list.count = maximumBuffers
    return list
  }
}

extension AudioBuffer {
  /// Makes a buffer of memory that holds numbers of one type, which the caller owns.
  public init<Element>(_ typedBuffer: UnsafeMutableBufferPointer<Element>, numberOfChannels: Int) {
    unsafe self.init(
      mNumberChannels: UInt32(numberOfChannels), mDataByteSize: UInt32(typedBuffer.count * MemoryLayout<Element>.stride),
      mData: UnsafeMutableRawPointer(typedBuffer.baseAddress))
  }
}

extension UnsafeMutableBufferPointer {
  /// The numbers of one type in a buffer's memory.
  public init(_ audioBuffer: AudioBuffer) {
    let count = Int(audioBuffer.mDataByteSize) / MemoryLayout<Element>.stride
    unsafe self.init(start: audioBuffer.mData?.assumingMemoryBound(to: Element.self), count: count)
  }
}

extension UnsafeBufferPointer {
  /// The numbers of one type in a buffer's memory.
  public init(_ audioBuffer: AudioBuffer) { unsafe self.init(UnsafeMutableBufferPointer(audioBuffer)) }
}
