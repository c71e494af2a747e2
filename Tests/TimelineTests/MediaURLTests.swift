import Formats
import Testing

@Suite struct MediaURLTests {
  @Test(arguments: [
    ("https://Media.Example:443/a%20b.mp4?sig=x", "media.example", "/a%20b.mp4"), ("http://[::1]:8080", "[::1]:8080", "/"),
    ("HTTP://x:80/?a", "x", "/"), ("s3://bucket/My clip é?#%2e%2e.mov", "bucket", "My clip é?#%2e%2e.mov"),
    ("s3://abc//k/", "abc", "/k/"),
  ])
  func `a URL has a host and a path`(text: String, host: String, path: String) throws {
    let url = try MediaURL(text)
    #expect((url.host, url.path, url.text) == (host, path, text))
  }

  @Test(arguments: [
    ("file:///etc/passwd", "expected a URL that begins with https://, http:// or s3://"), ("https://", "'' is not a host's name"),
    ("clip.mp4", "expected a URL that begins with https://, http:// or s3://"),
    ("https://a b/", "has characters that a URL encodes by '%'"),
    ("https://anna:secret@host/x", "has a user or a password, which have no place in a document"),
    ("https://host/x#t=1", "has a fragment ('#')"), ("https://host\\@other/", "has characters that a URL encodes by '%'"),
    ("https://host/a/../b", "has '.' or '..' in its path"), ("https://host/a/%2E%2e/b", "has '.' or '..' in its path"),
    ("https://host/%2e%2e%2fb", "has '.' or '..' in its path"), ("s3://bucket/../x", "has '.' or '..' in its path"),
    ("s3://bucket/a/../\u{30c}x", "has '.' or '..' in its path"), ("https://hóst/x", "has characters that a URL encodes by '%'"),
    ("https://host/clips/..;/secret", "has '.' or '..' in its path"),
    ("https://host/clips/..;a=b/x", "has '.' or '..' in its path"),
    ("https://host/clips/%2e%2e%3b/x", "has '.' or '..' in its path"),
    ("https://host/a/%252e%252e/b", "has '.' or '..' in its path"),
    ("https://host/a/%25252E%2e/b", "has '.' or '..' in its path"),
    ("https://host/a/%252e%252e%252fb", "has '.' or '..' in its path"),
    ("https://host/a/..%5cb", "has '.' or '..' in its path"), ("https://host/a/..%255Cb", "has '.' or '..' in its path"),
    ("https://host/a/%c0%ae%c0%ae/b", "has '.' or '..' in its path"), ("https://host/a/..%20/b", "has '.' or '..' in its path"),
    ("https://host/a/.../b", "has '.' or '..' in its path"),
    ("https://host/a/..%00/b", "has an encoded control character in its path"),
    ("https://host/a%0d%0aHost:x/b", "has an encoded control character in its path"),
    ("https://host/a%2500", "has an encoded control character in its path"),
    ("https://host%2eevil/x", "'host%2eevil' is not a host's name"),
    ("s3://Bucket/x", "'Bucket' is not a bucket's name"), ("s3://bucket", "names a bucket without a key"),
    ("s3://b/x", "'b' is not a bucket's name"),
  ])
  func `what could be read in two ways is no URL`(text: String, reason: String) {
    #expect(throws: MediaURL.Fault(reason: reason)) { try MediaURL(text) }
  }

  @Test(arguments: [
    "https://host/100%25.mp4", "https://host/a%252fb.mp4", "https://host/%e9t%e9.mp4", "https://host/a;v=2/b..c.mp4",
    "https://host/.well-known/x",
    "https://host/..x/y", "https://host/x?next=/../%2e%2e/",
  ])
  func `what only looks like dots is a path`(text: String) throws { #expect(try MediaURL(text).text == text) }

  @Test func `the query, which may be secret, is not told`() throws {
    #expect(try MediaURL("https://host/x?token=secret").description == "https://host/x")
    #expect(MediaURL.name(of: "/srv/a?b") == "/srv/a?b")
  }

  @Test(arguments: [
    ("https://", "https://any.example/x", true), ("https://", "http://any.example/x", false),
    ("https://a.example", "https://a.example/x", true),
    ("https://a.example", "https://a.example.evil/x", false), ("https://a.example", "https://a.example:8443/x", false),
    ("https://A.example:443/clips/", "https://a.example/clips/x?q", true),
    ("https://a.example/clips", "https://a.example/clips", true),
    ("https://a.example/clips", "https://a.example/clipsx", false), ("s3://bucket", "s3://bucket/x", true),
    ("https://a.example/clips", "https://a.example/clips;x/y", false),
    ("https://a.example/clips", "https://a.example/%63lips/y", false),
    ("s3://bucket/in", "s3://bucket/in/x", true), ("s3://bucket/in", "s3://bucket/inx", false), ("s3://", "s3://bucket/x", true),
  ])
  func `a prefix covers what lies below it`(prefix: String, url: String, covers: Bool) throws {
    #expect(try MediaURLPrefix(prefix).covers(MediaURL(url)) == covers)
  }
}
