internal import Compositing
internal import Formats
internal import Media
internal import Scenes
internal import SpoolCompositing
internal import Timeline

/// The pictures of sources as they are stored: not turned, in their own sizes and colours, and in the form that a compositor wants. They are
/// those that the library gives a compositor in the user's own process (docs/compositors.md). One thread at a time.
final class StoredPictures {
  /// A size and a colour. Few sources differ in them.
  private struct Kind: Hashable {
    let size: PixelSize
    let color: ColorTags
  }

  private let form: HostedForm
  private var compositors: [Kind: Compositor] = [:]

  init(_ form: HostedForm) { self.form = form }

  /// The format in which pictures are laid. R'G'B' is made of what a movie without it would have.
  private var laidFormat: PixelFormat {
    let depth = form.format.bitDepth > 8 ? 10 : 8
    return form.format.layout == .gbr ? PixelFormat(.yuv420, bitDepth: depth) : PixelFormat(form.format.layout, bitDepth: depth)
  }

  /// The picture as it is stored, with even sides.
  ///
  /// - Parameter background: the colour behind a picture with alpha.
  /// - Throws: `CompositingError`; a `Refusal`.
  func picture(of source: SourcePicture, over background: RGBAColor) throws -> HostedPicture {
    let facts = source.facts
    var color = facts.color.resolved(height: facts.naturalSize.height)
    // R'G'B' is made of a movie's usual range.
    color.range = form.format.layout != .gbr && form.isFullRange ? .full : .limited
    guard !color.isHighRange || form.format.bitDepth > 8 else { throw Refusal() }
    let kind = Kind(size: facts.storedSides.even, color: color)
    let compositor =
      compositors[kind] ?? Compositor(renderSize: kind.size, format: laidFormat, color: color, toneMap: .bt2390)
    compositors[kind] = compositor
    let placement = Scene.Placement(transform: facts.uprightToStored)
    let picture = try compositor.composite(Collage(background: background, pieces: [.picture(source, placement)]))
    guard form.format.layout == .gbr else { return HostedPicture(picture, color) }
    return HostedPicture(try picture.rgb(color), ColorTags(color.primaries, color.transfer, .rgb, .full))
  }

  /// The refusal of a picture of high dynamic range in 8 bits.
  struct Refusal: Error, CustomStringConvertible {
    var description: String {
      "a picture in PQ or HLG is not given in 8 bits: name a format of 10 bits in sourcePixelBufferAttributes"
    }
  }
}

extension PixelSize {
  /// The size with even sides, each at most one longer.
  fileprivate var even: PixelSize { PixelSize((width + 1) / 2 * 2, (height + 1) / 2 * 2) }
}

extension ColorTags {
  /// The same colours in the form of video: Y'CbCr of limited range.
  var inYCbCr: ColorTags { ColorTags(primaries, transfer, matrix == .rgb ? .bt709 : matrix, .limited) }
}
