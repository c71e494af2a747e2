import Document
import MediaTime
import Testing
import Timeline

/// Tests of layers and sounds that fade in and out.
@Suite struct `Fades` {
  private func layer(_ keys: String) throws -> Layer {
    let old = #""size": 48, "from": "1", "to": "4""#
    #expect(Documents.opening.contains(old))
    let document = Documents.opening.replacing(old, with: #""size": 48, \#(keys)"#)
    return try #require(try Timeline.parse(Array(document.utf8)).layers.last)
  }

  private func faults(_ keys: String) -> [String] {
    Documents.faults(Documents.opening.replacing(#""size": 48, "from": "1", "to": "4""#, with: #""size": 48, \#(keys)"#))
  }

  @Test func `a layer that fades in is not seen before its first keyframe, and stays faded out after the last`() throws {
    let layer = try layer(
      #""opacity": [{"at": "2", "value": 0}, {"at": "3", "value": 1}, {"at": "4", "value": 1}, {"at": "5", "value": 0}]"#)
    for (time, opacity) in [(0, 0), (1, 0), (2, 0), (2.5, 0.5), (3, 1), (4.5, 0.5), (5, 0), (9, 0)] {
      #expect(try at(MediaTime(Int64(time * 2), 2)) { try layer.opacity(at: $0) } == opacity, "\(time)")
    }
  }

  @Test func `before its first keyframe a layer has that one's opacity, whatever it is`() throws {
    let layer = try layer(#""opacity": [{"at": "5", "value": 0.25}, {"at": "6", "value": 1}]"#)
    #expect(try layer.opacity(at: .zero) == 0.25)
  }

  @Test func `one keyframe alone holds throughout, and is written as what it is`() throws {
    #expect(try layer(#""opacity": [{"at": "5", "value": 0.25}]"#) == layer(#""opacity": 0.25"#))
    #expect(try layer(#""opacity": [{"at": "5", "value": 1}]"#) == layer(#""opacity": 1"#))
  }

  @Test func `the short form is keyframes at both ends`() throws {
    let long =
      #""from": "1", "to": "4", "opacity": [{"at": "1", "value": 0}, {"at": "1.5", "value": 1}, {"at": "3", "value": 1}, {"at": "4", "value": 0}]"#
    #expect(try layer(#""from": "1", "to": "4", "fadeIn": "0.5", "fadeOut": 1"#) == layer(long))
    let half = #""from": "1", "to": "4", "opacity": [{"at": "1", "value": 0}, {"at": "4", "value": 0.5}]"#
    #expect(try layer(#""from": "1", "to": "4", "opacity": 0.5, "fadeIn": 3"#) == layer(half))
    let triangle = #""opacity": [{"at": "0", "value": 0}, {"at": "4", "value": 1}, {"at": "10", "value": 0}]"#
    #expect(try layer(#""fadeIn": "4", "fadeOut": "6""#) == layer(triangle))
  }

  @Test func `fades that do not fit, and keyframes beside them, are faults`() {
    #expect(
      faults(#""from": "1", "to": "4", "fadeIn": "2", "fadeOut": "2""#) == [
        "layers[1].fadeIn: fades take longer than the 3 s from 1 to 4"
      ])
    #expect(
      faults(#""opacity": [{"at": "1", "value": 0}, {"at": "2", "value": 1}], "fadeOut": "2""#)
        == ["layers[1].fadeOut: opacity has keyframes, which say it already: give one of them"])
    #expect(faults(#""fadeIn": "0""#) == ["layers[1].fadeIn: must be positive"])
  }

  @Test func `a sound fades from its first segment to its track's end`() throws {
    func mix(_ volume: String) throws -> AudioMix {
      let document = Documents.opening.replacing(#""volume": [{"at": "0", "value": 0}, {"at": "1", "value": 1}]"#, with: volume)
        .replacing(
          #"{"asset": "song", "source": {"start": "12.5", "duration": "10"}, "at": "0"}"#,
          with: #"{"asset": "song", "source": {"start": "12.5", "duration": "6"}, "at": "2"}"#)
      return try Timeline.parse(Array(document.utf8)).audioMix
    }
    #expect(
      try mix(#""volume": 0.5, "fadeIn": "1", "fadeOut": "2""#)
        == mix(
          #""volume": [{"at": "2", "value": 0}, {"at": "3", "value": 0.5}, {"at": "6", "value": 0.5}, {"at": "8", "value": 0}]"#))
  }
}
