internal import Formats
internal import Media
internal import MediaTime
internal import Messages
internal import Scenes

/// Mixes and encodes the sound of an edit, or a part of it, in one go. Several sounds are mixed side by side, and lie side by side in the file.
struct SoundRenderer {
  let edit: ResolvedTimeline
  let policy: SourcePolicy
  /// The samples of the part; nil for the whole sound.
  var part: Range<Int64>?

  /// A sound that was encoded.
  struct Encoded {
    let facts: SegmentFacts
    /// The digest of the samples before encoding.
    let content: ContentDigest
    let loudness: SoundLoudness?
    let concealed: [Concealment]
    /// The size of its packets.
    let load: SegmentWriter.Load
  }

  /// Writes the segment file at `path`.
  ///
  /// - Parameter progress: called after every block with the number of samples mixed so far, a channel, and with the number of all
  ///   that will be mixed. Sound that is measured first is mixed more than once.
  /// - Returns: the sounds, in the order of the file's streams.
  func render(to path: String, progress: (_ done: Int64, _ total: Int64) -> Void) throws -> [Encoded] {
    let sounds = edit.sounds
    precondition(!sounds.isEmpty, "the edit has sound")
    let encoders = try sounds.enumerated().map { stream, sound in
      guard let settings = sound.audio else { preconditionFailure("the edit has sound") }
      return try AudioEncoder(settings: settings, sampleCount: sound.sampleCount, part: part, stream: stream)
    }
    let count = try zip(sounds, encoders).reduce(0) { try $0 + Int64($1.1.fed.count) + $1.0.leadSampleCount }
    var (before, strands): (Int64, [Strand]) = (0, [])
    for (sound, encoder) in zip(sounds, encoders) {
      let mixed = part.map { SoundMix.Part(mixed: encoder.fed, heard: $0) }
      let mastered = try MasteredSound(edit: sound, policy: policy, part: mixed) { progress(before + $0, before + $1 + count) }
      before += mastered.samplesBefore
      strands.append(try Strand(mastered, encoder, part: part))
    }
    let writer = try SegmentWriter(path: path, tracks: strands.map(\.encoder.parameters))
    // The one that is behind goes on, so that packets come in the order of their times.
    while let strand = strands.filter({ !$0.hasEnded }).min(by: { $0.done < $1.done }) {
      try strand.advance(writer)
      progress(strands.reduce(before) { $0 + $1.sound.mixedCount }, before + count)
    }
    let facts = try writer.finishAll()
    return strands.indices.map { index in
      let strand = strands[index]
      return Encoded(
        facts: facts[index], content: strand.hasher.digest, loudness: strand.sound.loudness, concealed: strand.sound.concealed,
        load: writer.loads[index])
    }
  }
}

/// One of the sounds that are mixed side by side. One owner, one thread.
private final class Strand {
  let sound: MasteredSound
  let encoder: AudioEncoder
  let hasher: ContentHasher
  private(set) var hasEnded = false
  /// The number of samples that are encoded. All sounds have one rate.
  private(set) var done: Int64 = 0
  private let part: Range<Int64>?

  init(_ sound: MasteredSound, _ encoder: AudioEncoder, part: Range<Int64>?) throws {
    (self.sound, self.encoder, self.part) = (sound, encoder, part)
    hasher = try ContentHasher()
  }

  /// Mixes and encodes the next block, or ends.
  func advance(_ writer: SegmentWriter) throws {
    guard let block = try sound.next() else {
      hasEnded = true
      return try encoder.finish(to: writer)
    }
    guard block.count > 0 else { return }
    // What is mixed beside a part is not of it.
    if part?.contains(encoder.fed.lowerBound + done) ?? true {
      for channel in 0..<block.channelCount { unsafe hasher.update(UnsafeRawBufferPointer(block.samples[channel])) }
    }
    try unsafe encoder.encode(block.samples, to: writer)
    done += Int64(block.count)
  }
}
