package import Formats
package import MediaTime

/// A still picture or a text over the video.
package struct Layer: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case image(ImageContent)
    case text(TextContent)
  }

  package var content: Content
  /// The opacity, 0...1, on the composition's clock; 1 without keyframes.
  package var opacity: Envelope<Double>
  /// The range in which the layer is seen; nil is always.
  package var timeRange: MediaTimeRange?

  package init(content: Content, opacity: Envelope<Double> = Envelope(), timeRange: MediaTimeRange? = nil) {
    (self.content, self.timeRange) = (content, timeRange)
    // The value of a single keyframe holds throughout.
    self.opacity = opacity.keyframes.count == 1 ? opacity.keyframes.first.map { Self.steady($0.value) } ?? opacity : opacity
  }

  private static func steady(_ opacity: Double) -> Envelope<Double> {
    opacity == 1 ? Envelope() : Envelope(constant: opacity)
  }

  /// The opacity at `time`, 0...1 even where an easing overshoots. The first keyframe's value also holds before it, and the last
  /// one's after it. So a layer that fades in is not seen before it fades in.
  package func opacity(at time: MediaTime) throws(TimeError) -> Double {
    try min(max(opacity.value(at: time, neutral: opacity.keyframes.first?.value ?? 1), 0), 1)
  }
}

package struct ImageContent: Hashable, Sendable {
  package var asset: AssetID
  /// The frame into which the image is laid, in render pixels. Where it is nil, the image has its own size, at the top left
  /// corner.
  package var frame: Rect?
  package var gravity: Gravity

  package init(asset: AssetID, frame: Rect? = nil, gravity: Gravity = .resizeAspect) {
    (self.asset, self.frame, self.gravity) = (asset, frame, gravity)
  }
}
