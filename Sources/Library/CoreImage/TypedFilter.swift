/// A filter by type: its properties are the inputs.
final class TypedFilter: CIFilter {
  var inputImage: CIImage? {
    get { inputs.image("inputImage") }
    set { setValue(newValue, forKey: "inputImage") }
  }
  var radius: Float {
    get { inputs.number("inputRadius") }
    set { setValue(newValue, forKey: "inputRadius") }
  }
  var angle: Float {
    get { inputs.number("inputAngle") }
    set { setValue(newValue, forKey: "inputAngle") }
  }
  var intensity: Float {
    get { inputs.number("inputIntensity") }
    set { setValue(newValue, forKey: "inputIntensity") }
  }
  var sharpness: Float {
    get { inputs.number("inputSharpness") }
    set { setValue(newValue, forKey: "inputSharpness") }
  }
  var saturation: Float {
    get { inputs.number("inputSaturation") }
    set { setValue(newValue, forKey: "inputSaturation") }
  }
  var brightness: Float {
    get { inputs.number("inputBrightness") }
    set { setValue(newValue, forKey: "inputBrightness") }
  }
  var contrast: Float {
    get { inputs.number("inputContrast") }
    set { setValue(newValue, forKey: "inputContrast") }
  }
  var rVector: CIVector {
    get { inputs.vector("inputRVector") }
    set { setValue(newValue, forKey: "inputRVector") }
  }
  var gVector: CIVector {
    get { inputs.vector("inputGVector") }
    set { setValue(newValue, forKey: "inputGVector") }
  }
  var bVector: CIVector {
    get { inputs.vector("inputBVector") }
    set { setValue(newValue, forKey: "inputBVector") }
  }
  var aVector: CIVector {
    get { inputs.vector("inputAVector") }
    set { setValue(newValue, forKey: "inputAVector") }
  }
  var biasVector: CIVector {
    get { inputs.vector("inputBiasVector") }
    set { setValue(newValue, forKey: "inputBiasVector") }
  }
  var minComponents: CIVector {
    get { inputs.vector("inputMinComponents") }
    set { setValue(newValue, forKey: "inputMinComponents") }
  }
  var maxComponents: CIVector {
    get { inputs.vector("inputMaxComponents") }
    set { setValue(newValue, forKey: "inputMaxComponents") }
  }
  var redCoefficients: CIVector {
    get { inputs.vector("inputRedCoefficients") }
    set { setValue(newValue, forKey: "inputRedCoefficients") }
  }
  var greenCoefficients: CIVector {
    get { inputs.vector("inputGreenCoefficients") }
    set { setValue(newValue, forKey: "inputGreenCoefficients") }
  }
  var blueCoefficients: CIVector {
    get { inputs.vector("inputBlueCoefficients") }
    set { setValue(newValue, forKey: "inputBlueCoefficients") }
  }
  var alphaCoefficients: CIVector {
    get { inputs.vector("inputAlphaCoefficients") }
    set { setValue(newValue, forKey: "inputAlphaCoefficients") }
  }
  var color: CIColor {
    get { inputs.color("inputColor") }
    set { setValue(newValue, forKey: "inputColor") }
  }
  var levels: Float {
    get { inputs.number("inputLevels") }
    set { setValue(newValue, forKey: "inputLevels") }
  }
  var threshold: Float {
    get { inputs.number("inputThreshold") }
    set { setValue(newValue, forKey: "inputThreshold") }
  }
  var cubeDimension: Float {
    get { inputs.number("inputCubeDimension") }
    set { setValue(newValue, forKey: "inputCubeDimension") }
  }
  var cubeData: Data {
    get { inputs.data("inputCubeData") ?? Data() }
    set { setValue(newValue, forKey: "inputCubeData") }
  }
  var colorSpace: CGColorSpace? {
    get { inputs.space("inputColorSpace") }
    set { setValue(newValue, forKey: "inputColorSpace") }
  }
  var ev: Float {
    get { inputs.number("inputEV") }
    set { setValue(newValue, forKey: "inputEV") }
  }
  var power: Float {
    get { inputs.number("inputPower") }
    set { setValue(newValue, forKey: "inputPower") }
  }
  var color0: CIColor {
    get { inputs.color("inputColor0") }
    set { setValue(newValue, forKey: "inputColor0") }
  }
  var color1: CIColor {
    get { inputs.color("inputColor1") }
    set { setValue(newValue, forKey: "inputColor1") }
  }
  var transform: CGAffineTransform {
    get { inputs.transform("inputTransform") }
    set { setValue(newValue, forKey: "inputTransform") }
  }
  var scale: Float {
    get { inputs.number("inputScale") }
    set { setValue(newValue, forKey: "inputScale") }
  }
  var aspectRatio: Float {
    get { inputs.number("inputAspectRatio") }
    set { setValue(newValue, forKey: "inputAspectRatio") }
  }
  var parameterB: Float {
    get { inputs.number("inputB") }
    set { setValue(newValue, forKey: "inputB") }
  }
  var parameterC: Float {
    get { inputs.number("inputC") }
    set { setValue(newValue, forKey: "inputC") }
  }
  var topLeft: CGPoint {
    get { inputs.vector("inputTopLeft").cgPointValue }
    set { setValue(newValue, forKey: "inputTopLeft") }
  }
  var topRight: CGPoint {
    get { inputs.vector("inputTopRight").cgPointValue }
    set { setValue(newValue, forKey: "inputTopRight") }
  }
  var bottomRight: CGPoint {
    get { inputs.vector("inputBottomRight").cgPointValue }
    set { setValue(newValue, forKey: "inputBottomRight") }
  }
  var bottomLeft: CGPoint {
    get { inputs.vector("inputBottomLeft").cgPointValue }
    set { setValue(newValue, forKey: "inputBottomLeft") }
  }
  var targetImage: CIImage? {
    get { inputs.image("inputTargetImage") }
    set { setValue(newValue, forKey: "inputTargetImage") }
  }
  var time: Float {
    get { inputs.number("inputTime") }
    set { setValue(newValue, forKey: "inputTime") }
  }
  var extent: CGRect {
    get { inputs.vector("inputExtent").cgRectValue }
    set { setValue(CIVector(cgRect: newValue), forKey: "inputExtent") }
  }
  var width: Float {
    get { inputs.number("inputWidth") }
    set { setValue(newValue, forKey: "inputWidth") }
  }
  var center: CGPoint {
    get { inputs.vector("inputCenter").cgPointValue }
    set { setValue(newValue, forKey: "inputCenter") }
  }
  var maskImage: CIImage? {
    get { inputs.image("inputMaskImage") }
    set { setValue(newValue, forKey: "inputMaskImage") }
  }
  var point0: CGPoint {
    get { inputs.vector("inputPoint0").cgPointValue }
    set { setValue(newValue, forKey: "inputPoint0") }
  }
  var point1: CGPoint {
    get { inputs.vector("inputPoint1").cgPointValue }
    set { setValue(newValue, forKey: "inputPoint1") }
  }
  var radius0: Float {
    get { inputs.number("inputRadius0") }
    set { setValue(newValue, forKey: "inputRadius0") }
  }
  var radius1: Float {
    get { inputs.number("inputRadius1") }
    set { setValue(newValue, forKey: "inputRadius1") }
  }
  var backgroundImage: CIImage? {
    get { inputs.image("inputBackgroundImage") }
    set { setValue(newValue, forKey: "inputBackgroundImage") }
  }
  var amount: Float {
    get { inputs.number("inputAmount") }
    set { setValue(newValue, forKey: "inputAmount") }
  }
}

extension TypedFilter: CICompositeOperation {}
extension TypedFilter: CIGaussianBlur {}
extension TypedFilter: CIBoxBlur {}
extension TypedFilter: CIDiscBlur {}
extension TypedFilter: CIUnsharpMask {}
extension TypedFilter: CIMorphologyMaximum {}
extension TypedFilter: CIMorphologyMinimum {}
extension TypedFilter: CIColorControls {}
extension TypedFilter: CIColorMatrix {}
extension TypedFilter: CIColorInvert {}
extension TypedFilter: CIColorClamp {}
extension TypedFilter: CIColorPolynomial {}
extension TypedFilter: CIColorMonochrome {}
extension TypedFilter: CIColorPosterize {}
extension TypedFilter: CIColorThreshold {}
extension TypedFilter: CIColorCube {}
extension TypedFilter: CIColorCubeWithColorSpace {}
extension TypedFilter: CIExposureAdjust {}
extension TypedFilter: CIGammaAdjust {}
extension TypedFilter: CIHueAdjust {}
extension TypedFilter: CIWhitePointAdjust {}
extension TypedFilter: CIFalseColor {}
extension TypedFilter: CIMaskToAlpha {}
extension TypedFilter: CIMaximumComponent {}
extension TypedFilter: CIMinimumComponent {}
extension TypedFilter: CILinearToSRGBToneCurve {}
extension TypedFilter: CISRGBToneCurveToLinear {}
extension TypedFilter: CIAffineClamp {}
extension TypedFilter: CIAffineTile {}
extension TypedFilter: CILanczosScaleTransform {}
extension TypedFilter: CIBicubicScaleTransform {}
extension TypedFilter: CIPerspectiveTransform {}
extension TypedFilter: CIPerspectiveCorrection {}
extension TypedFilter: CIStraighten {}
extension TypedFilter: CIDissolveTransition {}
extension TypedFilter: CICheckerboardGenerator {}
extension TypedFilter: CIStripesGenerator {}
extension TypedFilter: CILinearGradient {}
extension TypedFilter: CIRadialGradient {}
extension TypedFilter: CIRandomGenerator {}
extension TypedFilter: CIRoundedRectangleGenerator {}
extension TypedFilter: CIBlendWithMask {}
extension TypedFilter: CIMix {}
extension TypedFilter: CIPixellate {}
extension TypedFilter: CIAreaAverage {}
extension TypedFilter: CIAreaMaximum {}
extension TypedFilter: CIAreaMinimum {}
