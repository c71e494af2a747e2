internal import Operations
internal import WebServer

/// The checks that every request passes before anything is done for it.
struct Gate: Sendable {
  /// The names by which clients may call the server, besides addresses and `localhost`. A page of another site that has its name
  /// resolved to this server's address still sends its own name.
  let hosts: Set<String>
  /// The other sites whose pages may call the API, as origins.
  let origins: Set<String>
  /// The tokens; nil when none are needed.
  let tokens: TokenFile?
  /// The rights of a caller without a token.
  let anyone: Role

  /// Judges a request by its head.
  ///
  /// - Returns: the caller.
  /// - Throws: the answer that ends the request.
  func caller(of request: WebRequest, needing role: Role) throws(Refusal) -> Caller {
    guard let host = request.headers["host"], isKnown(host) else {
      throw Refusal(Problem(421, "host", "this server is not called by that name; `--host` adds names"))
    }
    try requireOrigin(request, host)
    let caller = try identified(request)
    guard caller.role >= role else {
      guard caller.name == nil else {
        throw Refusal(
          Problem(403, "role", "it takes the role \(role.rawValue), and the token has \(caller.role.rawValue)"), caller: caller)
      }
      throw Refusal(Problem(401, "token", "it takes a token with the role \(role.rawValue)"), challenges: true)
    }
    return caller
  }

  /// The headers with which a page of a listed site may read an answer; none for all others.
  func sharing(_ request: WebRequest) -> [(name: String, value: String)] {
    guard let origin = request.headers["origin"], origins.contains(origin) else { return [] }
    return [("Access-Control-Allow-Origin", origin), ("Vary", "Origin")]
  }

  private func isKnown(_ host: String) -> Bool {
    let name = Self.name(of: host)
    return name == "localhost" || ListenAddress.isNumeric(name) || hosts.contains(name)
  }

  /// The name in a Host header, without its port.
  private static func name(of host: String) -> String {
    if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
    return String(host.prefix { $0 != ":" }).lowercased()
  }

  /// Refuses requests that pages of other sites have a browser send. Browsers say so by one of two headers.
  private func requireOrigin(_ request: WebRequest, _ host: String) throws(Refusal) {
    if let origin = request.headers["origin"] {
      let own = ["http://\(host)", "https://\(host)"]
      guard own.contains(origin) || origins.contains(origin) else {
        throw Refusal(Problem(403, "origin", "pages of other sites may not call this server; `--cors` lists those that may"))
      }
    } else if request.headers["sec-fetch-site"] == "cross-site", request.headers["sec-fetch-mode"] != "navigate" {
      throw Refusal(Problem(403, "origin", "pages of other sites may not call this server"))
    }
  }

  private func identified(_ request: WebRequest) throws(Refusal) -> Caller {
    guard let header = request.headers["authorization"] else { return Caller(name: nil, role: anyone) }
    let words = header.split(separator: " ").map(String.init)
    guard words.count == 2, words[0].lowercased() == "bearer", let tokens else {
      throw Refusal(Problem(401, "token", "this server takes bearer tokens of its own file alone"), challenges: true)
    }
    do throws(Complaint) {
      if let caller = try tokens.caller(token: words[1]) { return caller }
    } catch { throw Refusal(Problem(503, "unavailable", "the file of tokens cannot be used")) }
    throw Refusal(Problem(401, "token", "the token is not known"), challenges: true)
  }
}

/// The answer to a request that does not pass.
struct Refusal: Error, CustomStringConvertible {
  let response: WebResponse
  let description: String
  /// The caller, where he is known and lacks the right.
  let caller: Caller?

  /// - Parameter challenges: whether the answer asks for a token.
  init(_ problem: Problem, challenges: Bool = false, caller: Caller? = nil) {
    (description, self.caller) = (problem.detail, caller)
    response = challenges ? problem.response.with("WWW-Authenticate", "Bearer") : problem.response
  }
}
