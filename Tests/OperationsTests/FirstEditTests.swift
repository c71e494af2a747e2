import FarmTesting
import Formats
import FoundationEssentials
import MediaTime
import Operations
import Testing

/// The documents that `firstEdit` writes.
@Suite struct `A first document` {
  private let edit: EditBench

  init() throws {
    edit = try EditBench()
    let sound = ["-f", "lavfi", "-i", "sine=d=2:r=48000"]
    try SyntheticSource(width: 96, height: 64, frameCount: 50).write(
      to: edit.path("talk \"one\".mkv"), ["-map", "0:v", "-map", "1:a", "-t", "2", "-c:v", "ffv1", "-c:a", "pcm_s16le"],
      inputs: sound)
    try SyntheticSource(width: 32, height: 20, frameCount: 1).write(to: edit.path("card.png"), [])
    _ = try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=d=9:r=44100", edit.path("song.wav")])
  }

  @Test func `shows clips and pictures in a row, each with its own sound, over music that ends with them`() throws {
    var request = FirstEditRequest(
      media: ["clip.mkv", "talk \"one\".mkv", "card.png", "talk \"one\".mkv", "song.wav"].map(edit.path),
      output: edit.path("first.json"))
    request.still = "1.5"
    let first = try edit.media.firstEdit(request)
    // 1 s, 2 s, 1.5 s and 2 s at 25 frames a second, in the size of the first clip.
    #expect(first.edit.frameCount == 163 && first.edit.renderSize?.width == 64 && first.edit.warnings.isEmpty)
    #expect(try first.edit.duration == MediaTime(13, 2) && first.edit.sampleCount == 312_000)
    #expect(try String(contentsOf: URL(filePath: edit.path("first.json")), encoding: .utf8) == first.document)
    #expect(try edit.media.validate(edit.path("first.json")) == first.edit)
    #expect(
      first.document == """
        {
          "spool": 1,
          "assets": {
            "clip": {"path": "clip.mkv"},
            "talk -one-": {"path": "talk \\"one\\".mkv"},
            "card": {"path": "card.png"},
            "talk -one--2": {"path": "talk \\"one\\".mkv"},
            "song": {"path": "song.wav"}
          },
          "composition": {"tracks": [
            {"id": "picture", "media": "video", "segments": [
              {"asset": "clip"},
              {"asset": "talk -one-"},
              {"asset": "card", "duration": "1.5"},
              {"asset": "talk -one--2"}]},
            {"id": "sound", "media": "audio", "segments": [
              {"asset": "talk -one-", "at": "1"},
              {"asset": "talk -one--2", "at": "4.5"}]},
            {"id": "music", "media": "audio", "bed": "pad", "segments": [
              {"asset": "song"}]}
          ]}
        }

        """)
  }

  @Test func `that begins with a still picture has the size and the rate of the first clip, or those of a screen`() throws {
    let mixed = try edit.media.firstEdit(FirstEditRequest(media: ["card.png", "clip.mkv"].map(edit.path)))
    #expect(try mixed.output == nil && mixed.edit.frameDuration == MediaTime(1, 25) && mixed.edit.renderSize?.width == 64)
    let slides = try edit.media.firstEdit(FirstEditRequest(media: [edit.path("card.png")]))
    #expect(slides.edit.frameCount == 150 && slides.edit.renderSize?.width == 1920 && slides.edit.sampleCount == 0)
    let songs = try edit.media.firstEdit(FirstEditRequest(media: [edit.path("song.wav"), edit.path("song.wav")]))
    #expect(songs.edit.renderSize == nil && songs.edit.duration == MediaTime(seconds: 18))
  }

  @Test func `is not written when a medium cannot be read, or where something stands already`() throws {
    var request = FirstEditRequest(media: ["none.mkv", "clip.mkv", "nor.png"].map(edit.path), output: edit.path("first.json"))
    let missing = try #require(try complaint { _ = try edit.media.firstEdit(request) })
    #expect(missing.exit == .noInput && missing.told.map(\.path) == ["assets.none", "assets.nor"])
    #expect(!FileManager.default.fileExists(atPath: edit.path("first.json")))
    request.media = [edit.path("clip.mkv")]
    for still in ["0", "-1", "soon"] {
      request.still = still
      #expect(try complaint { _ = try edit.media.firstEdit(request) }?.exit == .usage)
    }
    request.still = "1"
    for (name, exit) in [("edit.json", ExitClass.cannotCreate), ("clip.mkv", .cannotCreate), ("first.mp4", .usage)] {
      request.output = edit.path(name)
      #expect(try complaint { _ = try edit.media.firstEdit(request) }?.exit == exit, "\(name)")
    }
    request.media = []
    #expect(try complaint { _ = try edit.media.firstEdit(request) }?.exit == .usage)
  }
}
