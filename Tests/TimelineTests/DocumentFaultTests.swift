import Document
import Testing
import Timeline

/// Each case changes the opening document in one place, and lists all the faults that result.
@Suite struct `The faults of a document` {
  struct Case: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let faults: [String]

    init(_ old: String, _ new: String, _ faults: String...) { (self.old, self.new, self.faults) = (old, new, faults) }

    var testDescription: String { new }
  }

  func check(_ faulty: Case) {
    #expect(Documents.opening.contains(faulty.old), "the document has no \(faulty.old)")
    #expect(Documents.faults(Documents.opening.replacing(faulty.old, with: faulty.new)) == faulty.faults)
  }

  @Test func `the opening document has none`() {
    #expect(Documents.faults(Documents.opening) == [])
  }

  @Test(arguments: [
    Case("\"spool\": 1", "\"spool\": 2", "spool: expected 1, the only version of documents that there is"),
    Case("\"spool\": 1,", "", "spool: missing"),
    Case("\"audioMix\"", "\"audiomix\"", "audiomix: unknown key (did you mean 'audioMix'?)"),
    Case("{\"path\": \"song.m4a\"}", "\"song.m4a\"", "assets.song: expected an object, found a string"),
    Case("{\"path\": \"song.m4a\"}", "{\"path\": \"\"}", "assets.song.path: must not be empty"),
    Case("{\"path\": \"song.m4a\"}", "{\"path\": \"a\\u0000b\"}", "assets.song.path: must not contain NUL"),
    Case(
      "{\"path\": \"song.m4a\"}", "{\"path\": \"a\", \"url\": \"https://h/a\"}",
      "assets.song: needs one of \"path\", \"url\" and \"data\""),
    Case(
      "{\"path\": \"song.m4a\"}", "{\"url\": \"ftp://host/song.m4a\"}",
      "assets.song.url: expected a URL that begins with https://, http:// or s3://"),
    Case(
      "{\"path\": \"song.m4a\"}", "{\"url\": \"https://me:secret@host/song.m4a\"}",
      "assets.song.url: has a user or a password, which have no place in a document"),
    Case(
      "{\"path\": \"song.m4a\"}", "{\"path\": 7, \"sound\": \"x\"}", "assets.song.sound: unknown key",
      "assets.song.path: expected a string, found a number"),
    Case(
      "\"optimizeForNetworkUse\": true", "\"optimizeForNetworkUse\": 1",
      "export.optimizeForNetworkUse: expected true or false, found a number"),
  ])
  func `keys and kinds`(faulty: Case) { check(faulty) }

  @Test(arguments: [
    Case("\"start\": \"12.5\"", "\"start\": \"-1\"", "composition.tracks[2].segments[0].source.start: must not be negative"),
    Case("\"duration\": \"6\"", "\"duration\": \"0\"", "composition.tracks[0].segments[0].source.duration: must be positive"),
    Case(
      "\"duration\": \"6\"", "\"duration\": 6.5",
      "composition.tracks[0].segments[0].source.duration: 6.5 is not a whole number of seconds: write an exact time as a string, such as \"12.5\""
    ),
    Case(
      "\"duration\": \"6\"", "\"duration\": 1e400",
      "composition.tracks[0].segments[0].source.duration: 1e400 is not a whole number of seconds: write an exact time as a string, such as \"12.5\""
    ),
    Case(
      "\"duration\": \"6\"", "\"duration\": \"1e3\"",
      "composition.tracks[0].segments[0].source.duration: '1e3' is not a time: expected seconds such as \"12.5\" or a fraction such as \"1001/30000\""
    ),
    Case(
      "\"duration\": \"6\"", "\"duration\": \"360001\"",
      "composition.tracks[0].segments[0].source.duration: longer than 100 hours"),
    Case(
      "\"start\": \"2\"", "\"start\": \"4611686018427387904\"",
      "composition.tracks[0].segments[0].source.start: longer than 100 hours"),
    Case(
      "\"start\": \"2\"", "\"start\": \"4611686018427387904/2147483647\"",
      "composition.tracks[0].segments[0].source.start: longer than 100 hours"),
    Case(
      "\"start\": \"2\"", "\"start\": \"9223372036854775807/9223372036854775806\"",
      "composition.tracks[0].segments[0].source.start: time out of range: 9223372036854775807/9223372036854775806 s"),
    Case(
      "\"duration\": \"6\"", "\"duration\": \"99999999999999999999\"",
      "composition.tracks[0].segments[0].source.duration: time out of range: 99999999999999999999/1 s"),
    Case(
      "\"duration\": \"6\"", "\"duration\": true",
      "composition.tracks[0].segments[0].source.duration: expected a time such as \"12.5\", \"1001/30000\" or \"00:01:02:03\", found a boolean"
    ),
    Case(
      "\"start\": \"2\"", "\"start\": \"00:01:00;00\"",
      "composition.tracks[0].segments[0].source.start: '00:01:00;00' is not a timecode of this edit: this label is dropped; the next is ;02"
    ),
  ])
  func `times`(faulty: Case) { check(faulty) }

  @Test(arguments: [
    Case(
      "\"asset\": \"bunny\"", "\"asset\": \"buny\"",
      "composition.tracks[1].segments[0].asset: no asset 'buny' (did you mean 'bunny'?)"),
    Case(
      "\"id\": \"B\"", "\"id\": \"A\"", "composition.tracks[1].id: 'A' names an earlier track too",
      "videoComposition.instructions[1].transition.to: no track 'B'",
      "videoComposition.instructions[2].layerInstructions[0].track: no track 'B'"),
    Case("\"media\": \"audio\"", "\"media\": \"sound\"", "composition.tracks[2].media: 'sound' is not one of video, audio"),
    Case(
      "\"at\": \"5\"}", "\"at\": \"5\", \"sourceTrack\": -1}",
      "composition.tracks[1].segments[0].sourceTrack: -1 is not in 0...1000"),
    Case(
      "\"at\": \"5\"}", "\"at\": \"5\", \"duration\": \"600\"}",
      "composition.tracks[1].segments[0].duration: more than 100 times faster or slower than the source"),
    Case("\"at\": \"5\"}", "\"at\": \"359999\"}", "composition.tracks[1].segments[0]: ends after 100 hours"),
    Case(
      "\"at\": \"5\"}",
      "\"at\": \"5\"}, {\"asset\": \"bikes\", \"source\": {\"start\": \"0\", \"duration\": \"1\"}, \"at\": \"299999/30000\"}",
      "composition.tracks[1].segments[1].at: 299999/30000 overlaps the previous segment, which ends at 10"),
    Case(
      "{\"asset\": \"bunny\", \"source\": {\"start\": \"0\", \"duration\": \"5\"}, \"at\": \"5\"}", "{\"source\": {}}",
      "composition.tracks[1].segments[0]: needs either \"asset\" or \"composition\""),
    Case(
      "\"at\": \"5\"}", "\"at\": \"5\", \"reversed\": 1}",
      "composition.tracks[1].segments[0].reversed: expected true or false, found a number"),
    Case(
      "{\"start\": \"12.5\", \"duration\": \"10\"}", "{\"start\": \"12.5\", \"duration\": \"0\"}, \"duration\": \"10\"",
      "composition.tracks[2].segments[0].source.duration: must be positive"),
  ])
  func `the composition`(faulty: Case) { check(faulty) }

  @Test func `ten thousand layers in an instruction are refused`() {
    let many = Array(repeating: "\"A\"", count: 10_000).joined(separator: ", ")
    check(
      Case(
        "[{\"track\": \"A\", \"crop\": [0, 0, 640, 360]}]", "[\(many)]",
        "videoComposition.instructions[0].layerInstructions: 10000 elements; at most 64 are accepted"))
  }

  @Test(arguments: [
    Case(
      "\"value\": 0}]}]}]}", "\"value\": 0, \"easing\": \"easein\"}]}]}]}",
      "videoComposition.instructions[2].layerInstructions[0].opacity[1].easing: 'easein' is not one of linear, easeIn, easeOut, easeInOut, sineIn, sineOut (did you mean 'easeIn'?)"
    ),
    Case(
      "\"value\": 0}]}]}]}", "\"value\": 0, \"easing\": [1.5, 0, 0, 1]}]}]}]}",
      "videoComposition.instructions[2].layerInstructions[0].opacity[1].easing: x1 and x2 are times between the keyframes, 0...1"),
    Case(
      "\"value\": 0}]}]}]}", "\"value\": 0, \"easing\": \"easeIn\", \"hold\": true}]}]}]}",
      "videoComposition.instructions[2].layerInstructions[0].opacity[1].easing: a value that is held does not move"),
  ])
  func `easing`(faulty: Case) { check(faulty) }

  @Test(arguments: [
    Case(
      "{\"start\": \"5\", \"duration\": \"1\"}", "{\"start\": \"150001/30000\", \"duration\": \"29999/30000\"}",
      "videoComposition.instructions[1].timeRange.start: 150001/30000 leaves a gap: the instructions before it end at 5"),
    Case(
      "{\"start\": \"5\", \"duration\": \"1\"}", "{\"start\": \"149999/30000\", \"duration\": \"30001/30000\"}",
      "videoComposition.instructions[1].timeRange.start: 149999/30000 overlaps the previous instruction, which ends at 5"),
    Case(
      "{\"start\": \"6\", \"duration\": \"4\"}", "{\"start\": \"6\", \"duration\": \"119999/30000\"}",
      "videoComposition.instructions: the last one ends at 299999/30000, but the edit ends at 10"),
    Case(
      "{\"start\": \"6\", \"duration\": \"4\"}", "{\"start\": \"6\", \"duration\": \"5\"}",
      "videoComposition.instructions: the last one ends at 11, but the edit ends at 10"),
    Case(
      "\"from\": \"A\", \"to\": \"B\"", "\"from\": \"S\", \"to\": \"C\"",
      "videoComposition.instructions[1].transition.from: track 'S' is not video",
      "videoComposition.instructions[1].transition.to: no track 'C'"),
    Case(
      "\"dissolve\"", "\"disolve\"",
      "videoComposition.instructions[1].transition.kind: 'disolve' is not one of "
        + Transition.Kind.allCases.map(\.rawValue).joined(separator: ", ") + " (did you mean 'dissolve'?)"),
    Case(
      "\"dissolve\"", "\"barWipe\", \"subtype\": \"leftToRigth\"",
      "videoComposition.instructions[1].transition.subtype: 'leftToRigth' is not one of leftToRight, topToBottom "
        + "(did you mean 'leftToRight'?)"),
    Case(
      "\"dissolve\"", "\"push\", \"softness\": 0.1, \"color\": \"#000000\"",
      "videoComposition.instructions[1].transition.color: says nothing of a push",
      "videoComposition.instructions[1].transition.softness: says nothing of a push"),
    Case(
      "\"dissolve\"", "\"lumaWipe\", \"softness\": 2, \"border\": {\"width\": 0}",
      "videoComposition.instructions[1].transition.map: missing",
      "videoComposition.instructions[1].transition.softness: 2 is not in 0...1",
      "videoComposition.instructions[1].transition.border.width: 0 is not in 0.0001...1"),
    Case(
      "\"dissolve\"", "\"lumaWipe\", \"map\": \"logos\"",
      "videoComposition.instructions[1].transition.map: no asset 'logos' (did you mean 'logo'?)"),
    Case(
      "\"dissolve\"", "\"blurDissolve\", \"radius\": 0.6",
      "videoComposition.instructions[1].transition.radius: 0.6 is not in 0.001...0.5"),
    Case(
      "\"dissolve\"", "\"dissolve\", \"easing\": \"slow\"",
      "videoComposition.instructions[1].transition.easing: 'slow' is not one of linear, easeIn, easeOut, easeInOut, sineIn, sineOut"
    ),
    Case(
      "\"color\": \"bt709\"", "\"blending\": \"light\"",
      "videoComposition.blending: 'light' is not one of encoded, linear"),
    Case(
      "\"transition\": {", "\"layerInstructions\": [], \"transition\": {",
      "videoComposition.instructions[1]: has layer instructions and a transition: give one of them. What a layer instruction "
        + "says can stand in its \"from\" and \"to\": {\"track\": …, \"gravity\": …}"),
    Case(
      "[0, 0, 640, 360]", "[0, 0, 640, 0]",
      "videoComposition.instructions[0].layerInstructions[0].crop: has no area: width and height must be positive"),
    Case(
      "[0, 0, 640, 360]", "[0, 0, 1e999, 360]",
      "videoComposition.instructions[0].layerInstructions[0].crop[2]: 1e999 is not in -1000000...1000000"),
    Case(
      "\"crop\": [0, 0, 640, 360]", "\"transform\": [1, 2, 2, 4, 0, 0]",
      "videoComposition.instructions[0].layerInstructions[0].transform: is singular: it maps the picture onto a line or a point"),
    Case(
      "\"crop\": [0, 0, 640, 360]", "\"transform\": [1e-160, 0, 0, 1e-160, 0, 0]",
      "videoComposition.instructions[0].layerInstructions[0].transform: is singular: it maps the picture onto a line or a point"),
    Case(
      "\"crop\": [0, 0, 640, 360]", "\"transform\": [NaN, 0, 0, 1, 0, 0]",
      "videoComposition.instructions[0].layerInstructions[0].transform[0]: line 9, column 105: 'NaN' is not a JSON value"),
    Case(
      "\"crop\": [0, 0, 640, 360]", "\"transform\": [1, 0, 0, 1]",
      "videoComposition.instructions[0].layerInstructions[0].transform: expected [a, b, c, d, tx, ty], found an array"),
    Case(
      "{\"at\": \"10\", \"value\": 0}", "{\"at\": \"8\", \"value\": 0}",
      "videoComposition.instructions[2].layerInstructions[0].opacity[1].at: 8 is before the previous keyframe's, 9"),
    Case(
      "{\"at\": \"10\", \"value\": 0}", "{\"at\": \"9\", \"value\": 0}, {\"at\": \"9\", \"value\": 1}",
      "videoComposition.instructions[2].layerInstructions[0].opacity[2].at: a third keyframe at 9: two at one time are a jump from the first to the second"
    ),
    Case(
      "{\"at\": \"10\", \"value\": 0}", "{\"at\": \"10\", \"value\": 1.1}",
      "videoComposition.instructions[2].layerInstructions[0].opacity[1].value: 1.1 is not in 0...1"),
    Case("[1280, 720]", "[1281, 720]", "videoComposition.renderSize[0]: 1281 is odd: 4:2:0 video has even sides"),
    Case("[1280, 720]", "[1280, 8194]", "videoComposition.renderSize[1]: 8194 is not in 16...8192"),
    Case("\"1001/30000\"", "\"0\"", "videoComposition.frameDuration: must be positive"),
    Case("\"1001/30000\"", "\"1/1001\"", "videoComposition.frameDuration: more than 1000 frames a second"),
    Case(
      "\"color\": \"bt709\"", "\"color\": \"bt601\"",
      "videoComposition.color: 'bt601' is not one of bt709, bt601-625, bt601-525, display-p3, bt2020, bt2020-pq, bt2020-hlg"),
    Case(
      "\"color\": \"bt709\"", "\"color\": {\"primaries\": \"bt709\", \"transfer\": \"iec61966-2-1\", \"matrix\": \"gbr\"}",
      "videoComposition.color.matrix: the output is 4:2:0 and cannot be RGB"),
  ])
  func `the video composition`(faulty: Case) { check(faulty) }

  @Test(arguments: [
    Case("\"image\": \"logo\"", "\"image\": \"logos\"", "layers[0].image: no asset 'logos' (did you mean 'logo'?)"),
    Case(
      "\"image\": \"logo\",", "",
      "layers[0]: shows nothing: needs \"image\", \"text\", \"shape\", \"gradient\", \"waveform\", \"track\", \"video\", \"clip\", \"lottie\", \"layers\", \"backgroundColor\" or \"borderWidth\""
    ),
    Case("\"size\": 48", "\"size\": 0", "layers[1].size: 0 is not in 1...4096"),
    Case("\"size\": 48", "\"size\": 48, \"weight\": 1.5", "layers[1].weight: 1.5 is not a whole number in 100...1000"),
    Case(
      "\"size\": 48", "\"size\": 48, \"color\": \"#ff00\"",
      "layers[1].color: '#ff00' is not a colour: expected \"#RRGGBB\" or \"#RRGGBBAA\""),
    Case("\"size\": 48", "\"size\": 48, \"color\": [1, 0]", "layers[1].color: expected [red, green, blue], found an array"),
    Case(
      "\"size\": 48", "\"size\": 48, \"align\": \"centre\"",
      "layers[1].align: 'centre' is not one of left, center, right, justify (did you mean 'center'?)"),
    Case("\"to\": \"4\"", "\"to\": \"1\"", "layers[1].to: the layer is shown from 1 to 1, which is never"),
    Case(
      "\"from\": \"1\", \"to\": \"4\"", "\"from\": \"10\"", "layers[1].from: the layer is shown from 10 to 10, which is never"),
    Case(
      "\"audioMix\": [{\"track\": \"S\"", "\"audioMix\": [{\"track\": \"S\"}, {\"track\": \"S\"",
      "audioMix[1].track: track 'S' has volumes already"),
    Case("\"audioMix\": [{\"track\": \"S\"", "\"audioMix\": [{\"track\": \"A\"", "audioMix[0].track: track 'A' is not audio"),
    Case(
      "{\"at\": \"1\", \"value\": 1}]}]", "{\"at\": \"1\", \"value\": 17}]}]", "audioMix[0].volume[1].value: 17 is not in 0...16"),
  ])
  func `layers and the audio mix`(faulty: Case) { check(faulty) }

  @Test(arguments: [
    Case(
      "\"highest\"", "\"hihgest\"",
      "export.preset: 'hihgest' is not one of low, medium, high, highest, lossless, LowQuality, MediumQuality, HighestQuality, 640x480, 960x540, 1280x720, 1920x1080, 3840x2160, HEVCHighestQuality, HEVC1920x1080, HEVC3840x2160, Passthrough, AppleM4A, AppleProRes422LPCM, AppleProRes4444LPCM, web, hls, youtube, vimeo, x, instagram, tiktok, archive, broadcast (did you mean 'highest'?)"
    ),
    Case(
      "\"mp4\"", "\"flv\"",
      "export.fileType: 'flv' is not one of mp4, mov, mkv, webm, mxf, mpegts, avi, cmaf, gif, apng, webp, pngSequence, jpegSequence, tiffSequence, m4a, mp3, wav, aiff, flac, ogg"
    ),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"mp4\", \"audio\": {\"codec\": \"mp3\"}",
      "export.fileType: mp4 cannot hold mp3 audio: use mov, mpegts or mp3"),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"mp4\", \"audio\": {\"codec\": \"flac\"}",
      "export.fileType: mp4 cannot hold flac audio: use mkv or flac; few players play it there"),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"mov\", \"audio\": {\"codec\": \"flac\"}",
      "export.fileType: mov cannot hold flac audio: use mkv or flac"),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"mp4\", \"audio\": {\"codec\": \"pcm\"}",
      "export.fileType: mp4 cannot hold pcm audio: use mov, mkv, mxf, avi, wav or aiff"),
    Case(
      "\"highest\", \"fileType\": \"mp4\"", "\"lossless\", \"fileType\": \"mp4\"",
      "export.fileType: mp4 cannot hold ffv1 video: use mov or mkv"),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"mkv\"",
      "export.optimizeForNetworkUse: mkv has no index to move to the front: use mp4 or mov"),
    Case(
      "\"fileType\": \"mp4\"", "\"video\": {\"crf\": 52, \"speed\": \"placebo\", \"bitDepth\": 9}",
      "export.video.crf: 52 is not in 0...51",
      "export.video.speed: 'placebo' is not one of ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow",
      "export.video.bitDepth: 9 is not 8 or 10"),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"mov\", \"video\": {\"codec\": \"ffv1\", \"crf\": 1}",
      "export.video.crf: ffv1 is lossless and has no crf"),
    Case(
      "\"fileType\": \"mp4\"",
      "\"video\": {\"masteringDisplay\": {\"red\": [0.7, 1.3], \"green\": [0.2], \"blue\": [0.1, 0.1], \"white\": [0.3, 0.3], \"luminance\": [0, 10001]}}",
      "export.video.masteringDisplay.red[1]: 1.3 is not in 0...1",
      "export.video.masteringDisplay.green: expected [x, y], found an array",
      "export.video.masteringDisplay.luminance[1]: 10001 is not in 0...10000"),
    Case(
      "\"fileType\": \"mp4\"",
      "\"video\": {\"masteringDisplay\": {\"red\": [0.7, 0.3], \"green\": [0.2, 0.8], \"blue\": [0.1, 0.1], \"white\": [0.3, 0.3], \"luminance\": [1, 1.00001]}, \"contentLight\": {\"maximum\": 65536}}",
      "export.video.masteringDisplay.luminance: its white must be brighter than its black",
      "export.video.contentLight.frameAverage: missing", "export.video.contentLight.maximum: 65536 is not in 0...65535"),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"mov\", \"audio\": {\"codec\": \"pcm\", \"bitRate\": 64000}",
      "export.audio.bitRate: pcm is lossless and has no bitRate"),
    Case(
      "\"fileType\": \"mp4\"", "\"audio\": {\"sampleRate\": 44000}",
      "export.audio.sampleRate: aac is not made at 44000 Hz, but at 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200 or 96000"
    ),
    Case(
      "\"fileType\": \"mp4\"", "\"fileType\": \"mov\", \"audio\": {\"codec\": \"mp3\", \"channelLayout\": \"5.1\"}",
      "export.audio.channelLayout: mp3 has at most two channels"),
    Case(
      "\"fileType\": \"mp4\"", "\"timeRange\": {\"start\": \"1\", \"duration\": \"0\"}",
      "export.timeRange.duration: must be positive"),
  ])
  func `the export`(faulty: Case) { check(faulty) }

  // MARK: - The document as a whole

  @Test(arguments: ["[]", "null", "1", "\"x\""])
  func `a document is an object`(json: String) {
    #expect(Documents.faults(json).count == 1)
    #expect(Documents.faults(json).allSatisfy { $0.hasPrefix("expected an object, found ") })
  }

  @Test func `faults in different places are all reported`() {
    let document = Documents.opening.replacing("\"asset\": \"bikes\"", with: "\"asset\": \"boats\"")
      .replacing("[1280, 720]", with: "[0, 720]").replacing("\"size\": 48", with: "\"size\": -1").replacing(
        "\"mp4\"", with: "\"flv\"")
    #expect(
      Documents.faults(document) == [
        "composition.tracks[0].segments[0].asset: no asset 'boats'", "videoComposition.renderSize[0]: 0 is not in 16...8192",
        "layers[1].size: -1 is not in 1...4096",
        "export.fileType: 'flv' is not one of mp4, mov, mkv, webm, mxf, mpegts, avi, cmaf, gif, apng, webp, pngSequence, jpegSequence, tiffSequence, m4a, mp3, wav, aiff, flac, ogg",
      ])
  }

  @Test func `at most 200 faults are told, the others counted`() {
    let keys = (0..<1000).map { "\"unknown\($0)\": 0" }.joined(separator: ",")
    do {
      _ = try Timeline.parse(Array("{\(keys)}".utf8))
      Issue.record("accepted")
    } catch {
      #expect(error.faults.count == 200)
      #expect(error.omittedCount == 802)
      #expect(error.description.hasSuffix("\nand 802 more"))
    }
  }

  @Test func `an edit without a segment has neither picture nor sound`() {
    #expect(
      Documents.faults(#"{"spool": 1, "composition": {"tracks": [{"id": "A", "media": "video", "segments": []}]}}"#)
        == ["composition: has neither picture nor sound: no track has a segment"])
  }

  @Test func `a timecode needs the edit's rate`() {
    #expect(
      Documents.faults(
        """
        {"spool": 1, "assets": {"a": {"path": "a"}}, "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
          {"asset": "a", "source": {"start": "00:00:01:00", "duration": "1"}}]}]}}
        """) == [
          "composition.tracks[0].segments[0].source.start: a timecode counts frames of videoComposition.frameDuration, which is missing or faulty"
        ])
  }

  @Test func `a timecode needs a rate that timecode counts`() {
    let document = Documents.opening.replacing("\"1001/30000\"", with: "\"0.08\"").replacing(
      "\"start\": \"2\"", with: "\"start\": \"00:00:01:00\"")
    #expect(
      Documents.faults(document) == [
        "composition.tracks[0].segments[0].source.start: 'HH:MM:SS:FF' is not a timecode of this edit: frames of 0.08 s are not counted by timecode"
      ])
  }

  @Test func `a name that is no word is quoted in a path`() {
    let document = Documents.opening.replacing(
      "\"song\": {\"path\": \"song.m4a\"}", with: "\"song\": {\"path\": \"song.m4a\"}, \"my clip\": {}")
    #expect(Documents.faults(document) == ["assets[\"my clip\"]: needs one of \"path\", \"url\" and \"data\""])
  }

  @Test func `each bound is held`() {
    func layers(_ count: Int) -> String { Array(repeating: "{\"track\": \"A\"}", count: count).joined(separator: ",") }
    let old = "{\"track\": \"A\", \"crop\": [0, 0, 640, 360]}"
    #expect(Documents.faults(Documents.opening.replacing(old, with: layers(64))) == [])
    #expect(
      Documents.faults(Documents.opening.replacing(old, with: layers(65)))
        == ["videoComposition.instructions[0].layerInstructions: 65 elements; at most 64 are accepted"])
  }
}
