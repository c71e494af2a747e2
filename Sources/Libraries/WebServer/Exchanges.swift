internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// The values that all threads of a server share.
final class Exchanges: Sendable {
  let options: WebServer.Options
  let admit: @Sendable (WebRequest) -> WebResponse?
  let respond: @Sendable (WebRequest) -> WebResponse
  let connections = Connections()
  let held = HeldAnswers()
  private let isStopping = Atomic(false)

  init(
    _ options: WebServer.Options, admit: @escaping @Sendable (WebRequest) -> WebResponse?,
    respond: @escaping @Sendable (WebRequest) -> WebResponse
  ) {
    (self.options, self.admit, self.respond) = (options, admit, respond)
  }

  var isOver: Bool { isStopping.load(ordering: .relaxed) }

  /// Ends the connections whose time is over, and while the server is crowded the slow ones.
  func tend() {
    connections.reap()
    let room = options.connections - options.connections / 4
    connections.relieve(to: held.bytes > options.heldLimit ? 0 : room, after: options.crowdedPatience)
  }

  func stop() {
    isStopping.store(true, ordering: .relaxed)
    connections.endAll()
  }
}

/// One request while it is read. It belongs to its connection's thread.
private final class Exchange {
  var request: WebRequest

  init(_ request: WebRequest) { self.request = request }
}

/// A stream of events while it is sent. It belongs to its connection's thread.
private final class Sending {
  private let next: @Sendable () -> [UInt8]?
  private let exchanges: Exchanges
  private var pending: ArraySlice<UInt8> = []

  init(_ next: @escaping @Sendable () -> [UInt8]?, _ exchanges: Exchanges) { (self.next, self.exchanges) = (next, exchanges) }

  /// Fills the buffer with as much as there is.
  /// - Returns: the number of bytes; nil at the end.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
    while pending.isEmpty {
      guard !exchanges.isOver, let bytes = next() else { return nil }
      pending = bytes[...]
    }
    let count = min(buffer.count, pending.count)
    unsafe buffer.copyBytes(from: pending.prefix(count))
    pending = pending.dropFirst(count)
    return count
  }
}

/// The bytes of an answer while they are sent. It belongs to its connection's thread.
private final class Handing {
  let bytes: [UInt8]
  private let held: HeldAnswers

  /// - Returns: nil when answers hold too much already.
  init?(_ bytes: [UInt8], _ held: HeldAnswers, within limit: Int) {
    guard held.hold(bytes, within: limit) else { return nil }
    (self.bytes, self.held) = (bytes, held)
  }

  deinit { held.release(bytes) }

  func fill(_ buffer: UnsafeMutableRawBufferPointer, from place: Int) -> Int {
    let rest = bytes.dropFirst(place).prefix(buffer.count)
    unsafe buffer.copyBytes(from: rest)
    return rest.count
  }
}

/// Reads a request piece by piece, and answers it when it is whole.
let answerConnection: MHD_AccessHandlerCallback = { context, connection, url, method, _, data, size, slot in
  guard let context = unsafe context, let connection = unsafe connection, let size = unsafe size, let slot = unsafe slot else {
    return spool_mhd_no()
  }
  let exchanges = unsafe Unmanaged<Exchanges>.fromOpaque(context).takeUnretainedValue()
  guard let begun = unsafe slot.pointee else {
    guard let request = unsafe head(of: connection, url, method) else {
      return unsafe queue(exchanges.options.refusal(400, "the request is not valid"), connection, exchanges)
    }
    let exchange = Exchange(request)
    unsafe slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    if let length = request.headers["content-length"].flatMap({ Int($0) }), length > exchanges.options.bodyLimit {
      return unsafe queue(exchanges.options.refusal(413, "the body is too large"), connection, exchanges)
    }
    guard let refusal = exchanges.admit(request) else { return spool_mhd_yes() }
    return unsafe queue(refusal, connection, exchanges)
  }
  let exchange = unsafe Unmanaged<Exchange>.fromOpaque(begun).takeUnretainedValue()
  if unsafe size.pointee > 0, let data = unsafe data {
    // A body without a length that grows too long ends the connection.
    guard unsafe exchange.request.body.count + size.pointee <= exchanges.options.bodyLimit else { return spool_mhd_no() }
    unsafe exchange.request.body += UnsafeRawBufferPointer(start: data, count: size.pointee)
    unsafe size.pointee = 0
    return spool_mhd_yes()
  }
  exchanges.connections.move(UInt(bitPattern: connection), to: .answering, for: exchanges.options.answerPatience)
  // While an answer is made the client is silent, however long that takes.
  unsafe spool_mhd_set_silence(connection, 0)
  let answer = exchanges.respond(exchange.request)
  unsafe spool_mhd_set_silence(connection, UInt32(exchanges.options.idleSeconds))
  return unsafe queue(answer, connection, exchanges)
}

/// Frees a request.
let endRequest: MHD_RequestCompletedCallback = { _, _, slot, _ in
  guard let slot = unsafe slot, let begun = unsafe slot.pointee else { return }
  unsafe Unmanaged<Exchange>.fromOpaque(begun).release()
  unsafe slot.pointee = nil
}

/// Notes that a connection began or ended.
let noteConnection: MHD_NotifyConnectionCallback = { context, connection, _, what in
  guard let context = unsafe context, let connection = unsafe connection else { return }
  let exchanges = unsafe Unmanaged<Exchanges>.fromOpaque(context).takeUnretainedValue()
  let id = UInt(bitPattern: connection)
  if spool_mhd_is_start(what) != 0 {
    unsafe exchanges.connections.opened(
      id, socket: spool_mhd_socket(connection), for: exchanges.options.requestPatience)
  } else {
    exchanges.connections.closed(id)
  }
}

/// The head of a request; nil when it is not UTF-8, names a header twice that may be there once, or gives its length in two ways.
private func head(
  of connection: OpaquePointer, _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?
) -> WebRequest? {
  guard let url = unsafe url, let method = unsafe method, let path = unsafe String(validatingCString: url),
    let verb = unsafe String(validatingCString: method)
  else { return nil }
  let headers = Pairs()
  let query = Pairs()
  unsafe spool_mhd_headers(connection, gather, Unmanaged.passUnretained(headers).toOpaque())
  unsafe spool_mhd_arguments(connection, gather, Unmanaged.passUnretained(query).toOpaque())
  var (fields, arguments): ([String: String], [String: String]) = ([:], [:])
  for (name, value) in headers.all {
    guard fields.updateValue(value, forKey: name.lowercased()) == nil || !single.contains(name.lowercased()) else { return nil }
  }
  for (name, value) in query.all { guard arguments.updateValue(value, forKey: name) == nil else { return nil } }
  guard headers.isValid, query.isValid, fields["content-length"] == nil || fields["transfer-encoding"] == nil else { return nil }
  var peer = [CChar](repeating: 0, count: 64)
  unsafe spool_mhd_peer(connection, &peer, peer.count)
  let address = peer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
  return WebRequest(
    method: verb, path: path, query: arguments, headers: fields, peer: String(decoding: address, as: UTF8.self))
}

/// The headers that a request may have once.
private let single: Set = [
  "host", "authorization", "content-length", "transfer-encoding", "content-type", "origin", "idempotency-key", "last-event-id",
]

private final class Pairs {
  var all: [(String, String)] = []
  var isValid = true
}

private let gather: MHD_KeyValueIterator = { context, _, name, value in
  guard let context = unsafe context, let name = unsafe name else { return spool_mhd_no() }
  let pairs = unsafe Unmanaged<Pairs>.fromOpaque(context).takeUnretainedValue()
  let text: String?
  if let value = unsafe value { text = unsafe String(validatingCString: value) } else { text = "" }
  guard let key = unsafe String(validatingCString: name), let text else {
    pairs.isValid = false
    return spool_mhd_no()
  }
  pairs.all.append((key, text))
  return spool_mhd_yes()
}

/// Hands an answer to libmicrohttpd, which sends it and then closes the connection.
private func queue(_ answer: WebResponse, _ connection: OpaquePointer, _ exchanges: Exchanges) -> MHD_Result {
  let made: OpaquePointer?
  let id = UInt(bitPattern: connection)
  switch answer.body {
  case .bytes(let bytes):
    exchanges.connections.move(id, to: .taking, for: exchanges.options.answerPatience)
    if bytes.count <= blockSize {
      unsafe made = bytes.withUnsafeBytes { bytes in unsafe spool_mhd_copy(bytes.baseAddress, bytes.count) }
    } else if let handing = Handing(bytes, exchanges.held, within: 2 * exchanges.options.heldLimit) {
      unsafe made = lasting(handing)
    } else {
      let busy = exchanges.options.refusal(503, "the server holds too many answers that nobody takes").with("Retry-After", "5")
      guard busy.bytes.count <= blockSize else { return spool_mhd_no() }
      return unsafe queue(busy, connection, exchanges)
    }
  case .file(let descriptor, let bytes):
    // A large file takes longer. Who takes less than 64 KiB a second on the average is disconnected.
    let patience = exchanges.options.answerPatience + .seconds(Int64(bytes.count) >> 16)
    exchanges.connections.move(id, to: .taking, for: patience)
    unsafe made = MHD_create_response_from_fd_at_offset64(UInt64(bytes.count), descriptor, UInt64(bytes.lowerBound))
    // Otherwise the response closes it.
    if unsafe made == nil { close(descriptor) }
  case .stream(let next):
    exchanges.connections.move(id, to: .streaming, for: nil)
    let sending = unsafe Unmanaged.passRetained(Sending(next, exchanges))
    unsafe made = MHD_create_response_from_callback(
      UInt64.max, 16384,
      { context, _, buffer, size in
        guard let context = unsafe context, let buffer = unsafe buffer else { return -1 }
        let sending = unsafe Unmanaged<Sending>.fromOpaque(context).takeUnretainedValue()
        // -1 is MHD_CONTENT_READER_END_OF_STREAM.
        return unsafe sending.fill(UnsafeMutableRawBufferPointer(start: buffer, count: size)) ?? -1
      }, sending.toOpaque(),
      { context in if let context = unsafe context { unsafe Unmanaged<Sending>.fromOpaque(context).release() } })
  }
  guard let response = unsafe made else { return spool_mhd_no() }
  defer { unsafe MHD_destroy_response(response) }
  for (name, value) in answer.headers + [("Connection", "close")] { unsafe MHD_add_response_header(response, name, value) }
  return unsafe MHD_queue_response(connection, UInt32(answer.status), response)
}

/// The bytes that are handed to libmicrohttpd at once. Answers up to this size are copied, and larger ones are shared by all who take
/// them.
private let blockSize = 32 << 10

/// A response that takes its bytes from an answer block by block.
/// - Returns: nil when libmicrohttpd has no memory for it.
private func lasting(_ handing: Handing) -> OpaquePointer? {
  let context = unsafe Unmanaged.passRetained(handing)
  let made: OpaquePointer?
  unsafe made = MHD_create_response_from_callback(
    UInt64(handing.bytes.count), blockSize,
    { context, place, buffer, size in
      guard let context = unsafe context, let buffer = unsafe buffer else { return -1 }
      let handing = unsafe Unmanaged<Handing>.fromOpaque(context).takeUnretainedValue()
      return unsafe handing.fill(UnsafeMutableRawBufferPointer(start: buffer, count: size), from: Int(place))
    }, context.toOpaque(),
    { context in if let context = unsafe context { unsafe Unmanaged<Handing>.fromOpaque(context).release() } })
  // Otherwise the response releases it.
  if unsafe made == nil { unsafe context.release() }
  return unsafe made
}
