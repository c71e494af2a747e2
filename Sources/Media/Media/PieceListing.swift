internal import CFFmpeg
internal import Formats
internal import MediaTime

/// The playlists of a movie in pieces: for HLS (RFC 8216) and, over the same pieces, for DASH (ISO/IEC 23009-1).
struct PieceListing {
  /// The movie's picture, beside what its pieces tell.
  struct Picture {
    let size: PixelSize
    let frameDuration: MediaTime
    let transfer: ColorTags.Transfer
  }

  /// A sound, beside what its pieces tell.
  struct Sound {
    let channelCount: Int
    /// Its language, as a BCP 47 tag; nil where none is stated.
    let language: String?
    /// The name that players show, which no other sound has.
    let name: String
    /// The title that the edit states; nil for none.
    let title: String?
    let isDefault: Bool
  }

  /// The picture and its renditions, the main one first; none where there is sound alone.
  let pictures: [(track: PieceTrack, facts: Picture)]
  let sounds: [(track: PieceTrack, facts: Sound)]
  let texts: TextListing
  /// A remark for those who read the playlists; nil where there is none.
  let comment: String?
  /// The sheets of thumbnails; nil without any.
  let thumbnails: SheetListing?

  /// The files by their names, in the order of a roll.
  var files: [(name: String, text: String)] {
    var files = [(PieceNames.manifest, manifest), (PieceNames.master, master)]
    for (track, _) in pictures {
      files.append((PieceNames.keyframes(track.kind), track.keyframes.text))
      files.append((PieceNames.playlist(track.kind), track.playlist.text))
    }
    for (track, _) in sounds { files.append((PieceNames.playlist(track.kind), track.playlist.text)) }
    files += texts.playlists
    if let thumbnails { files.append((StillNames.playlist, thumbnails.playlist)) }
    return files
  }

  private var tracks: [PieceTrack] { pictures.map(\.track) + sounds.map(\.track) }

  private var master: String {
    var lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-INDEPENDENT-SEGMENTS"]
    if let comment { lines.append("# \(Self.plain(comment))") }
    if isGrouped { lines += sounds.map(alternative) }
    lines += texts.alternatives
    for picture in pictures { lines += variant(picture.track, picture.facts) }
    if pictures.isEmpty, let sound = sounds.first(where: \.facts.isDefault) ?? sounds.first { lines += variant(sound.track, nil) }
    for (track, facts) in pictures {
      let rates = track.bitRates(\.head)
      let words = "\(Self.bandwidth(rates.peak, rates.average)),CODECS=\"\(track.codec)\",RESOLUTION=\(Self.words(facts.size))"
      lines.append("#EXT-X-I-FRAME-STREAM-INF:\(words)\(range(of: facts)),URI=\"\(PieceNames.keyframes(track.kind))\"")
    }
    if let thumbnails { lines.append(thumbnails.stream) }
    return MediaPlaylist.text(lines)
  }

  /// Whether players choose the sound from a group: beside a picture, and among several.
  private var isGrouped: Bool { !sounds.isEmpty && (!pictures.isEmpty || sounds.count > 1) }

  /// The line of a sound among those of which players choose.
  private func alternative(_ track: PieceTrack, _ facts: Sound) -> String {
    let language = facts.language.map { ",LANGUAGE=\"\(Self.quotable($0))\"" } ?? ""
    return "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"sound\",NAME=\"\(facts.name)\"\(language),"
      + "DEFAULT=\(facts.isDefault ? "YES" : "NO"),AUTOSELECT=YES,"
      + "CHANNELS=\"\(facts.channelCount)\",URI=\"\(PieceNames.playlist(track.kind))\""
  }

  /// The lines of a picture with the sounds beside it, or of sound alone.
  private func variant(_ main: PieceTrack, _ picture: Picture?) -> [String] {
    let others = sounds.map(\.track).filter { $0.kind != main.kind }
    let (own, rates) = (main.bitRates(\.byteCount), others.map { $0.bitRates(\.byteCount) })
    // One sound is played at a time. The line has to do for the one that takes most.
    let beside = picture == nil ? [] : rates
    var codecs = [main.codec]
    for codec in others.map(\.codec) where !codecs.contains(codec) { codecs.append(codec) }
    var stream = Self.bandwidth(
      own.peak + (beside.map(\.peak).max() ?? 0), own.average + (beside.map(\.average).max() ?? 0))
    stream += ",CODECS=\"\(codecs.joined(separator: ","))\""
    if let picture { stream += words(of: picture) }
    if isGrouped { stream += ",AUDIO=\"sound\"" }
    if !texts.isEmpty { stream += ",SUBTITLES=\"text\"" }
    return ["#EXT-X-STREAM-INF:\(stream)", PieceNames.playlist(main.kind)]
  }

  private static func bandwidth(_ peak: Int, _ average: Int) -> String { "BANDWIDTH=\(peak),AVERAGE-BANDWIDTH=\(average)" }

  private func words(of picture: Picture) -> String {
    ",RESOLUTION=\(Self.words(picture.size)),FRAME-RATE=\(MediaPlaylist.rate(of: picture.frameDuration))\(range(of: picture))"
  }

  private static func words(_ size: PixelSize) -> String { "\(size.width)x\(size.height)" }

  private func range(of picture: Picture) -> String {
    switch picture.transfer {
    case .pq: ",VIDEO-RANGE=PQ"
    case .hlg: ",VIDEO-RANGE=HLG"
    default: ",VIDEO-RANGE=SDR"
    }
  }

  /// The microseconds of the longest track.
  private static func duration(of tracks: [PieceTrack]) -> Int64 {
    let each: [Int128] = tracks.map { track in Int128(track.ends.last ?? 0) * 1_000_000 / Int128(track.timescale) }
    return Int64(clamping: each.max() ?? 0)
  }

  private var manifest: String {
    let longest = tracks.flatMap(\.microseconds).max() ?? 0
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" profiles=\"urn:mpeg:dash:profile:isoff-live:2011\" "
        + "mediaPresentationDuration=\"PT\(MediaPlaylist.seconds(Self.duration(of: tracks)))S\" "
        + "minBufferTime=\"PT\(MediaPlaylist.seconds(longest))S\">",
    ]
    // Two hyphens would end the comment.
    if let comment { lines.append("  <!-- \(Self.plain(comment).replacing("--", with: "- -")) -->") }
    lines.append("  <Period id=\"0\" start=\"PT0S\">")
    if let main = pictures.first {
      let rate = "\(main.facts.frameDuration.timescale)/\(main.facts.frameDuration.value)"
      lines += set(
        "video", attributes: "", words: [],
        representations: pictures.flatMap { track, facts in
          representation(
            track, kind: "video",
            attributes: "width=\"\(facts.size.width)\" height=\"\(facts.size.height)\" frameRate=\"\(rate)\" sar=\"1:1\"",
            children: [])
        })
    }
    for (track, facts) in sounds {
      let scheme = "urn:mpeg:dash:23003:3:audio_channel_configuration:2011"
      var words: [String] = []
      if let title = facts.title { words.append("<Label>\(Self.markup(title))</Label>") }
      if sounds.count > 1 {
        words.append("<Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"\(facts.isDefault ? "main" : "alternate")\"/>")
      }
      lines += set(
        "audio", attributes: facts.language.map { " lang=\"\(Self.markup($0))\"" } ?? "", words: words,
        representations: representation(
          track, kind: "audio", attributes: "audioSamplingRate=\"\(track.timescale)\"",
          children: ["<AudioChannelConfiguration schemeIdUri=\"\(scheme)\" value=\"\(facts.channelCount)\"/>"]))
    }
    lines += texts.adaptationSets
    if let thumbnails { lines += thumbnails.adaptationSet }
    return MediaPlaylist.text(lines + ["  </Period>", "</MPD>"])
  }

  private func set(
    _ kind: String, attributes: String = "", words: [String] = [], representations: [String]
  ) -> [String] {
    ["    <AdaptationSet contentType=\"\(kind)\"\(attributes) segmentAlignment=\"true\" startWithSAP=\"1\">"]
      + words.map { "      \($0)" } + representations + ["    </AdaptationSet>"]
  }

  private func representation(_ track: PieceTrack, kind: String, attributes: String, children: [String]) -> [String] {
    var lines = [
      "      <Representation id=\"\(track.kind)\" mimeType=\"\(kind)/mp4\" codecs=\"\(track.codec)\" "
        + "bandwidth=\"\(track.bitRates(\.byteCount).peak)\" \(attributes)>"
    ]
    lines += children.map { "        \($0)" }
    lines += [
      "        <SegmentTemplate timescale=\"\(track.timescale)\" initialization=\"\(PieceNames.opening(track.kind))\" "
        + "media=\"\(PieceNames.template(track.kind))\" startNumber=\"1\">",
      "          <SegmentTimeline>",
    ]
    lines += runs(track.pieces.map(\.duration)).map { duration, count in
      "            <S d=\"\(duration)\"\(count > 1 ? " r=\"\(count - 1)\"" : "")/>"
    }
    return lines + ["          </SegmentTimeline>", "        </SegmentTemplate>", "      </Representation>"]
  }

  /// Equal durations in a row, with their number.
  private func runs(_ durations: [Int64]) -> [(duration: Int64, count: Int)] {
    durations.reduce(into: []) { runs, duration in
      if runs.last?.duration == duration { runs[runs.count - 1].count += 1 } else { runs.append((duration, 1)) }
    }
  }

  /// A text without line breaks.
  private static func plain(_ text: String) -> String { text.split(whereSeparator: \.isNewline).joined(separator: " ") }

  /// A text between the quotation marks of a playlist, which has no way to write one (RFC 8216, section 4.2).
  private static func quotable(_ text: String) -> String { plain(text).replacing("\"", with: "'") }

  /// A text in XML.
  private static func markup(_ text: String) -> String {
    plain(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}

extension PieceListing {
  /// - Parameters:
  ///   - made: the tracks as they were written.
  ///   - tracks: the same tracks as they were read.
  ///   - inputs: what is said of the sounds, in their order.
  init(
    _ made: [PieceTrack], of tracks: [MovieTrack], sounds inputs: [SoundInput], texts: [PieceText], frameDuration: MediaTime,
    color: ColorTags, comment: String?, thumbnails: SheetListing? = nil
  ) {
    var names = UniqueNames()
    var (pictures, sounds): ([(PieceTrack, Picture)], [(PieceTrack, Sound)]) = ([], [])
    for (track, read) in zip(made, tracks) {
      let codec = unsafe read.parameters.codec
      switch track.kind {
      case .picture, .rendition:
        let size = unsafe PixelSize(Int(codec.pointee.width), Int(codec.pointee.height))
        pictures.append((track, Picture(size: size, frameDuration: frameDuration, transfer: color.transfer)))
      case .sound, .alternative:
        let input = inputs[sounds.count]
        let language = input.language.map(LanguageCode.canonical)
        let name = names.name(Self.quotable(input.title ?? language ?? "Sound"))
        sounds.append(
          (
            track,
            Sound(
              channelCount: unsafe Int(codec.pointee.ch_layout.nb_channels),
              language: language, name: name, title: input.title, isDefault: input.isDefault)
          ))
      }
    }
    self.init(
      pictures: pictures, sounds: sounds, texts: TextListing(texts, lasting: Self.duration(of: made)), comment: comment,
      thumbnails: thumbnails)
  }
}
