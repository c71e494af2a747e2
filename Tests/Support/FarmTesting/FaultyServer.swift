internal import Subprocess

/// An HTTP server with ranges that fails as its paths say. The path is `/FAULTS/NAME`. Each letter of FAULTS is the outcome of
/// one request of that path, in order. Requests after the last letter succeed, unless the last letter is a lasting fault.
/// `/FAULTS/count` returns the number of requests, and `/FAULTS/queries` their queries.
///
/// Faults of one request: c: closes in the middle; s: sends half and then nothing; l: promises a byte more than there is; t:
/// promises a byte less than there is; 3, 4, 5, 6: status 403, 404, 503, 302 to `target`; h: a hundred KiB of headers; m: refuses
/// requests that do not say which version they want (`If-Match`); o: succeeds.
///
/// Lasting faults: r: ignores ranges; v: has become another version; n: names no version; w: slow; f: status 503.
package final class FaultyServer {
  package let url: String
  private let server: PythonServer

  /// - Parameters:
  ///   - folder: the folder whose files it serves, by NAME.
  ///   - target: the target of redirections.
  ///   - certificate: a file with a certificate and its key, for TLS.
  package init(folder: String, target: String = "/o/gone", certificate: String? = nil) throws {
    server = try PythonServer(Self.script, arguments: [folder, target] + [certificate].compactMap(\.self))
    url = "\(certificate == nil ? "http" : "https")://127.0.0.1:\(server.greeting[0])"
  }

  /// The number of requests for all paths with these faults.
  package func requests(of faults: String) throws -> Int { Int(try answer("\(faults)/count").first ?? "") ?? -1 }

  /// The different queries of the requests for all paths with these faults, sorted.
  package func queries(of faults: String) throws -> [String] { try answer("\(faults)/queries") }

  /// The lines of what the server says of itself.
  private func answer(_ path: String) throws -> [String] {
    let done = try Command("/usr/bin/python3", ["-c", Self.client, "\(url)/\(path)"]).run(timeoutMilliseconds: 60_000)
    return (done?.output ?? "").split(separator: "\n").map(String.init)
  }

  private static let client = """
    import ssl, sys, urllib.request
    print(urllib.request.urlopen(sys.argv[1], context=ssl._create_unverified_context()).read().decode())
    """

  private static let script = """
    import collections, http.server, os, re, ssl, sys, threading, time
    folder, target = sys.argv[1:3]
    requests, queries, lock = collections.Counter(), collections.defaultdict(set), threading.Lock()
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *args): pass
        def do_HEAD(self): self.answer(False)
        def do_GET(self): self.answer(True)
        def answer(self, has_body):
            path, _, query = self.path.partition("?")
            _, faults, name = path.split("/", 2)
            with lock:
                number = requests[path]
                if name not in ("count", "queries"): requests[path] += 1
                if query: queries[faults].add(query)
            if name == "queries": body, fault = "\\n".join(sorted(queries[faults])).encode(), "o"
            elif name == "count":
                body, fault = str(sum(n for p, n in requests.items() if p.split("/")[1] == faults)).encode(), "o"
            else:
                fault = faults[min(number, len(faults) - 1)]
                if number >= len(faults) and fault not in "rvnwf": fault = "o"
                try:
                    with open(os.path.join(folder, name), "rb") as file: body = file.read()
                except OSError: body, fault = b"", "4"
            if fault in "3456f":
                self.send_response({"3": 403, "4": 404, "6": 302}.get(fault, 503))
                if fault == "6": self.send_header("Location", target)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            tag, wants = '"2"' if fault == "v" else '"1"', self.headers.get("If-Match")
            if fault == "m" and not wants or wants and wants != tag:
                self.send_response(412 if wants else 428)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            total, start, end = len(body), 0, len(body)
            wanted = re.match(r"bytes=(\\d+)-(\\d+)", self.headers.get("Range", ""))
            if wanted and fault != "r":
                start, end = int(wanted[1]), min(int(wanted[2]) + 1, total)
                if start >= total:
                    self.send_response(416)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {start}-{end - 1}/{total}")
            else: self.send_response(200)
            if fault != "n": self.send_header("ETag", tag)
            for number in range(100 if fault == "h" else 0): self.send_header(f"X-{number}", "x" * 1024)
            length = end - start + {"l": 1, "t": -1}.get(fault, 0)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            if not has_body: return
            try:
                half = (end - start) // 2
                if fault in "cs":
                    self.wfile.write(body[start:start + half])
                    self.wfile.flush()
                    if fault == "s": time.sleep(30)
                elif fault == "w":
                    for piece in range(start, end, 1 << 16):
                        self.wfile.write(body[piece:min(piece + (1 << 16), end)])
                        time.sleep(0.01)
                else: self.wfile.write(body[start:end])
            except OSError: pass
            if fault in "cslt": self.close_connection = True
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1])
    server.serve_forever()
    """
}
