import Formats
import Scenes

/// The place of a stored source frame in the render frame. Orientation, pixel aspect, crop and transform become one map, and the
/// case tells how that is drawn. It is a value: equal scenes have equal placements everywhere.
enum Placement: Hashable {
  /// Nothing of the picture lies in the frame.
  case hidden
  /// The picture is turned by quarters or mirrored, then scaled along the axes and moved.
  case upright(UprightPlacement)
  /// Any other affine map.
  case warped(WarpedPlacement)

  /// The grid, in pixels, to which positions are rounded. It is coarser than the errors of arithmetic, such as those of rotation
  /// by `cos` and `sin` of 90 degrees or of a fit into a frame. It is finer than anything that can be seen.
  private static let grid = 1.0 / 4096

  init(_ laid: Scene.Placement, facts: VideoFacts, stored: (width: Int, height: Int), frame: PixelSize) {
    let (width, height) = (Double(stored.width), Double(stored.height))
    let (display, orientation) = (facts.displaySize, facts.orientation)
    let clean = facts.cleanAperture(in: stored)
    let seen = orientation.swapsAxes ? (width: clean.height, height: clean.width) : (width: clean.width, height: clean.height)
    let squared = AffineTransform(Double(display.width) / seen.width, 0, 0, Double(display.height) / seen.height, 0, 0)
    let toDisplay = AffineTransform(1, 0, 0, 1, -clean.x, -clean.y)
      .then(orientation.upright(clean.width, clean.height)).then(squared)
    let map = toDisplay.then(laid.transform)
    let view = laid.projection.map { Projection(map).then($0) }
    guard let fromDisplay = toDisplay.inverse, let crop = (laid.crop ?? Rect(display)).intersection(Rect(display)),
      let visible = fromDisplay.bounds(of: crop).rounded(to: Self.grid).intersection(Rect(0, 0, width, height)),
      map.isFinite, let back = map.inverse, back.isFinite
    else {
      self = .hidden
      return
    }
    if let view {
      guard view.isFinite, let back = view.inverse, back.isFinite, let placed = view.bounds(of: visible),
        placed.intersection(Rect(frame)) != nil
      else {
        self = .hidden
        return
      }
      self = .warped(WarpedPlacement(source: visible, map: map, view: view))
      return
    }
    let placed = map.bounds(of: visible).rounded(to: Self.grid)
    guard placed.intersection(Rect(frame)) != nil else {
      self = .hidden
      return
    }
    if let turn = map.quarterTurn(width, height, tolerance: Self.grid) {
      let upright = turn.upright(width, height)
      self = .upright(
        UprightPlacement(turn: turn, source: upright.bounds(of: visible), target: placed))
    } else {
      self = .warped(WarpedPlacement(source: visible, map: map))
    }
  }
}

extension VideoFacts {
  /// The clean aperture in a stored frame. The frame's size may have changed since the beginning of the track.
  fileprivate func cleanAperture(in stored: (width: Int, height: Int)) -> Rect {
    let (width, height) = (Double(stored.width), Double(stored.height))
    guard let clean = cleanAperture else { return Rect(0, 0, width, height) }
    let (x, y) = (width / Double(naturalSize.width), height / Double(naturalSize.height))
    return Rect(clean.x * x, clean.y * y, clean.width * x, clean.height * y)
  }
}

struct UprightPlacement: Hashable {
  /// The turn that is applied first. It only rearranges the stored samples.
  let turn: Orientation
  /// The part that is shown, in the turned picture's pixels.
  let source: Rect
  /// The rectangle that the part fills, in render pixels. Pixels at its borders may be covered in part.
  let target: Rect

  /// Whether the picture covers every pixel of a frame.
  func covers(_ frame: PixelSize) -> Bool {
    target.x <= 0 && target.y <= 0 && target.maxX >= Double(frame.width) && target.maxY >= Double(frame.height)
  }

  /// Whether the part of the picture that is seen in `frame` begins and ends with whole chroma cells.
  func coversWholeCells(of frame: PictureFormat) -> Bool {
    guard let seen = target.intersection(Rect(0, 0, Double(frame.width), Double(frame.height))) else { return true }
    let cell = frame.cell
    return seen.x.isMultiple(of: cell.width) && seen.maxX.isMultiple(of: cell.width)
      && seen.y.isMultiple(of: cell.height) && seen.maxY.isMultiple(of: cell.height)
  }

  /// Whether samples are copied one for one.
  func isPermutation(cell: (width: Int, height: Int)) -> Bool {
    source.width == target.width && source.height == target.height
      && source.x.isMultiple(of: cell.width) && source.y.isMultiple(of: cell.height)
      && target.x.isMultiple(of: cell.width) && target.y.isMultiple(of: cell.height)
  }
}

struct WarpedPlacement: Hashable {
  /// The part that is shown, in the stored picture's pixels.
  let source: Rect
  /// The map from the stored picture's pixels to render pixels, or to the plane that is turned in space. It is not singular.
  let map: AffineTransform
  /// The map from the stored picture's pixels to render pixels, for a picture that is turned in space; nil where `map` is that.
  let view: Projection?

  init(source: Rect, map: AffineTransform, view: Projection? = nil) { (self.source, self.map, self.view) = (source, map, view) }

  /// The lengths to which steps of 1 along the picture's axes are stretched, at most.
  var stretch: Point {
    view?.stretch(over: source)
      ?? Point((map.a * map.a + map.b * map.b).squareRoot(), (map.c * map.c + map.d * map.d).squareRoot())
  }
}

extension AffineTransform {
  /// The smallest rectangle around the image of `rect`.
  func bounds(of rect: Rect) -> Rect {
    let corners = [apply(rect.x, rect.y), apply(rect.maxX, rect.y), apply(rect.x, rect.maxY), apply(rect.maxX, rect.maxY)]
    let (left, right) = (corners.map(\.x).min()!, corners.map(\.x).max()!)
    let (top, bottom) = (corners.map(\.y).min()!, corners.map(\.y).max()!)
    return Rect(left, top, right - left, bottom - top)
  }

  fileprivate var isFinite: Bool { [a, b, c, d, tx, ty].allSatisfy(\.isFinite) }

  /// The quarter turn or mirroring in this map; nil where it does not keep the axes of a picture of this size to within
  /// `tolerance` pixels.
  fileprivate func quarterTurn(_ width: Double, _ height: Double, tolerance: Double) -> Orientation? {
    if abs(b) * width <= tolerance, abs(c) * height <= tolerance {
      return a > 0 ? (d > 0 ? .up : .flipped) : (d > 0 ? .mirrored : .rotated180)
    }
    if abs(a) * width <= tolerance, abs(d) * height <= tolerance {
      return b > 0 ? (c > 0 ? .transposed : .rotated90) : (c > 0 ? .rotated270 : .transversed)
    }
    return nil
  }
}

extension Rect {
  /// The rectangle with each edge at the nearest multiple of `step`.
  fileprivate func rounded(to step: Double) -> Rect {
    func nearest(_ value: Double) -> Double { (value / step).rounded() * step }
    let (left, top) = (nearest(x), nearest(y))
    return Rect(left, top, nearest(maxX) - left, nearest(maxY) - top)
  }
}

extension Double {
  fileprivate func isMultiple(of step: Int) -> Bool { truncatingRemainder(dividingBy: Double(step)) == 0 }
}
