@_exported public import Foundation

// Core Foundation's names for what Foundation has here. Its types are Swift's own, so that `key as String` and `[…] as CFDictionary`
// compile as on Apple's systems.

// Partly: names for Swift's and Foundation's own types.
public typealias CFString = String
public typealias CFMutableString = NSMutableString
public typealias CFDictionary = [String: Any]
public typealias CFMutableDictionary = NSMutableDictionary
public typealias CFArray = [Any]
public typealias CFMutableArray = NSMutableArray
public typealias CFData = Data
public typealias CFMutableData = NSMutableData
public typealias CFNumber = NSNumber
public typealias CFBoolean = NSNumber
public typealias CFURL = URL
public typealias CFError = NSError
public typealias CFDate = Date
public typealias CFUUID = UUID
public typealias CFAttributedString = NSAttributedString
public typealias CFMutableAttributedString = NSMutableAttributedString
public typealias CFTypeRef = Any
public typealias CFPropertyList = Any

public typealias NSInteger = Int
public typealias NSUInteger = UInt
public typealias CFIndex = Int
public typealias CFTypeID = UInt
public typealias CFOptionFlags = UInt
public typealias CFHashCode = UInt
/// Seconds since 2001-01-01 00:00:00 GMT.
public typealias CFAbsoluteTime = Double
/// A duration in seconds.
public typealias CFTimeInterval = Double

public typealias OSType = UInt32
public typealias FourCharCode = UInt32
public typealias OSStatus = Int32

public let noErr: OSStatus = 0

/// An allocator. There is one way to get memory here, so that none can be made.
public final class CFAllocator: Sendable {
  private init() {}
}

public let kCFAllocatorDefault: CFAllocator? = nil

extension NSNumber {
  fileprivate static func flag(_ value: Bool) -> NSNumber { NSNumber(value: value) }
}

public var kCFBooleanTrue: CFBoolean! { .flag(true) }
public var kCFBooleanFalse: CFBoolean! { .flag(false) }

/// A part of a text or an array: the index of its first element, and the number of elements.
public struct CFRange: Hashable, Sendable {
  public var location: CFIndex
  public var length: CFIndex
  public init() { (location, length) = (0, 0) }
  public init(location: CFIndex, length: CFIndex) { (self.location, self.length) = (location, length) }
}

public func CFRangeMake(_ loc: CFIndex, _ len: CFIndex) -> CFRange { CFRange(location: loc, length: len) }

/// The seconds since 2001-01-01 00:00:00 GMT, by the clock of this machine.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }
public let kCFAbsoluteTimeIntervalSince1970: CFTimeInterval = 978_307_200

/// A value that Core Foundation's functions give without saying who owns it. Swift counts references here, so that both ways to take
/// it are the same.
public struct CFUnmanaged<Value> {
  private let value: Value
  package init(_ value: Value) { self.value = value }
  public func takeRetainedValue() -> Value { value }
  public func takeUnretainedValue() -> Value { value }
}
