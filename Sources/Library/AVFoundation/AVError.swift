@_exported public import AVFoundation.AVAsset
@_exported public import CoreImage
@_exported public import CoreMedia
@_exported public import CoreVideo
@_exported public import MobileCoreServices
@_exported public import QuartzCore
@_exported public import UniformTypeIdentifiers

public let AVFoundationErrorDomain = "AVFoundationErrorDomain"
/// The key of an error's time in `userInfo`: a CMTime.
public let AVErrorTimeKey = "AVErrorTime"
/// The key, in `userInfo`, of the URL of the medium at fault.
public let AVErrorSpoolURLKey = "AVErrorSpoolURL"
/// The key, in `userInfo`, of the property at fault, such as "frameDuration".
public let AVErrorSpoolPropertyKey = "AVErrorSpoolProperty"

/// An error of this library. As an NSError it has the domain, the code and the user info of AVFoundation's.
public struct AVError: Error, CustomNSError, LocalizedError, CustomStringConvertible, Equatable {
  public let code: Code
  /// The reason in words, which names the thing at fault.
  public let reason: String
  /// The property, the medium and the time at fault, where they are known.
  public let property: String?
  public let url: URL?
  public let time: CMTime?

  public init(_ code: Code, _ reason: String, property: String? = nil, url: URL? = nil, time: CMTime? = nil) {
    (self.code, self.reason, self.property, self.url, self.time) = (code, reason, property, url, time)
  }

  /// Makes an error as AVFoundation makes one. The reason, the time and the place are those of `userInfo`.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    let reason = userInfo[NSLocalizedDescriptionKey] as? String ?? userInfo[NSLocalizedFailureReasonErrorKey] as? String
    let time = userInfo[AVErrorTimeKey] as? CMTime ?? (userInfo[AVErrorTimeKey] as? NSValue)?.timeValue
    self.init(
      code, reason ?? "The operation could not be completed (\(code))", property: userInfo[AVErrorSpoolPropertyKey] as? String,
      url: userInfo[AVErrorSpoolURLKey] as? URL, time: time)
  }

  public var userInfo: [String: Any] { errorUserInfo }

  public static var errorDomain: String { AVFoundationErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] {
    var facts: [String: Any] = [
      NSLocalizedDescriptionKey: reason, NSLocalizedFailureReasonErrorKey: reason,
    ]
    if let property { facts[AVErrorSpoolPropertyKey] = property }
    if let url { facts[AVErrorSpoolURLKey] = url }
    if let time { facts[AVErrorTimeKey] = time }
    return facts
  }
  public var errorDescription: String? { reason }
  public var failureReason: String? { reason }
  public var description: String { "\(AVFoundationErrorDomain) \(code.rawValue): \(reason)" }
}
