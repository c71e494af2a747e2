internal import Formats
internal import MediaTime
internal import Scenes
internal import Timeline

/// An effect that changes blocks in place, one after the other. Its output does not depend on how the sound is divided into blocks.
protocol BlockEffect: AnyObject {
  func process(_ block: SampleBlock)
}

/// Effects in their order. One owner, one thread.
final class EffectChain {
  private let effects: [any BlockEffect]

  /// - Precondition: the effects' frequencies are below half of the rate.
  init(_ effects: [SoundEffect], _ settings: AudioCodecSettings) throws(TimeError) {
    let (rate, channelCount) = (settings.sampleRate, settings.channelLayout.channelCount)
    self.effects = try effects.map { (effect) throws(TimeError) -> any BlockEffect in
      switch effect {
      case .equalizer(let bands): return Equalizer(bands, channelCount: channelCount, sampleRate: rate)
      case .compressor(let compressor): return CompressorEffect(compressor, sampleRate: rate)
      case .gate(let gate): return try GateEffect(gate, sampleRate: rate)
      case .reverb(let reverb): return try ReverbEffect(reverb, settings)
      case .deEsser(let deEsser): return DeEsserEffect(deEsser, channelCount: channelCount, sampleRate: rate)
      }
    }
  }

  /// Processes the next samples. What is no number becomes silence, as in encoders: a filter would never forget it.
  func process(_ block: SampleBlock) {
    for channel in 0..<block.channelCount {
      let plane = unsafe block.planes[channel]
      for index in 0..<block.count where unsafe !plane[index].isFinite { unsafe plane[index] = 0 }
    }
    for effect in effects { effect.process(block) }
  }
}

/// A track with effects, on its way into the mix. One owner, one thread.
final class EffectBus {
  let track: TrackID
  /// The sum of the track's spans.
  let block: SampleBlock
  private let chain: EffectChain
  private let gains: [GainCurve]
  private let sides: [ChannelSide]

  init(_ bus: SoundBus, _ settings: AudioCodecSettings) throws(TimeError) {
    (track, sides) = (bus.track, settings.channelLayout.sides)
    block = SampleBlock(channelCount: settings.channelLayout.channelCount, capacity: SoundMix.blockLength)
    chain = try EffectChain(bus.effects, settings)
    gains = try bus.volumes.map { (volume) throws(TimeError) in try GainCurve(volume, sampleRate: settings.sampleRate) }
  }

  /// Adds what comes out of the effects to the mix.
  ///
  /// - Parameter first: the sample of the movie that is the block's first one.
  func add(from first: Int64, to mixed: SampleBlock) {
    chain.process(block)
    block.apply(gains, from: first, sides: sides)
    for channel in 0..<block.channelCount {
      let source = unsafe UnsafeMutableBufferPointer(rebasing: block.planes[channel][..<block.count])
      unsafe SampleArithmetic.add(source, times: 1, to: mixed.planes[channel])
    }
  }
}

/// Filters of all channels alike.
final class Equalizer: BlockEffect {
  /// The filters of each channel.
  private var filters: [[Biquad]]

  init(_ bands: [EqualizerBand], channelCount: Int, sampleRate: Int32) {
    let own = bands.map { Biquad(Biquad.Coefficients($0, sampleRate: sampleRate)) }
    filters = Array(repeating: own, count: channelCount)
  }

  func process(_ block: SampleBlock) {
    for channel in 0..<block.channelCount {
      let plane = unsafe block.planes[channel]
      for index in 0..<block.count {
        var sample = unsafe Double(plane[index])
        for band in filters[channel].indices { sample = filters[channel][band].next(sample) }
        unsafe plane[index] = Float(sample)
      }
    }
  }
}
