import EditTesting
import Captions
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

/// Captions in documents, and what frames show of them.
@Suite struct `Captions in documents` {
  private func document(_ captions: String) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
     "composition": {"tracks": [{"id": "v", "media": "video", "segments": [{"asset": "a", "source": {"duration": "9"}}]}]},
     "videoComposition": {"renderSize": [1280, 720], "frameDuration": "1/25", "color": "bt709"},
     "captions": [\(captions)]}
    """
  }

  private let style = #""style": {"font": "DejaVu Sans", "size": 40, "shadow": {}}"#

  private func track(_ captions: String) throws -> CaptionTrack {
    try #require(try Timeline.parse(Array(document(captions).utf8)).captions.first)
  }

  @Test func `inline cues are read, and written as they are meant`() throws {
    let text = document(
      """
      {"cues": [
        {"from": "2", "to": "3.5", "text": "Hello you", "words": [{"at": "2", "text": "Hello"}, {"at": "5/2", "text": "you"}]},
        {"from": "1", "to": "1", "text": "never", "place": "top", "align": "left", "color": "#ff0000", "weight": 700},
        {"from": "1", "to": "2", "text": "x", "position": [0.5, 0.25], "fadeIn": "1/2", "fadeOut": "1/2"}],
       \(style), "offset": "-0.5", "place": "bottom", "margin": 0.1, "maxLines": 3, "padding": 8,
       "highlight": {"color": "#ffff00", "kind": "sung"}}
      """)
    let timeline = try Timeline.parse(Array(text.utf8))
    let track = try #require(timeline.captions.first)
    #expect(track.cues.map(\.text) == ["never", "x", "Hello you"])
    #expect(try track.cues[2].range.start == MediaTime(3, 2) && track.cues[2].words[1].time == MediaTime(seconds: 2))
    #expect(try Timeline.parse(timeline.canonicalJSON()) == timeline)
  }

  @Test(
    arguments: [
      (#"{"text": "歌"}, {"text": "うた"}"#, "", "ja", 0), (#"{"text": "歌"}, {"text": "노래"}"#, "", "ko", 0),
      (#"{"text": "歌"}, {"text": "うた"}, {"text": "노래"}"#, "", nil, 1), (#"{"text": "歌"}, {"text": "song"}"#, "", nil, 1),
      (#"{"text": "歌", "language": "zh-Hans"}, {"text": "うた"}"#, "", "zh-Hans", 0),
      (#"{"text": "歌"}, {"text": "うた"}"#, #", "language": "zh-Hant""#, "zh-Hant", 0),
      (#"{"text": [{"text": "歌", "ruby": "うた"}]}, {"text": "x"}"#, "", "ja", 0),
      // Parts with a language of their own tell nothing of the others, and need none.
      (#"{"text": ["歌", {"text": "うた", "language": "ja"}]}, {"text": "x"}"#, "", nil, 1),
      (#"{"text": [{"text": "歌", "language": "zh-Hans"}, "x"]}, {"text": "x"}"#, "", nil, 0),
      (#"{"text": [{"text": "歌", "language": "zh-Hans"}, "うた歌"]}, {"text": "x"}"#, "", "ja", 0),
    ] as [(String, String, String?, Int)])
  func `the cues of a track tell each other's language`(cues: String, style: String, language: String?, unknown: Int) throws {
    let text = document(
      #"{"cues": [\#(cues.replacing("}, {", with: #", "from": "0", "to": "1"}, {"#).dropLast()), "from": "0", "to": "1"}], "style": {"font": "A", "size": 40\#(style)}}"#
    )
    let timeline = try Timeline.parse(Array(text.utf8))
    let track = try #require(timeline.captions.first)
    var first = track.cues[0]
    first.language = first.language ?? track.hanLanguage(of: first, told: track.toldLanguage)
    #expect(track.text(of: first).shapingLanguage == language && track.cuesOfUnknownLanguage == unknown)
    let warnings = try timeline.resolved(with: [AssetID("a"): Assets.movie()]).warnings.filter { $0.kind == .languageUnsaid }
    #expect(warnings.map(\.path) == (unknown > 0 ? ["captions[0]"] : []))
    #expect(try Timeline.parse(timeline.canonicalJSON()) == timeline)
  }

  @Test func `a cue that fades keeps the opacity of the style`() throws {
    let cue = #"{"from": "1", "to": "3", "text": "x", "frame": [0, 0, 90, 40], "fadeIn": "1/2", "fadeOut": "1/2"}"#
    func opacities(_ style: String) throws -> [Double] {
      let track = try track(#"{"cues": [\#(cue)], "style": {"font": "DejaVu Sans", "size": 40, "opacity": \#(style)}}"#)
      return try ["1", "1.25", "2", "2.75"].map { text in
        let time = try MediaTime(parsing: text)
        var layers = try track.layers(at: track.moment(at: time), in: PixelSize(1280, 720))
        var seen = 1.0
        while let layer = layers.first {
          seen *= try layer.opacity(at: time)
          layers = layer.sublayers
        }
        return seen
      }
    }
    #expect(try opacities("1") == [0, 0.5, 1, 0.5])
    #expect(try opacities("0.5") == [0, 0.25, 0.5, 0.25])
    #expect(try opacities(#"[{"at": "0", "value": 0}, {"at": "4", "value": 1}]"#) == [0, 0.15625, 0.5, 0.34375])
  }

  @Test func `a size and a colour may change, and cues are measured as large as they ever are`() throws {
    let text = document(
      """
      {"cues": [{"from": "0", "to": "1", "text": "a"}, {"from": "1", "to": "2", "text": "b", "color": "#ff0000"}], "style":
       {"font": "DejaVu Sans", "size": [{"at": "0", "value": 20}, {"at": "1", "value": "10%"}, {"at": "2", "value": 30}],
        "color": [{"at": "0", "value": "#ffffff"}, {"at": "2", "value": "#0000ff"}]}}
      """)
    let timeline = try Timeline.parse(Array(text.utf8))
    let track = try #require(timeline.captions.first)
    #expect(track.cues.map { track.measuredText(of: $0).size } == [72, 72])
    #expect(track.cues.map { track.measuredText(of: $0).course.size.keyframes.count } == [0, 0])
    #expect(track.cues.map { track.text(of: $0).course.color.keyframes.count } == [2, 0])
    #expect(try Timeline.parse(timeline.canonicalJSON()) == timeline)
  }

  @Test(arguments: [0..<1, 20..<60, 99..<101, 180..<225])
  func `a chunk needs no cue that none of its frames shows`(frames: Range<Int>) throws {
    let cues = (0..<90).map { index in
      // Each lasts until the third one after it begins, and every tenth to the end.
      #"{"from": "\#(index)/10", "to": "\#(index.isMultiple(of: 10) ? 90 : index + 3)/10", "text": "\#(index)", "frame": [0, 0, 90, 40]}"#
    }
    let edit = try Examples.edit(Array(document(#"{"cues": [\#(cues.joined(separator: ", "))], \#(style)}"#).utf8))
    let own = try edit.keepingCues(of: frames)
    let count = own.timeline.captions[0].cues.count
    #expect(count < 40 && count > 0)
    for index in frames { #expect(try own.scene(at: index) == edit.scene(at: index), "\(index)") }
    #expect(try own.keepingCues(of: frames) == own)
  }

  @Test func `a colour of a cue's own, and of its marked words, replaces a gradient`() throws {
    let track = try track(
      """
      {"cues": [{"from": "0", "to": "1", "text": "a b", "color": "#ff0000", "frame": [0, 0, 90, 40],
         "words": [{"at": "0", "text": "a", "frame": [0, 0, 40, 40]}]}, {"from": "2", "to": "3", "text": "c"}],
       "highlight": {"color": "#00ff00"},
       "style": {"font": "DejaVu Sans", "size": 40, "fillGradient": {"colors": ["#ffffff", "#000000"]}, "glow": {"radius": 3}}}
      """)
    let texts = try track.layers(at: track.moment(at: .zero), in: PixelSize(1280, 720)).flatMap { $0.all }.compactMap { found in
      if case .text(let text)? = found.layer.content { text } else { nil }
    }
    #expect(texts.map(\.color) == [RGBAColor(1, 0, 0), RGBAColor(0, 1, 0)] && texts.allSatisfy { $0.gradient == nil })
    #expect(texts.map { $0.glow == nil } == [false, true])
    #expect(track.text(of: track.cues[1]).gradient != nil)
  }

  @Test(arguments: [
    (#"{"cues": []}"#, "captions[0].style: missing"),
    (#"{"style": {"font": "A", "size": 9}}"#, #"captions[0]: needs either "file" or "cues""#),
    (
      #"{"cues": [{"from": "2", "to": "1", "text": "x"}], "style": {"font": "A", "size": 9}}"#,
      "captions[0].cues[0]: ends at 1, before it starts at 2"
    ),
    (
      #"{"cues": [{"from": "0", "to": "1", "text": "x", "words": [{"at": "0", "text": "y"}]}], "style": {"font": "A", "size": 9}}"#,
      "captions[0].cues[0].words: the words do not stand in the text in their order"
    ),
    (
      #"{"cues": [{"from": "0", "to": "3", "text": "x y", "words": [{"at": "0", "text": "x", "until": "1.5"}, {"at": "1", "text": "y"}]}], "style": {"font": "A", "size": 9}}"#,
      "captions[0].cues[0].words[0].until: 1.5 is not between the word's own time and the one after it"
    ),
    (
      #"{"cues": [], "encoding": "shift_jis", "style": {"font": "A", "size": 9}}"#,
      "captions[0].encoding: only files have an encoding"
    ),
    (#"{"cues": [], "style": {"font": "A", "size": 9, "frame": [0, 0, 1, 1]}}"#, "captions[0].style.frame: unknown key"),
    (
      #"{"cues": [{"start": "0", "to": "1", "text": "x"}], "style": {"font": "A", "size": 9}}"#,
      "captions[0].cues[0].start: unknown key (that is said by from)"
    ),
  ])
  func `faults name the place`(captions: String, fault: String) {
    #expect(Documents.faults(document(captions)).contains(fault), "\(Documents.faults(document(captions)))")
  }

  @Test func `a file that was not read leaves the edit open, and its name and encoding are told`() throws {
    let text = document(#"{"file": "a.srt", "encoding": "shift_jis", \#(style)}"#)
    var read = try Document(Array(text.utf8))
    #expect(read.faults == nil && read.captionFiles.map(\.path) == ["a.srt"] && read.captionFiles[0].encoding == "shift_jis")
    #expect(Documents.faults(text) != [])
    read.captionCues["captions[0]"] = [CaptionCue(try MediaTimeRange(start: .zero, end: .oneSecond), "a")]
    let timeline = try read.reading(with: [:]).edit()
    #expect(timeline.captions[0].cues.map(\.text) == ["a"])
    #expect(!String(decoding: timeline.canonicalJSON(), as: UTF8.self).contains("a.srt"))
    let misspelt = Documents.faults(document(#"{"file": "a.srt", "encoding": "shift-jis", \#(style)}"#))
    #expect(misspelt.first?.contains("shift_jis") == true)
  }

  @Test func `the cues of a moment are found among overlapping ones`() throws {
    var cues: [CaptionCue] = []
    for start in 0..<300 {
      let length = start % 50 == 0 ? 40 : start % 7
      let range = try MediaTimeRange(start: MediaTime(Int64(start), 10), duration: MediaTime(Int64(length), 10))
      cues.append(CaptionCue(range, "\(start)"))
    }
    let track = try track(#"{"cues": [], \#(style)}"#).with(cues.shuffled())
    for tenth in -1..<350 {
      let time = try MediaTime(Int64(tenth), 10)
      #expect(track.cues(at: time).map { track.cues[$0].text } == cues.filter { $0.range.contains(time) }.map(\.text))
    }
  }

  @Test func `frames of one cue show the same layers, and words change them`() throws {
    let track = try track(
      """
      {"cues": [{"from": "1", "to": "3", "text": "Hello you", "frame": [100, 600, 300, 50], "words": [
         {"at": "1", "text": "Hello", "frame": [100, 600, 150, 50]}, {"at": "2", "text": "you", "frame": [260, 600, 140, 50]}]}],
       \(style), "highlight": {"color": "#ffff00"}}
      """)
    let size = PixelSize(1280, 720)
    func layers(_ time: String) throws -> [Layer] { try track.layers(at: track.moment(at: MediaTime(parsing: time)), in: size) }
    #expect(try layers("0.99") == [] && layers("3") == [])
    #expect(try layers("1") == layers("1.96"))
    #expect(try layers("1.96") != layers("2"))
    #expect(try layers("2") == layers("2.96"))
    #expect(try layers("2")[0].sublayers[1].mask?.sublayers.first?.geometry.frame == Rect(162, 0, 140, 50))
  }

  @Test(arguments: [("word", [2, 1, 2, 1]), ("sung", [2, 2, 2, 2])])
  func `a word is marked alone as long as it lasts`(kind: String, parts: [Int]) throws {
    let track = try track(
      """
      {"cues": [{"from": "1", "to": "3", "text": "Hello you", "frame": [100, 600, 300, 50], "words": [
         {"at": "1", "until": "1.5", "text": "Hello", "frame": [100, 600, 150, 50]},
         {"at": "2", "until": "2.5", "text": "you", "frame": [260, 600, 140, 50]}]}],
       \(style), "highlight": {"color": "#ffff00", "kind": "\(kind)"}}
      """)
    let found = try ["1.4", "1.5", "2", "2.5"].map { time in
      try track.layers(at: track.moment(at: MediaTime(parsing: time)), in: PixelSize(1280, 720))[0].sublayers.count
    }
    #expect(found == parts)
    // The filling of a word goes on until its end.
    let filling = try self.track(
      ##"{"cues": [{"from": "1", "to": "3", "text": "la", "words": [{"at": "1", "until": "1.5", "text": "la"}]}], "##
        + ##""style": {"font": "DejaVu Sans", "size": 40}, "highlight": {"color": "#ffff00", "kind": "fill"}}"##)
    let layer = try filling.layers(at: filling.moment(at: MediaTime(seconds: 1)), in: PixelSize(1280, 720))[0].sublayers[0]
    guard case .text(let text)? = layer.content else { return #expect(Bool(false), "the cue is no text") }
    #expect(try text.motion?.mark?.words.map(\.range) == [MediaTimeRange(start: MediaTime(1), end: MediaTime(3, 2))])
  }
}
