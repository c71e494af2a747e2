public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A farm, reached over its console's HTTP interface (docs/api.md). Its calls may be made from any task.
public struct SpoolServer: Sendable {
  /// The console's address, such as `https://farm.example.org`.
  public let url: URL
  private let token: String?
  private let session: URLSession

  /// - Parameter token: a token of the console with the role "submit"; cancelling takes "operate". It is sent by https, or to this machine,
  ///   and nowhere else.
  public init(_ url: URL, token: String?, session: URLSession = .shared) {
    (self.url, self.token, self.session) = (url, token, session)
  }

  /// The faults of a document; none where it can be rendered.
  public func faults(of document: Data) async throws -> [Fault] {
    do {
      _ = try await send("POST", "documents/validate", body: document)
      return []
    } catch let refusal as Refusal where refusal.status == 422 { return refusal.faults }
  }

  /// Submits an edit, and does not wait for it.
  ///
  /// - Parameters:
  ///   - output: the absolute path of the movie on the farm's machines, below an output root of theirs.
  ///   - key: any text of 1 to 255 bytes. The same key is the same job, so that a submission can be sent again after a failure.
  /// - Returns: the job's id.
  public func submit(_ document: Data, output: String, key: String = UUID().uuidString) async throws -> String {
    struct Submitted: Decodable { var job: String }
    let answer = try await send("POST", "jobs", query: ["output": output], body: document, headers: ["Idempotency-Key": key])
    return try JSONDecoder().decode(Submitted.self, from: answer).job
  }

  public func job(_ id: String) async throws -> Job {
    struct Glance: Decodable { var job: Job }
    return try JSONDecoder().decode(Glance.self, from: await send("GET", "jobs/\(id)")).job
  }

  /// The job's states until it has ended, each that differs from the one before.
  ///
  /// A server that does not answer is asked again for `patience` seconds; then the sequence throws what it met. What asking again cannot
  /// mend is thrown at once: a refusal, and an address that is none.
  public func states(
    of id: String, every interval: TimeInterval = 1, patience: TimeInterval = 60
  ) -> AsyncThrowingStream<Job, any Error> {
    AsyncThrowingStream { states in
      let following = Task {
        var last: Job?
        var silentSince: Date?
        while !Task.isCancelled {
          do {
            let job = try await job(id)
            silentSince = nil
            if job != last { states.yield(job) }
            last = job
            if job.state.isOver { return states.finish() }
          } catch {
            guard Self.mayPass(error) else { return states.finish(throwing: error) }
            let since = silentSince ?? Date()
            silentSince = since
            if Date().timeIntervalSince(since) > patience { return states.finish(throwing: error) }
          }
          // Who cancels ends the loop, which looks for that itself.
          try? await Task.sleep(nanoseconds: UInt64(max(interval, 0.05) * 1e9))
        }
        states.finish(throwing: CancellationError())
      }
      states.onTermination = { _ in following.cancel() }
    }
  }

  /// Whether a failure may be gone when the server is asked again.
  private static func mayPass(_ failure: any Error) -> Bool {
    switch failure {
    case is SpoolClientError: false
    case let refusal as Refusal: refusal.status >= 500
    case let failure as URLError: ![.badURL, .unsupportedURL].contains(failure.code)
    default: true
    }
  }

  public func cancel(_ id: String) async throws {
    _ = try await send("POST", "jobs/\(id)/steering", body: Data(#"{"action": "cancel"}"#.utf8))
  }

  /// Writes the movie of a job that is done to a file, once all of it is there. A file that stands there is replaced by it at once:
  /// there is always the whole of one of them.
  public func movie(of id: String, to file: URL) async throws {
    let (fetched, answer) = try await session.download(for: request("GET", "jobs/\(id)/movie", query: [:]))
    guard let answer = answer as? HTTPURLResponse, answer.statusCode == 200 else {
      throw Refusal(answer, try Data(contentsOf: fetched))
    }
    // The movie is fetched into another folder, which may be on another disk. Within a folder it takes the file's name at once.
    let beside = file.deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString).part")
    do {
      try FileManager.default.moveItem(at: fetched, to: beside)
      guard unsafe rename(beside.path, file.path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    } catch {
      // What is left of it is of no use. Where it cannot be removed, the failure says more.
      try? FileManager.default.removeItem(at: beside)
      throw error
    }
  }

  // MARK: - Requests

  private func send(
    _ method: String, _ path: String, query: [String: String] = [:], body: Data? = nil, headers: [String: String] = [:]
  ) async throws -> Data {
    var request = try request(method, path, query: query)
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = body
    }
    let (data, answer) = try await session.data(for: request)
    guard let answer = answer as? HTTPURLResponse, 200..<300 ~= answer.statusCode else { throw Refusal(answer, data) }
    return data
  }

  private func request(_ method: String, _ path: String, query: [String: String]) throws -> URLRequest {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
      throw SpoolClientError(property: "url", reason: "\(url) is no URL")
    }
    let isHere = ["127.0.0.1", "localhost", "::1", "[::1]"].contains(parts.host ?? "")
    guard token == nil || parts.scheme == "https" || isHere else {
      throw SpoolClientError(property: "url", reason: "a token is sent by https only, or to this machine")
    }
    parts.path += (parts.path.hasSuffix("/") ? "" : "/") + "api/v1/\(path)"
    if !query.isEmpty { parts.queryItems = query.map { URLQueryItem(name: $0.key, value: $0.value) } }
    guard let whole = parts.url else { throw SpoolClientError(property: "url", reason: "\(path) makes no URL") }
    var request = URLRequest(url: whole)
    request.httpMethod = method
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    return request
  }
}

extension SpoolServer {
  /// A job of the farm.
  public struct Job: Hashable, Sendable, Decodable {
    public enum State: String, Hashable, Sendable, Decodable {
      case queued, running, done, failed, cancelled
      public var isOver: Bool { self != .queued && self != .running }
    }

    /// The reason for which a job failed.
    public struct Failure: Hashable, Sendable, Decodable {
      /// The place of the fault: a property of the document, an asset, a part of the farm.
      public var place: String
      public var reason: String
    }

    public var id: String
    public var state: State
    public var output: String
    public var frameCount: Int
    public var framesDone: Int
    public var failure: Failure?
    /// The time that is left, in seconds; nil where it is not known.
    public var secondsLeft: Double?
    /// Whether damaged parts of media were replaced, as the document allows.
    public var isDamaged: Bool
  }

  /// A fault of a document.
  public struct Fault: Hashable, Sendable, Decodable {
    /// Its place in the document.
    public var path: String
    public var kind: String
    public var text: String
    public var suggestion: String?
  }

  /// An answer of the server that is not what was asked for.
  public struct Refusal: Error, LocalizedError, Hashable, Sendable {
    /// HTTP's status; 0 for an answer that is not HTTP.
    public var status: Int
    public var reason: String
    public var faults: [Fault]

    public var errorDescription: String? {
      faults.isEmpty ? "\(status): \(reason)" : faults.map { "\($0.path): \($0.text)" }.joined(separator: "\n")
    }

    init(_ answer: URLResponse, _ body: Data) {
      struct Problem: Decodable {
        var detail: String
        var faults: [Fault]
      }
      status = (answer as? HTTPURLResponse)?.statusCode ?? 0
      // An answer that is no problem of the API, such as a proxy's page, is told as it is.
      let problem = try? JSONDecoder().decode(Problem.self, from: body)
      reason = problem?.detail ?? String(decoding: body.prefix(500), as: UTF8.self)
      faults = problem?.faults ?? []
    }
  }
}

extension SpoolMedium {
  /// Puts the medium where a request leads, such as a signed URL of an object store. The request's method is its own, else PUT.
  ///
  /// - Throws: a `SpoolServer.Refusal` where the answer's status is not of the 200s.
  public func upload(by request: URLRequest, session: URLSession = .shared) async throws {
    var request = request
    if request.httpMethod == nil || request.httpMethod == "GET" { request.httpMethod = "PUT" }
    let (body, answer) =
      switch self {
      case .file(let file): try await session.upload(for: request, fromFile: file)
      case .picture(_, let png): try await session.upload(for: request, from: png)
      }
    guard let answer = answer as? HTTPURLResponse, 200..<300 ~= answer.statusCode else { throw SpoolServer.Refusal(answer, body) }
  }
}
