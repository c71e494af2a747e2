/// A tree of layers, in which the video is seen.
/// - Partly: with video layers only; which layers are made is in docs/avfoundation.md#layers
open class AVVideoCompositionCoreAnimationTool: NSObject {
  let videoLayers: [CALayer]
  let rootLayer: CALayer
  /// The track that the layer is to be; nil where the layers surround the video.
  let trackID: CMPersistentTrackID?

  /// Makes a tool that puts the video into `videoLayer`, which stands on `animationLayer` or is that layer itself.
  ///
  /// The layers' coordinates have their origin at the bottom left of the frame, and y grows upwards.
  public convenience init(postProcessingAsVideoLayer videoLayer: CALayer, in animationLayer: CALayer) {
    self.init(postProcessingAsVideoLayers: [videoLayer], in: animationLayer)
  }

  /// Makes a tool that puts the video into several layers.
  public init(postProcessingAsVideoLayers videoLayers: [CALayer], in animationLayer: CALayer) {
    (self.videoLayers, rootLayer, trackID) = (videoLayers, animationLayer, nil)
    super.init()
  }

  /// Makes a tool whose layer is a track of its own, which layer instructions lay. An export refuses it.
  public init(additionalLayer layer: CALayer, asTrackID trackID: CMPersistentTrackID) {
    (videoLayers, rootLayer, self.trackID) = ([], layer, trackID)
    super.init()
  }
}
