import EditTesting
import Document
import MediaTime
import Testing
import Timeline

@Suite struct `A music bed` {
  /// The segments of the music in the parsed document, under a picture of `picture` seconds.
  private func segments(_ bed: MusicBed.Kind, _ music: String, picture: String = "10") throws -> [String] {
    try segments("\"bed\": \"\(bed.rawValue)\"", music, picture: picture)
  }

  private func segments(_ bed: String, _ music: String, picture: String = "10") throws -> [String] {
    let document = Self.document(bed: bed, music, picture: picture)
    let track = try #require(try Timeline.parse(Array(document.utf8)).composition.track(TrackID("M")))
    return track.clips.map { "\($0.mapping.source.start)+\($0.mapping.source.duration) at \($0.mapping.target.start)" }
  }

  private static func document(bed: String, media: String = "audio", _ music: String, picture: String) -> String {
    """
    {"spool": 1, "assets": {"v": {"path": "v.mp4"}, "m": {"path": "m.mp3"}}, "composition": {"tracks": [
      {"id": "M", "media": "\(media)", \(bed), "segments": [\(music)]},
      {"id": "V", "media": "video", "segments": [{"asset": "v", "source": {"start": "0", "duration": "\(picture)"}}]}]}}
    """
  }

  private static func clip(_ start: String, _ duration: String, _ more: String = "") -> String {
    #"{"asset": "m", "source": {"start": "\#(start)", "duration": "\#(duration)"}\#(more)}"#
  }

  @Test func `begins again until the picture ends, the last time in part`() throws {
    #expect(try segments(.loop, Self.clip("12.5", "4")) == ["12.5+4 at 0", "12.5+4 at 4", "12.5+2 at 8"])
    #expect(try segments(.loop, Self.clip("0", "5")) == ["0+5 at 0", "0+5 at 5"])
    #expect(try segments(.pad, Self.clip("12.5", "4")) == ["12.5+4 at 0"])
  }

  @Test(arguments: MusicBed.Kind.allCases) func `that is longer than the picture is cut off where it ends`(bed: MusicBed.Kind)
    throws
  {
    #expect(try segments(bed, Self.clip("1", "30")) == ["1+10 at 0"])
    #expect(try segments(bed, Self.clip("1", "30", #", "at": "11""#)) == [])
  }

  @Test func `begins again from its first segment, gaps between and speeds as they were`() throws {
    let music = Self.clip("0", "2", #", "at": "1", "duration": "1""#) + "," + Self.clip("7", "1", #", "at": "3""#)
    #expect(
      try segments(.loop, music, picture: "8.25")
        == ["0+2 at 1", "7+1 at 3", "0+2 at 4", "7+1 at 6", "0+2 at 7"])
    #expect(try segments(.loop, music, picture: "7.25").last == "0+0.5 at 7")
  }

  @Test func `plays an intro once, and then the part between two times again and again`() throws {
    let points = #""bed": {"kind": "loop", "start": "2", "end": "5"}"#
    #expect(try segments(points, Self.clip("10", "8")) == ["10+5 at 0", "12+3 at 5", "12+2 at 8"])
    #expect(try segments(points, Self.clip("10", "8"), picture: "4") == ["10+4 at 0"])
    let two = Self.clip("10", "2") + "," + Self.clip("20", "2")
    #expect(
      try segments(#""bed": {"kind": "loop", "start": "2"}"#, two, picture: "7") == [
        "10+2 at 0", "20+2 at 2", "20+2 at 4", "20+1 at 6",
      ])
    #expect(
      try segments(#""bed": {"kind": "loop", "end": "3"}"#, two, picture: "7")
        == ["10+2 at 0", "20+1 at 2", "10+2 at 3", "20+1 at 5", "10+1 at 6"])
  }

  @Test func `with a crossfade begins again that much before its end`() throws {
    let fading = #""bed": {"kind": "loop", "start": "2"}, "crossfade": "0.5""#
    #expect(try segments(fading, Self.clip("10", "6"), picture: "12") == ["10+5.5 at 0", "12+3.5 at 5.5", "12+3 at 9"])
    // The canonical form has the segments and the crossfade.
    let edit = try Timeline.parse(Array(Self.document(bed: fading, Self.clip("10", "6"), picture: "12").utf8))
    #expect(try Timeline.parse(edit.canonicalJSON()) == edit)
    #expect(edit.composition.track(TrackID("M"))?.crossfade == MediaTime(milliseconds: 500))
  }

  @Test(arguments: [
    (
      #""bed": {"kind": "loop", "start": "3", "end": "2"}"#, "audio", "8",
      "composition.tracks[0].bed: there is nothing to loop from 3 to 2, or it is shorter than the crossfade: the track lasts 8"
    ),
    (
      #""bed": {"kind": "loop", "end": "9"}"#, "audio", "8",
      "composition.tracks[0].bed: there is nothing to loop from 0 to 9, or it is shorter than the crossfade: the track lasts 8"
    ),
    (
      #""bed": {"kind": "pad", "end": "9"}"#, "audio", "8",
      "composition.tracks[0].bed.end: only a loop goes back to a time of its track"
    ),
    (
      #""crossfade": "1""#, "video", "8",
      "composition.tracks[0].crossfade: only sound fades into what follows: pictures have transitions"
    ),
    (#""crossfade": "61""#, "audio", "8", "composition.tracks[0].crossfade: longer than 60 seconds"),
    (#""bed": "loop""#, "audio", "0.0001", "composition.tracks[0].bed: takes more than 100000 segments"),
    (#""bed": "repeat""#, "audio", "1", "composition.tracks[0].bed: 'repeat' is not one of pad, loop"),
    (#""bed": "loop""#, "video", "1", "composition.tracks[0].bed: only sound is made as long as the picture"),
  ])
  func `that cannot be is a fault`(bed: String, media: String, duration: String, fault: String) {
    let document = Self.document(bed: bed, media: media, Self.clip("0", duration), picture: "60")
    #expect(Documents.faults(document) == [fault])
  }

  @Test(arguments: MusicBed.Kind.allCases) func `is held against its asset before it is cut off`(bed: MusicBed.Kind) throws {
    let music = Self.clip("1", "30") + "," + Self.clip("20", "41", #", "at": "100""#)
    let document = Self.document(bed: "\"bed\": \"\(bed.rawValue)\"", music, picture: "10")
    let facts = try [AssetID("v"): Assets.movie(), AssetID("m"): Assets.song(seconds: 30)]
    #expect(
      try Document(Array(document.utf8)).reading(with: facts).faults?.faults.map(\.description) == [
        "composition.tracks[0].segments[0].source: ends at 31, but asset 'm' lasts 30",
        "composition.tracks[0].segments[1].source: ends at 61, but asset 'm' lasts 30",
      ])
  }

  @Test func `needs a picture`() {
    let document = #"""
      {"spool": 1, "assets": {"m": {"path": "m.mp3"}}, "composition": {"tracks": [
        {"id": "M", "media": "audio", "bed": "loop", "segments": [{"asset": "m", "source": {"start": "0", "duration": "1"}}]}]}}
      """#
    #expect(Documents.faults(document) == ["composition.tracks[0].bed: there is no picture to lie under"])
  }
}
