internal import CFFmpeg
internal import Formats

extension Demuxer {
  /// Opens the file to read one track of it.
  ///
  /// - Throws: `MediaError`, also when the file is no longer what was probed, or the track was found undecodable.
  convenience init(path: String, track: TrackFacts, policy: SourcePolicy) throws(MediaError) {
    let place = "\(MediaURL.name(of: path)) track \(track.index)"
    try self.init(path: path, policy: policy, isKnownPCM: track.codec == "pcm_s16le")
    guard (0..<streamCount).contains(track.index),
      codecName(track.index) == track.codec
    else { throw MediaError(.unreadable, at: place, "is no longer what it was when probed") }
    if let rejection = track.rejection {
      throw MediaError(unsafe stream(track.index).isEncrypted ? .protected : .unsupported, at: place, rejection)
    }
    select(track.index)
  }
}
