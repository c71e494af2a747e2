@_exported public import Foundation

public struct OSLogType: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }
  public static let `default` = OSLogType(0x00)
  public static let info = OSLogType(0x01)
  public static let debug = OSLogType(0x02)
  public static let error = OSLogType(0x10)
  public static let fault = OSLogType(0x11)

  fileprivate var name: String {
    switch self {
    case .info: "info"
    case .debug: "debug"
    case .error: "error"
    case .fault: "fault"
    default: "notice"
    }
  }
}

/// A log of a part of a program. Messages of notice and above go to the standard error; those of info and debug are dropped.
public final class OSLog: NSObject, Sendable {
  public struct Category: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
    public static let dynamicTracing = Category(rawValue: "DynamicTracing")
  }

  let subsystem: String
  let category: String

  public init(subsystem: String, category: String) { (self.subsystem, self.category) = (subsystem, category) }
  public convenience init(subsystem: String, category: Category) { self.init(subsystem: subsystem, category: category.rawValue) }

  public static let `default` = OSLog(subsystem: "", category: "")
  public static let disabled = OSLog(subsystem: "", category: "disabled")

  public func isEnabled(type: OSLogType) -> Bool { category != "disabled" && type != .info && type != .debug }
  public var signpostsEnabled: Bool { false }

  func write(_ message: @autoclosure () -> String, _ type: OSLogType) {
    guard isEnabled(type: type) else { return }
    let origin = subsystem.isEmpty ? "" : " [\(subsystem):\(category)]"
    FileHandle.standardError.write(Data("\(type.name)\(origin) \(message())\n".utf8))
  }
}

public struct OSLogPrivacy: Sendable {
  public enum Mask: Sendable { case none, hash }
  fileprivate let isHidden: Bool
  public static var `public`: OSLogPrivacy { OSLogPrivacy(isHidden: false) }
  public static var `private`: OSLogPrivacy { OSLogPrivacy(isHidden: true) }
  public static var sensitive: OSLogPrivacy { OSLogPrivacy(isHidden: true) }
  public static var auto: OSLogPrivacy { OSLogPrivacy(isHidden: false) }
  public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(isHidden: true) }
  public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(isHidden: true) }
  public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(isHidden: false) }
}

public struct OSLogFloatFormatting: Sendable {
  fileprivate var digits: Int?
  public static var fixed: OSLogFloatFormatting { OSLogFloatFormatting() }
  public static func fixed(precision: @autoclosure () -> Int) -> OSLogFloatFormatting {
    OSLogFloatFormatting(digits: precision())
  }
}

/// A message whose parts may be hidden. A hidden part is written as `<private>`.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  let text: String
  public init(stringLiteral value: String) { text = value }
  public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
  fileprivate var text = ""
  public init(literalCapacity: Int, interpolationCount: Int) {}
  public mutating func appendLiteral(_ literal: String) { text += literal }
  public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value, privacy: OSLogPrivacy = .auto) {
    text += privacy.isHidden ? "<private>" : "\(value())"
  }
  public mutating func appendInterpolation(
    _ value: @autoclosure () -> Double, format: OSLogFloatFormatting, privacy: OSLogPrivacy = .auto
  ) {
    let shown = value()
    text += privacy.isHidden ? "<private>" : format.digits.map { String(format: "%.\($0)f", shown) } ?? "\(shown)"
  }
}

/// Writes messages to a log.
/// - Partly: notice and above go to the standard error
public struct Logger: Sendable {
  private let log: OSLog
  public init() { log = .default }
  public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }
  public init(_ logObj: OSLog) { log = logObj }

  public func log(_ message: OSLogMessage) { log.write(message.text, .default) }
  public func log(level: OSLogType, _ message: OSLogMessage) { log.write(message.text, level) }
  public func trace(_ message: OSLogMessage) { log.write(message.text, .debug) }
  public func debug(_ message: OSLogMessage) { log.write(message.text, .debug) }
  public func info(_ message: OSLogMessage) { log.write(message.text, .info) }
  public func notice(_ message: OSLogMessage) { log.write(message.text, .default) }
  public func warning(_ message: OSLogMessage) { log.write(message.text, .error) }
  public func error(_ message: OSLogMessage) { log.write(message.text, .error) }
  public func critical(_ message: OSLogMessage) { log.write(message.text, .fault) }
  public func fault(_ message: OSLogMessage) { log.write(message.text, .fault) }
}

/// Writes a message in the form of printf(3), such as "%{public}@" and "%d".
public func os_log(
  _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default, _ args: any CVarArg...
) {
  log.write(formatted("\(message)", args), type)
}

public func os_log(
  _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString, _ args: any CVarArg...
) {
  log.write(formatted("\(message)", args), type)
}

public func os_log(_ type: OSLogType = .default, log: OSLog = .default, _ message: OSLogMessage) { log.write(message.text, type) }

private func formatted(_ form: String, _ arguments: [any CVarArg]) -> String {
  let plain = form.replacingOccurrences(of: "%{public}", with: "%").replacingOccurrences(of: "%{private}", with: "%")
  return String(format: plain, arguments: arguments)
}
