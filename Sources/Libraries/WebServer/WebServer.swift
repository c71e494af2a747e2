internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// A server for HTTP/1.1, with TLS or without, by libmicrohttpd. Each connection has a thread of its own and serves one request, so
/// what answers may block, and nothing of one request can be taken for the next one.
package final class WebServer: Sendable {
  package struct Options: Sendable {
    package var address: ListenAddress
    /// The private key and the certificate chain as PEM; nil for no TLS.
    package var tls: (key: String, certificate: String)?
    /// The most connections at once. Further ones are closed at once. Each has a thread.
    package var connections = 2048
    /// The most connections of one address, which may be a proxy's.
    package var connectionsOfAddress = 1024
    /// The time for which a client may be slow while the server is crowded: while three quarters of its connections are taken, or its
    /// answers hold more than `heldLimit`. The slowest ones are then ended, so that they do not shut others out.
    package var crowdedPatience = Duration.seconds(2)
    /// The bytes of answers, while clients take them, from which on the server is crowded. An answer that many take counts once. From
    /// twice as many on, answers are refused with 503.
    package var heldLimit = 128 << 20
    /// The most bytes of a body: the largest document, and room for what is around it.
    package var bodyLimit = 12 << 20
    /// The time in which a request has to be here as a whole.
    package var requestPatience = Duration.seconds(30)
    /// The time in which an answer has to be taken as a whole. Streams of events have no such bound.
    package var answerPatience = Duration.seconds(300)
    /// The seconds for which a client may neither send nor take anything.
    package var idleSeconds = 20
    /// The answer, by its status and reason, to what is no valid request, or is too large.
    package var refusal: @Sendable (_ status: Int, _ reason: String) -> WebResponse = { status, reason in
      WebResponse(status, "text/plain", Array("\(reason)\n".utf8))
    }

    package init(address: ListenAddress) { self.address = address }
  }

  /// The port that it listens at.
  package let port: UInt16
  private let exchanges: Exchanges
  private let daemon: Mutex<Daemon?>

  /// - Parameters:
  ///   - admit: judges the head of a request before its body is read. An answer ends the request.
  ///   - respond: answers a whole request. It runs on the connection's thread.
  package init(
    _ options: Options, admit: @escaping @Sendable (WebRequest) -> WebResponse?,
    respond: @escaping @Sendable (WebRequest) -> WebResponse
  ) throws(WebServerError) {
    let (listener, port) = try options.address.listen()
    self.port = port
    exchanges = Exchanges(options, admit: admit, respond: respond)
    guard let started = Daemon(listener, options, exchanges) else {
      close(listener)
      let reason = options.tls == nil ? "the server cannot be started" : "the key and the certificate are not usable together"
      throw WebServerError(options.address.description, reason)
    }
    daemon = Mutex(started)
  }

  /// Ends connections that take too long. Call it about once a second.
  package func tend() { exchanges.tend() }

  /// Ends all connections, and waits for their threads.
  package func stop() {
    let running = daemon.withLock { $0.take() }
    guard let running else { return }
    exchanges.stop()
    running.stop()
  }
}

/// The handle of libmicrohttpd's server.
@safe private struct Daemon: Sendable {
  // The handle's functions may be called by any thread.
  private nonisolated(unsafe) let handle: OpaquePointer

  /// - Returns: nil when libmicrohttpd does not start.
  init?(_ listener: Int32, _ options: WebServer.Options, _ exchanges: Exchanges) {
    // The context lives as long as the server, whose threads use it until `stop` returns.
    let context = unsafe Unmanaged.passUnretained(exchanges).toOpaque()
    let started = unsafe spool_mhd_start(
      listener, UInt32(options.connections), UInt32(options.connectionsOfAddress), UInt32(options.idleSeconds), answerConnection,
      endRequest, noteConnection, context, options.tls?.key, options.tls?.certificate)
    guard let started = unsafe started else { return nil }
    unsafe handle = started
  }

  func stop() { unsafe MHD_stop_daemon(handle) }
}
