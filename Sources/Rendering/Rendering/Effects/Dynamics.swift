internal import Formats
internal import MediaTime
internal import Timeline

/// The gain of a compressor over time, for the levels of samples. It moves by decibels, with a time constant for each direction.
struct CompressorGain {
  private let compressor: Compressor
  /// The linear level below which nothing is lowered.
  private let bend: Double
  private let attack: Double
  private let release: Double
  private let makeUp: Double
  /// The dB by which the sound is lowered now.
  private(set) var reduction = 0.0
  /// The reduction in dB below which there is none: less than half a step of a float's 24 bits.
  private static let nothing = 1e-8
  /// The loudest level that is told apart, +600 dB.
  private static let loudest = 1e30

  init(_ compressor: Compressor, sampleRate: Int32) {
    self.compressor = compressor
    bend = Exponential.gain(decibels: compressor.threshold - compressor.knee / 2)
    attack = compressor.attack.smoothing(sampleRate: sampleRate)
    release = compressor.release.smoothing(sampleRate: sampleRate)
    makeUp = Exponential.gain(decibels: compressor.makeUpGain)
  }

  /// The gain of the next sample.
  ///
  /// - Parameter level: its magnitude, linear, in the loudest channel.
  mutating func next(_ level: Double) -> Double {
    let wanted = level > bend ? compressor.reduction(of: Logarithm.decibels(min(level, Self.loudest))) : 0
    reduction = wanted + (wanted > reduction ? attack : release) * (reduction - wanted)
    if wanted == 0, reduction < Self.nothing { reduction = 0 }
    return reduction == 0 ? makeUp : Exponential.gain(decibels: compressor.makeUpGain - reduction)
  }
}

final class CompressorEffect: BlockEffect {
  private var gain: CompressorGain

  init(_ compressor: Compressor, sampleRate: Int32) { gain = CompressorGain(compressor, sampleRate: sampleRate) }

  func process(_ block: SampleBlock) {
    for index in 0..<block.count { block.scale(index, by: gain.next(block.level(index))) }
  }
}

/// The gain of a gate over time. It is linear, and moves with a time constant for each direction.
struct GateGain {
  private let threshold: Double
  private let closed: Double
  private let attack: Double
  private let release: Double
  private let hold: Int64
  /// The samples for which it stays open.
  private var left: Int64 = 0
  private(set) var gain: Double
  /// The distance below which a gain has arrived.
  private static let nothing = 1e-9

  init(_ gate: Gate, sampleRate: Int32) throws(TimeError) {
    threshold = Exponential.gain(decibels: gate.threshold)
    closed = Exponential.gain(decibels: gate.range)
    attack = gate.attack.smoothing(sampleRate: sampleRate)
    release = gate.release.smoothing(sampleRate: sampleRate)
    hold = try gate.hold.samples(at: sampleRate)
    gain = closed
  }

  /// The gain of the next sample.
  ///
  /// - Parameter level: its magnitude, linear, in the loudest channel.
  mutating func next(_ level: Double) -> Double {
    if level >= threshold { left = hold + 1 }
    let target = left > 0 ? 1 : closed
    left = max(left - 1, 0)
    gain = target + (target > gain ? attack : release) * (gain - target)
    if abs(gain - target) < Self.nothing { gain = target }
    return gain
  }
}

final class GateEffect: BlockEffect {
  private var gain: GateGain

  init(_ gate: Gate, sampleRate: Int32) throws(TimeError) { gain = try GateGain(gate, sampleRate: sampleRate) }

  func process(_ block: SampleBlock) {
    for index in 0..<block.count { block.scale(index, by: gain.next(block.level(index))) }
  }
}

/// A high shelf whose gain follows a compressor of what a high pass lets through. Below the threshold it changes no sample.
final class DeEsserEffect: BlockEffect {
  private var passes: [Biquad]
  private var shelves: [Biquad]
  private let corner: Biquad.Corner
  private var gain: CompressorGain

  init(_ deEsser: DeEsser, channelCount: Int, sampleRate: Int32) {
    corner = Biquad.Corner(frequency: deEsser.frequency, sampleRate: sampleRate)
    passes = Array(repeating: Biquad(Biquad.Coefficients(.highPass, corner, root: 1)), count: channelCount)
    shelves = Array(repeating: Biquad(Biquad.Coefficients(.highShelf, corner, root: 1)), count: channelCount)
    gain = CompressorGain(deEsser.compressor, sampleRate: sampleRate)
  }

  func process(_ block: SampleBlock) {
    for index in 0..<block.count {
      var level = 0.0
      for channel in passes.indices { level = max(level, abs(passes[channel].next(unsafe Double(block.planes[channel][index])))) }
      let coefficients = Biquad.Coefficients(.highShelf, corner, root: gain.next(level).squareRoot())
      for channel in shelves.indices {
        let plane = unsafe block.planes[channel]
        shelves[channel].coefficients = coefficients
        unsafe plane[index] = Float(shelves[channel].next(Double(plane[index])))
      }
    }
  }
}

extension MediaTime {
  /// The share of a distance that is left after one sample, where this is the time constant: after it, 1/e of the distance is left.
  fileprivate func smoothing(sampleRate: Int32) -> Double {
    self > .zero ? Exponential.power(-1 / (seconds * Double(sampleRate))) : 0
  }
}

extension SampleBlock {
  /// The magnitude of a sample in the loudest channel.
  fileprivate func level(_ index: Int) -> Double {
    var level: Float = 0
    for channel in 0..<channelCount { level = max(level, unsafe abs(planes[channel][index])) }
    return Double(level)
  }

  fileprivate func scale(_ index: Int, by gain: Double) {
    guard gain != 1 else { return }
    for channel in 0..<channelCount {
      let plane = unsafe planes[channel]
      unsafe plane[index] = Float(Double(plane[index]) * gain)
    }
  }
}
