package import Formats
package import Media
package import MediaTime
package import Timeline

/// A compositor of the program's own that works for one video composition. It is given the pictures of tracks as they are stored.
package protocol HostedCompositor: AnyObject, Sendable {
  /// The form of the pictures that it is given; nil where it wants none.
  var sourceForm: HostedForm? { get }
  /// The format that keeps what it makes, until that is laid into the frame: Y'CbCr.
  var keptFormat: PixelFormat { get }

  /// Asks for a picture.
  ///
  /// - Parameter answer: takes the answer, once, on any thread, here or later.
  func start(_ request: HostedRequest, answer: @escaping @Sendable (ComposedAnswer) -> Void)

  /// Cancels all pictures that were asked for. It may be called from another thread. Each request must still be answered.
  func cancel()
}

/// The form of pictures that a compositor is given.
package struct HostedForm: Hashable, Sendable {
  package var format: PixelFormat
  /// Whether Y'CbCr has full range.
  package var isFullRange: Bool

  package init(_ format: PixelFormat, isFullRange: Bool = false) { (self.format, self.isFullRange) = (format, isFullRange) }
}

/// The facts of the frames that a compositor works for.
package struct HostedCanvas: Hashable, Sendable {
  package let renderSize: PixelSize
  package let frameDuration: MediaTime
  package let color: ColorTags

  package init(renderSize: PixelSize, frameDuration: MediaTime, color: ColorTags) {
    (self.renderSize, self.frameDuration, self.color) = (renderSize, frameDuration, color)
  }
}

/// An instruction in the form that its compositor takes.
package struct HostedInstruction: Sendable {
  package let value: any Sendable
  /// The traits of its frames. They overrule the document.
  package let traits: CompositorTraits

  package init(_ value: any Sendable, _ traits: CompositorTraits) { (self.value, self.traits) = (value, traits) }
}

/// A picture, and the colours that its samples stand for.
package struct HostedPicture: Sendable {
  /// The samples. They are not written to any more.
  package let buffer: PixelBuffer
  /// The colours, without unknown tags. Those of the buffer may be as its file has them.
  package let color: ColorTags

  package init(_ buffer: PixelBuffer, _ color: ColorTags) { (self.buffer, self.color) = (buffer, color) }
}

/// A request for one picture.
package struct HostedRequest: Sendable {
  /// A picture that a track shows, in the compositor's source form.
  package struct Source: Sendable {
    package let track: TrackID
    package let picture: HostedPicture

    package init(_ track: TrackID, _ picture: HostedPicture) { (self.track, self.picture) = (track, picture) }
  }

  package let instruction: HostedInstruction
  /// The time on the clock of the composition.
  package let time: MediaTime
  /// The pictures of the required tracks, in their order. A track that shows nothing has none.
  package let sources: [Source]

  package init(_ instruction: HostedInstruction, at time: MediaTime, _ sources: [Source]) {
    (self.instruction, self.time, self.sources) = (instruction, time, sources)
  }
}

/// The end of a request.
package enum ComposedAnswer: Sendable {
  /// The picture, of any size.
  case composed(HostedPicture)
  case failed(any Error)
  case cancelled
}
