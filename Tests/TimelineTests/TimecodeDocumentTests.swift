import EditTesting
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `A time code in a document` {
  private func document(_ export: String, frameDuration: String = "1001/30000") -> String {
    let old = "\"export\": {\"preset\": \"highest\", \"fileType\": \"mp4\", \"optimizeForNetworkUse\": true}"
    return Documents.opening.replacing(old, with: "\"export\": {\(export)}")
  }

  @Test(arguments: [
    (
      #""timecode": "1:00:00:00""#,
      "export.timecode: '1:00:00:00' is no time code: write 01:00:00:00, or 01:00:00;00 for drop-frame, or source"
    ),
    (
      #""timecode": "24:00:00:00""#,
      "export.timecode: '24:00:00:00' is no time code: write 01:00:00:00, or 01:00:00;00 for drop-frame, or source"
    ),
    (#""timecode": 5"#, "export.timecode: expected a string, found a number"),
    (#""fileType": "mkv", "timecode": "01:00:00:00""#, "export.timecode: mkv holds no time code: use mp4, mov or mxf"),
    (
      #""fragmentInterval": "2", "timecode": "01:00:00:00""#,
      "export.timecode: a movie in fragments holds no time code: leave fragmentInterval out"
    ),
    (#""fileType": "mkv", "timecode": "source""#, "export.timecode: mkv holds no time code: use mp4, mov or mxf"),
    (#""timecode": {}"#, "export.timecode.asset: missing"),
    (#""timecode": {"asset": "bike"}"#, "export.timecode.asset: no asset 'bike' (did you mean 'bikes'?)"),
  ])
  func `is refused where it cannot be`(export: String, fault: String) {
    #expect(Documents.faults(document(export)).contains(fault))
  }

  @Test(arguments: [#""source""#, #"{"asset": "bikes"}"#])
  func `of a source is kept in the canonical form`(timecode: String) throws {
    let canonical = try Documents.canonical(document(#""timecode": \#(timecode)"#))
    #expect(try Documents.canonical(canonical) == canonical)
    #expect(try Document(Array(canonical.utf8)).export.timecode == .source(timecode.contains("asset") ? AssetID("bikes") : nil))
  }

  private func resolved(_ export: String, bikes: SourceTimecode?) throws -> ResolvedTimeline {
    var facts = try Assets.opening()
    facts[AssetID("bikes")]?.timecode = bikes
    facts[AssetID("bunny")]?.timecode = SourceTimecode("10:00:00:00", frameDuration: try MediaTime(1001, 30_000))
    return try Timeline.parse(Array(document(export).utf8)).resolved(with: facts)
  }

  @Test(arguments: [
    // Two seconds of the source are 59 whole frames.
    ("01:00:00;00", #""timecode": "source""#, "01:00:01;29"), ("01:00:00:00", #""timecode": "source""#, "01:00:01:29"),
    ("00:00:59;10", #""timecode": {"asset": "bikes"}"#, "00:01:01;11"), ("23:59:59:00", #""timecode": "source""#, "00:00:00:29"),
    ("01:00:00;00", #""timecode": {"asset": "bunny"}, "timeRange": {"start": "7", "duration": "1"}"#, "10:00:01:29"),
    ("01:00:00;00", #""timecode": "source", "timeRange": {"start": "7", "duration": "1"}"#, "10:00:01:29"),
  ])
  func `of a source is that of the moment which the first frame shows`(start: String, export: String, label: String) throws {
    let timecode = SourceTimecode(start, frameDuration: try MediaTime(1001, 30_000))
    #expect(try resolved(export, bikes: timecode).firstLabel == label)
  }

  @Test func `of a source is refused where it has none for the first frame, and the reason told`() throws {
    let (ntsc, pal) = (try MediaTime(1001, 30_000), try MediaTime(1, 25))
    let cases: [(String, SourceTimecode?, String)] = [
      (#""timecode": "source""#, nil, "asset 'bikes' has no time code: write the label, such as 01:00:00:00"),
      (
        #""timecode": "source""#, SourceTimecode("01:00:00:00", frameDuration: pal),
        "the time code of asset 'bikes' counts frames of 0.04 s, and the movie's last 1001/30000 s: give "
          + "videoComposition.frameDuration 0.04, or write the label"
      ),
      (
        #""timecode": "source""#, SourceTimecode("01:00:00:00", frameDuration: ntsc, beginsAnew: true),
        "the time code of asset 'bikes' begins anew inside of it: write the label"
      ),
      (
        #""timecode": {"asset": "bunny"}"#, SourceTimecode("01:00:00:00", frameDuration: ntsc),
        "asset 'bunny' is not shown in the movie's first frame: name an asset that is, or write the label"
      ),
    ]
    for (export, bikes, words) in cases {
      let error = #expect(throws: DocumentFaults.self) { try resolved(export, bikes: bikes) }
      #expect(error?.faults.map(\.description) == ["export.timecode: \(words)"])
    }
  }

  @Test func `is kept in the canonical form`() throws {
    let canonical = try Documents.canonical(document(#""timecode": "10:00:00;00""#))
    #expect(try Documents.canonical(canonical) == canonical)
    #expect(try Document(Array(canonical.utf8)).export.timecode == .label("10:00:00;00"))
  }
}
