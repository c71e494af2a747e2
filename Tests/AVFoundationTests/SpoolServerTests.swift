import FarmTesting
import Foundation
import SpoolClient
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server that has one movie, and no jobs.
private final class MovieServer: URLProtocol {
  static let movie = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })

  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func startLoading() {
    guard let url = request.url else { return }
    let isMovie = url.path.hasSuffix("/jobs/7/movie")
    guard let answer = HTTPURLResponse(url: url, statusCode: isMovie ? 200 : 404, httpVersion: "HTTP/1.1", headerFields: nil)
    else { return }
    client?.urlProtocol(self, didReceive: answer, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: isMovie ? Self.movie : Data(#"{"detail": "there is no such job", "faults": []}"#.utf8))
    client?.urlProtocolDidFinishLoading(self)
  }
  override func stopLoading() {}
}

@Suite struct `A client's server` {
  private let directory = TemporaryDirectory()

  private func server() throws -> SpoolServer {
    let settings = URLSessionConfiguration.ephemeral
    settings.protocolClasses = [MovieServer.self]
    return SpoolServer(
      try #require(URL(string: "http://127.0.0.1:1")), token: nil, session: URLSession(configuration: settings))
  }

  @Test func `gives a movie in place of the file that stood there, and leaves nothing beside it`() async throws {
    let file = URL(fileURLWithPath: directory.file("movie.mp4"))
    try Data("older".utf8).write(to: file)
    let held = try FileHandle(forReadingFrom: file)
    try await server().movie(of: "7", to: file)
    #expect(try Data(contentsOf: file) == MovieServer.movie)
    // The older file was replaced, not written over: who reads it still has it whole.
    #expect(try held.readToEnd() == Data("older".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["movie.mp4"])
  }

  @Test func `leaves the file that stands there when there is no movie, or no place for it`() async throws {
    let file = URL(fileURLWithPath: directory.file("movie.mp4"))
    try Data("older".utf8).write(to: file)
    let refusal = await #expect(throws: SpoolServer.Refusal.self) { try await server().movie(of: "8", to: file) }
    #expect(refusal?.status == 404 && refusal?.reason == "there is no such job")
    #expect(try Data(contentsOf: file) == Data("older".utf8))
    let folder = directory.file("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    await #expect(throws: POSIXError.self) { try await server().movie(of: "7", to: URL(fileURLWithPath: folder)) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["folder", "movie.mp4"])
  }

  @Test(.timeLimit(.minutes(1))) func `fails at once where asking again mends nothing`() async throws {
    let open = SpoolServer(try #require(URL(string: "http://farm.example.org")), token: "secret")
    let error = await #expect(throws: SpoolClientError.self) {
      for try await _ in open.states(of: "7", patience: .infinity) {}
    }
    #expect(error?.property == "url")
    let refusal = await #expect(throws: SpoolServer.Refusal.self) {
      for try await _ in try server().states(of: "9", patience: .infinity) {}
    }
    #expect(refusal?.status == 404)
    let none = SpoolServer(try #require(URL(string: "nowhere://farm.example.org")), token: nil)
    await #expect(throws: URLError.self) { for try await _ in none.states(of: "7", patience: .infinity) {} }
  }
}
