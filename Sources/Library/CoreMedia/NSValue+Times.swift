// Foundation on Linux encodes no structures in an NSValue. Arrays of numbers of the same size do as well.
extension NSValue {
  public convenience init(time: CMTime) {
    var time = time
    unsafe self.init(bytes: &time, objCType: "[3q]")
  }

  public convenience init(timeRange: CMTimeRange) {
    var range = timeRange
    unsafe self.init(bytes: &range, objCType: "[6q]")
  }

  public convenience init(timeMapping: CMTimeMapping) {
    var mapping = timeMapping
    unsafe self.init(bytes: &mapping, objCType: "[12q]")
  }

  /// The time; the invalid one where the value holds something else.
  public var timeValue: CMTime { held("[3q]") ?? .invalid }
  public var timeRangeValue: CMTimeRange { held("[6q]") ?? .invalid }
  public var timeMappingValue: CMTimeMapping { held("[12q]") ?? CMTimeMapping() }

  private func held<Value>(_ encoding: String) -> Value? {
    guard unsafe String(cString: objCType) == encoding else { return nil }
    return unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { room in
      unsafe getValue(UnsafeMutableRawPointer(room.baseAddress!))
      return room.baseAddress!.pointee
    }
  }
}
