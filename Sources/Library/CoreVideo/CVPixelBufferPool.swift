internal import Synchronization

public let kCVPixelBufferPoolMinimumBufferCountKey: CFString = "MinimumBufferCount"
public let kCVPixelBufferPoolMaximumBufferAgeKey: CFString = "MaximumBufferAge"
public let kCVPixelBufferPoolAllocationThresholdKey: CFString = "BufferPoolAllocationThreshold"

public struct CVPixelBufferPoolFlushFlags: OptionSet, Hashable, Sendable {
  public let rawValue: CVOptionFlags
  public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }
  public static let excessBuffers = CVPixelBufferPoolFlushFlags(rawValue: 1)
}

/// Memory for pictures of one size and format, which is used again when a picture is given up.
// The attributes are constant. The lock guards the rest.
/// - Partly: keeps 16 pieces of memory at most; ages are not counted
public final class CVPixelBufferPool: @unchecked Sendable {
  fileprivate let attributes: [String: Any]
  fileprivate let poolAttributes: [String: Any]
  private let (width, height): (Int, Int)
  private let type: OSType
  /// The memory that no picture uses, and the number of pictures that use some.
  private let state = Mutex((free: [PictureMemory](), used: 0))
  /// The most pieces of memory that are kept.
  private static let mostFree = 16

  package init?(attributes: [String: Any], poolAttributes: [String: Any] = [:]) {
    let types = attributes[kCVPixelBufferPixelFormatTypeKey]
    let first = (types as? [Any])?.first ?? types
    guard let width = AnyNumber.whole(attributes[kCVPixelBufferWidthKey]),
      let height = AnyNumber.whole(attributes[kCVPixelBufferHeightKey]),
      let type = AnyNumber.whole(first).flatMap({ OSType(exactly: $0) })
    else { return nil }
    (self.width, self.height, self.type) = (width, height, type)
    (self.attributes, self.poolAttributes) = (attributes, poolAttributes)
  }

  /// Makes a picture.
  ///
  /// - Parameter threshold: the number of pictures from which on none is made; nil for no bound.
  package func buffer(below threshold: Int? = nil) -> Result<CVPixelBuffer, any Error> {
    let (isAllowed, memory) = state.withLock { state -> (Bool, PictureMemory?) in
      if let threshold, state.used >= threshold { return (false, nil) }
      state.used += 1
      return (true, state.free.popLast())
    }
    guard isAllowed else { return .failure(CVFailure(code: kCVReturnWouldExceedAllocationThreshold)) }
    let made = CVBuffer.make(width, height, type, attributes, memory: memory) { [weak self] memory in self?.take(back: memory) }
    if case .failure = made { state.withLock { $0.used -= 1 } }
    return made.mapError { $0 }
  }

  private func take(back memory: PictureMemory) {
    state.withLock { state in
      state.used -= 1
      if state.free.count < Self.mostFree { state.free.append(memory) }
    }
  }

  fileprivate func flush() { state.withLock { $0.free = [] } }
}

public func CVPixelBufferPoolCreate(
  _ allocator: CFAllocator?, _ poolAttributes: CFDictionary?, _ pixelBufferAttributes: CFDictionary?,
  _ poolOut: UnsafeMutablePointer<CVPixelBufferPool?>
) -> CVReturn {
  guard let pool = CVPixelBufferPool(attributes: pixelBufferAttributes ?? [:], poolAttributes: poolAttributes ?? [:]) else {
    return kCVReturnInvalidPixelBufferAttributes
  }
  unsafe poolOut.initialize(to: pool)
  return kCVReturnSuccess
}

public func CVPixelBufferPoolCreatePixelBuffer(
  _ allocator: CFAllocator?, _ pixelBufferPool: CVPixelBufferPool, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  unsafe CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(allocator, pixelBufferPool, nil, pixelBufferOut)
}

/// - Parameter auxAttributes: may have `kCVPixelBufferPoolAllocationThresholdKey`, the most pictures of the pool at once.
public func CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
  _ allocator: CFAllocator?, _ pixelBufferPool: CVPixelBufferPool, _ auxAttributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  let threshold = AnyNumber.whole(auxAttributes?[kCVPixelBufferPoolAllocationThresholdKey])
  switch pixelBufferPool.buffer(below: threshold) {
  case .success(let buffer):
    unsafe pixelBufferOut.initialize(to: buffer)
    return kCVReturnSuccess
  case .failure(let failure): return (failure as? CVFailure)?.code ?? kCVReturnPoolAllocationFailed
  }
}

public func CVPixelBufferPoolFlush(_ pool: CVPixelBufferPool, _ options: CVPixelBufferPoolFlushFlags) { pool.flush() }
public func CVPixelBufferPoolGetAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? { pool.poolAttributes }
public func CVPixelBufferPoolGetPixelBufferAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? { pool.attributes }

@_disfavoredOverload
public func CVPixelBufferPoolCreate(
  _ allocator: CFAllocator?, _ poolAttributes: NSDictionary?, _ pixelBufferAttributes: NSDictionary?,
  _ poolOut: UnsafeMutablePointer<CVPixelBufferPool?>
) -> CVReturn {
  unsafe CVPixelBufferPoolCreate(allocator, poolAttributes?.settings, pixelBufferAttributes?.settings, poolOut)
}
