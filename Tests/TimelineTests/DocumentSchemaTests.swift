import EditTesting
import Document
import Formats
import FoundationEssentials
import MediaTime
import Testing
import Timeline

/// Tests that hold docs/spool-1.schema.json, docs/document.md and the examples against the code that reads documents.
@Suite struct `The published schema and reference` {
  private let root: JSON

  /// The schema, which is read once: there are hundreds of cases.
  private static let schema = Result { try JSON(parsing: text(of: "docs/spool-1.schema.json")) }

  init() throws { root = try Self.schema.get() }

  private static func text(of path: String) throws -> String {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return String(decoding: try Data(contentsOf: package.appending(path: path)), as: UTF8.self)
  }

  private func definition(_ name: String) throws -> JSON { try #require(root["$defs"]?[name], "no definition of \(name)") }

  private func property(_ form: String, _ key: String) throws -> JSON { try #require(definition(form)["properties"]?[key]) }

  @Test(arguments: DocumentForm.allCases)
  func `each form has the keys that are read`(form: DocumentForm) throws {
    let schema = try definition(form.rawValue)
    #expect(Set(schema["properties"]?.members.keys ?? [:].keys) == Set(form.required + form.optional))
    #expect((schema["required"]?.elements ?? []).compactMap(\.text) == form.required)
    #expect(schema["additionalProperties"] == .bool(false))
  }

  @Test(arguments: [
    ("track", "media", MediaKind.allCases.map(\.rawValue)), ("transition", "kind", Transition.Kind.allCases.map(\.rawValue)),
    ("musicBed", "kind", MusicBed.Kind.allCases.map(\.rawValue)),
    ("textLayer", "align", TextContent.Alignment.allCases.map(\.rawValue)),
    ("textLayer", "slant", TextContent.Slant.allCases.map(\.rawValue)),
    ("textRun", "slant", TextContent.Slant.allCases.map(\.rawValue)),
    ("textLayer", "wrap", TextContent.Wrapping.allCases.map(\.rawValue)),
    ("textLayer", "truncate", TextContent.Truncation.allCases.map(\.rawValue)),
    ("outline", "position", TextContent.Outline.Position.allCases.map(\.rawValue)),
    ("textBox", "around", TextContent.Box.Extent.allCases.map(\.rawValue)),
    ("export", "fileType", FileType.allCases.map(\.rawValue)),
    ("videoSettings", "codec", VideoCodec.allCases.map(\.rawValue)),
    ("export", "preset", ExportPreset.allCases.map(\.rawValue)),
    ("videoSettings", "speed", H264.Speed.allCases.map(\.rawValue)),
    ("videoSettings", "fields", FieldWeave.Name.allCases.map(\.rawValue)),
    ("videoSettings", "fieldFilter", FieldWeave.Filter.allCases.map(\.rawValue)),
    ("audioSettings", "codec", AudioCodec.allCases.map(\.rawValue)),
    ("audioSettings", "channelLayout", AudioCodecSettings.ChannelLayout.allCases.map(\.rawValue)),
    ("colorTags", "primaries", ColorTags.Primaries.allCases.map(\.rawValue)),
    ("colorTags", "transfer", ColorTags.Transfer.allCases.map(\.rawValue)),
    ("colorTags", "matrix", ColorTags.Matrix.allCases.filter { $0 != .rgb }.map(\.rawValue)),
    ("colorTags", "range", ColorTags.Range.allCases.map(\.rawValue)),
    ("export", "checksum", ChecksumMethod.allCases.map(\.rawValue)),
    ("videoComposition", "toneMap", ToneMap.allCases.map(\.rawValue)),
    ("videoComposition", "blending", Blending.allCases.map(\.rawValue)),
  ])
  func `each choice offers what is read`(form: String, key: String, choices: [String]) throws {
    #expect(try property(form, key)["enum"]?.elements.compactMap(\.text) == choices)
  }

  @Test func `choices that stand elsewhere are those that are read`() throws {
    #expect(try definition("gravity")["enum"]?.elements.compactMap(\.text) == Gravity.allCases.map(\.rawValue))
    let colors = try property("videoComposition", "color")["oneOf"]?.elements.first?["enum"]
    #expect(colors?.elements.compactMap(\.text) == ColorTags.named.map(\.name))
    let easings = try definition("easing")["oneOf"]?.elements.first?["enum"]
    #expect(easings?.elements.compactMap(\.text) == Easing.named.map(\.name))
    let rates = try property("audioSettings", "sampleRate")["enum"]?.elements.compactMap(\.number)
    #expect(rates.map(Set.init) == Set(AudioCodec.allCases.flatMap(\.sampleRates).map(Double.init)))
  }

  @Test func `each kind of transition has the subtypes that are read`() throws {
    var subtypes: [String: [String]] = [:]
    for rule in try definition("transition")["allOf"]?.elements ?? [] {
      guard let kind = rule["if"]?["properties"]?["kind"]?["const"]?.text,
        let names = rule["then"]?["properties"]?["subtype"]?["enum"]
      else { continue }
      subtypes[kind] = names.elements.compactMap(\.text)
    }
    for kind in Transition.Kind.allCases { #expect(subtypes[kind.rawValue] ?? [] == kind.subtypes, "\(kind)") }
  }

  @Test func `the reference of transitions shows each by its name`() throws {
    let shown = try Self.text(of: "docs/transitions.md").matches(of: /images\/transitions\/([A-Za-z.]+)\.jpg/).map {
      String($0.1)
    }
    let names = Transition.Kind.allCases.flatMap { kind in
      kind.subtypes.isEmpty ? [kind.rawValue] : kind.subtypes.map { "\(kind.rawValue).\($0)" }
    }
    #expect(shown.filter { !$0.hasPrefix("edge.") }.sorted() == names.sorted())
  }

  @Test(arguments: [
    ("document", "assets", "maxProperties", DocumentLimits.assets),
    ("document", "compositions", "maxProperties", DocumentLimits.compositions),
    ("document", "layers", "maxItems", DocumentLimits.layers),
    ("nestedComposition", "tracks", "maxItems", DocumentLimits.tracks),
    ("composition", "tracks", "maxItems", DocumentLimits.tracks), ("track", "segments", "maxItems", DocumentLimits.segments),
    ("videoComposition", "instructions", "maxItems", DocumentLimits.instructions),
    ("instruction", "layerInstructions", "maxItems", DocumentLimits.layerInstructions),
    ("asset", "path", "maxLength", DocumentLimits.pathLength),
    ("textLayer", "text", "maxLength", DocumentLimits.textLength),
    ("textLayer", "text", "maxItems", DocumentLimits.textRuns), ("textRun", "text", "maxLength", DocumentLimits.textLength),
    ("textRun", "ruby", "maxLength", DocumentLimits.rubyLength), ("textLayer", "tabs", "maxItems", DocumentLimits.tabs),
    ("textLayer", "maxLines", "maximum", DocumentLimits.textLines),
    ("glow", "strength", "maximum", DocumentLimits.glowStrength.upperBound),
  ])
  func `bounds are those that are held`(form: String, key: String, keyword: String, bound: Int) throws {
    #expect(try property(form, key)[keyword]?.number == Double(bound))
  }

  @Test func `bounds of values are those that are held`() throws {
    #expect(try definition("name")["maxLength"]?.number == Double(DocumentLimits.nameLength))
    #expect(try definition("volume")["maximum"]?.number == DocumentLimits.volume.upperBound)
    #expect(try property("contentLight", "maximum")["maximum"]?.number == Double(DocumentLimits.contentLight))
    #expect(
      try property("masteringDisplay", "luminance")["items"]?["maximum"]?.number == MasteringDisplay.brightest)
    #expect(try definition("coordinate")["minimum"]?.number == DocumentLimits.coordinate.lowerBound)
    #expect(try definition("textSize")["oneOf"]?.elements.first?["maximum"]?.number == DocumentLimits.fontSize.upperBound)
    #expect(try definition("fontAxes")["maxProperties"]?.number == Double(DocumentLimits.fontSettings))
    #expect(try property("textLayer", "stretch")["minimum"]?.number == DocumentLimits.stretch.lowerBound)
    #expect(try property("transition", "radius")["minimum"]?.number == DocumentLimits.blurRadius.lowerBound)
    #expect(try property("transition", "radius")["maximum"]?.number == DocumentLimits.blurRadius.upperBound)
    #expect(try property("transition", "radius")["default"]?.number == Transition.usualBlurRadius)
    #expect(try property("border", "width")["minimum"]?.number == DocumentLimits.borderWidth.lowerBound)
    #expect(try property("border", "width")["maximum"]?.number == DocumentLimits.borderWidth.upperBound)
    let scale = try property("videoComposition", "renderScale")
    #expect(scale["minimum"]?.number == DocumentLimits.renderScale.lowerBound)
    #expect(scale["maximum"]?.number == DocumentLimits.renderScale.upperBound)
    let side = try property("videoComposition", "renderSize")["items"]
    #expect(side?["minimum"]?.number == Double(DocumentLimits.renderSide.lowerBound))
    #expect(side?["maximum"]?.number == Double(DocumentLimits.renderSide.upperBound))
    #expect(try definition("time")["oneOf"]?.elements.first?["maximum"]?.number == DocumentLimits.latest.seconds)
  }

  @Test func `the reference names every key, and every choice`() throws {
    let pages = ["document", "transitions", "text-animations"]
    let reference = try pages.map { try Self.text(of: "docs/\($0).md") }.joined()
    let words = Set(reference.matches(of: /[`"]([$A-Za-z0-9.:\-]+)[`"]/).map { String($0.1) })
    for form in DocumentForm.allCases {
      let keys = form.required + form.optional
      #expect(keys.filter { !words.contains($0) } == [], "keys of \(form)")
      for key in keys {
        let choices = try property(form.rawValue, key)["enum"]?.elements.compactMap(\.text) ?? []
        // FFmpeg documents the values of colour tags. The names of transitions are checked above, against their pictures.
        guard form != .colorTags, key != "kind" else { continue }
        #expect(choices.filter { !words.contains($0) } == [], "choices of \(form).\(key)")
      }
    }
  }

  // MARK: - Documents

  @Test func `the schema accepts the opening document and its canonical form`() throws {
    #expect(try JSONSchema(root).accepts(JSON(parsing: Documents.opening)))
    #expect(try JSONSchema(root).accepts(JSON(parsing: Documents.canonical(Documents.opening))))
  }

  @Test(arguments: 101...130 as ClosedRange<UInt64>)
  func `the schema accepts the canonical form of any edit`(seed: UInt64) throws {
    var random = RandomEdit(seed: seed)
    let document = String(decoding: try random.timeline().canonicalJSON(), as: UTF8.self)
    #expect(try JSONSchema(root).accepts(JSON(parsing: document)), "\(document)")
  }

  @Test(arguments: [
    "broadcast", "captions", "card", "colours", "cut", "ducking", "hdr", "inset", "linear-light", "lossless", "lottie",
    "music-bed", "nested",
    "newsroom", "opening", "orientations", "portrait", "preview", "prores", "ramps", "reel", "reverse", "slideshow",
    "slow-motion", "speed-ramp", "text", "thousand", "timing", "titles", "tone-maps",
    "transitions", "waveform",
  ])
  func `schema and reader accept the example`(name: String) throws {
    let example = try Self.text(of: "examples/\(name).json")
    #expect(try JSONSchema(root).accepts(JSON(parsing: example)))
    let document = try Document(Array(example.utf8))
    #expect(document.faults == nil)
    // These files are read where the whole example is.
    guard document.captionFiles.isEmpty, document.lottieFiles.isEmpty else { return }
    #expect(Documents.faults(example) == [])
    #expect(try Documents.canonical(Documents.canonical(example)) == Documents.canonical(example))
  }

  @Test func `schema and reader accept each document in the reference`() throws {
    let documents = try Self.text(of: "docs/document.md").matches(of: /```json\n((?s).*?)```/).map { String($0.1) }
    #expect(documents.count == 3)
    for document in documents {
      #expect(try Document(Array(document.utf8)).faults == nil)
      #expect(try JSONSchema(root).accepts(JSON(parsing: document)))
    }
  }

  @Test(arguments: [
    ("\"spool\": 1", "\"spool\": 2"), ("\"spool\": 1,", ""), ("\"audioMix\"", "\"audiomix\""),
    ("\"duration\": \"6\"", "\"duration\": 6.5"),
    ("\"duration\": \"6\"", "\"duration\": \"1e3\""), ("\"start\": \"12.5\"", "\"start\": \"-1\""),
    ("\"media\": \"audio\"", "\"media\": \"sound\""),
    ("[1280, 720]", "[1281, 720]"), ("[0, 0, 640, 360]", "[0, 0, 640, 0]"),
    ("\"transition\": {", "\"layerInstructions\": [], \"transition\": {"),
    ("\"transition\": {", "\"compositor\": {\"name\": \"curl\", \"requiredTracks\": [\"A\"]}, \"transition\": {"),
    ("\"layerInstructions\": [{", "\"compositor\": {\"name\": \"curl\", \"requiredTracks\": []}, \"layerInstructions\": [{"),
    (
      "\"transition\": {\"kind\": \"dissolve\", \"from\": \"A\", \"to\": \"B\"}",
      "\"compositor\": {\"name\": \"a curl\", \"requiredTracks\": []}"
    ),
    ("\"dissolve\"", "\"starWipe\", \"subtype\": \"circle\""),
    ("\"dissolve\"", "\"push\", \"softness\": 0.1"), ("\"dissolve\"", "\"lumaWipe\""),
    ("\"dissolve\"", "\"irisWipe\", \"map\": \"logo\""), ("\"dissolve\"", "\"barWipe\", \"border\": {\"width\": 2}"),
    ("\"value\": 0}]}]}]}", "\"value\": 1.5}]}]}]}"), ("\"size\": 48", "\"size\": 48, \"color\": \"#ff00\""),
    ("\"mp4\"", "\"flv\""), ("\"media\": \"video\"", "\"media\": \"video\", \"bed\": \"loop\""),
    ("\"fileType\": \"mp4\"", "\"video\": {\"contentLight\": {\"maximum\": 1.5, \"frameAverage\": 1}}"),
    ("\"image\": \"logo\",", ""), ("{\"path\": \"song.m4a\"}", "{\"path\": \"\"}"),
  ])
  func `schema and reader refuse the same`(old: String, new: String) throws {
    let document = Documents.opening.replacing(old, with: new)
    #expect(document != Documents.opening)
    #expect(Documents.faults(document) != [])
    #expect(try !JSONSchema(root).accepts(JSON(parsing: document)))
  }
}
