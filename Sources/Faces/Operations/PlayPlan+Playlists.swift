internal import Formats
internal import Media
internal import MediaTime

// The playlists of a movie (RFC 8216). They are complete, and say the movie's whole length, from the beginning.
extension PlayPlan {
  /// The playlist that names those of the tracks.
  ///
  /// - Parameters:
  ///   - folder: the place of the tracks' playlists, relative to this one.
  ///   - query: what is added to each address, such as `?hold=60`.
  ///   - codecs: the codecs of the tracks as far as they are known. All are told, or none.
  package func multivariant(folder: String, query: String, codecs: [Track: String]) -> String {
    var lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-INDEPENDENT-SEGMENTS"]
    func address(_ track: Track) -> String { "\(folder)/\(track.rawValue).m3u8\(query)" }
    let bitRate = (picture?.bitRate ?? 0) + (sound?.bitRate ?? 0)
    var stream = "#EXT-X-STREAM-INF:BANDWIDTH=\(max(1, bitRate))"
    let tracks = Track.allCases.filter { count(of: $0) > 0 }
    let names = tracks.compactMap { codecs[$0] }
    if names.count == tracks.count { stream += ",CODECS=\"\(names.joined(separator: ","))\"" }
    if let picture {
      stream +=
        ",RESOLUTION=\(picture.size.width)x\(picture.size.height),FRAME-RATE=\(MediaPlaylist.rate(of: picture.frameDuration))"
    }
    if let sound, picture != nil {
      lines.append(
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"sound\",NAME=\"Sound\",DEFAULT=YES,AUTOSELECT=YES,"
          + "CHANNELS=\"\(sound.channelCount)\",URI=\"\(address(.sound))\"")
      stream += ",AUDIO=\"sound\""
    }
    lines += [stream, address(picture == nil ? .sound : .picture)]
    return MediaPlaylist.text(lines)
  }

  /// The playlist of a track.
  package func playlist(of track: Track, query: String) -> String {
    let ends = microseconds(of: track)
    let pieces = zip(ends, [0] + ends).enumerated().map { index, times in
      MediaPlaylist.Piece("\(track.rawValue)/\(index).m4s\(query)", lasting: times.0 - times.1)
    }
    return MediaPlaylist(opening: "\(track.rawValue).mp4\(query)", pieces).text
  }

  /// The microseconds from the movie's beginning to the end of each piece. Rounding them does not add up.
  private func microseconds(of track: Track) -> [Int64] {
    switch track {
    case .picture:
      guard let picture else { return [] }
      let (value, scale) = (Int128(picture.frameDuration.value), Int128(picture.frameDuration.timescale))
      return (picture.starts.dropFirst() + [picture.frameCount]).map { Int64(Int128($0) * value * 1_000_000 / scale) }
    case .sound:
      guard let sound else { return [] }
      return (sound.starts.dropFirst() + [sound.sampleCount]).map { Int64(Int128($0) * 1_000_000 / Int128(sound.sampleRate)) }
    }
  }
}
