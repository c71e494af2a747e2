import EditTesting
import Document
import Formats
import Scenes
import Testing
import Timeline

/// Tests of the fonts and the language of text layers.
@Suite struct `A text's` {
  private func layer(_ members: String) throws -> TextContent {
    let timeline = try Timeline.parse(Array(Self.document(members).utf8))
    guard case .text(let text)? = timeline.layers.first?.content else { throw Missing() }
    return text
  }

  private struct Missing: Error {}

  private static func document(_ members: String) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
      {"asset": "a", "source": {"start": "0", "duration": "1"}}]}]},
     "videoComposition": {"renderSize": [64, 64], "frameDuration": "1/25"}, "layers": [{"size": 9, \(members)}]}
    """
  }

  private func faults(_ members: String) -> [String] {
    do {
      _ = try Timeline.parse(Array(Self.document(members).utf8))
      return []
    } catch { return error.faults.map(\.description) }
  }

  @Test func `font is a name or a list of names in order, and is written as it was`() throws {
    #expect(try layer(#""text": "a", "font": "A""#).fonts == ["A"])
    let listed = try layer(#""text": "a", "font": ["B", "A"], "language": "zh-Hant""#)
    #expect(listed.fonts == ["B", "A"] && listed.language == "zh-Hant")
    let timeline = try Timeline.parse(Array(Self.document(#""text": "a", "font": ["B", "A"], "language": "ko""#).utf8))
    let written = String(decoding: timeline.canonicalJSON(), as: UTF8.self)
    #expect(written.contains(#""font":["B","A"],"language":"ko""#), "\(written)")
    // A single font means the same in either form.
    #expect(try layer(#""text": "a", "font": ["A"]"#) == layer(#""text": "a", "font": "A""#))
  }

  @Test(arguments: [
    (#""font": []"#, "layers[0].font: names no font"),
    (#""font": ["A", "B", "A"]"#, "layers[0].font[2]: 'A' stands in the list already"),
    (#""font": ["A", 7]"#, "layers[0].font[1]: expected a string, found a number"),
    (#""font": ["1","2","3","4","5","6","7","8","9"]"#, "layers[0].font: 9 elements; at most 8 are accepted"),
    (
      #""font": "A", "language": "japanese""#,
      "layers[0].language: 'japanese' is not a language's tag (BCP 47), such as ja, ko, zh-Hans or zh-Hant"
    ),
    (
      #""font": "A", "language": "zh_TW""#,
      "layers[0].language: 'zh_TW' is not a language's tag (BCP 47), such as ja, ko, zh-Hans or zh-Hant"
    ),
  ])
  func `fonts and language that are none are refused by their place`(members: String, fault: String) {
    #expect(faults(#""text": "a", "# + members) == [fault])
  }

  @Test(
    arguments: [
      ("はじまりの歌", "ja"), ("カタカナ 漢字", "ja"), ("漢字 ｶﾅ", "ja"), ("한국어 漢字", "ko"), ("ㄅㄆㄇ 漢字", "zh-Hant"), ("漢字", nil),
      ("漢・字ー", nil), ("latin", nil), ("かな ㄅ 한", "ja"),
    ] as [(String, String?)])
  func `language is what its own letters tell, where it is not said`(text: String, language: String?) {
    var content = TextContent(string: text, fonts: ["A"], size: 9)
    #expect(content.shapingLanguage == language)
    content.language = "zh-Hans"
    #expect(content.shapingLanguage == "zh-Hans")
  }

  @Test(arguments: ["ja", "zh-Hant-TW", "sr-Latn", "de-1996", "yue"])
  func `language is a tag of BCP 47`(tag: String) { #expect(LanguageCode.isTag(tag)) }

  @Test(arguments: ["", "j", "ja-", "-ja", "ja--JP", "1a", "ja JP", "zh-Hantttttt", "日本", "ja\n"])
  func `language is nothing else`(tag: String) { #expect(!LanguageCode.isTag(tag)) }

  @Test func `Han characters without a language are warned of`() throws {
    func warnings(_ members: String) throws -> [DocumentWarning] {
      let timeline = try Timeline.parse(Array(Self.document(members).utf8))
      return try timeline.resolved(with: [AssetID("a"): Assets.movie()]).warnings
    }
    let told = try warnings(#""text": "下見", "font": "A""#)
    #expect(told.map(\.kind) == [.languageUnsaid] && told.first?.path == "layers[0]")
    #expect(try warnings(#""text": "下見", "font": "A", "language": "ja""#) == [])
    #expect(try warnings(#""text": "下見の", "font": "A""#) == [])
    // A small text tells the language of its base.
    #expect(try warnings(#""text": [{"text": "下見", "ruby": "したみ"}], "font": "A""#) == [])
  }
}
