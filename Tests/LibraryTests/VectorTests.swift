import Accelerate
import Foundation
import Testing

/// The parts of vDSP that waveforms are made with.
@Suite struct `Vectors` {
  @Test func `become a waveform in decibels, as apps draw it`() {
    let samples: [Int16] = [32767, -16384, 0, 3277, -32768, 328, 1, -1]
    var buffer = [Float](repeating: 0, count: 8)
    unsafe vDSP_vflt16(samples, 1, &buffer, 1, 8)
    #expect(buffer == samples.map(Float.init))
    unsafe vDSP_vabs(buffer, 1, &buffer, 1, 8)
    var (zero, low, high): (Float, Float, Float) = (32768, -50, 0)
    unsafe vDSP_vdbcon(buffer, 1, &zero, &buffer, 1, 8, 1)
    unsafe vDSP_vclip(buffer, 1, &low, &high, &buffer, 1, 8)
    for (made, wanted) in zip(buffer, [-0.0003, -6.0206, -50, -20, 0, -40, -50, -50] as [Float]) {
      #expect(abs(made - wanted) < 0.02, "\(made)")
    }
    var few = [Float](repeating: 0, count: 2)
    unsafe vDSP_desamp(buffer, 4, [0.25, 0.25, 0.25, 0.25], &few, 2, 4)
    #expect(abs(few[0] + 19.005) < 0.02 && abs(few[1] + 35) < 0.02)
  }

  @Test func `are computed sample by sample, in strides`() {
    let (one, other): ([Float], [Float]) = ([1, 2, 3, 4], [10, 20, 30, 40])
    var made = [Float](repeating: 0, count: 4)
    unsafe vDSP_vsub(one, 1, other, 1, &made, 1, 4)
    #expect(made == [9, 18, 27, 36])
    unsafe vDSP_vdiv(one, 1, other, 1, &made, 1, 4)
    #expect(made == [10, 10, 10, 10])
    unsafe vDSP_vadd(one, 2, other, 2, &made, 2, 2)
    #expect(made == [11, 10, 33, 10])
    var (factor, more): (Float, Float) = (2, -1)
    unsafe vDSP_vsmsa(one, 1, &factor, &more, &made, 1, 4)
    #expect(made == [1, 3, 5, 7])
    var numbers = [Int16](repeating: 9, count: 4)
    unsafe vDSP_vfix16([1.9, -1.9, 1e9, .nan], 1, &numbers, 1, 4)
    #expect(numbers == [1, -1, 32767, 0])
  }

  @Test func `have sums, means and a greatest sample`() {
    let samples: [Float] = [3, -4, 0, 1]
    var (value, place): (Float, vDSP_Length) = (0, 0)
    unsafe vDSP_rmsqv(samples, 1, &value, 4)
    #expect(value == Float(26.0 / 4).squareRoot() && vDSP.rootMeanSquare(samples) == value)
    unsafe vDSP_meamgv(samples, 1, &value, 4)
    #expect(value == 2 && vDSP.meanMagnitude(samples) == 2 && vDSP.mean(samples) == 0)
    unsafe vDSP_maxmgv(samples, 1, &value, 4)
    #expect(value == 4 && vDSP.maximum(samples) == 3 && vDSP.minimum(samples) == -4)
    unsafe vDSP_maxvi(samples, 1, &value, &place, 4)
    #expect(value == 3 && place == 0)
    unsafe vDSP_dotpr(samples, 1, samples, 1, &value, 4)
    #expect(value == 26 && vDSP.sumOfSquares(samples) == 26)
    unsafe vDSP_maxv(samples, 1, &value, 0)
    #expect(value == -.infinity && vDSP.mean([Float]()).isNaN)
    #expect(vDSP.multiply(2, samples[1...]) == [-8, 0, 2] && vDSP.add(samples, samples) == [6, -8, 0, 2])
  }
}
