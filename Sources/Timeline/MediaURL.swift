/// Where a medium is that no file of this machine is: `https://host/path`, `http://host/path`, `s3://bucket/key`.
///
/// Strict: what two readers could take for two places is none.
package struct MediaURL: Hashable, Sendable, CustomStringConvertible {
  package enum Scheme: String, Hashable, Sendable, CaseIterable { case https, http, s3 }

  /// Why a text is no such URL.
  package struct Fault: Error, Hashable, Sendable {
    package let reason: String
    package init(reason: String) { self.reason = reason }
  }

  /// As it was given.
  package let text: String
  package let scheme: Scheme
  /// In lower case, with its port unless that is the scheme's own; of S3 the bucket.
  package let host: String
  /// From its slash, without query; of S3 the key, not encoded in any way.
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

  /// Byte by byte: S3 has two keys where Unicode has one text.
  package static func == (a: MediaURL, b: MediaURL) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  package func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }

  /// Without the query, which may be secret: for messages.
  package var description: String { scheme == .s3 ? text : String(text.prefix { $0 != "?" }) }

  /// What is to be told of a path or URL.
  package static func name(of path: String) -> String { (try? MediaURL(path))?.description ?? path }

  /// Whether S3 gives buckets such names.
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
    // S3's keys are any text. Elsewhere other characters are encoded; a backslash is a slash to some.
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

  /// Dots that a server would resolve lead elsewhere: encoded once or several times, before a parameter (`..;x`), and however some
  /// servers take them for dots.
  fileprivate static func requirePlain(_ path: String) throws(Fault) {
    let bytes = PathReading.asFarAsAnyServer(path.utf8)
    // What follows a zero byte or a line feed some servers do not read.
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      throw Fault(reason: "has an encoded control character in its path")
    }
    guard !bytes.split(separator: UInt8(ascii: "/")).contains(where: PathReading.isDots) else {
      throw Fault(reason: "has '.' or '..' in its path")
    }
  }
}

/// A URL's path as the servers read it that read most into it. What holds of that is only asked, never sent.
private enum PathReading {
  /// Without any encoding, backslashes as slashes.
  static func asFarAsAnyServer(_ path: some Sequence<UInt8>) -> [UInt8] {
    var bytes = Array(path)
    // Each time it gets shorter.
    while let decoded = decoded(bytes) { bytes = decoded }
    for (form, character) in overlong { bytes = bytes.replacing(form, with: [character]) }
    return bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
  }

  /// Whether a segment, without its parameters, is nothing but dots and the spaces that some servers drop.
  static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
    let name = segment.prefix { $0 != UInt8(ascii: ";") }
    return name.contains(UInt8(ascii: ".")) && name.allSatisfy { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: " ") }
  }

  /// Forms of ".", "/" and "\\" in more bytes than UTF-8 allows.
  private static let overlong: [([UInt8], UInt8)] = [
    ([0xc0, 0xae], 0x2e), ([0xc0, 0xaf], 0x2f), ([0xc1, 0x9c], 0x5c), ([0xe0, 0x80, 0xae], 0x2e), ([0xe0, 0x80, 0xaf], 0x2f),
  ]

  /// Nil when nothing is encoded.
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

/// URLs that are allowed: of a scheme, of a host, or below a path.
package struct MediaURLPrefix: Hashable, Sendable, CustomStringConvertible {
  /// As it was given.
  package let description: String
  private let scheme: MediaURL.Scheme
  /// Nil for any.
  private let host: String?
  private let path: String

  /// - Parameter text: such as "https://", "https://media.example", "https://media.example/clips/", "s3://bucket/footage".
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

  /// Whether it says which host: then whoever allowed it knows what that is.
  package var namesHost: Bool { host != nil }

  package func covers(_ url: MediaURL) -> Bool {
    guard scheme == url.scheme, host == nil || host == url.host else { return false }
    let other = url.scheme == .s3 ? url.path[...] : url.path.dropFirst()
    return path.isEmpty || other.utf8.elementsEqual(path.utf8) || other.utf8.starts(with: (path + "/").utf8)
  }
}
