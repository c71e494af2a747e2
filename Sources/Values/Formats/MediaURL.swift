/// The address of a medium that is no file on this machine: `https://host/path`, `http://host/path`, `s3://bucket/key`.
///
/// The rules are strict: a text that two programs could read as two different addresses is refused.
package struct MediaURL: Hashable, Sendable, CustomStringConvertible {
  package enum Scheme: String, Hashable, Sendable, CaseIterable { case https, http, s3 }

  /// The reason for which a text is no such URL.
  package struct Fault: Error, Hashable, Sendable {
    package let reason: String
    package init(reason: String) { self.reason = reason }
  }

  /// The URL as it was given.
  package let text: String
  package let scheme: Scheme
  /// The host in lower case, with its port unless that is the scheme's usual one. For S3 it is the bucket.
  package let host: String
  /// The path from its first slash, without the query. For S3 it is the key, without any encoding.
  package let path: String

  package init(_ text: String) throws(Fault) {
    let (scheme, rest) = try Self.parts(of: text)
    (self.text, self.scheme) = (text, scheme)
    let authority = rest.prefix { $0 != "/" && (scheme == .s3 || $0 != "?") }
    host = try Self.host(authority, scheme)
    let tail = rest.dropFirst(authority.count)
    guard scheme == .s3 else {
      path = "/" + tail.prefix { $0 != "?" }.dropFirst()
      try Self.requirePlain(path)
      return
    }
    path = String(tail.dropFirst())
    guard !path.isEmpty else { throw Fault(reason: "names a bucket without a key") }
    try Self.requirePlain(path)
  }

  /// Whether the bytes of both URLs are the same. Two texts that Unicode takes for equal may be two keys in S3.
  package static func == (a: MediaURL, b: MediaURL) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  package func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }

  /// The URL for messages. It has no query, which may be secret.
  package var description: String { scheme == .s3 ? text : String(text.prefix { $0 != "?" }) }

  /// The text that messages show for a path or a URL.
  package static func name(of path: String) -> String { SourceName(path).shown }

  /// Whether `name` looks like a bucket's name in S3: 3 to 63 lower-case letters, digits, dots and hyphens.
  package static func isBucket(_ name: some StringProtocol) -> Bool {
    3...63 ~= name.utf8.count
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  fileprivate static func parts(of text: String) throws(Fault) -> (Scheme, Substring) {
    guard let mark = text.firstRange(of: "://"), let scheme = Scheme(rawValue: text[..<mark.lowerBound].lowercased()) else {
      throw Fault(reason: "expected a URL that begins with https://, http:// or s3://")
    }
    // S3's keys may be any text. In other URLs, other characters must be encoded; some servers take a backslash for a slash.
    let isSound = text.unicodeScalars.allSatisfy { scalar in
      scheme == .s3 ? scalar.value >= 0x20 && scalar.value != 0x7f : 0x21...0x7e ~= scalar.value && scalar != "\\"
    }
    guard isSound else { throw Fault(reason: "has characters that a URL encodes by '%'") }
    guard scheme == .s3 || !text.contains("#") else { throw Fault(reason: "has a fragment ('#')") }
    return (scheme, text[mark.upperBound...])
  }

  fileprivate static func host(_ authority: Substring, _ scheme: Scheme) throws(Fault) -> String {
    guard scheme != .s3 else {
      guard isBucket(authority) else { throw Fault(reason: "'\(authority)' is not a bucket's name") }
      return String(authority)
    }
    guard !authority.contains("@") else { throw Fault(reason: "has a user or a password, which have no place in a document") }
    let host = authority.lowercased()
    let isSound = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      default: "-._:[]".utf8.contains(byte)
      }
    }
    guard !host.isEmpty, isSound else { throw Fault(reason: "'\(authority)' is not a host's name") }
    let port = scheme == .https ? ":443" : ":80"
    return host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
  }

  /// Refuses a path that a server could take for another one: one with '.' or '..' as a segment, or with a control character.
  /// Both are also found where they are percent-encoded, once or several times, where parameters follow the dots (`..;x`), and in
  /// other forms that some servers take for dots.
  fileprivate static func requirePlain(_ path: String) throws(Fault) {
    let bytes = PathReading.asFarAsAnyServer(path.utf8)
    // Some servers stop reading at a zero byte or a line feed.
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      throw Fault(reason: "has an encoded control character in its path")
    }
    guard !bytes.split(separator: UInt8(ascii: "/")).contains(where: PathReading.isDots) else {
      throw Fault(reason: "has '.' or '..' in its path")
    }
  }
}

/// Reads a URL's path as generously as any server does. The result is only checked. It is never sent.
private enum PathReading {
  /// The path with all percent-encoding removed and backslashes turned into slashes.
  static func asFarAsAnyServer(_ path: some Sequence<UInt8>) -> [UInt8] {
    var bytes = Array(path)
    // Each round makes the bytes shorter, so the loop ends.
    while let decoded = decoded(bytes) { bytes = decoded }
    for (form, character) in overlong { bytes = bytes.replacing(form, with: [character]) }
    return bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
  }

  /// Whether a segment, without its parameters, consists of dots, and perhaps of spaces, which some servers drop.
  static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
    let name = segment.prefix { $0 != UInt8(ascii: ";") }
    return name.contains(UInt8(ascii: ".")) && name.allSatisfy { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: " ") }
  }

  /// Forms of ".", "/" and "\\" that use more bytes than UTF-8 allows.
  private static let overlong: [([UInt8], UInt8)] = [
    ([0xc0, 0xae], 0x2e), ([0xc0, 0xaf], 0x2f), ([0xc1, 0x9c], 0x5c), ([0xe0, 0x80, 0xae], 0x2e), ([0xe0, 0x80, 0xaf], 0x2f),
  ]

  /// The bytes with one layer of percent-encoding removed; nil when nothing is encoded.
  private static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
    var (result, position) = ([UInt8](), 0)
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count, let high = digit(bytes[position + 1]),
        let low = digit(bytes[position + 2])
      {
        result.append(high << 4 | low)
        position += 3
      } else {
        result.append(bytes[position])
        position += 1
      }
    }
    return result.count < bytes.count ? result : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): (byte | 0x20) - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// A rule that allows URLs: all of a scheme, all of a host, or all below a path.
package struct MediaURLPrefix: Hashable, Sendable, CustomStringConvertible {
  /// The rule as it was given.
  package let description: String
  private let scheme: MediaURL.Scheme
  /// The host that is allowed; nil for any host.
  private let host: String?
  private let path: String

  /// Reads a rule.
  ///
  /// - Parameter text: a prefix such as "https://", "https://media.example", "https://media.example/clips/",
  ///   "s3://bucket/footage".
  package init(_ text: String) throws(MediaURL.Fault) {
    let (scheme, rest) = try MediaURL.parts(of: text)
    (self.scheme, description) = (scheme, text)
    guard !rest.isEmpty else {
      (host, path) = (nil, "")
      return
    }
    let authority = rest.prefix { $0 != "/" }
    guard scheme == .s3 || !rest.contains("?") else { throw MediaURL.Fault(reason: "a prefix has no query") }
    host = try MediaURL.host(authority, scheme)
    path = rest.dropFirst(authority.count).split(separator: "/", omittingEmptySubsequences: true).joined(separator: "/")
    try MediaURL.requirePlain(path)
  }

  /// Whether the rule names a host. Whoever wrote it then knows that host.
  package var namesHost: Bool { host != nil }

  package func covers(_ url: MediaURL) -> Bool {
    guard scheme == url.scheme, host == nil || host == url.host else { return false }
    let other = url.scheme == .s3 ? url.path[...] : url.path.dropFirst()
    return path.isEmpty || other.utf8.elementsEqual(path.utf8) || other.utf8.starts(with: (path + "/").utf8)
  }
}
