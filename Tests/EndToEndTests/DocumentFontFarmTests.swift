import FarmTesting
import Subprocess
import SyntheticFonts
import Testing

/// Renders of edits whose fonts are files of the document, which no machine has installed.
@Suite(.serialized) struct `Fonts of documents on farms` {
  private static func document(_ text: String = "AB A") -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "brand": {"path": "brand.ttf", "kind": "font"}},
     "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"duration": "0.84"}}]}]},
     "videoComposition": {"renderSize": [160, 96], "frameDuration": "1/25", "color": "bt709"},
     "layers": [{"text": "\(text)", "font": "brand", "size": 40, "weight": 700, "frame": [0, 0, 160, 50], "align": "left",
       "opacity": [{"at": "0", "value": 0.2}, {"at": "0.8", "value": 1}]},
      {"text": "{frame}", "font": ["brand", "DejaVu Sans"], "size": 30, "frame": [0, 50, 160, 46], "timestamp": {}}],
     "captions": [{"style": {"font": "brand", "size": 20, "animation": {"in": "fadeUp"}}, "place": "bottom",
       "cues": [{"from": "0.2", "to": "0.8", "text": "B A"}]}],
     "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
    """
  }

  @Test func `chunks and workers do not change a frame, and the movie is verified`() throws {
    let studio = try Studio()
    try SyntheticFont("Not Installed", letters: "AB ", height: 600).bytes.write(toFile: studio.file("brand.ttf"))
    let document = try studio.document(Self.document())
    // The movie has 21 frames, which make 1, 3 or 7 chunks.
    var reference: [String]?
    for (chunkFrames, workers) in [(21, 1), (21, 3), (7, 1), (7, 3), (3, 1), (3, 3)] {
      let options = ["--chunk-frames", "\(chunkFrames)", "--workers", "\(workers)"]
      let movie = try studio.render(document, to: "\(chunkFrames)x\(workers).mkv", options)
      let pictures = try Decoded(movie, hasSound: false).pictures
      #expect(pictures.count == 21)
      #expect(reference ?? pictures == pictures, "chunks of \(chunkFrames) frames, \(workers) workers")
      reference = reference ?? pictures
    }
    let verified = try SpoolProgram.run("verify", document, studio.file("3x3.mkv"))
    #expect(verified.code == 0, "\(verified.errorOutput)")
    // Another file gives another movie.
    try SyntheticFont("Not Installed", letters: "AB ", height: 500).bytes.write(toFile: studio.file("brand.ttf"))
    #expect(try SpoolProgram.run("verify", document, studio.file("3x3.mkv")).code == 1)
  }

  @Test func `what is wrong with the font is told before anything is rendered`() throws {
    let studio = try Studio()
    let document = try studio.document(Self.document())
    func refused(_ verb: String) throws -> (code: Int32?, text: String) {
      let arguments = verb == "validate" ? [] : ["-o", studio.file("o.png")] + (verb == "frame" ? ["--index", "0"] : [])
      let done = try SpoolProgram.run([verb, document] + arguments)
      return (done.code, done.errorOutput)
    }
    let path = studio.file("brand.ttf")
    for verb in ["validate", "frame"] {
      #expect(try refused(verb) == (66, "error: assets.brand: \(path): No such file or directory\n"))
    }
    let font = SyntheticFont("Brand", letters: "A ", height: 600)
    try font.bytes.write(toFile: path)
    let lacking = try refused("validate")
    #expect(lacking.code == 65 && lacking.text.contains("layers[0]: font 'brand' lacks 'B' (U+0042)"), "\(lacking.text)")
    #expect(lacking.text.contains("captions[0] (cue 1, at 0.2 s): font 'brand' lacks 'B' (U+0042)"), "\(lacking.text)")
    try Array(font.bytes.dropLast(1)).write(toFile: path)
    #expect(
      try refused("validate")
        == (65, "error: assets.brand: \(path): is a font that is cut off or damaged: its table 'post' ends after the file\n"))
  }
}
