import EditTesting
import Document
import FarmTesting
import Formats
import Foundation
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `The timestamps of texts` {
  private static func timecode(_ rate: String) throws -> Timecode { try Timecode(frameDuration: MediaTime(parsing: rate)) }

  @Test(arguments: [
    ("1/25", false, 0, "00:00:00:00"), ("1/25", false, 24, "00:00:00:24"), ("1/25", false, 90_025, "01:00:01:00"),
    ("1/60", false, 59, "00:00:00:59"), ("1001/30000", false, 1_800, "00:01:00:00"),
    ("1001/30000", true, 1_799, "00:00:59;29"), ("1001/30000", true, 1_800, "00:01:00;02"),
    ("1001/30000", true, 17_982, "00:10:00;00"), ("1001/30000", true, 107_892, "01:00:00;00"),
    ("1001/60000", true, 3_600, "00:01:00;04"), ("1/25", false, 25 * 86_400, "00:00:00:00"),
  ])
  func `labels are those of SMPTE ST 12-1`(rate: String, drops: Bool, frame: Int, label: String) throws {
    #expect(try Self.timecode(rate).label(ofFrame: Int64(frame), dropping: drops) == label)
  }

  @Test(arguments: ["1001/30000", "1001/60000"])
  func `each frame of a day has the label that names it`(rate: String) throws {
    let timecode = try Self.timecode(rate)
    for frame in stride(from: Int64(0), to: 5_000_000, by: 997) where frame < (rate == "1001/30000" ? 2_589_408 : 5_178_816) {
      let label = try timecode.label(ofFrame: frame, dropping: true)
      if try timecode.time(parsing: label) != timecode.frameDuration * frame { return #expect(label == "\(frame)") }
    }
    #expect(throws: TimeError.self) { try Self.timecode("1/25").label(ofFrame: 0, dropping: true) }
  }

  @Test(arguments: [
    (Timestamp.Field.time, "00:00:01.000"), (.timecode, "00:00:01:00"), (.frame, "25"), (.clock, "23:59:51"),
  ])
  func `a copy whose clock has not begun stands at zero`(field: Timestamp.Field, text: String) throws {
    let stamp = try Timestamp(start: MediaTime(1), date: CalendarDate("1999-12-31T23:59:50"))
    #expect(try stamp.text(of: field, at: MediaTime(-7, 2), frameDuration: MediaTime(1, 25)) == text)
  }

  @Test func `days and times of day are those of Foundation's calendar, leap days and all`() throws {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    let start = try #require(CalendarDate("1999-12-31T23:59:50"))
    let epoch = try #require(
      calendar.date(from: DateComponents(year: 1999, month: 12, day: 31, hour: 23, minute: 59, second: 50)))
    let stamp = Timestamp(date: start)
    for step in 0..<400 {
      let seconds = Int64(step * step) * 2_171
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: epoch.addingTimeInterval(Double(seconds)))
      func two(_ value: Int?) -> String { String(format: "%02d", value ?? -1) }
      let (time, frame) = (try MediaTime(seconds), try MediaTime(1, 25))
      #expect(
        try stamp.text(of: .date, at: time, frameDuration: frame)
          == "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))")
      #expect(
        try stamp.text(of: .clock, at: time, frameDuration: frame)
          == "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))")
    }
    for wrong in [
      "2026-02-29T00:00:00", "2026-13-01T00:00:00", "2026-11-24 00:00:00", "2026-11-24T24:00:00", "2026-04-31T00:00:00",
    ] {
      #expect(CalendarDate(wrong) == nil, "\(wrong)")
    }
  }

  private func texts(_ layers: String, at frames: [Int], rate: String = "1/25") throws -> [String] {
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0", "duration": "10"}}]}]},
       "videoComposition": {"renderSize": [640, 360], "frameDuration": "\(rate)", "color": "bt709"}, "layers": [\(layers)]}
      """
    let edit = try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("a"): try Assets.movie()])
    return try frames.flatMap { frame in
      try edit.scene(at: frame).nodes.compactMap { node in
        guard case .still(let still, _) = node, case .text(let text, _)? = still.drawing.content else { return nil }
        return text.string
      }
    }
  }

  @Test func `a text shows the numbers of its frame, on its layer's clock`() throws {
    func layer(_ text: String, _ more: String) -> String { #"{"text": "\#(text)", "font": "DejaVu Sans", "size": 20, \#(more)}"# }
    let all = layer("{timecode} {time} {frame}", #""timestamp": {"start": "3600"}"#)
    #expect(try texts(all, at: [0, 30]) == ["01:00:00:00 01:00:00.000 90000", "01:00:01:05 01:00:01.200 90030"])
    let slow = layer("{time}", #""timestamp": {"decimals": 1}, "clock": {"begin": "1", "speed": "1/2"}"#)
    #expect(try texts(slow, at: [0, 25, 40]) == ["00:00:00.0", "00:00:00.0", "00:00:00.3"])
    let dated = layer("{date} {clock}", #""timestamp": {"date": "2024-02-28T23:59:59"}"#)
    #expect(try texts(dated, at: [24, 25]) == ["2024-02-28 23:59:59", "2024-02-29 00:00:00"])
    // Without the key braces are letters.
    #expect(try texts(layer("{frame}", #""weight": 700"#), at: [7]) == ["{frame}"])
  }

  @Test func `a text tells the source that a track shows, by its own labels`() throws {
    var facts = try Assets.movie()
    guard case .video(var video) = facts.tracks[0].detail else {
      Issue.record("no picture")
      return
    }
    video.nominalFrameRate = try MediaTime(25)
    facts.timecode = SourceTimecode("10:00:00:00", frameDuration: try MediaTime(1, 25))
    facts.tracks[0].detail = .video(video)
    let document = """
      {"spool": 1, "assets": {"a": {"path": "reels/Reel 7.mov"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "2", "duration": "1"}},
         {"asset": "a", "source": {"start": "0", "duration": "1"}, "at": "2", "reversed": true}]}]},
       "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/25", "color": "bt709"},
       "layers": [{"text": "{source} {sourceTimecode} {sourceTime} {sourceFrame}.", "font": "DejaVu Sans", "size": 20,
                   "clock": {"begin": "9"}, "timestamp": {"track": "A", "decimals": 2}}]}
      """
    let edit = try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("a"): facts])
    let texts = try [0, 24, 30, 50, 74].map { frame in
      try edit.scene(at: frame).nodes.compactMap { node -> String? in
        guard case .still(let still, _) = node, case .text(let text, _)? = still.drawing.content else { return nil }
        return text.string
      }
    }
    #expect(
      texts == [
        ["Reel 7.mov 10:00:02:00 00:00:02.00 50."], ["Reel 7.mov 10:00:02:24 00:00:02.96 74."], ["   ."],
        ["Reel 7.mov 10:00:00:24 00:00:01.00 24."], ["Reel 7.mov 10:00:00:00 00:00:00.04 0."],
      ])
    facts.timecode?.beginsAnew = true
    let anew = try #require(throws: DocumentFaults.self) {
      try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("a"): facts])
    }
    #expect("\(anew)".contains("layers[0].timestamp: source 'a' has no {sourceTimecode}: "), "\(anew)")
    #expect("\(anew)".contains("the file's labels begin anew within it"))
    (video.nominalFrameRate, video.baseFrameRate) = (try MediaTime(47, 3), nil)
    (facts.tracks[0].detail, facts.timecode) = (.video(video), nil)
    let faults = try #require(throws: DocumentFaults.self) {
      try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("a"): facts])
    }
    #expect("\(faults)".contains("layers[0].timestamp: source 'a' has no {sourceTimecode}"), "\(faults)")
  }

  @Test(arguments: [
    (#""text": "{source}", "timestamp": {}"#, "layers[0].timestamp: {source} needs \"track\""),
    (#""text": "{time}", "timestamp": {"track": "A"}"#, "layers[0].timestamp: the text tells nothing of its track's source"),
    (#""text": "{source}", "timestamp": {"track": "B"}"#, "layers[0].timestamp.track: no track 'B'"),
    (#""text": "x", "timestamp": {}"#, "layers[0].timestamp: the text shows none of {timecode}"),
    (#""text": "{timecod}", "timestamp": {}"#, "{sourceFrame}; '{timecod}' is none (did you mean 'timecode'?)"),
    (#""text": "{date}", "timestamp": {}"#, "layers[0].timestamp: {date} and {clock} need"),
    (#""text": "{date}", "timestamp": {"date": "24.11.2026"}"#, "layers[0].timestamp.date: '24.11.2026' is not"),
    (#""text": "{timecode}", "timestamp": {"dropFrame": true}"#, "layers[0].timestamp: "),
    (#""text": "{time}", "timestamp": {"decimals": 9}"#, "layers[0].timestamp.decimals"),
  ])
  func `what cannot be shown is refused`(text: String, fault: String) throws {
    let faults = try #require(throws: DocumentFaults.self) {
      try texts(#"{\#(text), "font": "DejaVu Sans", "size": 20}"#, at: [0])
    }
    #expect("\(faults)".contains(fault), "\(faults)")
  }
}
