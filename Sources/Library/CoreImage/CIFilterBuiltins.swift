extension CIFilter {
  private class func typed(_ name: String) -> TypedFilter { TypedFilter(FilterDefinition.named(name)) }

  public class func gaussianBlur() -> any CIFilter & CIGaussianBlur { typed("CIGaussianBlur") }
  public class func boxBlur() -> any CIFilter & CIBoxBlur { typed("CIBoxBlur") }
  public class func discBlur() -> any CIFilter & CIDiscBlur { typed("CIDiscBlur") }
  public class func unsharpMask() -> any CIFilter & CIUnsharpMask { typed("CIUnsharpMask") }
  public class func morphologyMaximum() -> any CIFilter & CIMorphologyMaximum { typed("CIMorphologyMaximum") }
  public class func morphologyMinimum() -> any CIFilter & CIMorphologyMinimum { typed("CIMorphologyMinimum") }
  public class func colorControls() -> any CIFilter & CIColorControls { typed("CIColorControls") }
  public class func colorMatrix() -> any CIFilter & CIColorMatrix { typed("CIColorMatrix") }
  public class func colorInvert() -> any CIFilter & CIColorInvert { typed("CIColorInvert") }
  public class func colorClamp() -> any CIFilter & CIColorClamp { typed("CIColorClamp") }
  public class func colorPolynomial() -> any CIFilter & CIColorPolynomial { typed("CIColorPolynomial") }
  public class func colorMonochrome() -> any CIFilter & CIColorMonochrome { typed("CIColorMonochrome") }
  public class func colorPosterize() -> any CIFilter & CIColorPosterize { typed("CIColorPosterize") }
  public class func colorThreshold() -> any CIFilter & CIColorThreshold { typed("CIColorThreshold") }
  public class func colorCube() -> any CIFilter & CIColorCube { typed("CIColorCube") }
  public class func colorCubeWithColorSpace() -> any CIFilter & CIColorCubeWithColorSpace { typed("CIColorCubeWithColorSpace") }
  public class func exposureAdjust() -> any CIFilter & CIExposureAdjust { typed("CIExposureAdjust") }
  public class func gammaAdjust() -> any CIFilter & CIGammaAdjust { typed("CIGammaAdjust") }
  public class func hueAdjust() -> any CIFilter & CIHueAdjust { typed("CIHueAdjust") }
  public class func whitePointAdjust() -> any CIFilter & CIWhitePointAdjust { typed("CIWhitePointAdjust") }
  public class func falseColor() -> any CIFilter & CIFalseColor { typed("CIFalseColor") }
  public class func maskToAlpha() -> any CIFilter & CIMaskToAlpha { typed("CIMaskToAlpha") }
  public class func maximumComponent() -> any CIFilter & CIMaximumComponent { typed("CIMaximumComponent") }
  public class func minimumComponent() -> any CIFilter & CIMinimumComponent { typed("CIMinimumComponent") }
  public class func linearToSRGBToneCurve() -> any CIFilter & CILinearToSRGBToneCurve { typed("CILinearToSRGBToneCurve") }
  public class func sRGBToneCurveToLinear() -> any CIFilter & CISRGBToneCurveToLinear { typed("CISRGBToneCurveToLinear") }
  public class func affineClamp() -> any CIFilter & CIAffineClamp { typed("CIAffineClamp") }
  public class func affineTile() -> any CIFilter & CIAffineTile { typed("CIAffineTile") }
  public class func lanczosScaleTransform() -> any CIFilter & CILanczosScaleTransform { typed("CILanczosScaleTransform") }
  public class func bicubicScaleTransform() -> any CIFilter & CIBicubicScaleTransform { typed("CIBicubicScaleTransform") }
  public class func perspectiveTransform() -> any CIFilter & CIPerspectiveTransform { typed("CIPerspectiveTransform") }
  public class func perspectiveCorrection() -> any CIFilter & CIPerspectiveCorrection { typed("CIPerspectiveCorrection") }
  public class func straighten() -> any CIFilter & CIStraighten { typed("CIStraightenFilter") }
  public class func dissolveTransition() -> any CIFilter & CIDissolveTransition { typed("CIDissolveTransition") }
  public class func checkerboardGenerator() -> any CIFilter & CICheckerboardGenerator { typed("CICheckerboardGenerator") }
  public class func stripesGenerator() -> any CIFilter & CIStripesGenerator { typed("CIStripesGenerator") }
  public class func linearGradient() -> any CIFilter & CILinearGradient { typed("CILinearGradient") }
  public class func radialGradient() -> any CIFilter & CIRadialGradient { typed("CIRadialGradient") }
  public class func randomGenerator() -> any CIFilter & CIRandomGenerator { typed("CIRandomGenerator") }
  public class func roundedRectangleGenerator() -> any CIFilter & CIRoundedRectangleGenerator {
    typed("CIRoundedRectangleGenerator")
  }
  public class func blendWithMask() -> any CIFilter & CIBlendWithMask { typed("CIBlendWithMask") }
  public class func mix() -> any CIFilter & CIMix { typed("CIMix") }
  public class func pixellate() -> any CIFilter & CIPixellate { typed("CIPixellate") }
  public class func areaAverage() -> any CIFilter & CIAreaAverage { typed("CIAreaAverage") }
  public class func areaMaximum() -> any CIFilter & CIAreaMaximum { typed("CIAreaMaximum") }
  public class func areaMinimum() -> any CIFilter & CIAreaMinimum { typed("CIAreaMinimum") }

  public class func sourceOverCompositing() -> any CIFilter & CICompositeOperation { typed("CISourceOverCompositing") }
  public class func sourceInCompositing() -> any CIFilter & CICompositeOperation { typed("CISourceInCompositing") }
  public class func sourceOutCompositing() -> any CIFilter & CICompositeOperation { typed("CISourceOutCompositing") }
  public class func sourceAtopCompositing() -> any CIFilter & CICompositeOperation { typed("CISourceAtopCompositing") }
  public class func additionCompositing() -> any CIFilter & CICompositeOperation { typed("CIAdditionCompositing") }
  public class func multiplyCompositing() -> any CIFilter & CICompositeOperation { typed("CIMultiplyCompositing") }
  public class func maximumCompositing() -> any CIFilter & CICompositeOperation { typed("CIMaximumCompositing") }
  public class func minimumCompositing() -> any CIFilter & CICompositeOperation { typed("CIMinimumCompositing") }
  public class func multiplyBlendMode() -> any CIFilter & CICompositeOperation { typed("CIMultiplyBlendMode") }
  public class func screenBlendMode() -> any CIFilter & CICompositeOperation { typed("CIScreenBlendMode") }
  public class func overlayBlendMode() -> any CIFilter & CICompositeOperation { typed("CIOverlayBlendMode") }
  public class func darkenBlendMode() -> any CIFilter & CICompositeOperation { typed("CIDarkenBlendMode") }
  public class func lightenBlendMode() -> any CIFilter & CICompositeOperation { typed("CILightenBlendMode") }
  public class func colorDodgeBlendMode() -> any CIFilter & CICompositeOperation { typed("CIColorDodgeBlendMode") }
  public class func colorBurnBlendMode() -> any CIFilter & CICompositeOperation { typed("CIColorBurnBlendMode") }
  public class func hardLightBlendMode() -> any CIFilter & CICompositeOperation { typed("CIHardLightBlendMode") }
  public class func softLightBlendMode() -> any CIFilter & CICompositeOperation { typed("CISoftLightBlendMode") }
  public class func differenceBlendMode() -> any CIFilter & CICompositeOperation { typed("CIDifferenceBlendMode") }
  public class func exclusionBlendMode() -> any CIFilter & CICompositeOperation { typed("CIExclusionBlendMode") }
  public class func subtractBlendMode() -> any CIFilter & CICompositeOperation { typed("CISubtractBlendMode") }
  public class func divideBlendMode() -> any CIFilter & CICompositeOperation { typed("CIDivideBlendMode") }
  public class func linearDodgeBlendMode() -> any CIFilter & CICompositeOperation { typed("CILinearDodgeBlendMode") }
  public class func linearBurnBlendMode() -> any CIFilter & CICompositeOperation { typed("CILinearBurnBlendMode") }
  public class func linearLightBlendMode() -> any CIFilter & CICompositeOperation { typed("CILinearLightBlendMode") }
  public class func pinLightBlendMode() -> any CIFilter & CICompositeOperation { typed("CIPinLightBlendMode") }
  public class func vividLightBlendMode() -> any CIFilter & CICompositeOperation { typed("CIVividLightBlendMode") }
  public class func hueBlendMode() -> any CIFilter & CICompositeOperation { typed("CIHueBlendMode") }
  public class func saturationBlendMode() -> any CIFilter & CICompositeOperation { typed("CISaturationBlendMode") }
  public class func colorBlendMode() -> any CIFilter & CICompositeOperation { typed("CIColorBlendMode") }
  public class func luminosityBlendMode() -> any CIFilter & CICompositeOperation { typed("CILuminosityBlendMode") }
  public class func blendWithAlphaMask() -> any CIFilter & CIBlendWithMask { typed("CIBlendWithAlphaMask") }
  public class func blendWithRedMask() -> any CIFilter & CIBlendWithMask { typed("CIBlendWithRedMask") }
  public class func blendWithBlueMask() -> any CIFilter & CIBlendWithMask { typed("CIBlendWithBlueMask") }
}
