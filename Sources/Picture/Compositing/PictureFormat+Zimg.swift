internal import CZimg
import Formats
import Media

extension PictureFormat {
  /// The format in zimg's terms.
  var described: zimg_image_format {
    var image = zimg_image_format()
    unsafe zimg_image_format_default(&image, spool_ZIMG_API_VERSION)
    (image.width, image.height) = (UInt32(width), UInt32(height))
    image.pixel_type = format.bytesPerSample == 1 ? ZIMG_PIXEL_BYTE : ZIMG_PIXEL_WORD
    image.depth = UInt32(format.bitDepth)
    let shift = format.shift(ofPlane: format.planeCount - 1)
    (image.subsample_w, image.subsample_h) = (UInt32(shift.x), UInt32(shift.y))
    image.color_family =
      switch format.layout {
      case .gray: ZIMG_COLOR_GREY
      case .gbr: ZIMG_COLOR_RGB
      case .yuv420, .yuv422, .yuv444: ZIMG_COLOR_YUV
      }
    image.matrix_coefficients = color.matrix.code
    image.transfer_characteristics = color.transfer.code
    image.color_primaries = color.primaries.code
    image.pixel_range = color.range == .full ? ZIMG_RANGE_FULL : ZIMG_RANGE_LIMITED
    image.chroma_location = ZIMG_CHROMA_LEFT
    return image
  }
}

extension ColorTags.Matrix {
  fileprivate var code: zimg_matrix_coefficients_e {
    switch self {
    case .rgb: ZIMG_MATRIX_RGB
    case .bt709: ZIMG_MATRIX_BT709
    case .bt470bg: ZIMG_MATRIX_BT470_BG
    case .smpte170m: ZIMG_MATRIX_ST170_M
    case .bt2020nc: ZIMG_MATRIX_BT2020_NCL
    case .unknown: ZIMG_MATRIX_UNSPECIFIED
    }
  }
}

extension ColorTags.Transfer {
  fileprivate var code: zimg_transfer_characteristics_e {
    switch self {
    case .bt709: ZIMG_TRANSFER_BT709
    case .smpte170m: ZIMG_TRANSFER_BT601
    case .bt470bg: ZIMG_TRANSFER_BT470_BG
    case .srgb: ZIMG_TRANSFER_IEC_61966_2_1
    case .linear: ZIMG_TRANSFER_LINEAR
    case .bt2020_10: ZIMG_TRANSFER_BT2020_10
    case .bt2020_12: ZIMG_TRANSFER_BT2020_12
    case .pq: ZIMG_TRANSFER_ST2084
    case .hlg: ZIMG_TRANSFER_ARIB_B67
    case .unknown: ZIMG_TRANSFER_UNSPECIFIED
    }
  }
}

extension ColorTags.Primaries {
  fileprivate var code: zimg_color_primaries_e {
    switch self {
    case .bt709: ZIMG_PRIMARIES_BT709
    case .bt470bg: ZIMG_PRIMARIES_BT470_BG
    case .smpte170m: ZIMG_PRIMARIES_ST170_M
    case .bt2020: ZIMG_PRIMARIES_BT2020
    case .smpte432: ZIMG_PRIMARIES_ST432_1
    case .unknown: ZIMG_PRIMARIES_UNSPECIFIED
    }
  }
}
