internal import Formats
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
      stream += ",RESOLUTION=\(picture.size.width)x\(picture.size.height),FRAME-RATE=\(Self.rate(of: picture.frameDuration))"
    }
    if let sound, picture != nil {
      lines.append(
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"sound\",NAME=\"Sound\",DEFAULT=YES,AUTOSELECT=YES,"
          + "CHANNELS=\"\(sound.channelCount)\",URI=\"\(address(.sound))\"")
      stream += ",AUDIO=\"sound\""
    }
    lines += [stream, address(picture == nil ? .sound : .picture)]
    return Self.text(lines)
  }

  /// The playlist of a track.
  package func playlist(of track: Track, query: String) -> String {
    let ends = microseconds(of: track)
    let durations = zip(ends, [0] + ends).map { $0 - $1 }
    // A duration that is rounded to whole seconds may not exceed the target (RFC 8216, section 4.3.3.1).
    let target = max(1, durations.map { ($0 + 500_000) / 1_000_000 }.max() ?? 1)
    var lines = [
      "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:\(target)", "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-PLAYLIST-TYPE:VOD",
      "#EXT-X-INDEPENDENT-SEGMENTS", "#EXT-X-MAP:URI=\"\(track.rawValue).mp4\(query)\"",
    ]
    for (index, duration) in durations.enumerated() {
      lines += ["#EXTINF:\(Self.seconds(duration)),", "\(track.rawValue)/\(index).m4s\(query)"]
    }
    return Self.text(lines + ["#EXT-X-ENDLIST"])
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

  private static func seconds(_ microseconds: Int64) -> String {
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction
  }

  /// Frames a second with three decimals, as the attribute has them.
  private static func rate(of frameDuration: MediaTime) -> String {
    let thousandths = Int64(frameDuration.timescale) * 1000 / frameDuration.value
    let fraction = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }
}
