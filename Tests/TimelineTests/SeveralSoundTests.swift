import EditTesting
import Document
import Formats
import Scenes
import Testing
import Timeline

/// Tests of movies with several sounds: what documents say, and the mixes that follow from it.
@Suite struct `Several sounds` {
  private func document(_ sounds: String, type: String = "mp4", audio: String = #"{"codec": "aac"}"#, mix: String = "[]")
    -> String
  {
    """
    {"spool": 1, "assets": {"a": {"path": "a.m4a"}}, "composition": {"tracks": [
      {"id": "music", "media": "audio", "segments": [{"asset": "a", "source": {"start": "0", "duration": "9"}}]},
      {"id": "german", "media": "audio", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}}]},
      {"id": "english", "media": "audio", "segments": [{"asset": "a", "source": {"start": "0", "duration": "3"}}]}]},
     "audioMix": \(mix), "export": {"fileType": "\(type)", "audio": \(audio), "loudness": "podcast", "sounds": \(sounds)}}
    """
  }

  private func edit(_ sounds: String, mix: String = "[]") throws -> ResolvedTimeline {
    try Timeline.parse(Array(document(sounds, mix: mix).utf8)).resolved(with: [AssetID("a"): Assets.song()])
  }

  private static let two =
    #"[{"tracks": ["music", "german"], "language": "de", "title": "Deutsch"}, {"tracks": ["english"], "language": "en", "default": true,"#
    + #" "audio": {"codec": "ac3", "channelLayout": "5.1", "bitRate": 448000}, "loudness": "ebuR128"}]"#

  @Test func `say what each is, and the rest is the movie's`() throws {
    let sounds = try edit(Self.two).timeline.export.sounds
    #expect(sounds.map(\.tracks) == [[TrackID("german"), TrackID("music")], [TrackID("english")]])
    #expect(sounds.map(\.language) == ["de", "en"] && sounds.map(\.title) == ["Deutsch", nil])
    #expect(sounds.map(\.isDefault) == [false, true] && sounds.map(\.audio.codec) == [.aac, .ac3])
    #expect(sounds.map(\.loudness?.integrated) == [-16, -23] && sounds[1].audio.channelLayout == .surround51)
    #expect(sounds.map(\.audio.sampleRate) == [48_000, 48_000])
  }

  @Test func `have a default one: the first where none says so`() throws {
    let sounds = try edit(#"[{"tracks": ["german"]}, {"tracks": ["english"], "default": false}]"#).timeline.export.sounds
    #expect(sounds.map(\.isDefault) == [true, false])
  }

  @Test func `canonical documents say the same`() throws {
    for sounds in [Self.two, #"[{"tracks": ["german", "german"], "audio": {"bitRate": 64000}}]"#] {
      let canonical = try Documents.canonical(document(sounds))
      #expect(try Documents.canonical(canonical) == canonical)
      #expect(try Timeline.parse(Array(canonical.utf8)) == Timeline.parse(Array(document(sounds).utf8)))
    }
    let empty = try Documents.canonical(document("[]"))
    #expect(!empty.contains("sounds"))
  }

  @Test func `are the edit with the other tracks muted`() throws {
    let mix = #"[{"track": "music", "duck": {"under": ["german"]}}, {"track": "english", "mute": true}]"#
    let edit = try edit(Self.two, mix: mix)
    let heard = edit.sounds.map { sound in
      sound.timeline.composition.tracks.map(\.id.rawValue).filter { sound.timeline.audioMix.isHeard(TrackID($0)) }
    }
    #expect(heard == [["music", "german"], []])
    #expect(
      edit.sounds.map(\.audio?.codec) == [.aac, .ac3] && edit.sounds.map(\.timeline.export.loudness?.integrated) == [-16, -23])
    #expect(edit.defaultSound == 1)
    // The music of the second sound has nothing to yield to.
    let under = #"[{"track": "music", "duck": {"under": ["german"]}}]"#
    let both = try self.edit(#"[{"tracks": ["music", "german"]}, {"tracks": ["music", "english"]}]"#, mix: under)
    let volumes = try both.sounds.map { sound in
      try sound.soundSpans(SoundMeasures()).map(\.volumes).flatMap { $0 }.flatMap(\.envelope.keyframes).count
    }
    #expect(volumes[0] > 0 && volumes[1] == 0)
  }

  @Test func `an edit without them has one sound, which is the edit`() throws {
    let plain = try edit("[]")
    #expect(plain.sounds == [plain] && plain.defaultSound == 0)
  }

  @Test func `that are silent, and tracks in none of them, are warned of`() throws {
    let found = try edit(Self.two, mix: #"[{"track": "english", "mute": true}]"#).warnings.map(\.description)
    #expect(found == ["export.sounds[1]: is silent: none of its tracks is heard"])
    let unused = try edit(#"[{"tracks": ["german", "english"]}]"#).warnings.map(\.description)
    #expect(unused == ["export.sounds: track 'music' is in none of them"])
  }

  @Test(arguments: [
    (
      "wav", "pcm",
      "export.sounds: wav holds one sound: use mp4, mov, mkv, webm, mpegts, cmaf or m4a, or one document for each sound"
    ),
    (
      "flac", "flac",
      "export.sounds: flac holds one sound: use mp4, mov, mkv, webm, mpegts, cmaf or m4a, or one document for each sound"
    ),
    (
      "mxf", "pcm",
      "export.sounds: mxf holds one sound: use mp4, mov, mkv, webm, mpegts, cmaf or m4a, or one document for each sound"
    ),
  ])
  func `go only into files that hold several`(type: String, codec: String, fault: String) {
    let found = Documents.faults(document(#"[{"tracks": ["german"]}]"#, type: type, audio: "{\"codec\": \"\(codec)\"}"))
    #expect(found == [fault])
  }

  @Test func `do not go into pictures`() {
    let text = document(#"[{"tracks": ["german"]}]"#, type: "gif")
    let found = Documents.faults(text.replacing(#""audio": {"codec": "aac"}, "loudness": "podcast", "#, with: ""))
    #expect(found == ["export.sounds: gif holds a picture alone: leave the settings of the sound out"])
  }

  @Test(arguments: [
    (#"[{"tracks": []}]"#, "mp4", "export.sounds[0].tracks: names no track that is heard"),
    (#"[{"tracks": ["dutch"]}]"#, "mp4", "export.sounds[0].tracks[0]: no track 'dutch'"),
    (#"[{"language": "de"}]"#, "mp4", "export.sounds[0].tracks: missing"),
    (#"[{"tracks": ["german"], "lang": "de"}]"#, "mp4", "export.sounds[0].lang: unknown key (that is said by language)"),
    (
      #"[{"tracks": ["german"], "language": "xx"}]"#, "mp4",
      "export.sounds[0].language: the three letters of 'xx' (ISO 639-2) are not known here: write them, such as deu"
    ),
    (
      #"[{"tracks": ["german"], "language": "fa"}]"#, "mov",
      "export.sounds[0].language: mov has no number for the language 'fa': use mp4 or mkv, or leave it out"
    ),
    (
      #"[{"tracks": ["german"], "default": true}, {"tracks": ["english"], "default": true}]"#, "mp4",
      "export.sounds[1].default: export.sounds[0].default is the one that is played where nobody chooses"
    ),
    (
      #"[{"tracks": ["german"]}, {"tracks": ["english"], "default": true}]"#, "mpegts",
      "export.sounds[1].default: players of mpegts play the first sound where nobody chooses: let it be the first"
    ),
    (
      #"[{"tracks": ["german"], "title": "T"}]"#, "mpegts",
      "export.sounds[0].title: mpegts holds no titles of sounds: leave it out, or use mp4, mov or mkv"
    ),
    (
      #"[{"tracks": ["german"], "title": "\#(String(repeating: "é", count: 64))"}]"#, "mov",
      "export.sounds[0].title: mov holds titles of at most 127 bytes, not 128: shorten it, or use mp4"
    ),
    (
      #"[{"tracks": ["german"], "audio": {"codec": "opus"}}]"#, "mov",
      "export.sounds[0].audio: mov cannot hold opus audio: use webm, mkv, mp4 or ogg"
    ),
    (
      #"[{"tracks": ["german"], "audio": {"sampleRate": 44100}}]"#, "mp4",
      "export.sounds[0].audio.sampleRate: all sounds of a movie have one rate, which export.audio.sampleRate states: 48000 Hz"
    ),
  ])
  func `with faults are refused, each with its place`(sounds: String, type: String, fault: String) {
    let found = Documents.faults(document(sounds, type: type))
    #expect(found.contains { $0.hasPrefix(fault) }, "\(found)")
  }

  @Test(arguments: [("mov", 127), ("mp4", 128), ("mp4", 4096)])
  func `have titles as long as their file counts`(type: String, length: Int) {
    let title = String(repeating: "x", count: length)
    #expect(Documents.faults(document(#"[{"tracks": ["german"], "title": "\#(title)"}]"#, type: type)) == [])
  }

  @Test func `take the movie's rate, which their codecs must have`() throws {
    let found = Documents.faults(
      document(#"[{"tracks": ["german"], "audio": {"codec": "ac3"}}]"#, audio: #"{"codec": "aac", "sampleRate": 96000}"#))
    #expect(found == ["export.sounds[0].audio: ac3 is not made at 96000 Hz, but at 32000, 44100 or 48000"])
  }
}
