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

  /// The picture and its renditions, the main one first; none where there is sound alone.
  let pictures: [(track: PieceTrack, facts: Picture)]
  let sound: (track: PieceTrack, channelCount: Int)?
  /// A remark for those who read the playlists; nil where there is none.
  let comment: String?

  /// The files by their names, in the order of a roll.
  var files: [(name: String, text: String)] {
    var files = [(PieceNames.manifest, manifest), (PieceNames.master, master)]
    for (track, _) in pictures {
      files.append((PieceNames.keyframes(track.kind), track.keyframes.text))
      files.append((PieceNames.playlist(track.kind), track.playlist.text))
    }
    if let sound { files.append((PieceNames.playlist(.sound), sound.track.playlist.text)) }
    return files
  }

  private var tracks: [PieceTrack] { pictures.map(\.track) + [sound?.track].compactMap(\.self) }

  private var master: String {
    var lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-INDEPENDENT-SEGMENTS"]
    if let comment { lines.append("# \(Self.plain(comment))") }
    if let sound, !pictures.isEmpty {
      lines.append(
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"sound\",NAME=\"Sound\",DEFAULT=YES,AUTOSELECT=YES,"
          + "CHANNELS=\"\(sound.channelCount)\",URI=\"\(PieceNames.playlist(.sound))\"")
    }
    for picture in pictures { lines += variant([picture.track, sound?.track].compactMap(\.self), picture.facts) }
    if let sound, pictures.isEmpty { lines += variant([sound.track], nil) }
    for (track, facts) in pictures {
      let rates = track.bitRates(\.head)
      let words = "\(Self.bandwidth(rates.peak, rates.average)),CODECS=\"\(track.codec)\",RESOLUTION=\(Self.words(facts.size))"
      lines.append("#EXT-X-I-FRAME-STREAM-INF:\(words)\(range(of: facts)),URI=\"\(PieceNames.keyframes(track.kind))\"")
    }
    return MediaPlaylist.text(lines)
  }

  /// The lines of a picture with its sound, or of sound alone.
  private func variant(_ tracks: [PieceTrack], _ picture: Picture?) -> [String] {
    let rates = tracks.map { $0.bitRates(\.byteCount) }
    var stream = Self.bandwidth(rates.reduce(0) { $0 + $1.peak }, rates.reduce(0) { $0 + $1.average })
    stream += ",CODECS=\"\(tracks.map(\.codec).joined(separator: ","))\""
    if let picture { stream += words(of: picture) }
    if sound != nil, picture != nil { stream += ",AUDIO=\"sound\"" }
    return ["#EXT-X-STREAM-INF:\(stream)", PieceNames.playlist(tracks[0].kind)]
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

  private var manifest: String {
    let duration = tracks.map { Int128($0.ends.last ?? 0) * 1_000_000 / Int128($0.timescale) }.max() ?? 0
    let longest = tracks.flatMap(\.microseconds).max() ?? 0
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" profiles=\"urn:mpeg:dash:profile:isoff-live:2011\" "
        + "mediaPresentationDuration=\"PT\(MediaPlaylist.seconds(Int64(clamping: duration)))S\" "
        + "minBufferTime=\"PT\(MediaPlaylist.seconds(longest))S\">",
    ]
    // Two hyphens would end the comment.
    if let comment { lines.append("  <!-- \(Self.plain(comment).replacing("--", with: "- -")) -->") }
    lines.append("  <Period id=\"0\" start=\"PT0S\">")
    if let main = pictures.first {
      let rate = "\(main.facts.frameDuration.timescale)/\(main.facts.frameDuration.value)"
      lines += set(
        "video",
        pictures.flatMap { track, facts in
          representation(
            track, "video",
            "width=\"\(facts.size.width)\" height=\"\(facts.size.height)\" frameRate=\"\(rate)\" sar=\"1:1\"", [])
        })
    }
    if let sound {
      let scheme = "urn:mpeg:dash:23003:3:audio_channel_configuration:2011"
      lines += set(
        "audio",
        representation(
          sound.track, "audio", "audioSamplingRate=\"\(sound.track.timescale)\"",
          ["<AudioChannelConfiguration schemeIdUri=\"\(scheme)\" value=\"\(sound.channelCount)\"/>"]))
    }
    return MediaPlaylist.text(lines + ["  </Period>", "</MPD>"])
  }

  private func set(_ kind: String, _ representations: [String]) -> [String] {
    ["    <AdaptationSet contentType=\"\(kind)\" segmentAlignment=\"true\" startWithSAP=\"1\">"] + representations
      + ["    </AdaptationSet>"]
  }

  private func representation(_ track: PieceTrack, _ kind: String, _ attributes: String, _ children: [String]) -> [String] {
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
}

extension PieceListing {
  /// - Parameters:
  ///   - made: the tracks as they were written.
  ///   - tracks: the same tracks as they were read.
  init(_ made: [PieceTrack], _ tracks: [MovieTrack], _ frameDuration: MediaTime, _ color: ColorTags, _ comment: String?) {
    var (pictures, sound): ([(PieceTrack, Picture)], (PieceTrack, Int)?) = ([], nil)
    for (track, read) in zip(made, tracks) {
      let codec = unsafe read.parameters.codec
      switch track.kind {
      case .picture, .rendition:
        let size = unsafe PixelSize(Int(codec.pointee.width), Int(codec.pointee.height))
        pictures.append((track, Picture(size: size, frameDuration: frameDuration, transfer: color.transfer)))
      case .sound: sound = unsafe (track, Int(codec.pointee.ch_layout.nb_channels))
      }
    }
    self.init(pictures: pictures, sound: sound, comment: comment)
  }
}
