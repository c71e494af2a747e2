internal import Subprocess

/// A certificate of this machine for TLS, signed by an authority that nobody knows.
package struct TestCertificate {
  /// The path of the authority's certificate, for SSL_CERT_FILE.
  package let authority: String
  /// The path of the machine's certificate with its key, for `FaultyServer`.
  package let machine: String

  package init(in directory: TemporaryDirectory) throws {
    (authority, machine) = (directory.file("authority.pem"), directory.file("machine.pem"))
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2"]
    let authorityKey = directory.file("authority.key")
    try Self.openssl(["req", "-x509", "-subj", "/CN=authority", "-keyout", authorityKey, "-out", authority] + key)
    try Self.openssl(
      [
        "req", "-x509", "-CA", authority, "-CAkey", authorityKey, "-subj", "/CN=machine", "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", directory.file("machine.key"), "-out",
        directory.file("machine.crt"),
      ] + key)
    let parts = try ["machine.crt", "machine.key"].map { try [UInt8](contentsOf: directory.file($0)) }
    try parts.flatMap(\.self).write(toFile: machine)
  }

  private static func openssl(_ arguments: [String]) throws {
    let done = try Command("/usr/bin/openssl", arguments, environment: ["HOME": "/tmp"]).run(timeoutMilliseconds: 60_000)
    guard let done, done.status.isSuccess else { throw MediaTools.Failure(description: done?.errorOutput ?? "openssl hangs") }
  }
}
