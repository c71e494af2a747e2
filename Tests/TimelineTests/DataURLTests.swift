import Document
import Formats
import Testing
import Timeline

@Suite struct `A data URL` {
  @Test(arguments: [
    ("data:image/png;base64,AQID", [1, 2, 3]), ("data:image/png;base64,AQI=", [1, 2]), ("data:image/png;base64,AQ==", [1]),
    ("data:image/svg+xml;charset=utf-8;BASE64,+/+/", [0xfb, 0xff, 0xbf]),
  ])
  func `holds the bytes of its base64`(text: String, bytes: [UInt8]) throws {
    let data = try DataURL(text)
    #expect(data.bytes == bytes && data.text == text && SourceName(text) == .embedded(data))
  }

  @Test(arguments: [
    ("data:text/plain;base64,AQID", "expected a URL that begins with data:image/"),
    ("data:image/png;base64", "has no ',' before its data"), ("data:image/png;base64,", "has no data"),
    ("data:image/png,abc", "is not in base64: say ';base64,' before its data"),
    ("data:image/p g;base64,AQID", "names its type with unknown characters"),
    ("data:image/png;base64,AQI", "breaks off: its base64 is not whole"),
    ("data:image/png;base64,A===", "breaks off: its base64 is not whole"),
    ("data:image/png;base64,AQ-_", "has characters that base64 does not have"),
    ("data:image/png;base64,AQ=D", "has characters that base64 does not have"),
  ])
  func `has a reason why it is none`(text: String, reason: String) {
    #expect(throws: DataURL.Fault.self) { try DataURL(text) }
    do { _ = try DataURL(text) } catch { #expect(error.reason == reason) }
    #expect(SourceName(text).isFile)
  }

  @Test(arguments: [0, 1, 2, 3, 4, 255, 256])
  func `is made of bytes, and has them`(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 251) }
    let data = DataURL(type: "png", bytes: bytes)
    #expect(data.bytes == bytes && data.text.hasPrefix("data:image/png;base64,"))
    guard count > 0 else { return }
    #expect(try DataURL(data.text).bytes == bytes)
  }

  @Test func `is shown without its data`() throws {
    #expect(MediaURL.name(of: "data:image/png;base64,AQID") == "data:image/png (3 bytes)")
  }

  @Test func `is an asset of a document, and is written as it was read`() throws {
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "dot": {"data": "data:image/png;base64,AQID"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0", "duration": "1"}}]}]},
       "layers": [{"image": "dot", "frame": [0, 0, 9, 9]}]}
      """
    let edit = try Timeline.parse(Array(document.utf8))
    #expect(edit.assets[AssetID("dot")] == .embedded(try DataURL("data:image/png;base64,AQID")))
    let written = String(decoding: edit.canonicalJSON(), as: UTF8.self)
    #expect(written.contains(#""dot":{"data":"data:image/png;base64,AQID"}"#))
    #expect(try Timeline.parse(Array(written.utf8)) == edit)
  }
}
