import Document
import Testing
import Timeline

/// Tests of faults that hide no others, of the reports that programs get, and of members that are not read.
extension `The faults of a document` {
  @Test(arguments: [
    ("2024-02-29", true), ("2023-02-29", false), ("2000-02-29", true), ("1900-02-29", false), ("2026-04-30", true),
    ("2026-04-31", false), ("2026-12-31T23:59:59Z", true), ("2026-12-31T24:00:00Z", false), ("2026-13", false),
    ("2026-01-00", false), ("2026", true),
  ])
  func `a movie's date is one of the calendar`(date: String, isDate: Bool) {
    let document = """
      {"spool": 1, "assets": {}, "composition": {"tracks": []}, "export": {"fileType": "mov", "metadata": {"date": "\(date)"}}}
      """
    #expect(Documents.faults(document).contains { $0.hasPrefix("export.metadata.date: '\(date)' is no date") } == !isDate)
  }

  @Test(arguments: [
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"mov\", \"video\": {\"codec\": \"prores\", \"crf\": 1, \"bitDepth\": 8}",
      "export.video.crf: prores has no crf", "export.video.bitDepth: prores with these settings has 10 bits, not 8"),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"mp4\", \"video\": {\"codec\": \"prores\", \"profile\": \"lb\"}",
      "export.video.profile: 'lb' is not one of proxy, lt, standard, hq, 4444, 4444xq",
      "export.fileType: mp4 cannot hold prores video: use mov or mkv"),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"webm\", \"video\": {\"codec\": \"hevc\"}, \"audio\": {\"codec\": \"aac\"}",
      "export.fileType: webm cannot hold hevc video: use mp4, mov, mkv, mpegts or cmaf",
      "export.fileType: webm cannot hold aac audio: use mp4, mov, mpegts, cmaf or m4a",
      "export.optimizeForNetworkUse: webm has no index to move to the front: use mp4 or mov"),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"m4a\", \"video\": {\"codec\": \"hevc\"}",
      "export.video: m4a holds sound alone: leave the settings of the picture out"),
    Case(
      "\"fileType\": \"mp4\"", "\"audio\": {\"sampleFormat\": \"int16\"}",
      "export.audio.sampleFormat: aac has no sampleFormat, which is pcm's"),
    Case(
      "\"fileType\": \"mp4\"",
      "\"fileType\": \"mov\", \"metadata\": {\"composer\": \"B\", \"title\": \"a\\nb\", \"date\": \"2026-02-29\", \"year\": 1, \"location\": [91, 0]}",
      "export.metadata.year: unknown key (that is said by date)",
      "export.metadata.title: must not contain control characters, such as line breaks",
      "export.metadata.composer: mov holds no composer: leave it out, or use mp4, mkv, webm, m4a, mp3, flac or ogg",
      "export.metadata.date: '2026-02-29' is no date such as 2026, 2026-11, 2026-11-24 or 2026-11-24T10:30:00Z",
      "export.metadata.location: latitude 91 is not in -90.0...90.0"),
    Case(
      "\"fileType\": \"mp4\"",
      "\"chapters\": [{\"at\": \"1\", \"title\": \"A\"}, {\"at\": \"1\", \"title\": 5}, {\"at\": \"10\"}]",
      "export.chapters[0].at: the first chapter begins at 0, because players show no time before it",
      "export.chapters[1].title: expected a string, found a number",
      "export.chapters[1].at: is not after the chapter before it, which begins at 1",
      "export.chapters[2].title: missing", "export.chapters[2].at: the edit ends at 10"),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"wav\", \"chapters\": [{\"at\": \"0\", \"title\": \"A\"}]",
      "export.chapters: wav holds no chapters: use mp4, mov, mkv, webm, m4a, mp3, flac or ogg",
      "export.optimizeForNetworkUse: wav has no index to move to the front: use mp4 or mov"),
  ])
  func `settings that a codec or a file type has not`(faulty: Case) { check(faulty) }

  @Test(arguments: [
    Case(
      "\"preset\": \"highest\", \"fileType\": \"mp4\"",
      "\"preset\": \"best\", \"video\": {\"crf\": 99}, \"audio\": {\"codec\": \"flac\", \"bitRate\": 1}",
      "export.preset: 'best' is not one of low, medium, high, highest, lossless, LowQuality, MediumQuality, HighestQuality, 640x480, 960x540, 1280x720, 1920x1080, 3840x2160, HEVCHighestQuality, HEVC1920x1080, HEVC3840x2160, Passthrough, AppleM4A, AppleProRes422LPCM, AppleProRes4444LPCM, web, hls, youtube, vimeo, x, instagram, tiktok, archive, broadcast",
      "export.video.crf: 99 is not in 0...51",
      "export.audio.bitRate: flac is lossless and has no bitRate",
      "export: mp4 cannot hold flac audio: use mkv or flac; few players play it there"),
    Case(
      "\"preset\": \"highest\", \"fileType\": \"mp4\"",
      "\"fileType\": \"flv\", \"video\": {\"codec\": \"vp8\", \"bitDepth\": 12, \"crf\": 1}, \"audio\": {\"sampleRate\": 1}",
      "export.fileType: 'flv' is not one of mp4, mov, mkv, webm, mxf, mpegts, avi, cmaf, gif, apng, webp, pngSequence, jpegSequence, tiffSequence, m4a, mp3, wav, aiff, flac, ogg",
      "export.video.codec: 'vp8' is not one of h264, hevc, av1, vp9, prores, dnxhr, mpeg2, ffv1, v210, mjpeg, gif, png, webp, tiff (did you mean 'vp9'?)",
      "export.video.bitDepth: frames are composited in 8 or 10 bits, so no movie has 12: use 10",
      "export.audio.sampleRate: aac is not made at 1 Hz, but at 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200 or 96000"
    ),
    Case(
      "\"preset\": \"highest\", \"fileType\": \"mp4\"",
      "\"fileType\": \"mkv\", \"video\": {\"codec\": \"h263\"}, \"audio\": {\"codec\": \"mp3\"}, \"timeRange\": {\"start\": \"99\", \"duration\": \"1\"}",
      "export.video.codec: 'h263' is not one of h264, hevc, av1, vp9, prores, dnxhr, mpeg2, ffv1, v210, mjpeg, gif, png, webp, tiff (did you mean 'h264'?)",
      "export.timeRange: starts at 99, but the edit ends at 10",
      "export.fileType: mkv cannot hold mp3 audio: use mov, mpegts or mp3; FFmpeg does not write there how much of the sound is priming, so it would start late",
      "export.optimizeForNetworkUse: mkv has no index to move to the front: use mp4 or mov"),
  ])
  func `a preset, a codec or a file type that is none hides no other`(faulty: Case) { check(faulty) }

  @Test(
    arguments: [
      ("\"audioMix\"", "\"audiomix\"", DocumentFaults.Kind.unknownKey, "audioMix"),
      ("\"fileType\"", "\"format\"", .unknownKey, "fileType"),
      ("\"asset\": \"bunny\"", "\"asset\": \"buny\"", .unknownName, "bunny"),
      ("\"from\": \"A\"", "\"from\": \"AA\"", .unknownName, nil),
      ("\"kind\": \"dissolve\"", "\"kind\": \"disolve\"", .unknownName, "dissolve"),
      ("\"spool\": 1,", "", .missingKey, nil), ("\"size\": 48", "\"size\": 0", .value, nil),
      ("\"1001/30000\"", "\"29.97\"", .value, "1001/30000"), ("\"duration\": \"6\"", "\"duration\": 6.5", .value, "\"6.5\""),
      ("\"duration\": \"6\"", "\"duration\": 6e0", .value, nil), ("{ \"spool\"", "{ spool", .syntax, nil),
    ] as [(String, String, DocumentFaults.Kind, String?)])
  func `each says for programs what sort it is, and what was meant`(
    old: String, new: String, kind: DocumentFaults.Kind, suggestion: String?
  ) throws {
    #expect(Documents.opening.contains(old))
    let document = Array(Documents.opening.replacing(old, with: new).utf8)
    let faults = try #require(throws: DocumentFaults.self) { try Timeline.parse(document) }.faults
    #expect(faults.count == 1 && faults.first?.kind == kind && faults.first?.suggestion == suggestion, "\(faults)")
  }

  // MARK: - Members that are not read

  @Test func `comments may stand in every object, a title and a schema at the top, and change nothing`() throws {
    var document = Documents.opening
    let places = [
      "{ \"spool\"", "{\"path\": \"song", "{ \"tracks\"", "{\"id\": \"A\"", "{\"asset\": \"bikes\"", "{\"start\": \"2\"",
      "{ \"renderSize\"",
      "{\"timeRange\": {\"start\": \"5\"", "{\"start\": \"6\"", "{\"kind\"", "{\"track\": \"B\"", "{\"at\": \"9\"", "{\"image\"",
      "{\"text\"",
      "{\"track\": \"S\"", "{\"preset\"",
    ]
    for place in places {
      #expect(document.contains(place), "the document has no \(place)")
      document = document.replacing(place, with: "{\"comment\": \"why, \\\"quoted\\\"\", " + place.dropFirst())
    }
    document = document.replacing("\"spool\": 1", with: "\"$schema\": \"spool-1.schema.json\", \"title\": \"\", \"spool\": 1")
    #expect(Documents.faults(document) == [])
    #expect(try Documents.canonical(document) == Documents.canonical(Documents.opening))
  }

  @Test(arguments: [
    Case(
      "\"spool\": 1", "\"spool\": 1, \"title\": 7, \"$schema\": []", "[\"$schema\"]: expected a string, found an array",
      "title: expected a string, found a number"),
    Case("{\"path\": \"song.m4a\"}", "{\"path\": \"song.m4a\", \"title\": \"x\"}", "assets.song.title: unknown key"),
    Case(
      "\"kind\": \"dissolve\"", "\"kind\": \"dissolve\", \"comment\": null",
      "videoComposition.instructions[1].transition.comment: expected a string, found null"),
  ])
  func `remarks are text in their places`(faulty: Case) { check(faulty) }

  @Test(arguments: [
    Case(
      "\"crop\": [0, 0, 640, 360]", "\"crop\": [0, 0, 640, 360], \"cropTo\": [0, 0, 640, 360]",
      "videoComposition.instructions[0].layerInstructions[0].cropTo: crop is given too: give one of them"),
    Case(
      "\"crop\": [0, 0, 640, 360]", "\"cropTo\": [0, 0, 640, 0]",
      "videoComposition.instructions[0].layerInstructions[0].cropTo: has no area: width and height must be positive"),
  ])
  func `crops`(faulty: Case) { check(faulty) }
}
