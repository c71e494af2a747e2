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

  /// The value, where it is of this type: a number, a time, a range of times or a mapping; nil for others.
  public func value<StoredType>(of type: StoredType.Type) -> StoredType? {
    if let number = self as? NSNumber {
      let values: [Any] = [
        number.int32Value, number.intValue, number.uint32Value, number.uintValue, number.int64Value, number.uint64Value,
        number.int16Value, number.uint16Value, number.int8Value, number.uint8Value, number.doubleValue, number.floatValue,
        number.boolValue,
      ]
      return values.lazy.compactMap { $0 as? StoredType }.first
    }
    switch type {
    case is CMTime.Type: return held("[3q]")
    case is CMTimeRange.Type: return held("[6q]")
    case is CMTimeMapping.Type: return held("[12q]")
    default: return nil
    }
  }

  private func held<Value>(_ encoding: String) -> Value? {
    guard unsafe String(cString: objCType) == encoding else { return nil }
    return unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { room in
      unsafe getValue(UnsafeMutableRawPointer(room.baseAddress!))
      return room.baseAddress!.pointee
    }
  }
}
