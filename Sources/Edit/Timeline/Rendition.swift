package import Formats

/// A version of the movie beside its main picture: the same frames in another size, or encoded at another rate. Players choose
/// among them by the speed of the line.
package struct Rendition: Hashable, Sendable {
  package enum Size: Hashable, Sendable {
    /// This very size.
    case exact(PixelSize)
    /// The frame, scaled to the size that it does not exceed, upright or turned by a quarter.
    case within(PixelSize)
  }

  package var size: Size
  /// The settings of its encoder. All but those of the rate are the main picture's.
  package var video: VideoCodecSettings

  package init(_ size: Size, _ video: VideoCodecSettings) { (self.size, self.video) = (size, video) }
}

extension Rendition {
  /// A rendition whose size is known.
  package struct Sized: Hashable, Sendable {
    package var size: PixelSize
    package var video: VideoCodecSettings

    package init(_ size: PixelSize, _ video: VideoCodecSettings) { (self.size, self.video) = (size, video) }
  }
}

extension ExportSettings {
  /// The renditions of a movie whose frames have this size. A rendition with a size to fit into is left out where the frames fit
  /// into it as they are, and where another one has the same size.
  ///
  /// - Parameter composition: the movie's, with its frames in their size.
  package func renditions(of composition: VideoComposition) -> [Rendition.Sized] {
    var sized: [Rendition.Sized] = []
    for rendition in renditions {
      switch rendition.size {
      case .exact(let size): sized.append(Rendition.Sized(size, rendition.video))
      case .within(let bounds):
        let size = composition.fitting(bounds).outputSize
        let taken = [composition.outputSize] + sized.map(\.size)
        if !taken.contains(size) { sized.append(Rendition.Sized(size, rendition.video)) }
      }
    }
    return sized
  }
}
