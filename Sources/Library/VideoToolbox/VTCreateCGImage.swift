@_exported public import CoreGraphics
@_exported public import CoreVideo
internal import CoreImage

/// Makes a picture of a pixel buffer's colours. Values of Y, Cb and Cr are turned into colours by the matrix of the buffer's attachments,
/// else by that of BT.709.
///
/// - Parameters:
///   - options: none are there: nil.
///   - imageOut: is given the picture; nil where it fails.
/// - Returns: `kVTParameterErr` for a format without colours.
public func VTCreateCGImageFromCVPixelBuffer(
  _ pixelBuffer: CVPixelBuffer, options: CFDictionary?, imageOut: UnsafeMutablePointer<CGImage?>
) -> OSStatus {
  unsafe imageOut.initialize(to: nil)
  guard PlanarSamples(pixelBuffer.type) != nil else { return kVTParameterErr }
  let image = CIImage(cvPixelBuffer: pixelBuffer)
  guard let made = CIContext().createCGImage(image, from: image.extent) else { return kVTAllocationFailedErr }
  unsafe imageOut.pointee = made
  return noErr
}
