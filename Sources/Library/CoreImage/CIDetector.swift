// All refused: nothing is recognised in pictures. `CIDetector(ofType:context:options:)` is nil, as for an unknown type, and says so

public let CIDetectorTypeFace = "CIDetectorTypeFace"
public let CIDetectorTypeRectangle = "CIDetectorTypeRectangle"
public let CIDetectorTypeQRCode = "CIDetectorTypeQRCode"
public let CIDetectorTypeText = "CIDetectorTypeText"
public let CIDetectorAccuracy = "CIDetectorAccuracy"
public let CIDetectorAccuracyLow = "CIDetectorAccuracyLow"
public let CIDetectorAccuracyHigh = "CIDetectorAccuracyHigh"
public let CIDetectorTracking = "CIDetectorTracking"
public let CIDetectorMinFeatureSize = "CIDetectorMinFeatureSize"
public let CIDetectorMaxFeatureCount = "CIDetectorMaxFeatureCount"
public let CIDetectorNumberOfAngles = "CIDetectorNumberOfAngles"
public let CIDetectorImageOrientation = "CIDetectorImageOrientation"
public let CIDetectorEyeBlink = "CIDetectorEyeBlink"
public let CIDetectorSmile = "CIDetectorSmile"
public let CIDetectorFocalLength = "CIDetectorFocalLength"
public let CIDetectorAspectRatio = "CIDetectorAspectRatio"

/// A finder of faces and the like in pictures, where there is one.
open class CIDetector: NSObject {
  /// - Returns: nil, since nothing is recognised.
  public init?(ofType type: String, context: CIContext?, options: [String: Any]?) {
    FileHandle.standardError.write(Data("CIDetector: \(type): nothing is recognised in pictures here\n".utf8))
    return nil
  }
  /// Never called, since there are no detectors.
  open func features(in image: CIImage) -> [CIFeature] { [] }
  open func features(in image: CIImage, options: [String: Any]?) -> [CIFeature] { [] }
}

/// A thing that was found in a picture.
open class CIFeature: NSObject {
  public let type: String
  public let bounds: CGRect
  init(_ type: String, _ bounds: CGRect) {
    (self.type, self.bounds) = (type, bounds)
    super.init()
  }
}

open class CIFaceFeature: CIFeature {
  open var hasLeftEyePosition: Bool { false }
  open var leftEyePosition: CGPoint { .zero }
  open var hasRightEyePosition: Bool { false }
  open var rightEyePosition: CGPoint { .zero }
  open var hasMouthPosition: Bool { false }
  open var mouthPosition: CGPoint { .zero }
  open var hasTrackingID: Bool { false }
  open var trackingID: Int32 { 0 }
  open var hasTrackingFrameCount: Bool { false }
  open var trackingFrameCount: Int32 { 0 }
  open var hasFaceAngle: Bool { false }
  open var faceAngle: Float { 0 }
  open var hasSmile: Bool { false }
  open var leftEyeClosed: Bool { false }
  open var rightEyeClosed: Bool { false }
}

open class CIRectangleFeature: CIFeature {
  open var topLeft: CGPoint { .zero }
  open var topRight: CGPoint { .zero }
  open var bottomLeft: CGPoint { .zero }
  open var bottomRight: CGPoint { .zero }
}

open class CIQRCodeFeature: CIRectangleFeature {
  open var messageString: String? { nil }
}
open class CITextFeature: CIRectangleFeature {
  open var subFeatures: [Any]? { nil }
}
