import EditTesting
import Formats
import MediaTime
import Testing

@Suite struct PlausibleFactsTests {
  @Test func `what probing finds is plausible`() throws {
    for facts in [try Assets.movie(), try Assets.song(), try Assets.logo()] { #expect(facts.isPlausible) }
    var unknown = try Assets.movie()
    unknown.tracks[0].rejection = "the size of its pictures is unknown"
    unknown.change { ($0.naturalSize, $0.bitDepth) = (PixelSize(0, 0), 0) }
    #expect(unknown.isPlausible)
    var counted = try Assets.movie()
    counted.timecode = SourceTimecode("01:00:00;02", frameDuration: try MediaTime(1001, 30_000))
    #expect(counted.timecode != nil && counted.isPlausible)
    var slowest = try Assets.movie()
    slowest.tracks[0].naturalTimeScale = 1
    #expect(slowest.isPlausible, "a clock of whole seconds")
  }

  @Test func `what nothing can reckon with is not`() throws {
    let movie = try Assets.movie()
    let changes: [(inout AssetFacts) throws -> Void] = [
      { $0.tracks = [] }, { $0.tracks.swapAt(0, 1) }, { $0.byteCount = -1 }, { $0.duration = try MediaTime(-1) },
      { $0.container = "mov\u{1b}[2J" }, { $0.version = String(repeating: "v", count: 10_000) }, { $0.tracks[1].codec = "a\nb" },
      { $0.timecode = try Assets.brokenTimecode() }, { $0.tracks[0].naturalTimeScale = 0 },
      { $0.tracks[0].intactEnd = try MediaTime(-1) },
      { $0.change { $0.naturalSize = PixelSize(0, 1) } }, { $0.change { $0.displaySize = PixelSize(1, -1) } },
      { $0.change { $0.pixelAspect = PixelSize(0, 1) } }, { $0.change { $0.bitDepth = 0 } },
      { $0.change { $0.nominalFrameRate = .zero } }, { $0.change { $0.cleanAperture = Rect(0, 0, 1281, 1) } },
      { $0.change { $0.cleanAperture = Rect(0, 0, 0, 1) } },
      { $0.change { $0.repeatedFields = RepeatedFields(count: 2, pictures: 1) } },
      { $0.tracks[1].detail = .audio(AudioFacts(sampleRate: 0, channelCount: 2, channelLayout: "stereo")) },
      { $0.tracks[1].detail = .audio(AudioFacts(sampleRate: 1, channelCount: 0, channelLayout: "stereo")) },
      {
        $0.tracks[0].rejection = "is encrypted"
        $0.change { $0.naturalSize = PixelSize(-1, 1) }
      },
    ]
    for (index, change) in changes.enumerated() {
      var facts = movie
      try change(&facts)
      #expect(!facts.isPlausible, "change \(index)")
    }
  }
}

extension AssetFacts {
  /// Changes the picture facts of the first track.
  fileprivate mutating func change(_ body: (inout VideoFacts) -> Void) {
    guard case .video(var video) = tracks[0].detail else { return }
    body(&video)
    tracks[0].detail = .video(video)
  }
}
