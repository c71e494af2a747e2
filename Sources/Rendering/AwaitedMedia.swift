// Stands in for Drawing's images until they land.
internal import Drawing
internal import Media
internal import Timeline

extension Raster {
  init(image: StillImage, content: ImageContent, in size: PixelSize) throws(DrawingError) {
    self.init(x: 0, y: 0, width: 1, height: 1, rgba: [0, 0, 0, 0])
  }
}
