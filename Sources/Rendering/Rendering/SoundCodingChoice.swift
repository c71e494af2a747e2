internal import Formats
internal import Media
internal import MediaTime
internal import SampleStream

/// The codec of a sound that is written, and the sound that comes.
struct SoundCodingChoice {
  let settings: AudioCodecSettings
  /// The channels of what comes.
  let source: AudioCodecSettings.ChannelLayout

  /// - Throws: a `Fault` for what the codec or the file does not hold.
  init(_ form: SampleTrack.SoundForm, _ coding: WritingOrder.SoundCoding, in fileType: FileType) throws {
    guard let codec = AudioCodec(rawValue: coding.codec), codec.fileTypes.contains(fileType) else {
      throw SampleMovie.Fault("\(coding.codec) does not go into \(fileType.rawValue)")
    }
    func layout(_ count: Int) throws -> AudioCodecSettings.ChannelLayout {
      guard let layout = AudioCodecSettings.ChannelLayout.allCases.first(where: { $0.channelCount == count }) else {
        throw SampleMovie.Fault("\(count) channels: 1, 2, 6, 8 and 12 are written")
      }
      return layout
    }
    var audio = codec.usual
    if let bitRate = coding.bitRate { audio.bitRate = bitRate }
    if case .pcm = audio, let samples = coding.samples.flatMap(PCM.Samples.init) { audio = .pcm(PCM(samples: samples)) }
    let sampleRate = coding.sampleRate ?? form.sampleRate
    guard audio.coder.sampleRates.contains(sampleRate) else {
      throw SampleMovie.Fault("\(coding.codec) has no sound of \(sampleRate) samples a second")
    }
    var settings = AudioCodecSettings(
      audio, sampleRate: sampleRate, channelLayout: try layout(coding.channelCount ?? form.channelCount))
    if coding.bitRate == nil { settings.fitBitRate() }
    if let rates = settings.bitRates, let rate = settings.coding.bitRate, !rates.contains(rate), !audio.coder.makesNearestBitRate
    {
      throw SampleMovie.Fault("\(coding.codec) has no bit rate of \(rate); it has \(rates)")
    }
    self.settings = settings
    guard settings.channelLayout.channelCount <= audio.coder.mostChannels else {
      throw SampleMovie.Fault("\(coding.codec) has at most \(audio.coder.mostChannels) channels")
    }
    if let objection = fileType.objection(to: settings.channelLayout, of: codec) { throw SampleMovie.Fault(objection) }
    source = try layout(form.channelCount)
  }

  /// Whether what comes has the movie's rate and channels.
  func takes(_ form: SampleTrack.SoundForm) -> Bool {
    settings.sampleRate == form.sampleRate && settings.channelLayout == source
  }
}

extension SampleTrack.SoundForm {
  /// The samples by which a time may miss the end of what came before: times are often rounded.
  private static let tolerance: Int64 = 1

  /// The bytes of a sample of all channels.
  var stride: Int { channelCount * MemoryLayout<Float>.size }

  /// The place of samples in the sound, and those that are heard; nil where all come before the beginning.
  ///
  /// - Parameter count: the number of samples that came before.
  /// - Throws: a `Fault` for samples that overlap with those.
  func placed(_ samples: [UInt8], at time: MediaTime, behind count: Int64) throws -> (place: Int64, bytes: ArraySlice<UInt8>)? {
    guard samples.count.isMultiple(of: stride) else { throw SampleMovie.Fault("the sound at \(time) s has a broken sample") }
    var place = try Int64(clamping: (Rational(time) * Rational(Int64(sampleRate))).rounded())
    var bytes = samples[...]
    if place < 0 {
      // Samples from before the beginning are cut off.
      let early = min(Int64(samples.count / stride), -place)
      bytes = bytes.dropFirst(Int(early) * stride)
      place += early
      guard !bytes.isEmpty else { return nil }
    }
    if abs(place - count) <= Self.tolerance { place = count }
    guard place >= count else {
      throw SampleMovie.Fault("the sound at \(time) s begins before the sound that came before it has ended")
    }
    return (place, bytes)
  }
}

extension SampleBlock {
  /// Fills the block with samples of 32 bits, little-endian, whose channels lie beside each other.
  ///
  /// - Precondition: they are no more than the block holds.
  func fill(_ bytes: ArraySlice<UInt8>) {
    let size = MemoryLayout<Float>.size
    count = bytes.count / (channelCount * size)
    precondition(count <= capacity)
    unsafe bytes.withUnsafeBytes { raw in
      for channel in 0..<channelCount {
        let plane = unsafe planes[channel]
        for index in 0..<count {
          let offset = (index * channelCount + channel) * size
          unsafe plane[index] = Float(
            bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
      }
    }
  }
}
