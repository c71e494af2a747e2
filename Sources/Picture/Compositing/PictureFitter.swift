import Formats
import Media
import Timeline

/// Turns source pictures into pictures of the render format: it turns, cuts, scales and converts them.
///
/// It remembers filter graphs and the last pictures that it made. That saves work and never changes a pixel. One thread at a
/// time.
final class PictureFitter {
  /// The steps that a picture goes through, in this order.
  struct Fitting: Hashable {
    var turn: Orientation
    /// The part that is cut out, in the turned picture's pixels. It consists of whole chroma cells, or ends at the picture's
    /// edge.
    var part: PixelArea
    /// The part of the cut that becomes the whole result, in the cut's pixels. It may reach beyond the cut, which is mirrored
    /// there.
    var region: Rect
    /// The result's width and height, in pixels.
    var width: Int
    var height: Int

    /// A change of format only, at the same size.
    static func whole(_ picture: PictureFormat) -> Fitting {
      let (width, height) = (picture.width, picture.height)
      return Fitting(
        turn: .up, part: PixelArea(0..<width, 0..<height), region: Rect(0, 0, Double(width), Double(height)), width: width,
        height: height)
    }
  }

  private struct Request: Hashable {
    let picture: ObjectIdentifier
    let fitting: Fitting
  }

  private var graphs = GraphCache()
  /// A pass for each pair of colours that needs one. They are few.
  private var passes: [LightPass.Route: LightPass] = [:]
  /// The pictures of the last scene and of this one. Still pictures and slow sources show a frame again. The source is kept
  /// together with the result, so that no other buffer can get its identity.
  private var results: [Request: (source: PixelBuffer, result: PixelBuffer)] = [:]
  private var requested: Set<Request> = []
  private let target: PictureFormat
  let toneMap: ToneMap

  /// - Parameter target: the render format. Its size does not matter.
  init(target: PictureFormat, toneMap: ToneMap) { (self.target, self.toneMap) = (target, toneMap) }

  /// The format of a picture after it is turned.
  func turned(_ format: PictureFormat, by turn: Orientation) -> PictureFormat {
    guard turn.swapsAxes else { return format }
    var turned = format.cell.width == format.cell.height ? format : format.withFullChroma
    (turned.width, turned.height) = (format.height, format.width)
    return turned
  }

  func fit(_ picture: PixelBuffer, _ format: PictureFormat, _ fitting: Fitting) throws(CompositingError) -> PixelBuffer {
    let request = Request(picture: ObjectIdentifier(picture), fitting: fitting)
    requested.insert(request)
    if let known = results[request] { return known.result }
    let result = try make(picture, format, fitting)
    results[request] = (picture, result)
    return result
  }

  /// Forgets the pictures that this scene did not ask for.
  func finishScene() {
    results = results.filter { requested.contains($0.key) }
    requested = []
  }

  private func make(_ picture: PixelBuffer, _ format: PictureFormat, _ fitting: Fitting) throws(CompositingError) -> PixelBuffer {
    var (picture, format) = (picture, format)
    let turned = turned(format, by: fitting.turn)
    if turned.format != format.format {
      let whole = PixelArea(0..<format.width, 0..<format.height)
      picture = try cut(picture, turn: .up, part: whole)
      let region = Rect(0, 0, Double(format.width), Double(format.height))
      let full = format.withFullChroma
      picture = try convert(picture, format.sized(picture.width, picture.height), region: region, into: full)
      format = full
    }
    picture = try cut(picture, turn: fitting.turn, part: fitting.part)
    let source = turned.sized(picture.width, picture.height)
    let result = target.sized(fitting.width, fitting.height)
    let whole = Rect(0, 0, Double(result.width), Double(result.height))
    if source.hasSameSamples(as: result), source == result, fitting.region == whole { return picture }
    return try convert(picture, source, region: fitting.region, into: result)
  }

  /// Scales and converts a picture. zimg scales, and converts layouts, depths, matrices and ranges. Where transfer functions or
  /// primaries differ, `LightPass` converts them, at the result's size.
  private func convert(
    _ picture: PixelBuffer, _ source: PictureFormat, region: Rect, into target: PictureFormat
  ) throws(CompositingError) -> PixelBuffer {
    if source.hasSameLight(as: target) { return try scale(picture, source, region: region, into: target) }
    let route = LightPass.Route(
      source: source.forLight(bitDepth: LightPass.sourceDepth).sized(0, 0),
      target: target.forLight(bitDepth: target.format.bitDepth).sized(0, 0), toneMap: toneMap)
    let pass = passes[route] ?? LightPass(route)
    passes[route] = pass
    let (width, height) = (target.width, target.height)
    let scaled = try scale(picture, source, region: region, into: route.source.sized(width, height))
    var converted = try PixelBuffer.make(route.target.sized(width, height))
    pass.convert(scaled, into: converted)
    if scaled.alpha != nil { converted = converted.with(scaled.alpha) }
    if route.target.format == target.format { return converted }
    let whole = Rect(0, 0, Double(width), Double(height))
    return try scale(converted, route.target.sized(width, height), region: whole, into: target)
  }

  private func scale(
    _ picture: PixelBuffer, _ source: PictureFormat, region: Rect, into target: PictureFormat
  ) throws(CompositingError) -> PixelBuffer {
    if let alpha = picture.alpha { return try scale(picture, alpha, source, region: region, into: target) }
    return try scaled(picture, source, region: region, into: target)
  }

  /// Scales and converts the colours of a picture.
  func scaled(
    _ picture: PixelBuffer, _ source: PictureFormat, region: Rect, into target: PictureFormat
  ) throws(CompositingError) -> PixelBuffer {
    let route = ScalingGraph.Route(source: source, region: region, target: target)
    let graph = try graphs.graph(for: route)
    let result = try PixelBuffer.make(target)
    try graph.convert(picture, into: result)
    return result
  }

  /// The turned part of the picture. Its size is rounded up to whole chroma cells, and its last samples are repeated there. It is
  /// the picture itself where the part is all of it and zimg can read its rows.
  private func cut(_ picture: PixelBuffer, turn orientation: Orientation, part: PixelArea) throws(CompositingError) -> PixelBuffer
  {
    let cell = picture.format.cell
    let (width, height) = (part.columns.count.roundedUp(to: cell.width), part.rows.count.roundedUp(to: cell.height))
    if orientation == .up, part == PixelArea(0..<picture.width, 0..<picture.height),
      (width, height) == (picture.width, picture.height),
      picture.planes.allSatisfy({ $0.isAligned(to: ScalingGraph.alignment) })
    {
      return picture
    }
    let alpha: PixelBuffer.Alpha?
    if let stored = picture.alpha {
      let chroma = part.area(ofPlane: picture.format.planeCount - 1, in: picture.format)
      alpha = PixelBuffer.Alpha(
        full: try cut(stored.full, part, orientation, width: width, height: height),
        chroma: try stored.chroma.map { (plane) throws(CompositingError) in
          try cut(plane, chroma, orientation, width: width / cell.width, height: height / cell.height)
        })
    } else {
      alpha = nil
    }
    let result = try PixelBuffer.make(format: picture.format, width, height, picture.color).with(alpha)
    for (index, plane) in picture.planes.enumerated() {
      result.planes[index].cut(plane, part.area(ofPlane: index, in: picture.format), orientation)
    }
    return result
  }

  /// The turned part of a plane of alpha, extended to a size.
  private func cut(
    _ plane: PixelBuffer, _ area: PixelArea, _ orientation: Orientation, width: Int, height: Int
  ) throws(CompositingError) -> PixelBuffer {
    let result = try PixelBuffer.makeAlpha(width, height)
    result.planes[0].cut(plane.planes[0], area, orientation)
    return result
  }
}

extension Plane {
  /// Copies a turned area of `source`, and repeats its last samples to this plane's edges.
  fileprivate func cut(_ source: Plane, _ area: PixelArea, _ orientation: Orientation) {
    let stored = area.stored(orientation, source.width, source.height)
    part(columns: 0..<area.columns.count, rows: 0..<area.rows.count)
      .turn(source.part(columns: stored.columns, rows: stored.rows), orientation)
    extend(columns: area.columns.count, rows: area.rows.count)
  }
}

extension PictureFormat {
  /// Whether both have the same transfer function and primaries, so that only matrix, range, layout and depth may differ.
  fileprivate func hasSameLight(as other: PictureFormat) -> Bool {
    color.transfer == other.color.transfer && color.primaries == other.color.primaries
  }

  /// The same colour without subsampling. Gray gets chroma planes.
  fileprivate func forLight(bitDepth: Int) -> PictureFormat {
    var other = self
    other.format = PixelFormat(format.layout == .gbr ? .gbr : .yuv444, bitDepth: bitDepth)
    return other
  }

  fileprivate var withFullChroma: PictureFormat {
    var full = self
    full.format = PixelFormat(.yuv444, bitDepth: format.bitDepth)
    return full
  }
}

extension Int {
  fileprivate func roundedUp(to step: Int) -> Int { (self + step - 1) / step * step }
}
