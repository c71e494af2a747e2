/// A word of AVFoundation's that is a text in Objective-C, so that `key as NSString` compiles.
public protocol AVBridgedWord: _ObjectiveCBridgeable where _ObjectiveCType == NSString {
  init(rawValue: String)
  var rawValue: String { get }
}

extension AVBridgedWord {
  public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

  public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout Self?) {
    result = Self(rawValue: source.description)
  }

  public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout Self?) -> Bool {
    result = Self(rawValue: source.description)
    return true
  }

  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> Self {
    Self(rawValue: source?.description ?? "")
  }
}
