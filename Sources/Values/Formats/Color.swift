/// A colour with straight (not premultiplied) alpha. Components are 0...1, in sRGB, the encoding of documents.
package struct RGBAColor: Hashable, Sendable, Codable {
  package var red: Double
  package var green: Double
  package var blue: Double
  package var alpha: Double

  package static let black = RGBAColor(0, 0, 0)
  package static let white = RGBAColor(1, 1, 1)

  package init(_ red: Double, _ green: Double, _ blue: Double, alpha: Double = 1) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }
}

/// How code values stand for colours. The raw values are FFmpeg's names, which ffprobe prints.
package struct ColorTags: Hashable, Sendable, Codable {
  package enum Primaries: String, Hashable, Sendable, Codable, CaseIterable {
    case bt709, bt470bg, smpte170m, bt2020, smpte432, unknown
  }
  package enum Transfer: String, Hashable, Sendable, Codable, CaseIterable {
    case bt709, smpte170m, bt470bg, srgb = "iec61966-2-1", linear, bt2020_10 = "bt2020-10", bt2020_12 = "bt2020-12", pq =
      "smpte2084", hlg = "arib-std-b67", unknown
  }
  package enum Matrix: String, Hashable, Sendable, Codable, CaseIterable {
    case rgb = "gbr", bt709, bt470bg, smpte170m, bt2020nc, unknown
  }
  package enum Range: String, Hashable, Sendable, Codable, CaseIterable { case limited = "tv", full = "pc" }

  package var primaries: Primaries
  package var transfer: Transfer
  package var matrix: Matrix
  package var range: Range

  /// The tags stand in the order of ITU-T H.273, in which containers write them.
  package init(_ primaries: Primaries, _ transfer: Transfer, _ matrix: Matrix, _ range: Range) {
    (self.primaries, self.transfer, self.matrix, self.range) = (primaries, transfer, matrix, range)
  }

  package static let bt709 = ColorTags(.bt709, .bt709, .bt709, .limited)
  package static let bt601Line625 = ColorTags(.bt470bg, .bt709, .bt470bg, .limited)
  package static let bt601Line525 = ColorTags(.smpte170m, .smpte170m, .smpte170m, .limited)
  package static let srgb = ColorTags(.bt709, .srgb, .rgb, .full)
  package static let displayP3 = ColorTags(.smpte432, .srgb, .bt709, .limited)
  package static let bt2020 = ColorTags(.bt2020, .bt2020_10, .bt2020nc, .limited)
  package static let bt2020PQ = ColorTags(.bt2020, .pq, .bt2020nc, .limited)
  package static let bt2020HLG = ColorTags(.bt2020, .hlg, .bt2020nc, .limited)

  /// The tags of a still picture that says nothing else. They are JFIF's (ITU-T T.871); WebP and TIFF are used in the same way.
  package static let still = ColorTags(.bt709, .srgb, .bt470bg, .full)
  /// The tags of Motion JPEG that says nothing else: the colours of cameras (the defaults of USB Video Class), in the matrix and
  /// range of JFIF.
  package static let motionJPEG = ColorTags(.bt709, .bt709, .bt470bg, .full)

  /// The sets of tags that a document may name by one word.
  package static let named: [(name: String, tags: ColorTags)] = [
    ("bt709", .bt709), ("bt601-625", .bt601Line625), ("bt601-525", .bt601Line525), ("display-p3", .displayP3),
    ("bt2020", .bt2020), ("bt2020-pq", .bt2020PQ), ("bt2020-hlg", .bt2020HLG),
  ]

  /// Whether light may be brighter than graphics white. It may in PQ and HLG.
  package var isHighRange: Bool { transfer == .pq || transfer == .hlg }

  /// The tags, with `other`'s in place of unknown ones. The range stays.
  package func filled(from other: ColorTags) -> ColorTags {
    ColorTags(
      primaries == .unknown ? other.primaries : primaries, transfer == .unknown ? other.transfer : transfer,
      matrix == .unknown ? other.matrix : matrix, range)
  }

  /// The tags with every unknown one filled in. RGB is taken for sRGB, as screens and stills have it. YUV is taken for what
  /// players take it for: BT.709 from 720 lines on, else BT.601 of 625 lines (for 576 or 288 lines) or of 525 lines.
  package func resolved(height: Int) -> ColorTags {
    let video: ColorTags = height >= 720 ? .bt709 : height == 576 || height == 288 ? .bt601Line625 : .bt601Line525
    let guess = matrix == .rgb ? .srgb : video
    return filled(from: guess)
  }
}
