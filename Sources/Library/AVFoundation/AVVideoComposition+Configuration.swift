// The values of which compositions, instructions and tools are made in place of the mutable classes. The objects that they name are their
// owner's, who hands them over with the value.

extension AVVideoComposition {
  /// The settings of a video composition that is made of them.
  /// - Partly: as `AVVideoComposition`. Without descriptions of output buffers, spatial video and a policy for metadata of HDR. An export
  ///   refuses `sourceSampleDataTrackIDs`
  public struct Configuration: @unchecked Sendable {
    public var animationTool: AVVideoCompositionCoreAnimationTool?
    public var colorPrimaries: String?
    public var colorTransferFunction: String?
    public var colorYCbCrMatrix: String?
    public var customVideoCompositorClass: (any AVVideoCompositing.Type)?
    public var frameDuration: CMTime
    public var instructions: [any AVVideoCompositionInstructionProtocol]
    public var renderScale: Float
    public var renderSize: CGSize
    /// The tracks whose samples a compositor wants as they are stored.
    public var sourceSampleDataTrackIDs: [CMPersistentTrackID]
    public var sourceTrackIDForFrameTiming: CMPersistentTrackID

    public init(
      animationTool: AVVideoCompositionCoreAnimationTool? = nil, colorPrimaries: String? = nil,
      colorTransferFunction: String? = nil, colorYCbCrMatrix: String? = nil,
      customVideoCompositorClass: (any AVVideoCompositing.Type)? = nil, frameDuration: CMTime = .zero,
      instructions: [any AVVideoCompositionInstructionProtocol] = [], renderScale: Float = 1, renderSize: CGSize = .zero,
      sourceSampleDataTrackIDs: [CMPersistentTrackID] = [],
      sourceTrackIDForFrameTiming: CMPersistentTrackID = kCMPersistentTrackID_Invalid
    ) {
      self.animationTool = animationTool
      (self.colorPrimaries, self.colorTransferFunction) = (colorPrimaries, colorTransferFunction)
      self.colorYCbCrMatrix = colorYCbCrMatrix
      self.customVideoCompositorClass = customVideoCompositorClass
      (self.frameDuration, self.instructions) = (frameDuration, instructions)
      (self.renderScale, self.renderSize) = (renderScale, renderSize)
      self.sourceSampleDataTrackIDs = sourceSampleDataTrackIDs
      self.sourceTrackIDForFrameTiming = sourceTrackIDForFrameTiming
    }

    /// Makes what shows an asset as a player does.
    ///
    /// - Parameters:
    ///   - asset: the asset that is shown.
    ///   - prototypeInstruction: gives the instruction its background colour, and whether the animation tool follows it.
    /// - Throws: an `AVError` where the asset cannot be read.
    public init(for asset: AVAsset, prototypeInstruction: AVVideoCompositionInstruction? = nil) async throws {
      _ = try asset.loadedTracks()
      let shown = AVVideoComposition(propertiesOf: asset)
      if let prototypeInstruction {
        for case let instruction as AVVideoCompositionInstruction in shown.instructions {
          instruction.background = prototypeInstruction.background
          instruction.isPostProcessed = prototypeInstruction.isPostProcessed
        }
      }
      self.init(frameDuration: shown.frameDuration, instructions: shown.instructions, renderSize: shown.renderSize)
    }
  }

  public convenience init(configuration: Configuration) {
    self.init()
    parts.animationTool = configuration.animationTool
    parts.colorPrimaries = configuration.colorPrimaries
    parts.colorTransferFunction = configuration.colorTransferFunction
    parts.colorYCbCrMatrix = configuration.colorYCbCrMatrix
    parts.compositor = configuration.customVideoCompositorClass
    (parts.frameDuration, parts.instructions) = (configuration.frameDuration, configuration.instructions)
    (parts.renderScale, parts.renderSize) = (configuration.renderScale, configuration.renderSize)
    parts.timingTrack = configuration.sourceTrackIDForFrameTiming
    if !configuration.sourceSampleDataTrackIDs.isEmpty {
      parts.fault = AVError(
        .invalidVideoComposition, "sourceSampleDataTrackIDs: compositors get pictures alone",
        property: "sourceSampleDataTrackIDs")
    }
  }
}

extension AVVideoCompositionInstruction {
  /// The settings of an instruction that is made of them.
  public struct Configuration: @unchecked Sendable {
    public var backgroundColor: CGColor?
    public var enablePostProcessing: Bool
    /// The layers, topmost first.
    public var layerInstructions: [AVVideoCompositionLayerInstruction]
    /// The tracks whose samples a compositor wants as they are stored. The instruction keeps none.
    public var requiredSourceSampleDataTrackIDs: [CMPersistentTrackID]
    public var timeRange: CMTimeRange

    public init(
      backgroundColor: CGColor? = nil, enablePostProcessing: Bool = true,
      layerInstructions: [AVVideoCompositionLayerInstruction] = [], requiredSourceSampleDataTrackIDs: [CMPersistentTrackID] = [],
      timeRange: CMTimeRange = .zero
    ) {
      (self.backgroundColor, self.enablePostProcessing) = (backgroundColor, enablePostProcessing)
      self.layerInstructions = layerInstructions
      (self.requiredSourceSampleDataTrackIDs, self.timeRange) = (requiredSourceSampleDataTrackIDs, timeRange)
    }
  }

  public convenience init(configuration: Configuration) {
    self.init()
    (range, background) = (configuration.timeRange, configuration.backgroundColor)
    (layers, isPostProcessed) = (configuration.layerInstructions, configuration.enablePostProcessing)
  }
}

extension AVVideoCompositionCoreAnimationTool {
  /// The layers of an animation tool that is made of them.
  public struct Configuration: @unchecked Sendable {
    /// The layers in which the video is seen.
    public var layers: [CALayer]
    /// The layer on which they stand.
    public var containingLayer: CALayer

    public init(postProcessingAsVideoLayer videoLayer: CALayer, containingLayer: CALayer) {
      self.init(postProcessingAsVideoLayers: [videoLayer], containingLayer: containingLayer)
    }
    public init(postProcessingAsVideoLayers videoLayers: [CALayer], containingLayer: CALayer) {
      (layers, self.containingLayer) = (videoLayers, containingLayer)
    }
  }

  public convenience init(configuration: Configuration) {
    self.init(postProcessingAsVideoLayers: configuration.layers, in: configuration.containingLayer)
  }
}
