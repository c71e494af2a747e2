/// A tree of layers, in which the video is seen.
/// - Partly: a layer that is a track lies over all others, unmoved; which layers are made is in docs/avfoundation.md#layers
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

  /// Makes a tool whose layer is a track of its own, which layer instructions lay: first in their list, with an opacity, and neither moved
  /// nor cut off. Each instruction shows it that has a layer instruction for the track.
  public init(additionalLayer layer: CALayer, asTrackID trackID: CMPersistentTrackID) {
    (videoLayers, rootLayer, self.trackID) = ([], layer, trackID)
    super.init()
  }
}
