import Compositing
import Testing

/// A plane with guard bytes above it, below it and between its rows. A kernel must not change them.
// Safe: the memory is owned, set once, and freed once.
@safe final class GuardedPlane {
  private static let mark: UInt8 = 0xA5
  private static let margin = 64

  let plane: Plane
  private let memory: UnsafeMutableRawBufferPointer

  init(_ width: Int, _ height: Int, bytesPerSample: Int, _ sample: (Int, Int) -> Int = { _, _ in 0 }) {
    let stride = width * bytesPerSample + Self.margin
    unsafe memory = .allocate(byteCount: 2 * Self.margin + stride * height, alignment: 64)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: Self.mark)
    plane = unsafe Plane(
      base: memory.baseAddress! + Self.margin, stride: stride, width: width, height: height, bytesPerSample: bytesPerSample)
    for y in 0..<height {
      for x in 0..<width { self[x, y] = sample(x, y) }
    }
  }

  deinit { unsafe memory.deallocate() }

  subscript(x: Int, y: Int) -> Int {
    get {
      let place = offset(x, y)
      return plane.bytesPerSample == 1
        ? unsafe Int(memory.load(fromByteOffset: place, as: UInt8.self))
        : unsafe Int(memory.load(fromByteOffset: place, as: UInt16.self))
    }
    set {
      if plane.bytesPerSample == 1 {
        unsafe memory.storeBytes(of: UInt8(newValue), toByteOffset: offset(x, y), as: UInt8.self)
      } else {
        unsafe memory.storeBytes(of: UInt16(newValue), toByteOffset: offset(x, y), as: UInt16.self)
      }
    }
  }

  /// Whether every byte outside the samples is unchanged.
  var isUntouchedOutside: Bool {
    unsafe memory.indices.allSatisfy { index in
      let (row, column) = (index - Self.margin).quotientAndRemainder(dividingBy: plane.stride)
      let isSample = index >= Self.margin && row < plane.height && column < plane.width * plane.bytesPerSample
      return unsafe isSample || memory[index] == Self.mark
    }
  }

  private func offset(_ x: Int, _ y: Int) -> Int { Self.margin + y * plane.stride + x * plane.bytesPerSample }
}
