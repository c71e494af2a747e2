extension NSDictionary {
  /// The settings, by their names. Functions of C take an `NSDictionary` in place of a `CFDictionary` on Apple's systems.
  package var settings: CFDictionary {
    var made: CFDictionary = [:]
    for case (let key as String, let value) in self { made[key] = value }
    return made
  }
}

extension NSError {
  /// Makes an error without a domain, as `NSError()` does: an extension cannot override `init()`, so that this has a parameter, which
  /// nobody gives.
  public convenience init(_ nothing: Void = ()) { self.init(domain: "", code: 0, userInfo: nil) }
}
