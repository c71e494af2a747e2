internal import Formats
import Media

/// The codes of a picture for R'G'B' (ITU-T H.273): code = zero + unit * (fromRGB * R'G'B'), in the order of the planes.
struct CodeScale {
  let fromRGB: ColorMatrix
  let zero: SIMD3<Double>
  let unit: SIMD3<Double>

  init(_ picture: PictureFormat) {
    let depth = picture.format.bitDepth
    let (top, step) = (Double((1 << depth) - 1), Double(1 << (depth - 8)))
    let isFull = picture.color.range == .full
    let (black, luma) = isFull ? (0, top) : (16 * step, 219 * step)
    if picture.format.layout == .gbr {
      fromRGB = ColorMatrix(SIMD3(0, 1, 0), SIMD3(0, 0, 1), SIMD3(1, 0, 0))
      (zero, unit) = (SIMD3(repeating: black), SIMD3(repeating: luma))
    } else {
      fromRGB = ColorMatrix(fromRGB: picture.color.matrix)
      let chroma = isFull ? top : 224 * step
      (zero, unit) = (SIMD3(black, 128 * step, 128 * step), SIMD3(luma, chroma, chroma))
    }
  }
}
