/// A picture, or samples, with facts about them.
public struct CMTaggedBuffer: Sendable {
  public enum Buffer: Sendable {
    case pixelBuffer(CVPixelBuffer)
    case sampleBuffer(CMSampleBuffer)
  }

  public let tags: [CMTag]
  public let buffer: Buffer

  public init(tags: [CMTag], buffer: Buffer) { (self.tags, self.buffer) = (tags, buffer) }
  public init(tags: [CMTag], pixelBuffer: CVPixelBuffer) { self.init(tags: tags, buffer: .pixelBuffer(pixelBuffer)) }
  public init(tags: [CMTag], sampleBuffer: CMSampleBuffer) { self.init(tags: tags, buffer: .sampleBuffer(sampleBuffer)) }
}

extension CMSampleBuffer {
  /// The pictures of several layers. A reader gives one layer, as `imageBuffer`.
  public var taggedBuffers: [CMTaggedBuffer]? { nil }
}

// Refused: a writer refuses what is said of both eyes by its name
public let kCMFormatDescriptionHeroEye_Left: CFString = "Left"
public let kCMFormatDescriptionHeroEye_Right: CFString = "Right"
public let kCMFormatDescriptionExtension_HeroEye: CFString = "HeroEye"
public let kCMFormatDescriptionExtension_HorizontalFieldOfView: CFString = "HorizontalFieldOfView"
public let kCMFormatDescriptionExtension_HorizontalDisparityAdjustment: CFString = "HorizontalDisparityAdjustment"
public let kCMFormatDescriptionExtension_StereoCameraBaseline: CFString = "StereoCameraBaseline"
public let kCMFormatDescriptionExtension_HasLeftStereoEyeView: CFString = "HasLeftStereoEyeView"
public let kCMFormatDescriptionExtension_HasRightStereoEyeView: CFString = "HasRightStereoEyeView"

extension CMFormatDescription {
  /// The facts of each layer. Of a file with several layers the first one is known here: nil.
  public var tagCollections: [[CMTag]]? { nil }
}

/// A picture that nobody writes any more, with facts about it.
public struct CMTaggedDynamicBuffer: Sendable {
  public enum Content: Sendable {
    case pixelBuffer(CVReadOnlyPixelBuffer)
  }

  public var tags: [CMTag]
  public var content: Content

  public init(tags: [CMTag], content: Content) { (self.tags, self.content) = (tags, content) }
  public init(tags: [CMTag], content: CVReadOnlyPixelBuffer) { self.init(tags: tags, content: .pixelBuffer(content)) }
}
