import Captions
import EditFiles
import FarmTesting
import FoundationEssentials
import Scenes
import Subprocess
import Testing
import Timeline

/// Caption files that do not say their encoding. `scripts/check-text` tries many more.
@Suite struct `Caption files without a declared encoding` {
  private let workshop = Workshop()

  /// The first cues of a film, by language.
  private static let texts = [
    "ja": "雨が降っています。傘を持って行きましょう。\nそれは大きな兎でした。\n彼女はまだ来ていない。",
    "zh": "今天下雨，我们应该带伞。\n那是一只很大的兔子。\n她还没有来。", "tw": "今天下雨，我們應該帶傘。\n那是一隻很大的兔子。\n她還沒有來。",
    "ko": "오늘은 비가 옵니다. 우산을 가져갑시다.\n그것은 큰 토끼였습니다.\n그녀는 아직 오지 않았다.",
    "ru": "Сегодня идёт дождь, возьмём зонт.\nЭто был большой заяц.\nОна ещё не пришла.",
    "uk": "Сьогодні йде дощ, візьмімо парасольку.\nЦе був великий заєць.\nВона ще не прийшла, її немає.",
    "el": "Σήμερα βρέχει, ας πάρουμε ομπρέλα.\nΉταν ένας μεγάλος λαγός.\nΔεν έχει έρθει ακόμα.",
    "he": "היום יורד גשם, בוא ניקח מטרייה.\nזה היה ארנב גדול.\nהיא עדיין לא הגיעה.",
    "ar": "اليوم تمطر، فلنأخذ مظلة.\nكان أرنبا كبيرا.\nلم تأت بعد.",
    "pl": "Dziś pada deszcz, weźmy parasol ze sobą, żebyśmy nie zmokli.\n"
      + "To był duży zając, który pożarł całą kapustę, więc się złościł.\n"
      + "Jeszcze nie przyszła, choć miała być już wcześniej; czekaliśmy, aż się ściemniło.\n"
      + "Mówiła, że źle się czuje i że zostanie w łóżku.",
    "fr": "Aujourd'hui il pleut : prenons un parapluie, ça évitera d'être trempés.\n"
      + "C'était un très gros lièvre, âgé de six ans déjà.\n"
      + "Elle n'est pas encore arrivée, après tout ce temps où nous étions là à l'espérer.\n"
      + "Voilà où mène la pitié, répéta-t-il, désolé.",
    "vi": "Hôm nay trời mưa, chúng ta hãy mang ô.\nĐó là một con thỏ lớn.\nCô ấy vẫn chưa đến.",
  ]

  private func convert(_ text: String, to set: String) throws -> [UInt8] {
    let (source, target) = (workshop.file("utf-8"), workshop.file("converted"))
    try text.write(toFile: source)
    let command = Command("/usr/bin/iconv", ["-f", "utf-8", "-t", set, "-o", target, source])
    let run = try #require(try command.run(timeoutMilliseconds: 60_000))
    try #require(run.code == 0, "\(run.errorOutput)")
    return try [UInt8](contentsOf: target)
  }

  private func edit(_ bytes: [UInt8]) throws -> EditFile {
    if !FileManager.default.fileExists(atPath: workshop.file("a.mp4")) { try workshop.clip("a.mp4", frameCount: 10) }
    try bytes.write(toFile: workshop.file("a.srt"))
    try """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
     "composition": {"tracks": [{"id": "v", "media": "video", "segments": [{"asset": "a", "source": {"duration": "0.4"}}]}]},
     "captions": [{"file": "a.srt", "as": "sidecar", "style": {"font": "DejaVu Sans", "size": 10}}]}
    """.write(toFile: workshop.file("edit.json"))
    return try workshop.editFile()
  }

  private func file(_ text: String) -> String {
    text.split(separator: "\n").enumerated().map { "\($0 + 1)\n00:00:0\($0),000 --> 00:00:0\($0),900\n\($1)\n\n" }.joined()
  }

  @Test(arguments: [
    ("ja", "cp932", "shift_jis"), ("ja", "euc-jp", "euc-jp"), ("ja", "iso-2022-jp", "iso-2022-jp"), ("zh", "gb18030", "gb18030"),
    ("tw", "big5", "big5"), ("ko", "euc-kr", "euc-kr"), ("ru", "cp1251", "windows-1251"), ("ru", "koi8-r", "koi8-r"),
    ("uk", "koi8-u", "koi8-u"), ("el", "cp1253", "windows-1253"), ("he", "cp1255", "windows-1255"),
    ("ar", "cp1256", "windows-1256"), ("pl", "cp1250", "windows-1250"), ("fr", "cp1252", "windows-1252"),
    ("ja", "utf-16le", "utf-16le"), ("fr", "utf-16be", "utf-16be"), ("vi", "utf-16le", "utf-16le"),
  ])
  func `are read in the one that they are in, which is told`(language: String, set: String, name: String) throws {
    let text = try #require(Self.texts[language])
    let read = try edit(convert(file(text), to: set))
    #expect(read.edit.timeline.captions[0].cues.map(\.text).joined(separator: "\n") == text)
    #expect(
      read.warnings.map(\.description) == [
        "captions[0].file: '\(workshop.file("a.srt"))' does not say its encoding, and was read as \(name): "
          + "write \"encoding\": \"\(name)\" if that is right, or the right one"
      ])
  }

  @Test func `in UTF-8 need no guess`() throws {
    for text in Self.texts.values {
      let read = try edit(Array(file(text).utf8))
      #expect(read.warnings == [] && read.edit.timeline.captions[0].cues.map(\.text).joined(separator: "\n") == text)
    }
  }

  @Test(arguments: [
    ("Le café", "cp1252"), ("Grüße", "cp850"), ("Дом", "cp866"), ("żółw", "cp852"), ("ça\nété", "macintosh"),
    // As Czech letters these would make words, too: "geďdentificeerd".
    (
      """
      Het werd geïdentificeerd als ruïne
      Het is een geïmporteerd bestand
      Het geïntegreerde systeem
      Eén miljoen, één idee, één café
      Het programma is geïnstalleerd
      """, "cp1252"
    ),
  ])
  func `are refused where that is not certain, with the way to declare it`(text: String, set: String) throws {
    let error = #expect(throws: EditFileError.self) { try edit(convert(file(text), to: set)) }
    guard case .captions(_, let faults)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(faults.first?.description.contains("declare its encoding, such as \"encoding\": \"") == true, "\(faults)")
  }

  /// The faults of a TTML file, or its text.
  private func timedText(_ text: String, declaring label: String, in set: String) throws -> String {
    let xml = """
      <?xml version="1.0" encoding=\(label) ?>
      <tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="0s" end="0.3s">\(text)</p></div></body></tt>
      """
    let bytes = try convert(xml, to: set)
    _ = try edit(Array(file("a").utf8))
    let document = try String(decoding: [UInt8](contentsOf: workshop.file("edit.json")), as: UTF8.self)
    try bytes.write(toFile: workshop.file("a.ttml"))
    try document.replacing("a.srt", with: "a.ttml").write(toFile: workshop.file("edit.json"))
    do {
      let read = try workshop.editFile()
      #expect(read.warnings == [])
      return read.edit.timeline.captions[0].cues.map(\.text).joined(separator: "\n")
    } catch EditFileError.captions(_, let faults) { return faults.map(\.reason).joined(separator: "\n") }
  }

  @Test(arguments: [
    ("Дом", "\"windows-1251\"", "cp1251"), ("Дом", "'KOI8-R'", "koi8-r"), ("歌", "\"Shift_JIS\"", "cp932"),
    ("żółw", "\"CP1250\"", "cp1250"), ("Дом", "\"windows-1251\"", "utf-8"),
  ])
  func `are read in the one that their XML declares`(text: String, label: String, set: String) throws {
    #expect(try timedText(text, declaring: label, in: set) == text)
  }

  @Test func `are refused where their XML declares what they are not in, or what nobody knows`() throws {
    let wrong = try timedText("Дом", declaring: "\"big5\"", in: "cp1251")
    #expect(wrong.contains("says that it is in big5, and is not: declare its encoding"), "\(wrong)")
    let unknown = try timedText("Дом", declaring: "\"x-mac-klingon\"", in: "cp1251")
    #expect(unknown.contains("says that it is in 'x-mac-klingon', which is not known: declare its encoding"), "\(unknown)")
  }
}
