internal import CFFmpeg
internal import Synchronization

/// Memory for frames of one size, used again frame after frame: a fresh allocation of megabytes costs a page fault for
/// every 4 KiB. Memory that is lent out when the pool goes is freed with its last user.
///
/// @unchecked Sendable: an AVBufferPool is itself safe for concurrent use, and the pointer never changes.
@safe final class FramePool: @unchecked Sendable {
  /// Row starts and strides are multiples of this many bytes: a cache line, and the widest vector.
  static let alignment = 64
  /// Extra bytes after the last plane, which vector code may read (never use).
  static let padding = 64
  /// An attempt works with a few sizes at a time; older ones are forgotten.
  private static let maxPools = 16
  /// Most recently used last.
  private static let pools = Mutex<[FramePool]>([])

  private let byteCount: Int
  private let pool: OpaquePointer

  private init(byteCount: Int) throws(MediaError) {
    guard let pool = unsafe av_buffer_pool_init(byteCount, nil) else { throw Self.noMemory(byteCount) }
    self.byteCount = byteCount
    unsafe self.pool = pool
  }

  deinit {
    var pool: OpaquePointer? = unsafe pool
    unsafe av_buffer_pool_uninit(&pool)
  }

  /// A buffer of `byteCount` bytes, owned by the caller (`av_buffer_unref`); its content is undefined.
  static func buffer(_ byteCount: Int) throws(MediaError) -> UnsafeMutablePointer<AVBufferRef> {
    let pool = try pools.withLock { (pools) throws(MediaError) -> FramePool in
      let index = pools.firstIndex { $0.byteCount == byteCount }
      let found = if let index { pools.remove(at: index) } else { try FramePool(byteCount: byteCount) }
      pools.append(found)
      if pools.count > maxPools { pools.removeFirst() }
      return found
    }
    guard let buffer = unsafe av_buffer_pool_get(pool.pool) else { throw noMemory(byteCount) }
    return unsafe buffer
  }

  private static func noMemory(_ byteCount: Int) -> MediaError {
    MediaError(.outOfMemory, at: "frame", "there is not enough memory for \(byteCount) bytes")
  }
}
