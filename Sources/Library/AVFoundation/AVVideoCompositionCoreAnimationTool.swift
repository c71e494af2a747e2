/// A tree of layers, one of which shows the video.
open class AVVideoCompositionCoreAnimationTool: NSObject {
  let videoLayer: CALayer
  let rootLayer: CALayer

  /// Makes a tool that puts the video into `videoLayer`, which stands directly on `animationLayer` or is that layer itself.
  ///
  /// The layers' coordinates have their origin at the bottom left of the frame, and y grows upwards.
  public init(postProcessingAsVideoLayer videoLayer: CALayer, in animationLayer: CALayer) {
    (self.videoLayer, rootLayer) = (videoLayer, animationLayer)
    super.init()
  }
}
