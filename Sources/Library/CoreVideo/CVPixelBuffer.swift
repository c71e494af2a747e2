/// Makes a picture in fresh memory. Rows begin at multiples of 64 bytes, so that they may be longer than their pixels.
///
/// - Returns: `kCVReturnInvalidPixelFormat` for a format that this library does not have, `kCVReturnInvalidSize` for sides outside
///   of 1...32768.
public func CVPixelBufferCreate(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType, _ pixelBufferAttributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  switch CVBuffer.make(width, height, pixelFormatType, pixelBufferAttributes ?? [:]) {
  case .success(let buffer):
    unsafe pixelBufferOut.initialize(to: buffer)
    return kCVReturnSuccess
  case .failure(let failure): return failure.code
  }
}

@_disfavoredOverload
public func CVPixelBufferCreate(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType, _ pixelBufferAttributes: NSDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  unsafe CVPixelBufferCreate(allocator, width, height, pixelFormatType, pixelBufferAttributes?.settings, pixelBufferOut)
}

public typealias CVPixelBufferReleaseBytesCallback = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Void
public typealias CVPixelBufferReleasePlanarBytesCallback =
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafeRawPointer?, Int, Int, UnsafeMutablePointer<UnsafeRawPointer?>?
  ) -> Void

/// Makes a picture of memory that is there. It is the caller's until the callback is called.
public func CVPixelBufferCreateWithBytes(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType, _ baseAddress: UnsafeMutableRawPointer,
  _ bytesPerRow: Int, _ releaseCallback: CVPixelBufferReleaseBytesCallback?, _ releaseRefCon: UnsafeMutableRawPointer?,
  _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  guard let layout = PixelLayout(pixelFormatType), !layout.isPlanar else { return kCVReturnInvalidPixelFormat }
  guard CVBuffer.sides.contains(width), CVBuffer.sides.contains(height) else { return kCVReturnInvalidSize }
  let shape = CVBuffer.Shape(layout, width, height, alignment: 1)
  guard bytesPerRow >= shape.rows[0].bytesPerRow else { return kCVReturnInvalidArgument }
  let plane = unsafe CVBuffer.Plane(
    base: baseAddress, bytesPerRow: bytesPerRow, width: shape.rows[0].width, height: shape.rows[0].height)
  unsafe pixelBufferOut.initialize(
    to: unsafe CVBuffer(
      pixelFormatType, layout, width, height, [plane], byteCount: bytesPerRow * height,
      attributes: pixelBufferAttributes ?? [:]
    ) {
      unsafe releaseCallback?(releaseRefCon, UnsafeRawPointer(baseAddress))
    })
  return kCVReturnSuccess
}

/// Makes a picture of planes that are there. They are the caller's until the callback is called.
public func CVPixelBufferCreateWithPlanarBytes(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType, _ dataPtr: UnsafeMutableRawPointer?,
  _ dataSize: Int, _ numberOfPlanes: Int, _ planeBaseAddress: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
  _ planeWidth: UnsafeMutablePointer<Int>, _ planeHeight: UnsafeMutablePointer<Int>,
  _ planeBytesPerRow: UnsafeMutablePointer<Int>, _ releaseCallback: CVPixelBufferReleasePlanarBytesCallback?,
  _ releaseRefCon: UnsafeMutableRawPointer?, _ pixelBufferAttributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  guard let layout = PixelLayout(pixelFormatType) else { return kCVReturnInvalidPixelFormat }
  guard CVBuffer.sides.contains(width), CVBuffer.sides.contains(height) else { return kCVReturnInvalidSize }
  let shape = CVBuffer.Shape(layout, width, height, alignment: 1)
  guard numberOfPlanes == shape.rows.count else { return kCVReturnInvalidArgument }
  var planes = unsafe [CVBuffer.Plane]()
  for (index, row) in shape.rows.enumerated() {
    guard let base = unsafe planeBaseAddress[index], unsafe planeBytesPerRow[index] >= row.bytesPerRow else {
      return kCVReturnInvalidArgument
    }
    unsafe planes.append(.init(base: base, bytesPerRow: planeBytesPerRow[index], width: row.width, height: row.height))
  }
  unsafe pixelBufferOut.initialize(
    to: unsafe CVBuffer(
      pixelFormatType, layout, width, height, planes, byteCount: dataSize, attributes: pixelBufferAttributes ?? [:]
    ) {
      unsafe releaseCallback?(releaseRefCon, UnsafeRawPointer(dataPtr), dataSize, numberOfPlanes, nil)
    })
  return kCVReturnSuccess
}

/// Begins an access to the memory. Locks count.
@discardableResult
public func CVPixelBufferLockBaseAddress(_ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags) -> CVReturn {
  pixelBuffer.lock()
  return kCVReturnSuccess
}

/// - Returns: `kCVReturnInvalidArgument` where the picture is not locked.
@discardableResult
public func CVPixelBufferUnlockBaseAddress(_ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags) -> CVReturn {
  pixelBuffer.unlock() ? kCVReturnSuccess : kCVReturnInvalidArgument
}

public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.width }
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.height }
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType { pixelBuffer.type }
public func CVPixelBufferIsPlanar(_ pixelBuffer: CVPixelBuffer) -> Bool { pixelBuffer.layout.isPlanar }
/// The number of planes; 0 for a packed picture.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.layout.isPlanar ? unsafe pixelBuffer.planes.count : 0
}
public func CVPixelBufferGetDataSize(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.byteCount }
public func CVPixelBufferCopyCreationAttributes(_ pixelBuffer: CVPixelBuffer) -> CFDictionary { pixelBuffer.attributes }

/// The first byte of the first plane.
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
  unsafe pixelBuffer.planes[0].base
}
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int { unsafe pixelBuffer.planes[0].bytesPerRow }

/// The first byte of a plane; nil for a plane that the picture does not have. A packed picture's only plane is 0.
public func CVPixelBufferGetBaseAddressOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> UnsafeMutableRawPointer? {
  unsafe pixelBuffer.planes.indices.contains(planeIndex) ? pixelBuffer.planes[planeIndex].base : nil
}
public func CVPixelBufferGetBytesPerRowOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  unsafe pixelBuffer.planes.indices.contains(planeIndex) ? pixelBuffer.planes[planeIndex].bytesPerRow : 0
}
/// The width of a plane, in its own samples.
public func CVPixelBufferGetWidthOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  unsafe pixelBuffer.planes.indices.contains(planeIndex) ? pixelBuffer.planes[planeIndex].width : 0
}
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  unsafe pixelBuffer.planes.indices.contains(planeIndex) ? pixelBuffer.planes[planeIndex].height : 0
}

/// The bytes around the picture. There are none.
public func CVPixelBufferGetExtendedPixels(
  _ pixelBuffer: CVPixelBuffer, _ extraColumnsOnLeft: UnsafeMutablePointer<Int>?,
  _ extraColumnsOnRight: UnsafeMutablePointer<Int>?, _ extraRowsOnTop: UnsafeMutablePointer<Int>?,
  _ extraRowsOnBottom: UnsafeMutablePointer<Int>?
) {
  unsafe extraColumnsOnLeft?.pointee = 0
  unsafe extraColumnsOnRight?.pointee = 0
  unsafe extraRowsOnTop?.pointee = 0
  unsafe extraRowsOnBottom?.pointee = 0
}

public func CVImageBufferGetEncodedSize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CGSize(width: imageBuffer.width, height: imageBuffer.height)
}
public func CVImageBufferGetDisplaySize(_ imageBuffer: CVImageBuffer) -> CGSize { CVImageBufferGetEncodedSize(imageBuffer) }
public func CVImageBufferGetCleanRect(_ imageBuffer: CVImageBuffer) -> CGRect {
  CGRect(origin: .zero, size: CVImageBufferGetEncodedSize(imageBuffer))
}
/// Whether the first row is the topmost one. It is in every picture here.
public func CVImageBufferIsFlipped(_ imageBuffer: CVImageBuffer) -> Bool { true }
