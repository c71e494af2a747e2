import Testing

/// Tests of words that people know from other programs.
@Suite struct HabitTests {
  @Test(arguments: [("tomato", "#ff6347"), ("rgba(255, 0, 51, 0.5)", "#ff003380"), ("#f80", "#ff8800")])
  func `colours in the forms of style sheets are told by their codes`(color: String, code: String) {
    let document = Documents.opening.replacing("\"size\": 48", with: "\"size\": 48, \"color\": \"\(color)\"")
    let fault = "'\(color)' is not a colour: expected \"#RRGGBB\" or \"#RRGGBBAA\" (that is said by \"\(code)\")"
    #expect(Documents.faults(document) == ["layers[1].color: \(fault)"])
  }

  @Test(arguments: [
    (
      "\"size\": 48", "\"size\": 48, \"lineHeight\": 1.2",
      [
        "layers[1].lineHeight: 1.2 is in pixels, and less than a quarter of the size: a multiple is said by \"lineSpacing\""
      ]
    ),
    ("\"fileType\": \"mp4\"", "\"format\": \"mp4\"", ["export.format: unknown key (that is said by fileType)"]),
    (
      "\"frameDuration\": \"1001/30000\"", "\"fps\": 30",
      [
        "videoComposition.fps: unknown key (that is said by frameDuration: \"1/25\" for 25 frames a second)"
      ]
    ),
    (
      "\"frameDuration\": \"1001/30000\"", "\"frameDuration\": \"29.97\"",
      ["videoComposition.frameDuration: a frame of 29.97 s is longer than 10 s; for 29.97 frames a second write \"1001/30000\""]
    ),
    (
      "\"frameDuration\": \"1001/30000\"", "\"frameDuration\": 25",
      ["videoComposition.frameDuration: a frame of 25 s is longer than 10 s; for 25 frames a second write \"1/25\""]
    ),
    (
      "\"layerInstructions\": [{\"track\": \"A\"", "\"layers\": [{\"track\": \"A\"",
      [
        "videoComposition.instructions[0].layers: unknown key (that is said by layerInstructions, topmost first; layers, bottommost first, stand beside videoComposition)"
      ]
    ),
    (
      "\"size\": 48", "\"size\": 48, \"textAlign\": \"left\", \"border\": 1, \"height\": 20",
      [
        "layers[1].textAlign: unknown key (that is said by align)",
        "layers[1].border: unknown key (that is said by borderWidth and borderColor)",
        "layers[1].height: unknown key (that is said by frame: [x, y, width, height])",
      ]
    ),
    (
      "\"crop\": [0, 0, 640, 360]", "\"gravity\": \"fill\", \"frame\": [0, 0, 9, 9]",
      [
        "videoComposition.instructions[0].layerInstructions[0].frame: unknown key (that is said by gravity and transform)",
        "videoComposition.instructions[0].layerInstructions[0].gravity: 'fill' is not one of none, resize, resizeAspect, resizeAspectFill, center, top, bottom, left, right, topRight, bottomLeft, bottomRight (that is said by resizeAspectFill)",
      ]
    ),
  ])
  func `are told how it is said here`(old: String, new: String, faults: [String]) {
    #expect(Documents.opening.contains(old))
    #expect(Documents.faults(Documents.opening.replacing(old, with: new)) == faults)
  }
}
