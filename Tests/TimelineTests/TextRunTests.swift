import EditTesting
import Document
import Scenes
import Testing
import Timeline

/// Tests of the runs and the looks of texts, as documents state them.
@Suite struct `A text in a document` {
  private static func document(_ members: String, _ size: String = #""renderSize": [64, 720], "#) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
      {"asset": "a", "source": {"start": "0", "duration": "1"}}]}]},
     "videoComposition": {\(size)"frameDuration": "1/25"}, "layers": [{"font": "A", \(members)}]}
    """
  }

  private struct Missing: Error {}

  private func text(_ members: String) throws -> TextContent {
    let timeline = try Timeline.parse(Array(Self.document(members).utf8))
    guard case .text(let text)? = timeline.layers.first?.content else { throw Missing() }
    return text
  }

  private func written(_ members: String) throws -> String {
    let timeline = try Timeline.parse(Array(Self.document(members).utf8))
    let written = timeline.canonicalJSON()
    #expect(try Timeline.parse(written) == timeline)
    return String(decoding: written, as: UTF8.self)
  }

  @Test func `is a string, or runs that have styles of their own`() throws {
    let runs = try text(
      ##""size": 9, "text": ["a", "b", {"text": "c", "weight": 700, "color": "#ff0000", "font": ["B", "A"]}, {"text": "漢", "ruby": "か"}]"##
    )
    #expect(runs.runs.map(\.string) == ["ab", "c", "漢"] && runs.string == "abc漢")
    #expect(runs.runs[2].ruby == "か" && runs.runs[1].style.weight == 700)
    #expect(runs.spans.map(\.typeface.families) == [["A"], ["B", "A"], ["A"]])
    #expect(runs.spans.map(\.typeface.weight) == [400, 700, 400])
    // A single run without a style is the same as a string.
    #expect(try text(#""size": 9, "text": [{"text": "x"}]"#) == text(#""size": 9, "text": "x""#))
  }

  @Test(arguments: [
    #""text":["a",{"axes":{"wght":512.5},"baselineOffset":-2,"features":{"smcp":1},"text":"b"}],"textShadow":{"radius":1}"#,
    ##""box":{"around":"lines","color":"#000000","padding":[4,2]}"##,
    ##""fillGradient":{"colors":["#ff0000","#0000ff"],"locations":[0,1]}"##, ##""glow":{"radius":2,"strength":3}"##,
    #""lineHeight":12,"maxLines":3,"minSize":4,"outline":{"join":"miter","position":"inside","width":2}"#, #""tabs":[10,20]"#,
    #""slant":"italic","stretch":75,"strikethrough":true"#, #""truncate":"middle""#, #""underline":true"#,
    #""wordSpacing":-3,"wrap":"none","writingMode":"vertical-lr""#,
    #""textEmphasis":"sesame","textOrientation":"upright","wordSpacing":-3,"writingMode":"vertical-lr""#,
    ##""text":["a",{"text":"b","textEmphasis":"none"},{"text":"c","textEmphasis":{"color":"#ff0000","fill":"open","mark":"dot","side":"under"}}],"textEmphasis":"x""##,
    #""text":["平",{"text":"12","textCombine":true},"年"],"verticalAlign":"bottom","writingMode":"vertical-rl""#,
  ])
  func `is written as it was read`(members: String) throws {
    let text = members.contains("\"text\":") ? "" : #""text":"a","#
    let written = try written(#""frame":[0,0,9,9],"size":9,\#(text)\#(members)"#)
    #expect(written.contains(members), "\(written)")
  }

  @Test func `has a size in shares of the picture's height`() throws {
    #expect(try text(#""size": "5%", "text": ["a", {"text": "b", "size": "2.5%"}]"#).spans.map(\.size) == [36, 18])
    #expect(try written(#""size": "5%", "text": "a""#).contains(#""size":36,"#))
    let unknown = Self.document(#""size": "5%", "text": "a""#, "")
    // The height of the medium is not known yet, and is judged when it is.
    #expect(try Document(Array(unknown.utf8)).faults == nil)
  }

  @Test(
    arguments: [
      (#""size": 9, "text": []"#, "layers[0].text: must not be empty"),
      (#""size": 9, "text": ["a", 7]"#, "layers[0].text[1]: expected a string, or an object with \"text\", found a number"),
      (#""size": 9, "text": ["a", ""]"#, "layers[0].text[1]: must not be empty"),
      (
        #""size": 9, "text": [{"text": "a", "bold": true}]"#,
        "layers[0].text[0].bold: unknown key (that is said by weight: 700)"
      ),
      (
        #""size": 9, "text": [{"text": "a\nb", "ruby": "c"}]"#,
        "layers[0].text[0].text: has a line break, and stands in one line"
      ),
      (
        #""size": 9, "text": [{"text": "a", "features": {"small": 1}}]"#,
        "layers[0].text[0].features.small: is no tag: expected four letters or digits"
      ),
      (
        #""size": 9, "text": [{"text": "a", "axes": {"wght": "bold"}}]"#,
        "layers[0].text[0].axes.wght: expected a number, found a string"
      ),
      (#""size": "5", "text": "a""#, "layers[0].size: '5' is no size: expected pixels, or a share of the height such as \"8%\""),
      (#""size": "700%", "text": "a""#, "layers[0].size: 700% of 720 is 5040 pixels, which is not in 1...4096"),
      (
        #""size": 9, "text": "a", "maxLines": 2"#,
        "layers[0].maxLines: a text without a frame shrinks to fit the lower third of the picture: give it a frame"
      ),
      (#""size": 9, "text": "a", "frame": [0, 0, 9, 9], "minSize": 10"#, "layers[0].minSize: is more than the size"),
      (#""size": 9, "text": "a", "tabs": [5, 5]"#, "layers[0].tabs: must rise"),
      (
        #""size": 9, "text": "a", "lineHeight": 9, "lineSpacing": 2"#,
        "layers[0].lineSpacing: \"lineHeight\" says the distance of lines: give one of them"
      ),
      (
        ##""size": 9, "text": "a", "color": "#ffffff", "fillGradient": {"colors": ["#ffffff", "#000000"]}"##,
        "layers[0].color: \"fillGradient\" fills the letters: give one of them"
      ),
      (
        #""size": 9, "text": "a", "writingMode": "vertical-rl""#,
        "layers[0].writingMode: a vertical text needs a place: give it a frame"
      ),
      (
        #""size": 9, "text": ["a", {"text": "12", "textCombine": true}]"#,
        "layers[0].text[1].textCombine: only vertical lines have letters beside each other: give the text \"writingMode\": \"vertical-rl\""
      ),
      (
        #""size": 9, "frame": [0, 0, 9, 9], "writingMode": "vertical-rl", "text": [{"text": "1\n2", "textCombine": true}]"#,
        "layers[0].text[0].text: has a line break, and stands in one line"
      ),
      (
        #""size": 9, "frame": [0, 0, 9, 9], "writingMode": "vertical-rl", "text": [{"text": "12", "textCombine": true, "ruby": "a"}]"#,
        "layers[0].text[0].ruby: stands beside letters that follow each other: leave \"textCombine\" out"
      ),
      (#""size": 9, "text": "a", "glow": {"radius": 501}"#, "layers[0].glow.radius: 501 is not in 0...500"),
      (#""size": 9, "text": "a", "outline": {"width": 9999}"#, "layers[0].outline.width: 9999 is not in 0...8192"),
      (#""size": 9, "text": "a", "box": {}"#, "layers[0].box.color: missing"),
      (#""size": 9, "text": "a", "align": "middle""#, "layers[0].align: 'middle' is not one of left, center, right, justify"),
    ])
  func `has faults by their places`(members: String, fault: String) {
    #expect(Documents.faults(Self.document(members)) == [fault])
  }

  @Test func `is as long as it may be, in all its runs`() {
    func faults(_ run: String, _ count: Int) -> [String] {
      Documents.faults(Self.document(#""size": 9, "text": [\#(Array(repeating: run, count: count).joined(separator: ","))]"#))
    }
    #expect(faults(#""\#(String(repeating: "a", count: 64))""#, 256) == [])
    #expect(faults(#""\#(String(repeating: "a", count: 64))""#, 257) == ["layers[0].text: longer than 16384 bytes in all"])
    #expect(faults(#""a""#, 1_001) == ["layers[0].text: 1001 elements; at most 1000 are accepted"])
    #expect(faults(#""\#(String(repeating: "a", count: 1_000_000))""#, 1) == ["layers[0].text[0]: longer than 16384 bytes"])
  }

  @Test func `is seen where anything of it has a colour`() throws {
    func warnings(_ members: String) throws -> [String] {
      let document = Self.document(members + #", "language": "ja", "frame": [0, 0, 64, 64], "size": 9"#)
      return try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("a"): Assets.movie()]).warnings.map(\.message)
    }
    #expect(try warnings(##""text": "a", "color": "#ffffff00""##) == ["is never seen: its color is wholly transparent"])
    #expect(try warnings(##""text": ["a", {"text": "b", "color": "#ffffff"}], "color": "#ffffff00""##) == [])
    #expect(try warnings(##""text": "a", "color": "#ffffff00", "glow": {"radius": 1}"##) == [])
  }

  @Test(arguments: [
    (#""textOrientation": "upright""#, "textOrientation: only vertical lines turn letters: give the text"),
    (#""textEmphasis": "sesami""#, "textEmphasis: 'sesami' is not one of"),
    (#""textEmphasis": " ""#, "textEmphasis: ' ' is not one of"),
    (#""textEmphasis": {"mark": "x", "fill": "open"}"#, "textEmphasis.fill: only dot, circle, doubleCircle, triangle,"),
    (#""textEmphasis": {"fill": "open"}"#, "textEmphasis.mark: missing"),
    (
      #""textOrientation": "upright", "writingMode": "vertical-rl", "frame": [0, 0, 9, 9]"#,
      "text: has letters of a script from right to left"
    ),
  ])
  func `says which marks and which standing letters it cannot have`(members: String, fault: String) {
    do {
      _ = try Timeline.parse(Array(Self.document(#""size": 9, "text": ["a", {"text": "\u05d0"}], \#(members)"#).utf8))
      Issue.record("accepted")
    } catch { #expect("\(error)".contains(fault), "\(error)") }
  }
}
