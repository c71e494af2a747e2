internal import CCurl
internal import Glibc
internal import Linux

/// An HTTP client: one libcurl handle, which keeps its connections open. It follows no redirects and uses no proxy. It verifies
/// every certificate against the machine's own certificate authorities, or against those of the file that SSL_CERT_FILE names.
/// Calls block. Only one thread may use a client at a time.
@safe package final class HTTPClient {
  /// The longest time in seconds that making a connection may take.
  package static let connectSeconds = 10
  /// The lowest speed in bytes a second: a transfer that is slower counts as stalled. A block of media (1 MiB) so takes about two
  /// minutes at most, and no transfer goes on for days.
  private static let leastSpeed = 8 << 10
  /// The number of bytes that are kept of an error response, to find the reason in it.
  private static let keptBytes = 64 << 10
  /// The most bytes of headers that are accepted. No honest server sends more.
  private static let mostHeaderBytes = 64 << 10

  private let handle: UnsafeMutableRawPointer
  private let stallSeconds: Int

  /// - Parameter stallSeconds: the number of seconds after which a stalled transfer is given up.
  package init(stallSeconds: Int = 30) throws(TransferError) {
    guard Self.isReady, let handle = unsafe curl_easy_init() else {
      throw TransferError(.local, at: "a transfer", "there is not enough memory for it")
    }
    unsafe self.handle = handle
    self.stallSeconds = stallSeconds
  }

  deinit { unsafe curl_easy_cleanup(handle) }

  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Sends the request once.
  ///
  /// - Parameter take: gets the body of a success in pieces; returning false ends the transfer.
  /// - Returns: a success (2xx), or a redirect. The client has not asked the redirect's target.
  /// - Throws: `TransferError`, also for every other response.
  package func perform(
    _ request: HTTPRequest, take: ([UInt8]) -> Bool = { _ in true }
  ) throws(TransferError) -> HTTPResponse {
    let exchange = unsafe Exchange(handle, request)
    let code = withoutActuallyEscaping(take) { take in
      (exchange.answered, exchange.take) = (request.answered, take)
      defer { exchange.take = { _ in false } }
      return perform(request, exchange)
    }
    return try exchange.answer(code, at: request.place)
  }

  private func perform(_ request: HTTPRequest, _ exchange: Exchange) -> CURLcode {
    unsafe curl_easy_reset(handle)
    let headers = HeaderList(request)
    setUp(request, headers)
    let context = unsafe Unmanaged.passUnretained(exchange).toOpaque()
    for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA] {
      unsafe spool_curl_set_pointer(handle, option, context)
    }
    unsafe spool_curl_set_transfer(handle, CURLOPT_WRITEFUNCTION) { unsafe Exchange.behind($3).write($0, $1 * $2) }
    unsafe spool_curl_set_transfer(handle, CURLOPT_HEADERFUNCTION) { unsafe Exchange.behind($3).header($0, $1 * $2) }
    unsafe spool_curl_set_opener(handle, { unsafe Exchange.behind($0).open($2) }, context)
    // A connection that is already open was checked for another request, so each request is checked again.
    unsafe spool_curl_set_gate(handle, { exchange, address, _, _, _ in unsafe Exchange.behind(exchange).admit(address) }, context)
    exchange.waiting = request.waiting
    unsafe spool_curl_set_watcher(
      handle,
      { exchange, _, _, _, _ in
        unsafe Exchange.behind(exchange).waiting()
        return 0
      }, context)
    if case .put(let descriptor, let start, let byteCount) = request.method {
      (exchange.upload, exchange.uploadStart, exchange.uploadSize) = (descriptor, start, byteCount)
      exchange.told = request.sent
      unsafe spool_curl_set_number(handle, CURLOPT_UPLOAD, 1)
      unsafe spool_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(byteCount))
      unsafe spool_curl_set_transfer(handle, CURLOPT_READFUNCTION) { unsafe Exchange.behind($3).read($0, $1 * $2) }
    }
    return withExtendedLifetime((headers, exchange)) { unsafe curl_easy_perform(handle) }
  }

  private func setUp(_ request: HTTPRequest, _ headers: HeaderList) {
    func set(_ option: CURLoption, _ value: Int) { unsafe spool_curl_set_number(handle, option, value) }
    func set(_ option: CURLoption, _ value: String) { unsafe spool_curl_set_text(handle, option, value) }
    set(CURLOPT_URL, request.url)
    set(CURLOPT_BUFFERSIZE, 1 << 18)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_PROXY, "")
    set(CURLOPT_NOSIGNAL, 1)
    // libcurl must not change the path, because the URL was checked as it stands.
    set(CURLOPT_PATH_AS_IS, 1)
    if let authorities = unsafe getenv("SSL_CERT_FILE") { unsafe spool_curl_set_text(handle, CURLOPT_CAINFO, authorities) }
    set(CURLOPT_USERAGENT, "spool")
    set(CURLOPT_CONNECTTIMEOUT, Self.connectSeconds)
    set(CURLOPT_LOW_SPEED_LIMIT, Self.leastSpeed)
    set(CURLOPT_LOW_SPEED_TIME, stallSeconds)
    // Some servers ignore "Expect: 100-continue", and each upload would wait for the time-out. So the wait is 1 ms.
    set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1)
    unsafe spool_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headers.list)
    if let range = request.range { set(CURLOPT_RANGE, "\(range.lowerBound)-\(range.upperBound - 1)") }
    switch request.method {
    case .get, .put: break
    case .head: set(CURLOPT_NOBODY, 1)
    case .delete: set(CURLOPT_CUSTOMREQUEST, "DELETE")
    case .post(let body):
      unsafe spool_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      // libcurl copies the bytes. Without an address it would ask for them, so an empty body has one, too.
      _ = unsafe (body + [0]).withUnsafeBytes { unsafe spool_curl_set_bytes(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
    }
    if let signature = request.signature {
      set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):s3")
      set(CURLOPT_USERNAME, signature.accessKey)
      set(CURLOPT_PASSWORD, signature.secretKey)
    }
  }

  /// A request's headers in libcurl's form. They are freed with this object.
  @safe private final class HeaderList {
    let list: UnsafeMutableRawPointer?

    init(_ request: HTTPRequest) {
      var list: UnsafeMutablePointer<curl_slist>?
      var signed: [(name: String, value: String)] = []
      if let signature = request.signature {
        // S3 requires this header, and libcurl 7.88 signs it only when it is given. TLS protects the body, and the proof of a
        // segment shows damage.
        signed.append(("x-amz-content-sha256", "UNSIGNED-PAYLOAD"))
        if let token = signature.sessionToken { signed.append(("x-amz-security-token", token)) }
      }
      for header in request.headers + signed { unsafe list = curl_slist_append(list, "\(header.name): \(header.value)") }
      unsafe self.list = UnsafeMutableRawPointer(list)
    }

    deinit { unsafe curl_slist_free_all(list?.assumingMemoryBound(to: curl_slist.self)) }
  }

  /// The state that libcurl's callbacks use during one transfer.
  @safe private final class Exchange {
    var take: ([UInt8]) -> Bool = { _ in false }
    var answered: (HTTPResponse) throws(TransferError) -> Void = { _ throws(TransferError) in }
    var upload: Int32 = -1
    var uploadStart: Int64 = 0
    var uploadSize: Int64 = 0
    var told: (Int64) -> Void = { _ in }
    var waiting: () -> Void = {}
    private let handle: UnsafeMutableRawPointer
    private let place: String
    private let reach: Reach
    private let asksForRange: Bool
    private var headers: [String: String] = [:]
    private var headerBytes = 0
    private var kept: [UInt8] = []
    /// Whether no more was read of an error response, because enough of it is kept. Its status is known, and it may have no end.
    private var isCut = false
    private var sent: Int64 = 0
    /// The error that a callback found. libcurl itself only learns that the callback failed.
    private var finding: TransferError?
    private var hasAnswered = false

    init(_ handle: UnsafeMutableRawPointer, _ request: HTTPRequest) {
      unsafe self.handle = handle
      (place, reach, asksForRange) = (request.place, request.reach, request.range != nil)
    }

    private var status: Int {
      var status = 0
      unsafe spool_curl_get_number(handle, CURLINFO_RESPONSE_CODE, &status)
      return status
    }

    func write(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
      let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
      guard 200..<300 ~= status else {
        unsafe kept += piece.prefix(HTTPClient.keptBytes - kept.count)
        isCut = kept.count == HTTPClient.keptBytes
        return isCut ? -1 : count
      }
      guard hasAnswered || isWelcome() else { return -1 }
      hasAnswered = true
      return take(unsafe Array(piece)) ? count : -1
    }

    /// Whether the caller accepts the response, so that its body is wanted.
    private func isWelcome() -> Bool {
      do throws(TransferError) {
        try answered(HTTPResponse(status: status, headers: headers))
        guard asksForRange, status != 206 else { return true }
        throw TransferError(.unranged, at: place, "the server does not answer requests for ranges")
      } catch {
        finding = error
        return false
      }
    }

    func header(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
      headerBytes += count
      guard headerBytes <= HTTPClient.mostHeaderBytes else {
        let most = HTTPClient.mostHeaderBytes >> 10
        finding = TransferError(.invalid, at: place, "the server sends more than \(most) KiB of headers")
        return -1
      }
      let line = unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
      // Each response has headers of its own. An interim response (1xx) may come first.
      if line.hasPrefix("HTTP/") { headers = [:] }
      guard let colon = line.firstIndex(of: ":") else { return count }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmed
      return count
    }

    func read(_ bytes: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int {
      let wanted = min(capacity, Int(clamping: uploadSize - sent))
      guard wanted > 0 else { return 0 }
      let count = SystemCall.uninterrupted { unsafe pread(upload, bytes, wanted, off_t(uploadStart + sent)) }
      guard count > 0 else {
        let reason = count < 0 ? SystemWords.of(errno) : "is shorter than it was"
        finding = TransferError(.local, at: place, reason)
        return Int(CURL_READFUNC_ABORT)
      }
      sent += Int64(count)
      told(sent)
      return count
    }

    func open(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
      guard let address = unsafe address?.pointee else { return CURL_SOCKET_BAD }
      guard judge(unsafe withUnsafePointer(to: address.addr) { unsafe NetworkAddress($0) }) else { return CURL_SOCKET_BAD }
      return socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    }

    /// Checks the address that a connection leads to. libcurl calls it before each request, over a new connection or an open one.
    func admit(_ address: UnsafeMutablePointer<CChar>?) -> Int32 {
      judge(unsafe address.flatMap { unsafe NetworkAddress(text: String(cString: $0)) })
        ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    private func judge(_ address: NetworkAddress?) -> Bool {
      guard address?.isWithin(reach) != true else { return true }
      let reason =
        reach == .internet ? "its address is a private one: its host must be allowed by name" : "its address is the link's"
      finding = TransferError(.refused, at: place, reason)
      return false
    }

    func answer(_ code: CURLcode, at place: String) throws(TransferError) -> HTTPResponse {
      if let finding { throw finding }
      guard code == CURLE_OK || isCut else { throw TransferError(code, at: place) }
      let status = status
      guard 200..<400 ~= status, status != 304 else {
        let body = String(decoding: kept, as: UTF8.self)
        var error = TransferError(status: status, at: place, detail: XMLText.first("Code", in: body) ?? "")
        error.body = body
        throw error
      }
      return HTTPResponse(status: status, headers: headers)
    }

    /// - Precondition: `opaque` points to the exchange that `perform` keeps alive.
    static func behind(_ opaque: UnsafeMutableRawPointer?) -> Exchange {
      unsafe Unmanaged<Exchange>.fromOpaque(opaque!).takeUnretainedValue()
    }
  }
}

extension HTTPRequest {
  /// The URL without user, password and query, which may be secret.
  fileprivate var place: String {
    let bare = String(url.prefix { $0 != "?" && $0 != "#" })
    guard let scheme = bare.firstRange(of: "://") else { return bare }
    let rest = bare[scheme.upperBound...]
    guard let at = rest.prefix(while: { $0 != "/" }).lastIndex(of: "@") else { return bare }
    return String(bare[..<scheme.upperBound] + rest[rest.index(after: at)...])
  }
}

extension StringProtocol {
  /// The text without white space at its ends.
  package var trimmed: String {
    String(String(drop(while: \.isWhitespace).reversed()).drop(while: \.isWhitespace).reversed())
  }
}

extension TransferError {
  fileprivate init(_ code: CURLcode, at place: String) {
    let kind: Kind =
      switch code {
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR: .refused
      case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION,
        CURLE_WEIRD_SERVER_REPLY, CURLE_TOO_MANY_REDIRECTS:
        .invalid
      case CURLE_WRITE_ERROR: .changed
      case CURLE_OUT_OF_MEMORY, CURLE_READ_ERROR: .local
      default: .transient
      }
    self.init(kind, at: place, Self.words(of: code))
  }

  /// The reason for a failed transfer, in words. libcurl's own words speak of its functions and options.
  private static func words(of code: CURLcode) -> String {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: "no such host is known"
    case CURLE_COULDNT_RESOLVE_PROXY: "no such proxy is known"
    case CURLE_COULDNT_CONNECT: "nobody listens there, or it cannot be reached"
    case CURLE_OPERATION_TIMEDOUT: "it does not answer in time"
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
      "its certificate does not hold: it is not signed by an authority that is known here, has run out, or is another host's"
    case CURLE_SSL_CACERT_BADFILE: "the authorities that are known here cannot be read"
    case CURLE_SSL_CONNECT_ERROR: "no secure connection can be agreed on: is it an https server?"
    case CURLE_SSL_CERTPROBLEM: "the certificate of this side cannot be used"
    case CURLE_URL_MALFORMAT: "is not a URL"
    case CURLE_UNSUPPORTED_PROTOCOL: "is not fetched: only https, http and s3 are"
    case CURLE_TOO_MANY_REDIRECTS: "is redirected too often"
    case CURLE_WEIRD_SERVER_REPLY: "what answers there speaks no HTTP"
    case CURLE_GOT_NOTHING: "it hangs up without an answer"
    case CURLE_PARTIAL_FILE: "it sends less than it announced"
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM: "the connection broke"
    case CURLE_OUT_OF_MEMORY: "there is not enough memory for it"
    default: "the transfer fails (libcurl's code \(code.rawValue))"
    }
  }
}
