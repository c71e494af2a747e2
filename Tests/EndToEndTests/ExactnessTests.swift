import FarmTesting
import Subprocess
import Testing

@Suite(.serialized) struct `Exactness` {
  @Test func `chunks and workers do not change a frame or a sample`() throws {
    let studio = try Studio()
    let document = try studio.document(EditDocument.everything(export: EditDocument.lossless))
    // The movie has 90 frames, which make 1, 3, 7 or 18 chunks.
    var reference: Decoded?
    for (chunkFrames, workers) in [(90, 1), (30, 1), (30, 3), (13, 1), (13, 3), (5, 3)] {
      let movie = try studio.render(
        document, to: "\(chunkFrames)x\(workers).mkv", ["--chunk-frames", "\(chunkFrames)", "--workers", "\(workers)"])
      let decoded = try Decoded(movie)
      #expect(decoded.pictures.count == 90)
      if let reference {
        #expect(decoded == reference, "chunks of \(chunkFrames) frames, \(workers) workers")
      }
      reference = reference ?? decoded
    }
  }

  @Test func `one chunk for each frame gives the movie of one chunk`() throws {
    let studio = try Studio()
    let document = try studio.document(
      """
      {"spool": 1, "assets": {"b": {"path": "b.mp4"}},
       "composition": {"tracks": [{"id": "B", "media": "video", "segments": [
         {"asset": "b", "source": {"start": "0.7", "duration": "0.48"}, "at": "0"}]}]},
       "videoComposition": {"renderSize": [192, 128], "frameDuration": "1/25", "instructions": [
         {"timeRange": {"start": "0", "duration": "0.48"}, "layerInstructions": [{"track": "B"}]}]},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
      """)
    let single = try Decoded(studio.render(document, to: "single.mkv", ["--chunk-frames", "1"]), hasSound: false)
    let whole = try Decoded(studio.render(document, to: "whole.mkv", ["--chunk-frames", "12"]), hasSound: false)
    #expect(single.pictures.count == 12)
    #expect(single == whole)
  }

  @Test func `random edits come out the same from one chunk and from many`() throws {
    let studio = try Studio()
    for seed in SeededRandom.seeds(count: 3, longForm: "SPOOL_EDITS") {
      var random = SeededRandom(seed: seed)
      let document = try studio.document(EditDocument.random(&random), name: "\(seed).json")
      let length = Int.random(in: 3...25, using: &random)
      let whole = try Decoded(studio.render(document, to: "whole.mkv", ["--chunk-frames", "10000", "--workers", "1"]))
      let parts = try Decoded(studio.render(document, to: "parts.mkv", ["--chunk-frames", "\(length)", "--workers", "3"]))
      #expect(whole == parts, "seed \(seed), chunks of \(length) frames")
    }
  }

  @Test func `the frames that a process prints are those of the farm's movie`() throws {
    let studio = try Studio()
    let document = try studio.document(EditDocument.everything(export: EditDocument.lossless))
    let movie = try Decoded(studio.render(document, to: "movie.mkv", ["--chunk-frames", "11"]))
    let printed = try SpoolProgram.run(["frames", document]).output.split(separator: "\n")
    let digests = printed.compactMap { $0.split(separator: " ").last.map(String.init) }
    #expect(digests == movie.pictures.compactMap { $0.split(separator: " ").last.map(String.init) })
    let verified = try SpoolProgram.run(["verify", document, studio.file("movie.mkv")])
    #expect(verified.status == .exited(0), "\(verified.errorOutput)")
  }
}
