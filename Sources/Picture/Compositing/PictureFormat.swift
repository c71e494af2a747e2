package import Formats
package import Media

/// The size, layout and colour of a picture. zimg converts from one to another.
package struct PictureFormat: Hashable {
  var width: Int
  var height: Int
  var format: PixelFormat
  /// The colour. No tag is unknown. Tags of the same meaning have one name, so that equal pictures have equal formats.
  private(set) var color: ColorTags

  /// - Parameter color: the colour as tagged. Unknown tags are filled in as players do it, by `taggedHeight`: the number of lines
  ///   of the picture that the tags belong to.
  package init(width: Int, height: Int, format: PixelFormat, color: ColorTags, taggedHeight: Int) {
    (self.width, self.height, self.format) = (width, height, format)
    var color = color.resolved(height: taggedHeight)
    if format.layout == .gbr {
      color.matrix = .rgb
    } else if color.matrix == .rgb {
      // RGB tags on a YUV picture contradict its planes, so the matrix counts as unknown.
      color.matrix = .unknown
      color = color.resolved(height: taggedHeight)
    }
    self.color = color.withOneNamePerMeaning
  }

  /// The same layout and colour in another size.
  func sized(_ width: Int, _ height: Int) -> PictureFormat {
    var other = self
    (other.width, other.height) = (width, height)
    return other
  }

  /// Whether samples of both stand for the same colours, in the same planes.
  func hasSameSamples(as other: PictureFormat) -> Bool {
    format == other.format && color == other.color
  }

  var isHighRange: Bool { color.isHighRange }

  /// The width and height of the luma block that one chroma sample stands for.
  var cell: (width: Int, height: Int) { format.cell }
}

extension PixelFormat {
  /// The width and height of the luma block that one sample of the most subsampled plane stands for.
  var cell: (width: Int, height: Int) {
    let shift = shift(ofPlane: planeCount - 1)
    return (1 << shift.x, 1 << shift.y)
  }
}

extension ColorTags {
  /// The tags with one name for each meaning: BT.601, BT.709 and BT.2020 have one transfer function, and BT.601's two matrices
  /// are the same.
  fileprivate var withOneNamePerMeaning: ColorTags {
    var tags = self
    switch transfer {
    case .smpte170m, .bt2020_10, .bt2020_12: tags.transfer = .bt709
    case .bt709, .bt470bg, .srgb, .linear, .pq, .hlg, .unknown: break
    }
    if matrix == .bt470bg { tags.matrix = .smpte170m }
    return tags
  }
}
