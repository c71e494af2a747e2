/// One plane of a frame: its samples, row by row from the top. Every access is checked. The plane keeps its frame alive.
public struct VideoPlane<Sample: FixedWidthInteger & BitwiseCopyable> {
  @usableFromInline let samples: PlaneSamples<Sample>

  init(_ samples: PlaneSamples<Sample>) { self.samples = samples }

  /// The width in samples.
  public var width: Int { samples.width }
  public var height: Int { samples.height }

  /// - Precondition: the position is in the plane.
  @inlinable public subscript(x: Int, y: Int) -> Sample { samples.sample(x, y) }

  /// Calls `body` with the first sample's address and the distance between rows in samples. The address is valid during the call
  /// and must not be written to.
  @unsafe public func withUnsafePointer<Result, Failure: Error>(
    _ body: (_ base: UnsafePointer<Sample>, _ stride: Int) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(samples.owner) {} }
    return try unsafe body(UnsafePointer(samples.base), samples.stride)
  }
}

/// One plane of a frame that is being made.
///
/// Several threads may write to one plane at the same time, each to samples of its own.
public struct MutableVideoPlane<Sample: FixedWidthInteger & BitwiseCopyable> {
  @usableFromInline let samples: PlaneSamples<Sample>

  init(_ samples: PlaneSamples<Sample>) { self.samples = samples }

  /// The width in samples.
  public var width: Int { samples.width }
  public var height: Int { samples.height }

  /// - Precondition: the position is in the plane.
  @inlinable public subscript(x: Int, y: Int) -> Sample {
    get { samples.sample(x, y) }
    nonmutating set { samples.set(x, y, newValue) }
  }

  /// Calls `body` with the first sample's address and the distance between rows in samples. The address is valid during the call.
  @unsafe public func withUnsafeMutablePointer<Result, Failure: Error>(
    _ body: (_ base: UnsafeMutablePointer<Sample>, _ stride: Int) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(samples.owner) {} }
    return try unsafe body(samples.base, samples.stride)
  }
}

/// The memory of a plane, with its bounds and its owner.
// @safe: memory is reached only through `sample` and `set`, which check the bounds. The owner keeps it alive.
@safe @usableFromInline struct PlaneSamples<Sample: FixedWidthInteger & BitwiseCopyable> {
  @usableFromInline let base: UnsafeMutablePointer<Sample>
  @usableFromInline let stride: Int
  @usableFromInline let width: Int
  @usableFromInline let height: Int
  @usableFromInline let owner: VideoFrame

  init(base: UnsafeMutablePointer<Sample>, stride: Int, width: Int, height: Int, owner: VideoFrame) {
    unsafe self.base = base
    (self.stride, self.width, self.height, self.owner) = (stride, width, height, owner)
  }

  @inlinable func sample(_ x: Int, _ y: Int) -> Sample { unsafe base[offset(x, y)] }

  @inlinable func set(_ x: Int, _ y: Int, _ value: Sample) { unsafe base[offset(x, y)] = value }

  @inlinable func offset(_ x: Int, _ y: Int) -> Int {
    precondition(x >= 0 && x < width && y >= 0 && y < height, "the sample lies in the plane")
    return y &* stride &+ x
  }
}
