// The host's clock as Apple's systems name it. It is the one of CACurrentMediaTime().

/// The fraction by which ticks of the host's clock become nanoseconds.
public struct mach_timebase_info_data_t: Hashable, Sendable {
  public var numer: UInt32
  public var denom: UInt32
  public init(numer: UInt32 = 0, denom: UInt32 = 0) { (self.numer, self.denom) = (numer, denom) }
}

/// The time of the host's clock in ticks, each of which is a nanosecond here.
@discardableResult
public func mach_absolute_time() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// An empty fraction, for the call below.
public func mach_timebase_info(numer: UInt32 = 0, denom: UInt32 = 0) -> mach_timebase_info_data_t {
  mach_timebase_info_data_t(numer: numer, denom: denom)
}

/// Gives the fraction by which ticks become nanoseconds: one.
///
/// - Returns: 0, always.
@discardableResult
public func mach_timebase_info(_ info: UnsafeMutablePointer<mach_timebase_info_data_t>!) -> Int32 {
  unsafe info?.pointee = mach_timebase_info_data_t(numer: 1, denom: 1)
  return 0
}
