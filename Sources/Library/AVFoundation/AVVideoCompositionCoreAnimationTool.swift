/// A tree of layers, in which the video is seen.
open class AVVideoCompositionCoreAnimationTool: NSObject {
  let videoLayers: [CALayer]
  let rootLayer: CALayer

  /// Makes a tool that puts the video into `videoLayer`, which stands on `animationLayer` or is that layer itself.
  ///
  /// The layers' coordinates have their origin at the bottom left of the frame, and y grows upwards.
  public convenience init(postProcessingAsVideoLayer videoLayer: CALayer, in animationLayer: CALayer) {
    self.init(postProcessingAsVideoLayers: [videoLayer], in: animationLayer)
  }

  /// Makes a tool that puts the video into several layers.
  public init(postProcessingAsVideoLayers videoLayers: [CALayer], in animationLayer: CALayer) {
    (self.videoLayers, rootLayer) = (videoLayers, animationLayer)
    super.init()
  }
}
