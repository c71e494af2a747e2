import EditTesting
import Document
import FarmTesting
import Formats
import MediaTime
import Testing
import Timeline

@Suite struct `The canonical form of a document` {
  @Test func `the canonical form reads back as the same edit`() throws {
    let edit = try Timeline.parse(Array(Documents.opening.utf8))
    #expect(try Timeline.parse(edit.canonicalJSON()) == edit)
  }

  @Test func `what a file says of the movie is kept, and chapters are cut to the part that is exported`() throws {
    let said = #"""
      "fileType": "mp4", "timeRange": {"start": "2", "duration": "5"}, "metadata": {"title": "T", "location": [1.5, -2]},
      "chapters": [{"at": "0", "title": "A"}, {"at": "1", "title": "B"}, {"at": "4", "title": "C"}, {"at": "8", "title": "D"}]
      """#
    let text = Documents.opening.replacing("\"fileType\": \"mp4\"", with: said)
    let edit = try Timeline.parse(Array(text.utf8))
    #expect(try Timeline.parse(edit.canonicalJSON()) == edit)
    #expect(edit.export.tags.texts == [.title: "T"] && edit.export.tags.location?.longitude == -2)
    let chapters = try edit.export.movieChapters(
      in: MediaTimeRange(start: MediaTime(seconds: 2), duration: MediaTime(seconds: 5)))
    #expect(chapters.map(\.title) == ["B", "C"])
    #expect(chapters.map(\.timeRange.start) == [.zero, MediaTime(seconds: 2)])
    #expect(chapters.map(\.timeRange.end) == [MediaTime(seconds: 2), MediaTime(seconds: 5)])
  }

  @Test func `keys are sorted, spaces and what is as usual left out`() throws {
    let canonical = try Documents.canonical(
      """
      { "spool": 1, "assets": {"b": {"path": "b.mp4"}, "a": {"path": "a.mp4"}},
        "composition": {"tracks": [{"media": "video", "id": "V", "segments": [
          {"source": {"duration": "02.50", "start": "0/7"}, "asset": "a", "at": "0", "duration": "5/2", "sourceTrack": 0}]}]},
        "layers": [], "audioMix": [], "export": {"preset": "high", "fileType": "mp4"} }
      """)
    #expect(
      canonical
        == #"{"assets":{"a":{"path":"a.mp4"},"b":{"path":"b.mp4"}},"composition":{"tracks":[{"id":"V","media":"video","segments":[{"asset":"a","source":{"duration":"2.5","start":"0"}}]}]},"spool":1}"#
    )
  }

  @Test(arguments: [
    ("\"at\": \"5\"", "\"at\": 5"), (", \"at\": \"0\"}", ", \"sourceTrack\": 0}"), ("\"start\": \"2\"", "\"start\": \"4/2\""),
    ("\"1001/30000\"", "\"2002/60000\""),
    ("\"from\": \"A\"", "\"from\": {\"track\": \"A\", \"opacity\": 1, \"gravity\": \"none\"}"),
    ("\"from\": \"A\"", "\"from\": {\"track\": \"A\", \"transform\": [1, 0, -0.0, 1e0, 0, 0]}"),
    ("\"opacity\": 0.9", "\"opacity\": 9e-1"), ("\"value\": 0}]}]}]}", "\"value\": 0, \"hold\": true}]}]}]}"),
    ("\"color\": \"bt709\"", "\"color\": {\"primaries\": \"bt709\", \"transfer\": \"bt709\", \"matrix\": \"bt709\"}"),
    ("\"size\": 48", "\"size\": 48.0, \"color\": \"#FFFFFF\""), ("\"size\": 48", "\"size\": 48, \"color\": [1, 1, 1, 1]"),
    ("\"fileType\": \"mp4\"", "\"video\": {\"codec\": \"h264\", \"crf\": 16}"), ("歌詞", "\\u6b4c\\u8a5e"),
    ("\"value\": 1}]}],", "\"value\": 1}]}],\n\"spool\": 1,"),
  ])
  func `equal edits have equal bytes`(old: String, new: String) throws {
    var document = Documents.opening.replacing(old, with: new)
    if new.contains("spool") { document = document.replacing("{ \"spool\": 1,", with: "{") }
    #expect(document != Documents.opening)
    #expect(try Documents.canonical(document) == Documents.canonical(Documents.opening))
  }

  @Test func `a timecode is written as the time it names`() throws {
    let document = Documents.opening.replacing("\"start\": \"2\"", with: "\"start\": \"00:00:02:00\"")
    #expect(try Documents.canonical(document).contains(#""start":"2.002""#))
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `any edit reads back from its canonical form`(seed: UInt64) throws {
    var random = RandomEdit(seed: seed)
    let edit = try random.timeline()
    #expect(Documents.faults(String(decoding: edit.canonicalJSON(), as: UTF8.self)) == [])
    let again = try Timeline.parse(edit.canonicalJSON())
    #expect(again.canonicalJSON() == edit.canonicalJSON())
    #expect(again == edit)
  }

  /// Bytes are changed, lost and doubled. Each result is either an edit, which then has a canonical form, or a list of faults.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a damaged document is read or refused`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<150 {
      var bytes = Array(Documents.opening.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes[place] = Array("0123456789-.eE\"{}[],:".utf8).randomElement(using: &random) ?? 0
        default: bytes.insert(contentsOf: bytes[place...].prefix(12), at: Int.random(in: bytes.indices, using: &random))
        }
      }
      do {
        let edit = try Timeline.parse(bytes)
        #expect(try Timeline.parse(edit.canonicalJSON()) == edit)
      } catch { #expect(!error.faults.isEmpty && !error.description.isEmpty) }
    }
  }
}
