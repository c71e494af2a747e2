public let kCMTimeValueKey: CFString = "value"
public let kCMTimeScaleKey: CFString = "timescale"
public let kCMTimeEpochKey: CFString = "epoch"
public let kCMTimeFlagsKey: CFString = "flags"
public let kCMTimeRangeStartKey: CFString = "start"
public let kCMTimeRangeDurationKey: CFString = "duration"

/// The time as a dictionary of numbers.
public func CMTimeCopyAsDictionary(_ time: CMTime, allocator: CFAllocator?) -> CFDictionary? {
  [
    kCMTimeValueKey: NSNumber(value: time.value), kCMTimeScaleKey: NSNumber(value: time.timescale),
    kCMTimeEpochKey: NSNumber(value: time.epoch), kCMTimeFlagsKey: NSNumber(value: time.flags.rawValue),
  ]
}

/// The time that a dictionary says; the invalid one where it says none.
public func CMTimeMakeFromDictionary(_ dictionaryRepresentation: CFDictionary?) -> CMTime {
  func number(_ key: CFString) -> Int64? {
    let value = dictionaryRepresentation?[key]
    return (value as? NSNumber)?.int64Value ?? (value as? any BinaryInteger).flatMap { Int64(exactly: $0) }
  }
  guard let value = number(kCMTimeValueKey), let scale = number(kCMTimeScaleKey).flatMap(Int32.init(exactly:)),
    let flags = number(kCMTimeFlagsKey).flatMap(UInt32.init(exactly:))
  else { return .invalid }
  return CMTime(value: value, timescale: scale, flags: CMTimeFlags(rawValue: flags), epoch: number(kCMTimeEpochKey) ?? 0)
}

/// The range as a dictionary of two times.
public func CMTimeRangeCopyAsDictionary(_ range: CMTimeRange, allocator: CFAllocator?) -> CFDictionary? {
  var facts: CFDictionary = [:]
  facts[kCMTimeRangeStartKey] = CMTimeCopyAsDictionary(range.start, allocator: allocator)
  facts[kCMTimeRangeDurationKey] = CMTimeCopyAsDictionary(range.duration, allocator: allocator)
  return facts
}

/// The range that a dictionary says; the invalid one where it says none.
public func CMTimeRangeMakeFromDictionary(_ dictionaryRepresentation: CFDictionary) -> CMTimeRange {
  let start = CMTimeMakeFromDictionary(dictionaryRepresentation[kCMTimeRangeStartKey] as? CFDictionary)
  let duration = CMTimeMakeFromDictionary(dictionaryRepresentation[kCMTimeRangeDurationKey] as? CFDictionary)
  return start.isValid && duration.isValid ? CMTimeRange(start: start, duration: duration) : .invalid
}
