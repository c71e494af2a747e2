import MediaTime

/// A value at a time that is made first. Functions of times take them as expressions, and these may not throw.
func at<Value>(_ time: MediaTime, _ value: (MediaTime) throws -> Value) rethrows -> Value { try value(time) }
