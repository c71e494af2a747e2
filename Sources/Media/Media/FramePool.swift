internal import CFFmpeg
internal import Synchronization

/// Memory for frames of one size, which is used again for each frame. A fresh allocation of megabytes would cost a page fault for
/// every 4 KiB. When a pool is forgotten, memory that is still in use is freed after its last use.
///
/// @unchecked Sendable: an AVBufferPool is itself safe for concurrent use, and the pointer never changes.
@safe final class FramePool: @unchecked Sendable {
  /// The alignment of row starts and strides, in bytes: a cache line, and the widest vector.
  static let alignment = 64
  /// The number of bytes after the last plane that vector code may read, but never uses.
  static let padding = 64
  /// The most pools that are kept. An attempt works with a few sizes at a time; the size that was used least recently is
  /// forgotten.
  private static let maxPools = 16
  /// The pools, the one that was used last at the end.
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

  /// A buffer of `byteCount` bytes with undefined content. The caller owns it (`av_buffer_unref`).
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
