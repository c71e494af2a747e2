import MediaTime
import Testing
import Timeline

@Suite("The canonical form of a document")
struct CanonicalFormTests {
  @Test func `the canonical form reads back as the same edit`() throws {
    let edit = try Timeline.parse(Array(Documents.opening.utf8))
    #expect(try Timeline.parse(edit.canonicalJSON()) == edit)
  }

  @Test func `the canonical form is its own canonical form`() throws {
    let canonical = try Documents.canonical(Documents.opening)
    #expect(try Documents.canonical(canonical) == canonical)
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
}
