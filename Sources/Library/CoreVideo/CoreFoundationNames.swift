@_exported public import Foundation

// Core Foundation's names for what Foundation has here. Its types are Swift's own, so that `key as String` and `[…] as CFDictionary`
// compile.
public typealias CFString = String
public typealias CFDictionary = [String: Any]
public typealias CFArray = [Any]
public typealias CFData = Data
public typealias CFURL = URL
public typealias CFNumber = NSNumber
public typealias CFBoolean = NSNumber
public typealias CFTypeRef = Any
public typealias CFIndex = Int
public typealias CFTypeID = UInt
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

/// Reads numbers out of dictionaries with values of any type. Foundation on Linux bridges few of them.
package enum AnyNumber {
  /// The whole number that a value stands for; nil where it is none.
  package static func whole(_ value: Any?) -> Int? {
    switch value {
    case let value as any BinaryInteger: Int(exactly: value)
    case let value as Double: Int(exactly: value)
    case let value as Float: Int(exactly: value)
    case let value as CGFloat: Int(exactly: Double(value))
    case let value as Bool: value ? 1 : 0
    case let value as NSNumber: Int(exactly: value.doubleValue)
    default: nil
    }
  }

  /// The number that a value stands for; nil where it is none.
  package static func real(_ value: Any?) -> Double? {
    switch value {
    case let value as any BinaryInteger: Double(value)
    case let value as Double: value
    case let value as Float: Double(value)
    case let value as CGFloat: Double(value)
    case let value as NSNumber: value.doubleValue
    default: nil
    }
  }

  /// The truth that a value stands for; nil where it is none.
  package static func truth(_ value: Any?) -> Bool? {
    switch value {
    case let value as Bool: value
    case let value as NSNumber: value.boolValue
    default: nil
    }
  }
}

/// Runs the body. Objects are freed with their last reference here, so that there is no pool.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
