/// The way in which the samples of a pixel lie together, for encoders that take no planes. Alpha comes last.
package enum PixelPacking: Hashable, Sendable {
  /// Red, green, blue. Samples of 16 bits have their higher byte first.
  case rgb
  /// Red, green, blue. Samples of 16 bits have their lower byte first.
  case rgbLowByteFirst
  /// Blue, green, red, and alpha in any case, of 8 bits.
  case bgra
}
