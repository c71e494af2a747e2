extension UserDefaults {
  /// The setting of a name, as `object(forKey:)` gives it.
  public func value(forKey key: String) -> Any? { object(forKey: key) }

  /// Keeps a setting, as `set(_:forKey:)` does; nil removes it.
  public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
}

extension NSValue {
  /// Makes a value that names an object, and does not keep it.
  public convenience init(nonretainedObject anObject: Any?) {
    var address = anObject.map { unsafe UInt(bitPattern: Unmanaged.passUnretained($0 as AnyObject).toOpaque()) } ?? 0
    unsafe self.init(bytes: &address, objCType: "Q")
  }
}
