internal import FoundationEssentials
package import Transfer

/// The credentials for S3 and the endpoint. They come from the environment variables and the file that AWS's own tools read.
package struct S3Account: Hashable, Sendable {
  /// The endpoint's URL, such as "https://s3.eu-central-1.amazonaws.com", without a slash at the end. The bucket is the first
  /// part of the path.
  package var endpoint: String
  package var signature: AWSSignature

  package init(endpoint: String, signature: AWSSignature) { (self.endpoint, self.signature) = (endpoint, signature) }

  /// The environment variables that the account depends on, besides HOME.
  package static let variables = [
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3", "AWS_SHARED_CREDENTIALS_FILE", "AWS_PROFILE",
  ]

  /// Whether the variables themselves are credentials.
  package static func isInVariables(_ environment: [String: String]) -> Bool {
    ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"].allSatisfy { environment[$0]?.isEmpty == false }
  }

  /// Whether credentials are found, in variables or in their file.
  package static func isGiven(_ environment: [String: String]) -> Bool {
    // Why there are none is told when a place in S3 is asked for.
    (try? S3Account(environment: environment)) != nil
  }

  /// - Throws: `TransferError`; `refused` when no credentials are found, `invalid` when the endpoint is not an http or https URL.
  package init(environment: [String: String]) throws(TransferError) {
    func given(_ names: String...) -> String? { names.compactMap { environment[$0] }.first { !$0.isEmpty } }
    let region = given("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1"
    endpoint = given("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? "https://s3.\(region).amazonaws.com"
    while endpoint.hasSuffix("/") { endpoint.removeLast() }
    guard endpoint.hasPrefix("https://") || endpoint.hasPrefix("http://") else {
      throw TransferError(.invalid, at: endpoint, "not an endpoint: it begins with https:// or http://")
    }
    if let key = given("AWS_ACCESS_KEY_ID"), let secret = given("AWS_SECRET_ACCESS_KEY") {
      signature = AWSSignature(accessKey: key, secretKey: secret, sessionToken: given("AWS_SESSION_TOKEN"), region: region)
      return
    }
    guard let file = given("AWS_SHARED_CREDENTIALS_FILE") ?? given("HOME").map({ "\($0)/.aws/credentials" }) else {
      throw TransferError(.refused, at: "S3", "neither AWS_ACCESS_KEY_ID nor a file of credentials is given")
    }
    let text: String
    do {
      text = try String(contentsOfFile: file, encoding: .utf8)
    } catch {
      throw TransferError(.refused, at: file, "no AWS_ACCESS_KEY_ID is given, and this file cannot be read")
    }
    let profile = given("AWS_PROFILE") ?? "default"
    let settings = Self.settings(of: profile, in: text)
    guard let key = settings["aws_access_key_id"], let secret = settings["aws_secret_access_key"] else {
      throw TransferError(.refused, at: file, "has no credentials of the profile '\(profile)'")
    }
    signature = AWSSignature(accessKey: key, secretKey: secret, sessionToken: settings["aws_session_token"], region: region)
  }

  /// The settings in the section `[profile]` of a credentials file.
  private static func settings(of profile: String, in text: String) -> [String: String] {
    var (settings, isInside) = ([String: String](), false)
    for line in text.split(whereSeparator: \.isNewline).map(\.trimmed) {
      if line.hasPrefix("[") {
        isInside = line == "[\(profile)]"
      } else if isInside, !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
        let value = line[line.index(after: equals)...].trimmed
        settings[line[..<equals].trimmed] = value
      }
    }
    return settings
  }
}

/// A place in S3: `s3://bucket/some/prefix`.
package struct S3Location: Hashable, Sendable, CustomStringConvertible {
  package var bucket: String
  /// The beginning of all keys, without slashes at its ends; may be empty.
  package var prefix: String

  /// Returns nil when the text is not such a place.
  package init?(_ text: String) {
    guard text.hasPrefix("s3://") else { return nil }
    let parts = text.dropFirst(5).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bucket = parts.first, 3...63 ~= bucket.utf8.count, bucket.utf8.allSatisfy(Self.isBucketByte) else { return nil }
    self.bucket = String(bucket)
    prefix = parts.count < 2 ? "" : parts[1].split(separator: "/").joined(separator: "/")
  }

  package var description: String { "s3://\(bucket)" + (prefix.isEmpty ? "" : "/\(prefix)") }

  private static func isBucketByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"): true
    default: false
    }
  }
}
