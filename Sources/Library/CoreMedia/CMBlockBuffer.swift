internal import Synchronization

public typealias CMBlockBufferFlags = UInt32
public typealias CMItemCount = Int

public let kCMBlockBufferNoErr: OSStatus = 0
public let kCMBlockBufferStructureAllocationFailedErr: OSStatus = -12700
public let kCMBlockBufferBlockAllocationFailedErr: OSStatus = -12701
public let kCMBlockBufferBadCustomBlockSourceErr: OSStatus = -12702
public let kCMBlockBufferBadOffsetParameterErr: OSStatus = -12703
public let kCMBlockBufferBadLengthParameterErr: OSStatus = -12704
public let kCMBlockBufferBadPointerParameterErr: OSStatus = -12705
public let kCMBlockBufferEmptyBBufErr: OSStatus = -12706
public let kCMBlockBufferAssureMemoryNowFlag: CMBlockBufferFlags = 1
public let kCMBlockBufferAlwaysCopyDataFlag: CMBlockBufferFlags = 2

/// The source of a block's memory. There is one way to get memory here.
/// - Partly: as `CMSampleBuffer`
public struct CMBlockBufferCustomBlockSource: Sendable {
  public init() {}
}

/// Bytes in memory.
// The memory's owner writes it, and hands it on. The pointer is constant.
/// - Partly: as `CMSampleBuffer`
@safe public final class CMBlockBuffer: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  let count: Int
  private let isOwned: Bool

  /// Makes a buffer of its own memory, filled with zeros.
  init(count: Int) {
    unsafe start = .allocate(byteCount: max(count, 1), alignment: 16)
    unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 1))
    (self.count, isOwned) = (count, true)
  }

  /// Makes a buffer of memory that it frees, as it came from malloc(3), or that stays its owner's.
  init(_ memory: UnsafeMutableRawPointer, count: Int) {
    unsafe start = unsafe memory
    (self.count, isOwned) = (count, false)
  }

  /// Makes a buffer with a copy of bytes.
  package convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count)
    unsafe bytes.withUnsafeBytes { source in
      if let first = source.baseAddress { unsafe start.copyMemory(from: first, byteCount: source.count) }
    }
  }

  deinit { if isOwned { unsafe start.deallocate() } }

  /// A copy of the bytes.
  package var bytes: [UInt8] { unsafe Array(UnsafeRawBufferPointer(start: start, count: count)) }

  public var dataLength: Int { count }
  public func dataBytes() throws -> Data { Data(bytes) }
  public func withUnsafeMutableBytes<Result>(
    atOffset offset: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    precondition(0...count ~= offset, "an offset within the block")
    return try unsafe body(UnsafeMutableRawBufferPointer(start: start + offset, count: count - offset))
  }
}

/// Makes a block.
///
/// - Parameter memoryBlock: memory that stays the caller's and outlives the block; nil for memory of the block's own.
public func CMBlockBufferCreateWithMemoryBlock(
  allocator structureAllocator: CFAllocator?, memoryBlock: UnsafeMutableRawPointer?, blockLength: Int,
  blockAllocator: CFAllocator?, customBlockSource: UnsafePointer<CMBlockBufferCustomBlockSource>?, offsetToData: Int,
  dataLength: Int, flags: CMBlockBufferFlags, blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
  guard offsetToData >= 0, dataLength >= 0, offsetToData + dataLength <= blockLength else {
    return kCMBlockBufferBadLengthParameterErr
  }
  if let memoryBlock = unsafe memoryBlock {
    unsafe blockBufferOut.initialize(to: unsafe CMBlockBuffer(memoryBlock + offsetToData, count: dataLength))
  } else {
    unsafe blockBufferOut.initialize(to: CMBlockBuffer(count: dataLength))
  }
  return kCMBlockBufferNoErr
}

public func CMBlockBufferGetDataLength(_ theBuffer: CMBlockBuffer) -> Int { theBuffer.count }
public func CMBlockBufferIsEmpty(_ theBuffer: CMBlockBuffer) -> Bool { theBuffer.count == 0 }
public func CMBlockBufferIsRangeContiguous(_ theBuffer: CMBlockBuffer, atOffset: Int, length: Int) -> Bool { true }
public func CMBlockBufferAssureBlockMemory(_ theBuffer: CMBlockBuffer) -> OSStatus { kCMBlockBufferNoErr }

public func CMBlockBufferReplaceDataBytes(
  with sourceBytes: UnsafeRawPointer, blockBuffer destinationBuffer: CMBlockBuffer, offsetIntoDestination: Int, dataLength: Int
) -> OSStatus {
  guard offsetIntoDestination >= 0 else { return kCMBlockBufferBadOffsetParameterErr }
  guard dataLength >= 0, offsetIntoDestination + dataLength <= destinationBuffer.count else {
    return kCMBlockBufferBadLengthParameterErr
  }
  unsafe (destinationBuffer.start + offsetIntoDestination).copyMemory(from: sourceBytes, byteCount: dataLength)
  return kCMBlockBufferNoErr
}

public func CMBlockBufferFillDataBytes(
  with fillByte: CChar, blockBuffer destinationBuffer: CMBlockBuffer, offsetIntoDestination: Int, dataLength: Int
) -> OSStatus {
  guard offsetIntoDestination >= 0, dataLength >= 0, offsetIntoDestination + dataLength <= destinationBuffer.count else {
    return kCMBlockBufferBadLengthParameterErr
  }
  unsafe (destinationBuffer.start + offsetIntoDestination).initializeMemory(
    as: CChar.self, repeating: fillByte, count: dataLength)
  return kCMBlockBufferNoErr
}

public func CMBlockBufferCopyDataBytes(
  _ theSourceBuffer: CMBlockBuffer, atOffset offsetToData: Int, dataLength: Int, destination: UnsafeMutableRawPointer
) -> OSStatus {
  guard offsetToData >= 0 else { return kCMBlockBufferBadOffsetParameterErr }
  guard dataLength >= 0, offsetToData + dataLength <= theSourceBuffer.count else { return kCMBlockBufferBadLengthParameterErr }
  unsafe destination.copyMemory(from: theSourceBuffer.start + offsetToData, byteCount: dataLength)
  return kCMBlockBufferNoErr
}

public func CMBlockBufferGetDataPointer(
  _ theBuffer: CMBlockBuffer, atOffset offset: Int, lengthAtOffsetOut: UnsafeMutablePointer<Int>?,
  totalLengthOut: UnsafeMutablePointer<Int>?, dataPointerOut: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OSStatus {
  guard 0...theBuffer.count ~= offset else { return kCMBlockBufferBadOffsetParameterErr }
  unsafe lengthAtOffsetOut?.pointee = theBuffer.count - offset
  unsafe totalLengthOut?.pointee = theBuffer.count
  unsafe dataPointerOut?.pointee = (theBuffer.start + offset).assumingMemoryBound(to: CChar.self)
  return kCMBlockBufferNoErr
}

extension CMBlockBuffer {
  public struct Flags: OptionSet, Sendable {
    public let rawValue: CMBlockBufferFlags
    public init(rawValue: CMBlockBufferFlags) { self.rawValue = rawValue }
    public static let assureMemoryNow = Flags(rawValue: kCMBlockBufferAssureMemoryNowFlag)
    public static let alwaysCopyData = Flags(rawValue: kCMBlockBufferAlwaysCopyDataFlag)
  }

  /// Makes a block of so many bytes, which are zero.
  public convenience init(length: Int, allocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []) throws {
    guard length >= 0 else { throw CMFailure(kCMBlockBufferBadLengthParameterErr) }
    self.init(count: length)
  }

  /// Makes a block of memory that stays the caller's and outlives the block.
  public convenience init(
    buffer: UnsafeMutableRawBufferPointer, allocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []
  ) throws {
    guard let start = buffer.baseAddress else { throw CMFailure(kCMBlockBufferBadPointerParameterErr) }
    unsafe self.init(start, count: buffer.count)
  }

  public var isEmpty: Bool { dataLength == 0 }

  /// Writes bytes over those from an offset on.
  public func replaceDataBytes(with buffer: UnsafeRawBufferPointer, at offset: Int = 0) throws {
    guard let start = buffer.baseAddress else { return }
    let status = unsafe CMBlockBufferReplaceDataBytes(
      with: start, blockBuffer: self, offsetIntoDestination: offset, dataLength: buffer.count)
    if status != kCMBlockBufferNoErr { throw CMFailure(status) }
  }

  public func fillDataBytes(with byte: CChar, in range: Range<Int>? = nil) throws {
    let range = range ?? 0..<dataLength
    let status = CMBlockBufferFillDataBytes(
      with: byte, blockBuffer: self, offsetIntoDestination: range.lowerBound, dataLength: range.count)
    if status != kCMBlockBufferNoErr { throw CMFailure(status) }
  }

  /// Copies the first bytes into the caller's memory, as many as that has.
  public func copyDataBytes(to buffer: UnsafeMutableRawBufferPointer) throws {
    guard let start = buffer.baseAddress else { return }
    let status = unsafe CMBlockBufferCopyDataBytes(self, atOffset: 0, dataLength: buffer.count, destination: start)
    if status != kCMBlockBufferNoErr { throw CMFailure(status) }
  }
}
