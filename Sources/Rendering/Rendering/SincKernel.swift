internal import Formats

/// The filter by which a signal is found between its samples: a sinc in a Kaiser window. Where the signal is played faster, the filter
/// is as many times as long, and takes away what lies above half the rate of the output.
///
/// Its numbers are computed by additions, multiplications, divisions and square roots in a fixed order, so they have the same bits on
/// every machine.
struct SincKernel {
  /// The samples on either side of a place that count for it, at a speed of 1 and below.
  static let reach = 48
  /// The number of the table's values for a sample. Between them the filter is a line, which is exact to less than a millionth.
  private static let steps = 2_048
  /// The middle of the filter's edge, as a share of half the rate. It passes 0.84 whole, and takes away all above 1.
  private static let edge = 0.92
  /// The shape of the window: with 12, what should be gone is 120 dB lower.
  private static let shape = 12.0
  private static let table: [Double] = (0...reach * steps + 1).map { value(at: Double($0) / Double(steps)) }

  /// The weights of the last place.
  private(set) var weights: [Double] = []

  /// Finds the weights of the samples around a place.
  ///
  /// - Parameter step: the samples that are passed from one place to the next; not negative.
  /// - Returns: the number of the first sample that counts. The others follow it.
  mutating func aim(at place: Double, step: Double) -> Int64 {
    let share = min(1, 1 / max(step, 1))
    let radius = Double(Self.reach) / share
    let first = (place - radius).rounded(.up)
    let count = Int((place + radius).rounded(.down) - first) + 1
    weights.removeAll(keepingCapacity: true)
    for index in 0..<count {
      let distance = abs(first + Double(index) - place) * share * Double(Self.steps)
      let whole = min(Int(distance), Self.table.count - 2)
      let (low, high) = (Self.table[whole], Self.table[whole + 1])
      weights.append(share * (low + (high - low) * (distance - Double(whole))))
    }
    return Int64(first)
  }

  /// The most samples that count for a place.
  static func width(step: Double) -> Int { Int((2 * Double(reach) * max(step, 1)).rounded(.up)) + 2 }

  private static func value(at distance: Double) -> Double {
    let share = distance / Double(reach)
    guard share < 1 else { return 0 }
    let window = bessel(shape * (1 - share * share).squareRoot()) / bessel(shape)
    guard distance > 0 else { return edge * window }
    return Trigonometry.sineAndCosine(degrees: 180 * edge * distance).sine / (Double.pi * distance) * window
  }

  /// The modified Bessel function of order zero, by its power series (NIST DLMF 10.25.2).
  private static func bessel(_ x: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for index in 1...50 {
      term *= x / 2 / Double(index) * (x / 2 / Double(index))
      sum += term
    }
    return sum
  }
}
