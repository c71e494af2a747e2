import Document
import Testing
import Timeline

/// Tests of the faults of assets that are fonts.
extension `The faults of a document` {
  @Test(arguments: [
    Case(
      "{\"path\": \"song.m4a\"}", "{\"path\": \"a\", \"kind\": \"fnt\"}",
      "assets.song.kind: 'fnt' is not one of media, font (did you mean 'font'?)"),
    Case(
      "{\"path\": \"song.m4a\"}", "{\"path\": \"a\", \"face\": 1}",
      "assets.song.face: only a font has faces: say \"kind\": \"font\""),
    Case(
      "\"logo\": {\"path\": \"logo.png\"}",
      "\"logo\": {\"path\": \"logo.png\"}, \"f\": {\"path\": \"f.ttf\", \"kind\": \"font\", \"face\": 256, \"damage\": \"conceal\"}",
      "assets.f.damage: a font has none: only media have it", "assets.f.face: 256 is not in 0...255"),
    Case(
      "\"logo\": {\"path\": \"logo.png\"}", "\"logo\": {\"path\": \"logo.png\", \"kind\": \"font\"}",
      "layers[0].image: asset 'logo' is a font, which only a text's \"font\" can name"),
  ])
  func `fonts`(faulty: Case) { check(faulty) }
}
