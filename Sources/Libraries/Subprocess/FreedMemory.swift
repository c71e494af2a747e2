internal import CLinux

/// The memory that was freed, and that the allocator has not given back to the machine.
package enum FreedMemory {
  /// The largest block that is taken from the heap, in bytes, which is also the most that the allocator accepts. It is above any
  /// frame.
  private static let largestBlock: Int32 = 32 << 20
  /// The most free memory at the end of the heap that is kept, in bytes.
  private static let mostKept: Int32 = 128 << 20

  /// Gives back what is free now, and keeps from then on what is freed: a process that makes frame after frame takes the memory of
  /// each again, and pages that were given back would have to be cleared by the kernel each time.
  package static func keep() { spool_keep_freed_memory(largestBlock, mostKept) }
}
