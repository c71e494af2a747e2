public func CFArrayGetCount(_ theArray: CFArray!) -> CFIndex { theArray?.count ?? 0 }
public func CFDictionaryGetCount(_ theDict: CFDictionary!) -> CFIndex { theDict?.count ?? 0 }
public func CFDataGetLength(_ theData: CFData!) -> CFIndex { theData?.count ?? 0 }

/// The address of the bytes, which stay there as long as the data live.
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! {
  guard let theData else { return nil }
  return unsafe theData.withUnsafeBytes { unsafe $0.bindMemory(to: UInt8.self).baseAddress }
}

public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean?.boolValue ?? false }
public func CFStringGetLength(_ theString: CFString!) -> CFIndex { theString?.utf16.count ?? 0 }
public func CFEqual(_ cf1: CFTypeRef!, _ cf2: CFTypeRef!) -> Bool {
  guard let one = cf1 as? AnyHashable, let other = cf2 as? AnyHashable else { return false }
  return one == other
}

/// A collection that Objective-C walks through.
public protocol NSFastEnumeration {}
extension NSArray: NSFastEnumeration {}
extension Array: NSFastEnumeration {}

/// Runs the body. Objects are freed with their last reference here, so that there is no pool.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }

/// The identifier of a value's type: equal for values of one type, while the program runs.
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID {
  guard let value = cf else { return 0 }
  return CFTypeID(bitPattern: ObjectIdentifier(type(of: value)).hashValue)
}

/// The allocator in use. There is one way to get memory here, which has no object.
public func CFAllocatorGetDefault() -> CFUnmanaged<CFAllocator?>! { CFUnmanaged(kCFAllocatorDefault) }
public let kCFAllocatorNull: CFAllocator? = nil
public let kCFAllocatorSystemDefault: CFAllocator? = nil
public let kCFAllocatorMalloc: CFAllocator? = nil

/// Makes data without bytes, which grow as they are written.
public func CFDataCreateMutable(_ allocator: CFAllocator?, _ capacity: CFIndex) -> CFMutableData? { NSMutableData() }
