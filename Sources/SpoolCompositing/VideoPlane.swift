/// A plane of a frame: its samples, row by row from the top. Every access is checked; it keeps its frame alive.
public struct VideoPlane<Sample: FixedWidthInteger & BitwiseCopyable> {
  @usableFromInline let samples: PlaneSamples<Sample>

  init(_ samples: PlaneSamples<Sample>) { self.samples = samples }

  /// In samples.
  public var width: Int { samples.width }
  public var height: Int { samples.height }

  /// - Precondition: the place lies in the plane.
  @inlinable public subscript(x: Int, y: Int) -> Sample { samples.sample(x, y) }

  /// Gives the first sample's address and the distance of rows in samples. Valid during the call; not to be written to.
  @unsafe public func withUnsafePointer<Result, Failure: Error>(
    _ body: (_ base: UnsafePointer<Sample>, _ stride: Int) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(samples.owner) {} }
    return try unsafe body(UnsafePointer(samples.base), samples.stride)
  }
}

/// A plane of a frame that is being made.
///
/// Several threads may write to one plane at a time, each its own samples.
public struct MutableVideoPlane<Sample: FixedWidthInteger & BitwiseCopyable> {
  @usableFromInline let samples: PlaneSamples<Sample>

  init(_ samples: PlaneSamples<Sample>) { self.samples = samples }

  /// In samples.
  public var width: Int { samples.width }
  public var height: Int { samples.height }

  /// - Precondition: the place lies in the plane.
  @inlinable public subscript(x: Int, y: Int) -> Sample {
    get { samples.sample(x, y) }
    nonmutating set { samples.set(x, y, newValue) }
  }

  /// Gives the first sample's address and the distance of rows in samples. Valid during the call.
  @unsafe public func withUnsafeMutablePointer<Result, Failure: Error>(
    _ body: (_ base: UnsafeMutablePointer<Sample>, _ stride: Int) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(samples.owner) {} }
    return try unsafe body(samples.base, samples.stride)
  }
}

/// The memory of a plane, with its bounds and its owner.
// @safe: memory is reached through `sample` and `set` alone, which check the bounds; the owner keeps it alive.
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
