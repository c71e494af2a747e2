// The C library's functions as Apple's systems declare them: addresses may be nil, such as those that CVPixelBufferGetBaseAddress gives.

/// Copies bytes, as memcpy(3) does. Addresses of nil are for no bytes alone.
@_disfavoredOverload @discardableResult
public func memcpy(
  _ destination: UnsafeMutableRawPointer!, _ source: UnsafeRawPointer!, _ count: Int
) -> UnsafeMutableRawPointer! {
  if count > 0 { unsafe destination!.copyMemory(from: source!, byteCount: count) }
  return unsafe destination
}

/// Copies bytes between places that may overlap, as memmove(3) does. Addresses of nil are for no bytes alone.
@_disfavoredOverload @discardableResult
public func memmove(
  _ destination: UnsafeMutableRawPointer!, _ source: UnsafeRawPointer!, _ count: Int
) -> UnsafeMutableRawPointer! {
  if count > 0 { unsafe destination!.copyMemory(from: source!, byteCount: count) }
  return unsafe destination
}

/// Fills bytes, as memset(3) does. An address of nil is for no bytes alone.
@_disfavoredOverload @discardableResult
public func memset(_ destination: UnsafeMutableRawPointer!, _ value: Int32, _ count: Int) -> UnsafeMutableRawPointer! {
  if count > 0 {
    unsafe destination!.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: value), count: count)
  }
  return unsafe destination
}
