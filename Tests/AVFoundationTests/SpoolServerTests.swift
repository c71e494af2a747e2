import Foundation
import SpoolClient
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server that has no jobs. It cannot answer downloads: Foundation's go by a file that only its own protocols make.
private final class MovieServer: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func startLoading() {
    guard let url = request.url else { return }
    guard let answer = HTTPURLResponse(url: url, statusCode: 404, httpVersion: "HTTP/1.1", headerFields: nil) else { return }
    client?.urlProtocol(self, didReceive: answer, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data(#"{"detail": "there is no such job", "faults": []}"#.utf8))
    client?.urlProtocolDidFinishLoading(self)
  }
  override func stopLoading() {}
}

@Suite struct `A client's server` {
  private func server() throws -> SpoolServer {
    let settings = URLSessionConfiguration.ephemeral
    settings.protocolClasses = [MovieServer.self]
    return SpoolServer(
      try #require(URL(string: "http://127.0.0.1:1")), token: nil, session: URLSession(configuration: settings))
  }

  @Test(.timeLimit(.minutes(30))) func `fails at once where asking again mends nothing`() async throws {
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
