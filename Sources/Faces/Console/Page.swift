internal import CPages
internal import WebServer

/// The files that the server serves: pages, and the description of the API. They are parts of the program.
enum Page {
  static let description = WebResponse(200, "application/json", file("openapi.json"))

  private static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="#0b5cad"/>\
    <circle cx="8" cy="8" r="2.4" fill="#fff"/></svg>
    """

  private static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'
    """

  /// The headers of every answer.
  static let protection: [(name: String, value: String)] = [
    ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("X-Frame-Options", "DENY"), ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
  ]

  /// The file or page at a path; nil when there is none. A path is only looked up here.
  static func at(_ path: String) -> WebResponse? {
    switch path {
    case "/console.css": WebResponse(200, "text/css; charset=utf-8", file("console.css"))
    case "/icon.svg": WebResponse(200, "image/svg+xml", Array(icon.utf8))
    case "/console.js": script(file("console.js"))
    case "/pages.js": script(file("pages.js"))
    case "/map.js": script(file("map.js"))
    case "/records.js": script(file("records.js"))
    case "/changes.js": script(file("changes.js"))
    case "/webhooks.js": script(file("webhooks.js"))
    case "/pictures.js": script(file("pictures.js"))
    case "/player.js": script(file("player.js"))
    case "/", "/jobs", "/workers", "/submitters", "/submit", "/audit", "/webhooks": page
    default: isJobPage(path) ? page : nil
    }
  }

  private static var page: WebResponse { WebResponse(200, "text/html; charset=utf-8", file("index.html")) }

  private static func script(_ bytes: [UInt8]) -> WebResponse { WebResponse(200, "text/javascript; charset=utf-8", bytes) }

  /// The bytes of a file in the folder `Pages`.
  private static func file(_ name: String) -> [UInt8] {
    var size = 0
    guard let bytes = unsafe spool_page(name, &size) else { preconditionFailure("the program carries no page \(name)") }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: size))
  }

  /// Whether the path is `/jobs/` and a job's id. Ids are lower-case letters and digits.
  private static func isJobPage(_ path: String) -> Bool {
    guard path.hasPrefix("/jobs/") else { return false }
    return path.dropFirst(6).wholeMatch(of: /[a-z0-9]{1,32}/) != nil
  }
}
