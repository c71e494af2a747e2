import FarmTesting
import Formats
import FoundationEssentials
import Glibc
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Folders of pieces for HLS and DASH, read by FFmpeg.
@Suite(.serialized) struct `A movie in pieces` {
  private let workshop = Workshop()

  private init() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=96x64:r=30000/1001", "-f", "lavfi", "-i",
      "anoisesrc=r=48000:a=0.3:seed=4,aformat=channel_layouts=stereo", "-t", "3",
      "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le", workshop.file("v.mkv"),
    ])
  }

  private func edit(
    _ export: String, tracks: [String] = ["video", "audio"], captions: String = ""
  ) throws -> ResolvedTimeline {
    let tracks = tracks.map {
      #"{"id": "\#($0)", "media": "\#($0)", "segments": [{"asset": "v", "source": {"start": "0", "duration": "2.9"}}]}"#
    }
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"v": {"path": "v.mkv"}}, "composition": {"tracks": [\(tracks.joined(separator: ", "))]},
       "captions": [\(captions)], "export": {\(export)}}
      """)
  }

  private func names(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: workshop.file(folder))) ?? []).sorted()
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: workshop.file(name))), as: UTF8.self)
  }

  private func verified(_ edit: ResolvedTimeline, _ folder: String) throws -> [String] {
    let pieces = try PackedPieces(workshop.file(folder))
    return try MovieVerification(
      of: pieces.paths[0], sounds: pieces.soundPaths, against: edit, policy: .init(roots: ["/"])
    ) { _ in }.faults + pieces.faults(of: edit)
  }

  /// The digests of the decoded frames, or samples, by FFmpeg.
  private func decoded(_ input: String, _ stream: String) throws -> [Substring] {
    let lines = try MediaTools.ffmpeg(
      [
        "-i", workshop.file(input), "-map", "0:\(stream)", "-fps_mode", "passthrough", "-f",
        "framemd5", "-",
      ])
    return lines.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last }
  }

  private func samples(_ input: String, _ stream: Int = 0) throws -> [UInt8] {
    let raw = workshop.file("raw")
    try MediaTools.ffmpeg(["-i", workshop.file(input), "-map", "0:a:\(stream)", "-f", "s16le", raw])
    return try [UInt8](contentsOf: raw)
  }

  @Test(arguments: ["h264", "hevc"])
  func `has the frames and samples of the plain movie, by HLS and by DASH, in any number of chunks`(codec: String) throws {
    let settings = #""video": {"codec": "\#(codec)", "speed": "ultrafast"}, "fragmentInterval": "1/2""#
    let edit = try edit(#""fileType": "cmaf", \#(settings)"#)
    var contents: [String: [UInt8]] = [:]
    _ = try workshop.movie(of: edit, borders: [0], output: "show")
    for name in names("show") where !name.hasPrefix("picture") {
      contents[name] = try [UInt8](contentsOf: workshop.file("show/\(name)"))
    }
    for borders in [[0], [0, 40], [0, 7, 15, 33, 70]] {
      _ = try workshop.movie(of: edit, borders: borders, output: "show")
      let pieces = ["picture", "sound"].flatMap { track in
        (1...6).map { "\(track)-0000\($0).m4s" } + ["\(track)-init.mp4", "\(track).m3u8"]
      }
      #expect(Set(names("show")) == Set(pieces + ["manifest.mpd", "master.m3u8", "picture-iframes.m3u8"]))
      #expect(names("").filter { $0.hasPrefix(".show") }.isEmpty)
      #expect(try verified(edit, "show") == [])
      // Each piece but the last has 15 frames of 1001/30000 s.
      #expect(try text("show/picture.m3u8").split(separator: "\n").filter { $0.hasPrefix("#EXTINF") }.count == 6)
      #expect(try text("show/picture.m3u8").contains("#EXTINF:0.500500,\npicture-00001.m4s"))
      for name in ["sound.m3u8", "sound-init.mp4", "sound-00001.m4s", "sound-00006.m4s"] {
        #expect(try contents[name] == [UInt8](contentsOf: workshop.file("show/\(name)")))
      }
    }
    let plain = try self.edit(#""fileType": "mp4", \#(settings)"#)
    _ = try workshop.movie(of: plain, borders: [0, 7, 15, 33, 70], output: "plain.mp4")
    let frames = try decoded("plain.mp4", "v:0")
    #expect(frames.count == 87)
    #expect(try decoded("show/master.m3u8", "v:0") == frames)
    #expect(try decoded("show/manifest.mpd", "v:0") == frames)
    let samples = try samples("plain.mp4")
    #expect(samples.count == 139_200 * 4)
    #expect(try self.samples("show/master.m3u8") == samples)
    #expect(try self.samples("show/manifest.mpd") == samples)
  }

  @Test func `tells what it is`() throws {
    _ = try workshop.movie(of: edit(#""fileType": "cmaf", "fragmentInterval": "1""#), borders: [0], output: "show")
    let master = try text("show/master.m3u8")
    #expect(
      master.contains(#"CODECS="avc1.64000A,mp4a.40.2",RESOLUTION=96x64,FRAME-RATE=29.970,VIDEO-RANGE=SDR,AUDIO="sound""#),
      "\(master)")
    #expect(
      master.contains(
        #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="Sound",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="sound.m3u8""#))
    #expect(master.contains(#"URI="picture-iframes.m3u8""#) && master.contains("#EXT-X-INDEPENDENT-SEGMENTS"))
    // The average is that of the files.
    let bytes = try names("show").filter { $0.hasSuffix(".m4s") }.reduce(0) {
      try $0 + [UInt8](contentsOf: workshop.file("show/\($1)")).count
    }
    let average = try #require(master.firstMatch(of: /AVERAGE-BANDWIDTH=(\d+),CODECS="avc1.64000A,/).flatMap { Double($0.1) })
    #expect(abs(average - Double(bytes) * 8 / 2.9) < average / 100)
    // A keyframe's range is the header and one picture, which can be decoded.
    let range = try #require(
      try text("show/picture-iframes.m3u8").firstMatch(of: /BYTERANGE:(\d+)@0\npicture-00002.m4s/).flatMap { Int($0.1) })
    let head =
      try [UInt8](contentsOf: workshop.file("show/picture-init.mp4"))
      + [UInt8](contentsOf: workshop.file("show/picture-00002.m4s"))[..<range]
    try head.write(toFile: workshop.file("key.mp4"))
    #expect(try decoded("key.mp4", "v:0").first == decoded("show/picture.m3u8", "v:0")[30])
    #expect(try text("show/manifest.mpd").contains(#"mediaPresentationDuration="PT2.90"#))
  }

  private func sounds(_ export: String, tracks: [String] = ["V", "music", "de", "en"]) throws -> ResolvedTimeline {
    let tracks = tracks.map { name in
      let (media, asset) = name == "V" ? ("video", "v") : ("audio", name == "music" ? "v" : name)
      return
        #"{"id": "\#(name)", "media": "\#(media)", "segments": [{"asset": "\#(asset)", "source": {"start": "0", "duration": "2.9"}}]}"#
    }
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"v": {"path": "v.mkv"}, "de": {"path": "de.wav"}, "en": {"path": "en.wav"}},
       "composition": {"tracks": [\(tracks.joined(separator: ", "))]},
       "export": {\(export), "fragmentInterval": "1", "sounds": [
         {"tracks": ["music", "de"], "language": "de", "title": "Deutsch, \\"laut\\" & <klar>"},
         {"tracks": ["music", "en"], "language": "eng-gb", "default": true, "audio": {"channelLayout": "mono"}},
         {"tracks": ["music"], "audio": {"bitRate": 64000}}]}}
      """)
  }

  @Test func `has several sounds, each as in the plain movie, and tells their languages`() throws {
    for (name, pitch) in [("de", 300), ("en", 500)] {
      try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=f=\(pitch):r=48000:d=3", workshop.file("\(name).wav")])
    }
    let edit = try sounds(#""fileType": "cmaf""#)
    var contents: [String: [UInt8]] = [:]
    for borders in [[0], [0, 7, 15, 33, 70]] {
      _ = try workshop.movie(of: edit, borders: borders, output: "show")
      let tracks = ["picture", "sound", "sound2", "sound3"].flatMap { track in
        (1...3).map { "\(track)-0000\($0).m4s" } + ["\(track)-init.mp4", "\(track).m3u8"]
      }
      #expect(Set(names("show")) == Set(tracks + ["manifest.mpd", "master.m3u8", "picture-iframes.m3u8"]))
      #expect(try verified(edit, "show") == [])
      for name in names("show") where name.hasPrefix("sound") {
        let bytes = try [UInt8](contentsOf: workshop.file("show/\(name)"))
        #expect(contents[name].map { $0 == bytes } ?? true)
        contents[name] = bytes
      }
    }
    let master = try text("show/master.m3u8")
    let lines = master.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-MEDIA") }
    #expect(
      lines == [
        #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="Deutsch, 'laut' & <klar>",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2",URI="sound.m3u8""#,
        #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="en-GB",LANGUAGE="en-GB",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="1",URI="sound2.m3u8""#,
        #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="Sound",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2",URI="sound3.m3u8""#,
      ])
    let manifest = try text("show/manifest.mpd")
    #expect(manifest.matches(of: /<AdaptationSet contentType="audio"/).count == 3)
    #expect(manifest.contains(#" lang="de""#) && manifest.contains("<Label>Deutsch, &quot;laut&quot; &amp; &lt;klar&gt;</Label>"))
    #expect(manifest.matches(of: /value="main"/).count == 1)
    // FFmpeg reads each as it reads those of a plain movie.
    _ = try workshop.movie(of: sounds(#""fileType": "mp4""#), borders: [0], output: "plain.mp4")
    for (place, languages) in ["de", "en-GB", ""].enumerated() {
      for input in ["show/master.m3u8", "show/manifest.mpd", "show/sound\(place == 0 ? "" : "\(place + 1)").m3u8"] {
        let stream = input.contains("sound") ? 0 : place
        #expect(try samples(input, stream) == samples("plain.mp4", place), "\(input), sound \(place)")
        guard input.contains("master") else { continue }
        let tag = try MediaTools.ffprobe(
          ["-select_streams", "a:\(place)", "-show_entries", "stream_tags=language", "-of", "csv=p=0", workshop.file(input)])
        #expect(tag.contains(languages) || languages.isEmpty)
      }
    }
  }

  @Test func `may be of several sounds alone`() throws {
    for name in ["de", "en"] {
      try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=f=300:r=48000:d=3", workshop.file("\(name).wav")])
    }
    let edit = try sounds(#""fileType": "cmaf""#, tracks: ["music", "de", "en"])
    _ = try workshop.movie(of: edit, borders: [], output: "show")
    #expect(try verified(edit, "show") == [])
    #expect(try text("show/master.m3u8").hasSuffix("AUDIO=\"sound\"\nsound2.m3u8\n"))
    #expect(try samples("show/sound.m3u8").count == 139_200 * 4 && samples("show/sound2.m3u8").count == 139_200 * 2)
  }

  @Test(arguments: [["video"], ["audio"]])
  func `may be of one track alone`(tracks: [String]) throws {
    let edit = try edit(#""fileType": "cmaf", "fragmentInterval": "1""#, tracks: tracks)
    _ = try workshop.movie(of: edit, borders: tracks == ["video"] ? [0] : [], output: "show")
    #expect(try verified(edit, "show") == [])
    if tracks == ["video"] {
      #expect(try decoded("show/master.m3u8", "v:0").count == 87)
    } else {
      #expect(try samples("show/master.m3u8").count == 139_200 * 4)
    }
  }

  @Test(arguments: [["video", "audio"], ["video"]])
  func `has captions as files of their own, which its playlists name`(tracks: [String]) throws {
    func captions(_ language: String, _ text: String) -> String {
      let cue = #"{"from": "0.5", "to": "1.5", "text": "\#(text)"}"#
      return #"{"as": "track", "cues": [\#(cue)], "style": {"font": "DejaVu Sans", "size": 9\#(language)}}"#
    }
    let all = [captions(#", "language": "de""#, "Eins & zwei"), captions("", "Un"), captions(#", "language": "de""#, "Drei")]
    let export = #""fileType": "cmaf", "fragmentInterval": "1", "timeRange": {"start": "0.25", "duration": "2"}"#
    let edit = try edit(export, tracks: tracks, captions: all.joined(separator: ", "))
    for borders in [[0], [0, 7, 33]] {
      _ = try workshop.movie(of: edit, borders: borders, output: "show")
      #expect(try verified(edit, "show") == [])
      #expect(try text("show/text.vtt") == "WEBVTT\n\n00:00:00.250 --> 00:00:01.250\nEins &amp; zwei\n")
      #expect(try text("show/text2.vtt").contains("\nUn\n") && text("show/text3.vtt").contains("\nDrei\n"))
    }
    let master = try text("show/master.m3u8")
    let opening = #"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="text",NAME="#
    #expect(
      master.split(separator: "\n").filter { $0.hasPrefix(opening) }.map(String.init) == [
        opening + #""de",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="text.m3u8""#,
        opening + #""Text",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="text2.m3u8""#,
        opening + #""de 3",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="text3.m3u8""#,
      ])
    let streams = master.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-STREAM-INF") }
    #expect(streams.count == 1 && streams[0].hasSuffix(#",SUBTITLES="text""#), "\(master)")
    let playlist = try text("show/text2.m3u8")
    #expect(playlist.contains("#EXT-X-TARGETDURATION:2\n") && playlist.contains("#EXTINF:2.0") && !playlist.contains("EXT-X-MAP"))
    #expect(playlist.hasSuffix(",\ntext2.vtt\n#EXT-X-ENDLIST\n"))
    // FFmpeg reads texts of HLS by their own playlists, and those of DASH where names may end in .vtt.
    let alone = try MediaTools.ffmpeg(["-i", workshop.file("show/text3.m3u8"), "-f", "srt", "-"])
    #expect(alone.contains("00:00:00,250 --> 00:00:01,250\nDrei"), "\(alone)")
    let (manifest, anyEnding) = (workshop.file("show/manifest.mpd"), ["-allowed_extensions", "ALL"])
    let third = try MediaTools.ffmpeg(anyEnding + ["-i", manifest, "-map", "0:s:2", "-f", "srt", "-"])
    #expect(third.contains("\nDrei"), "\(third)")
    let languages = try MediaTools.ffprobe(
      anyEnding + ["-select_streams", "s", "-show_entries", "stream_tags=language", "-of", "csv=p=0", manifest])
    #expect(languages.split(separator: "\n").filter { $0 == "de" }.count == 2, "\(languages)")
    // A text that was changed is told, and so is one that is missing.
    try "WEBVTT\n".write(toFile: workshop.file("show/text3.vtt"))
    #expect(try verified(edit, "show") == ["the captions in text3.vtt are not those of the edit"])
    #expect(unsafe unlink(workshop.file("show/text2.m3u8")) == 0)
    #expect(try verified(edit, "show").contains("text2.m3u8 is missing"))
  }

  @Test func `of more sounds than a digit counts is known when it is published again`() throws {
    let names = (1...11).map { "a\($0)" }
    let tracks = names.map {
      #"{"id": "\#($0)", "media": "audio", "segments": [{"asset": "v", "source": {"start": "0", "duration": "0.5"}}]}"#
    }
    let sounds = names.map { #"{"tracks": ["\#($0)"], "title": "One"}"# }
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"v": {"path": "v.mkv"}}, "composition": {"tracks": [\(tracks.joined(separator: ", "))]},
       "export": {"fileType": "cmaf", "sounds": [\(sounds.joined(separator: ", "))]}}
      """)
    let sound = try workshop.run(.sound, task: 1, of: edit, output: "show")
    let muxed = try workshop.run(.mux(of: [sound]), task: 2, of: edit, output: "show")
    for attempt in 1...2 { try workshop.run(.publish(of: muxed), task: 3, attempt: attempt, of: edit, output: "show") }
    #expect(try verified(edit, "show") == [])
    // Each has a name of its own.
    let told = try text("show/master.m3u8").matches(of: /NAME="([^"]*)"/).map { String($0.1) }
    #expect(told == ["One"] + (2...11).map { "One \($0)" })
  }

  @Test func `replaces one of pieces, and leaves any other folder as it is`() throws {
    let edit = try edit(#""fileType": "cmaf""#, tracks: ["video"])
    _ = try workshop.movie(of: edit, borders: [0], output: "show")
    try "old".write(toFile: workshop.file("show/picture-00009.m4s"))
    _ = try workshop.movie(of: edit, borders: [0], output: "show")
    #expect(!names("show").contains("picture-00009.m4s"))
    try "precious".write(toFile: workshop.file("show/notes.txt"))
    let error = #expect(throws: Failure.self) { try workshop.movie(of: edit, borders: [0], output: "show") }
    #expect(error?.reason.contains("cannot take this name") == true)
    #expect(names("show").contains("notes.txt"))
  }

  @Test func `is published again after a crash, and damage is told`() throws {
    let edit = try edit(#""fileType": "cmaf", "fragmentInterval": "1""#, tracks: ["video"])
    let picture = try workshop.run(.picture(FrameRange(first: 0, count: 87)), task: 1, of: edit, output: "show")
    let muxed = try workshop.run(.mux(of: [picture]), task: 2, of: edit, output: "show")
    try workshop.run(.publish(of: muxed), task: 3, of: edit, output: "show")
    try workshop.run(.publish(of: muxed), task: 3, attempt: 2, of: edit, output: "show")
    let playlist = try text("show/picture.m3u8")
    try playlist.replacing("#EXTINF:1.001000,\npicture-00002.m4s\n", with: "").write(toFile: workshop.file("show/picture.m3u8"))
    #expect(throws: MediaError.self) { try verified(edit, "show") }
    try playlist.replacing("#EXTINF:1.001000,\npicture-00002", with: "#EXTINF:1.101000,\npicture-00002").write(
      toFile: workshop.file("show/picture.m3u8"))
    #expect(try verified(edit, "show").contains { $0.hasPrefix("picture.m3u8 lasts ") })
    #expect(throws: Failure.self) { try workshop.run(.publish(of: muxed), task: 3, attempt: 3, of: edit, output: "show") }
  }

  @Test(arguments: [
    (#""fileType": "cmaf", "video": {"codec": "vp9"}"#, "export.fileType: cmaf cannot hold vp9 video: use webm, mkv or mp4"),
    (#""fileType": "cmaf", "audio": {"codec": "opus"}"#, "export.fileType: cmaf cannot hold opus audio: use "),
    (#""fileType": "cmaf", "chapters": [{"at": "0", "title": "One"}]"#, "export.chapters: cmaf holds no chapters: use "),
    (
      #""fileType": "cmaf", "optimizeForNetworkUse": true"#,
      "export.optimizeForNetworkUse: cmaf has no index to move to the front"
    ),
  ])
  func `is refused with what it cannot be`(export: String, fault: String) throws {
    let error = #expect(throws: (any Error).self) { try edit(export) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(fault))
  }
}
