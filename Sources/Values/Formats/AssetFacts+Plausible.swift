internal import MediaTime

extension AssetFacts {
  /// Whether probing can have found these facts. Some facts come from another process, which reads bytes of strangers. They are
  /// checked before anything is computed from them.
  package var isPlausible: Bool {
    let texts =
      [container, version, comment].compactMap(\.self) + tracks.flatMap { [$0.codec, $0.rejection].compactMap(\.self) }
    guard texts.allSatisfy(Self.isPlain), duration >= .zero, byteCount >= 0, timecode?.isPlausible ?? true,
      words?.isPlausible ?? true
    else { return false }
    if let font { return tracks.isEmpty && byteCount <= FontFacts.mostBytes && font.isPlausible }
    return !tracks.isEmpty
      && tracks.enumerated().allSatisfy { $0 == $1.index && $1.isPlausible }
  }

  /// The most bytes in a text. The longest kind of text is an entity tag.
  private static let longestName = 8192

  static func isPlain(_ text: String) -> Bool {
    text.utf8.count <= longestName && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

extension FontFacts {
  fileprivate var isPlausible: Bool {
    FontFace.isDigest(digest) && (1...Self.mostFaces).contains(faces.count)
      && faces.allSatisfy { $0.utf8.count <= Self.longestName && AssetFacts.isPlain($0) }
  }
}

extension TrackFacts {
  fileprivate var isPlausible: Bool {
    guard intactEnd.map({ $0 >= .zero }) ?? true else { return false }
    // A track that cannot be decoded may have counts that are unknown, which are 0. It may still be a still picture, whose size
    // is used, so its counts are checked too.
    let least = rejection == nil ? 1 : 0
    switch detail {
    case .video(let video): return naturalTimeScale >= least && video.isPlausible(least)
    case .audio(let audio):
      return min(Int(naturalTimeScale), Int(audio.sampleRate), audio.channelCount) >= least
        && AssetFacts.isPlain(audio.channelLayout)
    case .other: return true
    }
  }
}

extension VideoFacts {
  /// Whether the numbers are possible for video.
  ///
  /// - Parameter least: the least value of each count: 0 where counts may be unknown, else 1.
  fileprivate func isPlausible(_ least: Int) -> Bool {
    // A pixel is at most 64 times as wide as it is high.
    let side = least...Int(Int32.max)
    let sizes = [(naturalSize, side), (pixelAspect, side), (displaySize, least...64 * side.upperBound)]
    guard sizes.allSatisfy({ $1.contains($0.width) && $1.contains($0.height) }), (least...32).contains(bitDepth),
      AssetFacts.isPlain(pixelFormat), nominalFrameRate.map({ $0 > .zero }) ?? true,
      repeatedFields.map({ 0 <= $0.count && $0.count <= $0.pictures }) ?? true
    else { return false }
    guard let clean = cleanAperture else { return true }
    return clean.width > 0 && clean.height > 0 && clean.x >= 0 && clean.y >= 0 && clean.maxX <= Double(naturalSize.width)
      && clean.maxY <= Double(naturalSize.height)
  }
}
