import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// Pictures in SVG: their size, their pixels, and what is refused of them.
@Suite struct `An SVG picture` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  private func write(_ text: String, _ name: String = "a.svg") throws -> String {
    let path = directory.file(name)
    try Array(text.utf8).write(toFile: path)
    return path
  }

  private static let flag =
    ##"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="20" height="20" fill="#c81e3c"/><rect x="20" width="20" height="20" fill="#1e3cc8" fill-opacity="0.5"/></svg>"##

  @Test func `has the pixels of its shapes, with straight alpha, and is drawn in any size`() throws {
    let image = try StillImage.load(try write(Self.flag), policy: policy)
    #expect((image.width, image.height) == (40, 20) && image.drawing != nil)
    #expect(Array(image.rgba[0..<4]) == [0xC8, 0x1E, 0x3C, 255])
    let right = Array(image.rgba[(10 * 40 + 30) * 4..<(10 * 40 + 31) * 4])
    #expect(zip(right, [0x1E, 0x3C, 0xC8, 128]).allSatisfy { abs(Int($0.0) - $0.1) <= 1 }, "\(right)")
  }

  @Test(arguments: [
    (#"width="40" height="20""#, PixelSize(40, 20)), (#"viewBox="0 0 70 30""#, PixelSize(70, 30)),
    (#"width="1in" height="0.5in" viewBox="0 0 2 1""#, PixelSize(96, 48)), (#"width="10.4" height="7.6""#, PixelSize(10, 8)),
  ])
  func `is as large as it says, at 96 pixels an inch`(_ attributes: String, _ size: PixelSize) throws {
    let path = try write(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- a remark -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" \(attributes)><rect width=\"2\" height=\"2\"/></svg>"
    )
    let facts = try AssetProbe.facts(of: path, policy: policy)
    #expect(facts.isStillPicture && facts.container == "svg_pipe")
    let track = try facts.first(.video)
    guard case .video(let video) = track.detail else { throw MediaTools.Failure(description: "no picture") }
    #expect(video.displaySize == size && track.codec == "svg")
    // It is a clip as other stills are.
    let frame = try VideoReader(path: path, track: track, policy: policy).frame(at: Rational(2))
    #expect((frame.width, frame.height) == (size.width, size.height))
  }

  private static let open =
    #"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="8" height="8">"#

  @Test(arguments: [
    (open + #"<image href="other.png" width="8" height="8"/></svg>"#, "refers to 'other.png', which is not a part of it"),
    (open + #"<image xlink:href="file:///etc/hostname"/></svg>"#, "refers to 'file:///etc/hostname'"),
    (open + #"<image href = '&#x68;ttps://host/a.png'/></svg>"#, "refers to 'https://host/a.png'"),
    (open + ##"<use href="other.svg#x"/></svg>"##, "refers to 'other.svg#x'"),
    (open + ##"<rect width="8" height="8" fill="url(other.svg#x)"/></svg>"##, "refers to 'other.svg#x'"),
    (open + ##"<style>rect { filter: url( "http://host/f.svg#f" ) }</style></svg>"##, "refers to 'http://host/f.svg#f'"),
    (open + #"<style><![CDATA[@import "a.css";]]></style></svg>"#, "has a style sheet in another file"),
    (#"<?xml-stylesheet href="a.css"?>"# + open + "</svg>", "has a style sheet in another file"),
    (open + #"<image href="data:image/svg+xml;base64,AAAA"/></svg>"#, "holds a picture of another kind than PNG and JPEG"),
    (#"<!DOCTYPE svg [<!ENTITY a "b">]>"# + open + "&a;</svg>", "declares entities"),
    (#"<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/hostname">]>"# + open + "&a;</svg>", "declares entities"),
    (open + #"<g><text x="1" y="7">a</text></g></svg>"#, "has text, which would be drawn with whatever fonts a machine has"),
    (open + #"<g systemLanguage="ja"/></svg>"#, "chooses what it shows by the machine's language"),
    (#"<svg xmlns="http://www.w3.org/2000/svg" width="30000" height="30000"></svg>"#, "30000x30000"),
    (#"<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="100%"><rect width="3" height="3"/></svg>"#, "states no size"),
  ])
  func `that depends on something else, or cannot be drawn, is refused with the reason`(_ text: String, _ reason: String) throws {
    let path = try write(text)
    #expect {
      try AssetProbe.facts(of: path, policy: policy)
    } throws: { error in
      guard let error = error as? MediaError, error.kind == .unsupported else { return false }
      return "\(error)".contains(reason)
    }
  }

  @Test(arguments: [
    (##"<rect width="4" height="4" fill="url(#g)" transform="rotate(45)"/>"##, false),
    (##"<g transform="matrix(1 0.5 0 1 0 0)"><g><rect width="4" height="4" style="fill: url(#g)"/></g></g>"##, false),
    (##"<style>.a { fill: url(#g) }</style><rect class="a" width="4" height="4" transform="skewX(5)"/>"##, false),
    (##"<rect id="r" width="4" height="4" fill="url(#g)"/><use href="#r" transform="rotate(9)"/>"##, false),
    (##"<g transform="rotate(45)"><rect width="4" height="4"/></g><rect width="4" height="4" fill="url(#g)"/>"##, true),
    (##"<rect width="4" height="4" fill="url(#g)" transform="translate(1 2) scale(2)"/>"##, true),
    (##"<rect width="4" height="4" fill="url(#g)" transform="matrix(2, 0, 0, -2, 1, 7)"/>"##, true),
  ])
  func `with a turned shape whose gradient counts in its box is refused, and drawn where it counts in the picture`(
    _ shape: String, _ isDrawn: Bool
  ) throws {
    func picture(_ units: String) throws -> String {
      let gradient =
        ##"<linearGradient id="g"\##(units)><stop stop-color="#f00"/><stop offset="1" stop-color="#00f"/></linearGradient>"##
      return try write(Self.open + "<defs>\(gradient)</defs>\(shape)</svg>")
    }
    #expect(throws: Never.self) { try StillImage.load(try picture(#" gradientUnits="userSpaceOnUse" x2="8""#), policy: policy) }
    let boxed = try picture("")
    if isDrawn {
      #expect(throws: Never.self) { try StillImage.load(boxed, policy: policy) }
    } else {
      #expect { try StillImage.load(boxed, policy: policy) } throws: { "\($0)".contains("turns a shape with '#g'") }
    }
  }

  @Test func `may hold what stays inside: parts that refer to each other, pictures written out, a kind, links`() throws {
    let png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    let text = """
      <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
      \(Self.open)<defs><linearGradient id="g"><stop stop-color="#0f0"/></linearGradient></defs>
      <a xlink:href="https://host/"><rect id="r" width="4" height="8" fill="url(#g)"/></a><use xlink:href="#r" x="4"/>
      <image href="data:image/png;base64,\(png)" width="1" height="1"/></svg>
      """
    let image = try StillImage.load(try write(text), policy: policy)
    #expect(Array(image.rgba[(7 * 8 + 7) * 4..<(7 * 8 + 8) * 4]) == [0, 255, 0, 255])
  }

  @Test func `that is cut off or is something else is refused`() throws {
    for text in [String(Self.flag.prefix(150)), #"<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect></svg>"#] {
      let path = try write(text)
      #expect(throws: MediaError.self) { try AssetProbe.facts(of: path, policy: policy) }
    }
    let html = try write("<html><body>no picture</body></html>")
    #expect(throws: MediaError.self) { try AssetProbe.facts(of: html, policy: policy) }
  }
}
