internal import Formats
import Media

/// The way from the codes of a plane to words of 16 bits, in which codes are multiplied by alpha: `word = zero of words + (code -
/// zero) * factor * alpha`. Codes go up and come down in single precision, rounded to the nearest: the same on every machine.
struct CodeRise {
  /// The code that alpha leaves as it is: that of black, or of no colour.
  let zero: Float
  let zeroOfWords: Float
  let factor: Float

  /// The way of alpha itself, 0...65535, to words. As in `PictureFormat.inWords` they have room below 0 and above 1.
  static let ofAlpha = CodeRise(zero: 0, zeroOfWords: 4096, factor: 28032.0 / 65535)

  init(zero: Float, zeroOfWords: Float, factor: Float) {
    (self.zero, self.zeroOfWords, self.factor) = (zero, zeroOfWords, factor)
  }

  /// The ways of the planes of a picture to those of the same picture `inWords`. A code of 1 becomes half of what it means there.
  static func ofPlanes(_ picture: PictureFormat) -> [CodeRise] {
    let (codes, words) = (CodeScale(picture), CodeScale(picture.inWords))
    return (0..<picture.format.planeCount).map { index in
      CodeRise(
        zero: Float(codes.zero[index]), zeroOfWords: Float(words.zero[index]),
        factor: Float(words.unit[index] / codes.unit[index] / 2))
    }
  }
}

extension PictureFormat {
  /// The same layout and colour in 16 bits of limited range. Codes are half of what they mean. So there is room above and below for
  /// what a filter overshoots at an edge: codes and alpha overshoot alike, and their quotient stays what it was.
  var inWords: PictureFormat {
    var tags = color
    tags.range = .limited
    return PictureFormat(
      width: width, height: height, format: PixelFormat(format.layout, bitDepth: 16), color: tags, taggedHeight: height)
  }
}

extension Plane {
  /// Writes the codes of `source` as words, multiplied by their alpha.
  ///
  /// - Precondition: the planes have one width and height. This one and `alpha` have 2 bytes a sample.
  func multiply(_ source: Plane, by alpha: Plane, _ rise: CodeRise) {
    precondition(bytesPerSample == 2 && alpha.hasSameShape(as: self) && (source.width, source.height) == (width, height))
    for y in 0..<height {
      if source.bytesPerSample == 1 {
        unsafe multiplyRow(source.row(y, as: UInt8.self), alpha.row(y), rise, into: row(y), count: width)
      } else {
        unsafe multiplyRow(source.row(y, as: UInt16.self), alpha.row(y), rise, into: row(y), count: width)
      }
    }
  }

  /// Writes alpha as words.
  ///
  /// - Precondition: both planes have one shape and 2 bytes a sample.
  func raise(alpha: Plane) {
    precondition(bytesPerSample == 2 && alpha.hasSameShape(as: self))
    let (start, factor) = (CodeRise.ofAlpha.zeroOfWords + 0.5, CodeRise.ofAlpha.factor)
    for y in 0..<height {
      let (shares, words) = unsafe (alpha.row(y, as: UInt16.self), row(y, as: UInt16.self))
      for x in 0..<width { unsafe words[x] = UInt16(truncatingIfNeeded: Int32(start + Float(shares[x]) * factor)) }
    }
  }

  /// Writes the alpha that words stand for, without what overshoots.
  ///
  /// - Precondition: both planes have one shape and 2 bytes a sample.
  func lower(alpha: Plane) {
    precondition(bytesPerSample == 2 && alpha.hasSameShape(as: self))
    let (zero, factor) = (CodeRise.ofAlpha.zeroOfWords, 1 / CodeRise.ofAlpha.factor)
    for y in 0..<height {
      let (words, shares) = unsafe (alpha.row(y, as: UInt16.self), row(y, as: UInt16.self))
      for x in 0..<width {
        let share = unsafe (Float(words[x]) - zero) * factor + 0.5
        unsafe shares[x] = UInt16(truncatingIfNeeded: Int32(min(max(share, 0), 65535)))
      }
    }
  }

  /// Writes the codes of the words in `source`, divided by their alpha, which is in words too. Where alpha is 0 or less the code is
  /// that of black.
  ///
  /// - Parameter bitDepth: the bits of this plane's samples.
  /// - Precondition: the planes have one width and height. `source` and `alpha` have 2 bytes a sample.
  func divide(_ source: Plane, by alpha: Plane, _ rise: CodeRise, bitDepth: Int) {
    precondition(source.bytesPerSample == 2 && alpha.hasSameShape(as: source) && (source.width, source.height) == (width, height))
    let top = Float((1 << bitDepth) - 1)
    for y in 0..<height {
      if bytesPerSample == 1 {
        unsafe divideRow(source.row(y), alpha.row(y), rise, top: top, into: row(y, as: UInt8.self), count: width)
      } else {
        unsafe divideRow(source.row(y), alpha.row(y), rise, top: top, into: row(y, as: UInt16.self), count: width)
      }
    }
  }
}

@inline(__always)
private func multiplyRow<Sample: FixedWidthInteger & UnsignedInteger>(
  _ codes: UnsafeMutablePointer<Sample>, _ alpha: UnsafeMutablePointer<UInt16>, _ rise: CodeRise,
  into words: UnsafeMutablePointer<UInt16>, count: Int
) {
  let (zero, start, factor) = (rise.zero, rise.zeroOfWords + 0.5, rise.factor / 65535)
  for x in 0..<count {
    let word = unsafe start + (Float(codes[x]) - zero) * (factor * Float(alpha[x]))
    unsafe words[x] = UInt16(truncatingIfNeeded: Int32(min(max(word, 0), 65535)))
  }
}

@inline(__always)
private func divideRow<Sample: FixedWidthInteger & UnsignedInteger>(
  _ words: UnsafeMutablePointer<UInt16>, _ alpha: UnsafeMutablePointer<UInt16>, _ rise: CodeRise, top: Float,
  into codes: UnsafeMutablePointer<Sample>, count: Int
) {
  let (zero, start, factor) = (rise.zero + 0.5, rise.zeroOfWords, 65535 * CodeRise.ofAlpha.factor / rise.factor)
  let none = CodeRise.ofAlpha.zeroOfWords
  for x in 0..<count {
    let share = unsafe Float(alpha[x]) - none
    let distance = unsafe share > 0 ? (Float(words[x]) - start) * (factor / share) : 0
    unsafe codes[x] = Sample(truncatingIfNeeded: Int32(min(max(zero + distance, 0), top)))
  }
}
