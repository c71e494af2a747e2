internal import Synchronization

public typealias CVReturn = Int32
public typealias CVOptionFlags = UInt64
public typealias CVImageBuffer = CVBuffer
public typealias CVPixelBuffer = CVImageBuffer

public let kCVReturnSuccess: CVReturn = 0
public let kCVReturnError: CVReturn = -6660
public let kCVReturnInvalidArgument: CVReturn = -6661
public let kCVReturnAllocationFailed: CVReturn = -6662
public let kCVReturnUnsupported: CVReturn = -6663
public let kCVReturnInvalidPixelFormat: CVReturn = -6680
public let kCVReturnInvalidSize: CVReturn = -6681
public let kCVReturnInvalidPixelBufferAttributes: CVReturn = -6682
public let kCVReturnWouldExceedAllocationThreshold: CVReturn = -6689
public let kCVReturnPoolAllocationFailed: CVReturn = -6690
public let kCVReturnInvalidPoolAttributes: CVReturn = -6691
public let kCVReturnRetry: CVReturn = -6692

public struct CVPixelBufferLockFlags: OptionSet, Hashable, Sendable {
  public let rawValue: CVOptionFlags
  public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }
  public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}

/// Whether an attachment goes with a picture to the ones that are made of it.
public enum CVAttachmentMode: UInt32, Hashable, Sendable {
  case shouldNotPropagate = 0
  case shouldPropagate = 1
}

/// A picture in memory.
// The memory's owner writes it, and hands it on. All else is constant, or guarded by the lock.
@safe public final class CVBuffer: @unchecked Sendable {
  @unsafe struct Plane {
    var base: UnsafeMutableRawPointer
    var bytesPerRow: Int
    var width: Int
    var height: Int
  }

  package let type: OSType
  package let layout: PixelLayout
  package let width: Int
  package let height: Int
  let planes: [Plane]
  let byteCount: Int
  let attributes: [String: Any]
  private let release: () -> Void
  private let state = Mutex(State())

  private struct State {
    var locks = 0
    var attachments: [String: (value: Sealed, mode: CVAttachmentMode)] = [:]
  }

  /// A value of any type, which its owner hands over and does not change any more.
  struct Sealed: @unchecked Sendable { var value: Any }

  init(
    _ type: OSType, _ layout: PixelLayout, _ width: Int, _ height: Int, _ planes: [Plane], byteCount: Int,
    attributes: [String: Any], release: @escaping () -> Void
  ) {
    (self.type, self.layout, self.width, self.height) = (type, layout, width, height)
    unsafe self.planes = unsafe planes
    (self.byteCount, self.attributes, self.release) = (byteCount, attributes, release)
  }

  deinit { release() }

  /// The largest side of a picture.
  static let sides = 1...32_768
  /// The alignment of memory and of rows, in bytes: a cache line.
  static let alignment = 64

  func lock() { state.withLock { $0.locks += 1 } }

  /// Takes back one lock.
  ///
  /// - Returns: false where there is none.
  func unlock() -> Bool {
    state.withLock { state in
      guard state.locks > 0 else { return false }
      state.locks -= 1
      return true
    }
  }

  func attach(_ value: Any?, _ key: String, _ mode: CVAttachmentMode) {
    let sealed = value.map(Sealed.init)
    state.withLock { state in state.attachments[key] = sealed.map { ($0, mode) } }
  }

  func attachment(_ key: String) -> (value: Any, mode: CVAttachmentMode)? {
    state.withLock { $0.attachments[key] }.map { ($0.value.value, $0.mode) }
  }

  func attachments(_ mode: CVAttachmentMode) -> [String: Any] {
    state.withLock(\.attachments).filter { $0.value.mode == mode }.mapValues { $0.value.value }
  }

  func detachAll() { state.withLock { $0.attachments = [:] } }
}

/// The memory of a picture, which is freed with its last owner.
// The pointer is constant. What it points to belongs to the picture that holds it.
@safe final class PictureMemory: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  let byteCount: Int

  init(byteCount: Int) {
    self.byteCount = byteCount
    unsafe start = .allocate(byteCount: byteCount, alignment: CVBuffer.alignment)
    // Fresh memory shows nothing of what was there before.
    unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  deinit { unsafe start.deallocate() }
}

extension CVBuffer {
  /// The places of a picture's planes from the memory's start.
  struct Shape {
    var layout: PixelLayout
    var rows: [(offset: Int, bytesPerRow: Int, width: Int, height: Int)] = []
    var byteCount = 0

    /// - Parameter alignment: the number of bytes of which each row's length is a multiple.
    init(_ layout: PixelLayout, _ width: Int, _ height: Int, alignment: Int) {
      self.layout = layout
      for plane in layout.planes {
        let columns = (width + (1 << plane.shift.x) - 1) >> plane.shift.x
        let lines = (height + (1 << plane.shift.y) - 1) >> plane.shift.y
        let stride = (columns * plane.bytes + alignment - 1) / alignment * alignment
        rows.append((byteCount, stride, columns, lines))
        byteCount += stride * lines
      }
    }
  }

  /// Makes a picture in memory of its own.
  static func make(
    _ width: Int, _ height: Int, _ type: OSType, _ attributes: [String: Any], memory: PictureMemory? = nil,
    recycle: ((PictureMemory) -> Void)? = nil
  ) -> Result<CVBuffer, CVFailure> {
    guard let layout = PixelLayout(type) else { return .failure(.init(code: kCVReturnInvalidPixelFormat)) }
    guard sides.contains(width), sides.contains(height) else { return .failure(.init(code: kCVReturnInvalidSize)) }
    guard let alignment = rowAlignment(attributes) else {
      return .failure(.init(code: kCVReturnInvalidPixelBufferAttributes))
    }
    let shape = Shape(layout, width, height, alignment: alignment)
    let memory = memory ?? PictureMemory(byteCount: shape.byteCount)
    let planes = unsafe shape.rows.map { row in
      unsafe Plane(base: memory.start + row.offset, bytesPerRow: row.bytesPerRow, width: row.width, height: row.height)
    }
    return .success(
      unsafe CVBuffer(type, layout, width, height, planes, byteCount: shape.byteCount, attributes: attributes) {
        // The memory lives as long as the picture.
        withExtendedLifetime(memory) { recycle?(memory) }
      })
  }

  /// The alignment that attributes ask for, at least a cache line; nil for one that is no power of two.
  static func rowAlignment(_ attributes: [String: Any]) -> Int? {
    guard let value = attributes[kCVPixelBufferBytesPerRowAlignmentKey] else { return alignment }
    guard let wanted = AnyNumber.whole(value), wanted > 0, wanted <= 1 << 16, wanted & (wanted - 1) == 0 else { return nil }
    return max(alignment, wanted)
  }
}

/// A code of Core Video's.
struct CVFailure: Error { let code: CVReturn }

public func CVBufferSetAttachment(
  _ buffer: CVBuffer, _ key: CFString, _ value: CFTypeRef, _ attachmentMode: CVAttachmentMode
) { buffer.attach(value, key, attachmentMode) }

public func CVBufferSetAttachments(
  _ buffer: CVBuffer, _ theAttachments: CFDictionary, _ attachmentMode: CVAttachmentMode
) { for (key, value) in theAttachments { buffer.attach(value, key, attachmentMode) } }

public func CVBufferCopyAttachment(
  _ buffer: CVBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<CVAttachmentMode>?
) -> CFTypeRef? {
  guard let found = buffer.attachment(key) else { return nil }
  unsafe attachmentMode?.pointee = found.mode
  return found.value
}

@available(*, deprecated, renamed: "CVBufferCopyAttachment")
public func CVBufferGetAttachment(
  _ buffer: CVBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<CVAttachmentMode>?
) -> Unmanaged<AnyObject>? {
  guard let found = unsafe CVBufferCopyAttachment(buffer, key, attachmentMode) else { return nil }
  let object = found as AnyObject
  // The caller gets a reference that it does not own, so the picture holds the object.
  buffer.attach(object, key, buffer.attachment(key)?.mode ?? .shouldPropagate)
  return unsafe Unmanaged.passUnretained(object)
}

public func CVBufferCopyAttachments(_ buffer: CVBuffer, _ attachmentMode: CVAttachmentMode) -> CFDictionary? {
  let found = buffer.attachments(attachmentMode)
  return found.isEmpty ? nil : found
}

public func CVBufferGetAttachments(_ buffer: CVBuffer, _ attachmentMode: CVAttachmentMode) -> CFDictionary? {
  CVBufferCopyAttachments(buffer, attachmentMode)
}

public func CVBufferHasAttachment(_ buffer: CVBuffer, _ key: CFString) -> Bool { buffer.attachment(key) != nil }
public func CVBufferRemoveAttachment(_ buffer: CVBuffer, _ key: CFString) { buffer.attach(nil, key, .shouldNotPropagate) }
public func CVBufferRemoveAllAttachments(_ buffer: CVBuffer) { buffer.detachAll() }

/// Gives the attachments that propagate to another picture.
public func CVBufferPropagateAttachments(_ sourceBuffer: CVBuffer, _ destinationBuffer: CVBuffer) {
  for (key, value) in sourceBuffer.attachments(.shouldPropagate) { destinationBuffer.attach(value, key, .shouldPropagate) }
}

public func CVPixelBufferGetTypeID() -> CFTypeID { CFTypeID(bitPattern: ObjectIdentifier(CVBuffer.self).hashValue) }
