package import Formats
package import MediaTime
package import Messages
internal import Rendering
internal import Scenes
internal import Timeline

/// The pieces in which a job's movie is played while it is rendered. They are known when the job is submitted: chunks have their frames,
/// and blocks of sound their samples. A chunk that is divided while it runs stays one piece.
package struct PlayPlan: Hashable, Sendable {
  package enum Track: String, Hashable, Sendable, CaseIterable { case picture, sound }

  package struct Picture: Hashable, Sendable {
    package var frameDuration: MediaTime
    package var size: PixelSize
    package var frameCount: Int
    /// The first frame of each chunk, in order, from 0.
    package var starts: [Int]
    /// A guess of the bits of a second.
    package var bitRate: Int

    package init(frameDuration: MediaTime, size: PixelSize, frameCount: Int, starts: [Int], bitRate: Int) {
      (self.frameDuration, self.size, self.frameCount) = (frameDuration, size, frameCount)
      (self.starts, self.bitRate) = (starts, bitRate)
    }
  }

  package struct Sound: Hashable, Sendable {
    package var sampleRate: Int32
    package var channelCount: Int
    package var sampleCount: Int64
    /// The sample with which each piece begins, in order. The first one is 0, though priming comes before it.
    package var starts: [Int64]
    /// The sample with which each part that is mixed and encoded by itself begins, in order; 0 alone for a whole sound. A piece begins at each.
    package var parts: [Int64]
    package var bitRate: Int
    /// Its place among the movie's sounds, of which the default one is played.
    package var stream = 0

    package init(sampleRate: Int32, channelCount: Int, sampleCount: Int64, starts: [Int64], parts: [Int64] = [0], bitRate: Int) {
      (self.sampleRate, self.channelCount, self.sampleCount) = (sampleRate, channelCount, sampleCount)
      (self.starts, self.parts, self.bitRate) = (starts, parts, bitRate)
    }

    /// The number of the part that holds a piece.
    ///
    /// - Precondition: there is such a piece.
    package func part(of piece: Int) -> Int { (parts.firstIndex { $0 > starts[piece] } ?? parts.count) - 1 }

    /// The first sample of the part that is heard at a time; of the last one where that is after the sound's end; nil for a time before zero.
    ///
    /// - Throws: `TimeError.overflow`.
    package func part(at time: MediaTime) throws -> Int64? {
      let sample = try time.samples(at: sampleRate)
      return parts.last { $0 <= sample }
    }

    /// The pieces of a part, of which there is one at least.
    package func pieces(of part: Int) -> Range<Int> {
      let end = part + 1 < parts.count ? parts[part + 1] : sampleCount
      let first = starts.firstIndex { $0 >= parts[part] } ?? starts.count
      return first..<(starts.firstIndex { $0 >= end } ?? starts.count)
    }
  }

  package var picture: Picture?
  package var sound: Sound?

  package init(picture: Picture?, sound: Sound?) { (self.picture, self.sound) = (picture, sound) }

  /// The reason for which a movie cannot be played in pieces.
  package struct Unplayable: Error, Hashable, Sendable, CustomStringConvertible {
    package let reason: String
    package var description: String { "the movie cannot be played in pieces: \(reason)" }
  }

  /// - Parameters:
  ///   - starts: the first frames of the chunks.
  ///   - parts: the first samples of the sound's parts; 0 alone for a whole sound.
  /// - Throws: `Unplayable`, and what the edit throws.
  package init(for spec: JobSpec, starts: [Int], parts: [Int64] = [0]) throws {
    let edit = try spec.edit
    let export = edit.timeline.export
    if let composition = edit.videoComposition, !starts.isEmpty {
      guard [.h264, .hevc, .av1].contains(export.video.coding.codec), !export.video.hasAlpha else {
        let name = export.video.coding.codec.rawValue + (export.video.hasAlpha ? " with alpha" : "")
        throw Unplayable(reason: "players take h264, hevc and av1 in pieces, and this movie's picture is \(name)")
      }
      guard export.copies?.copiesPictures != true else {
        throw Unplayable(
          reason: "packets are copied into it, and only its mux knows all their parameter sets")
      }
      picture = Picture(
        frameDuration: composition.frameDuration, size: composition.displaySize, frameCount: try edit.frameCount, starts: starts,
        bitRate: Self.bitRate(export.video, composition.outputSize, composition.frameDuration))
    }
    if edit.audio != nil, let audio = edit.sounds[edit.defaultSound].audio {
      guard let blockLength = audio.codec.playedBlockLength else {
        throw Unplayable(reason: "players take aac and opus in pieces, and this movie's sound is \(audio.codec.rawValue)")
      }
      let copies = export.copies?.soundSampleCount == nil ? nil : export.copies
      let count = try copies?.soundSampleCount ?? edit.sampleCount
      sound = Sound(
        sampleRate: audio.sampleRate, channelCount: audio.channelLayout.channelCount, sampleCount: count,
        starts: Self.soundStarts(of: count, in: parts, audio.sampleRate, blockLength, priming: copies?.soundPriming),
        parts: parts, bitRate: audio.coding.bitRate ?? 0)
      sound?.stream = edit.defaultSound
    }
    guard picture != nil || sound != nil else { throw Unplayable(reason: "the edit has neither picture nor sound") }
  }

  /// The seconds of a piece of sound, about.
  private static let soundSeconds: Int64 = 6

  /// The samples with which pieces of sound begin. The sound ends with a whole block, so all blocks are counted from there. Those of a sound
  /// that is copied are counted from the beginning of its priming.
  ///
  /// - Parameters:
  ///   - parts: the first samples of the sound's parts, which lie at borders of blocks.
  ///   - priming: the samples of the priming of copied sound; nil for sound that is encoded.
  package static func soundStarts(
    of count: Int64, in parts: [Int64] = [0], _ sampleRate: Int32, _ blockLength: Int64, priming: Int64? = nil
  ) -> [Int64] {
    let length = soundSeconds * Int64(sampleRate)
    // A place of the same phase as all blocks, not before the sound's end.
    let border = priming.map { (count + $0 + blockLength - 1) / blockLength * blockLength - $0 } ?? count
    return zip(parts, parts.dropFirst() + [count]).flatMap { first, end in
      let others = stride(from: first + length, to: end, by: Int(length)).map { place in place + (border - place) % blockLength }
      return [first] + others.filter { $0 < end }
    }
  }

  /// A guess at the bits of a second, for players that choose by it; there is nothing to choose from here.
  private static func bitRate(_ video: VideoCodecSettings, _ size: PixelSize, _ frameDuration: MediaTime) -> Int {
    if let cap = video.coding.coder.rateCap { return Int(cap.maxBitRate) }
    if case .bitRate(let bitRate)? = video.coding.coder.rateTarget { return Int(bitRate) }
    return max(100_000, Int(Double(size.width * size.height) / frameDuration.seconds / 4))
  }

  /// The number of pieces of a track; 0 where the movie has no such track.
  package func count(of track: Track) -> Int { (track == .picture ? picture?.starts.count : sound?.starts.count) ?? 0 }

  /// The frames of a piece.
  ///
  /// - Precondition: there is such a piece.
  package func frames(of piece: Int) -> Range<Int> {
    guard let picture else { preconditionFailure("the movie has a picture") }
    return picture.starts[piece]..<(piece + 1 < picture.starts.count ? picture.starts[piece + 1] : picture.frameCount)
  }

  /// The time at which a piece of the picture begins.
  ///
  /// - Precondition: there is such a piece.
  /// - Throws: `TimeError.overflow`.
  package func time(of piece: Int) throws -> MediaTime {
    guard let picture else { preconditionFailure("the movie has a picture") }
    return try picture.frameDuration * Int64(picture.starts[piece])
  }
}

extension AudioCodec {
  /// The samples of a block, where players take the codec in pieces; nil for every other codec.
  fileprivate var playedBlockLength: Int64? {
    switch self {
    case .aac: 1024
    case .opus: 960
    case .mp3, .ac3, .eac3, .flac, .alac, .pcm: nil
    }
  }
}
