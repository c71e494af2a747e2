internal import Media
internal import MediaTime
internal import SampleStream
internal import Formats

/// Encodes the sound of a movie as it comes, for fragments that are made meanwhile.
final class LiveSoundMaker {
  /// The packets that no fragment has yet.
  let track: LiveTrack
  private let form: SampleTrack.SoundForm
  private let settings: AudioCodecSettings
  private let encoder: AudioEncoder
  /// Nil where what comes has the movie's rate and channels.
  private let converter: SoundConverter?
  private let block: SampleBlock
  private let made: SampleBlock
  /// The number of samples that came, a channel, and of those that the encoder has.
  private var count: Int64 = 0
  private var encoded: Int64 = 0

  init(_ form: SampleTrack.SoundForm, _ coding: WritingOrder.SoundCoding, in fileType: FileType) throws {
    let choice = try SoundCodingChoice(form, coding, in: fileType)
    (self.form, settings) = (form, choice.settings)
    encoder = try AudioEncoder(settings: settings, sampleCount: nil)
    track = LiveTrack(of: encoder)
    converter =
      choice.takes(form)
      ? nil : try SoundConverter(from: form.sampleRate, choice.source, to: settings.sampleRate, settings.channelLayout)
    block = SampleBlock(channelCount: form.channelCount, capacity: SoundConverter.blockLength)
    made = SampleBlock(channelCount: settings.channelLayout.channelCount, capacity: SoundConverter.blockLength)
  }

  /// The time at which the sound that came so far ends.
  var end: MediaTime {
    get throws { try MediaTime(count, form.sampleRate) }
  }

  func take(_ samples: [UInt8], at time: MediaTime) throws {
    guard !track.isAtEnd else { throw SampleMovie.Fault("the sound at \(time) s comes after its track has ended") }
    guard let (place, bytes) = try form.placed(samples, at: time, behind: count) else { return }
    // A gap is silence.
    while count < place {
      block.silence(Int(min(place - count, Int64(block.capacity))))
      try take(block)
    }
    var rest = bytes
    while !rest.isEmpty {
      block.fill(rest.prefix(block.capacity * form.stride))
      rest = rest.dropFirst(block.capacity * form.stride)
      try take(block)
    }
  }

  private func take(_ block: SampleBlock) throws {
    count += Int64(block.count)
    guard let converter else { return try encode(block) }
    try unsafe converter.take(block.samples)
    try giveConverted(.max)
  }

  private func encode(_ block: SampleBlock) throws {
    try unsafe encoder.encode(block.samples, to: track)
    encoded += Int64(block.count)
  }

  /// Encodes what is converted, up to a number of samples.
  private func giveConverted(_ most: Int64) throws {
    var left = most
    while left > 0, let converter {
      made.count = unsafe converter.give(Int(min(left, Int64(made.capacity))), into: made.planes)
      guard made.count > 0 else { return }
      try encode(made)
      left -= Int64(made.count)
    }
  }

  /// Encodes the rest. No more sound comes.
  func finish() throws {
    guard !track.isAtEnd else { return }
    if let converter {
      let total = try MediaTime(count, form.sampleRate).samples(at: settings.sampleRate)
      try converter.finish()
      try giveConverted(total - encoded)
      // The filter gives a sample or two fewer than the sound is long. Silence fills them.
      while encoded < total {
        made.silence(Int(min(total - encoded, Int64(made.capacity))))
        try encode(made)
      }
    }
    try encoder.finish(to: track)
    try track.close(nil)
  }

  /// Takes away what is heard from a time on, as far as no fragment has it.
  ///
  /// - Returns: the number of samples, a channel.
  func cut(at end: MediaTime?) throws -> Int64 {
    guard let end, case let last = try max(0, end.samples(at: settings.sampleRate)), last < encoded else { return encoded }
    track.cut(at: last)
    return last
  }
}
