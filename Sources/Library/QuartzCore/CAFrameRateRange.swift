/// A range of frames in a second, in which an animation is wished to be shown on a screen.
public struct CAFrameRateRange: Hashable, Sendable {
  public var minimum: Float
  public var maximum: Float
  public var __preferred: Float
  /// The wished number; nil for none.
  public var preferred: Float? {
    get { __preferred > 0 ? __preferred : nil }
    set { __preferred = newValue ?? 0 }
  }

  public init(minimum: Float, maximum: Float, preferred: Float? = nil) {
    (self.minimum, self.maximum, __preferred) = (minimum, maximum, preferred ?? 0)
  }
  public static let `default` = CAFrameRateRange(minimum: 0, maximum: 0)
}
