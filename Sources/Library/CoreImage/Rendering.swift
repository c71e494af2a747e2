/// One rendering: the working space, and the pictures that were decoded for it.
package final class Rendering {
  /// The space in which filters compute; nil where colours are not converted.
  let working: CGColorSpace?
  private var decoded: [ObjectIdentifier: (owner: AnyObject, pixels: Pixels)] = [:]

  package init(working: CGColorSpace?) { self.working = working }

  /// Core Image's working space: light of sRGB's primaries, with values below 0 and above 1.
  package static let standardSpace = CGColorSpace(name: CGColorSpace.extendedLinearSRGB)

  package func pixels(of image: CIImage, _ area: Area) -> Pixels {
    guard let bounds = Area(image.extent) else {
      return image.extent.isEmpty ? Pixels(clear: area) : image.node.rule(area, self)
    }
    let common = area.intersection(bounds)
    if common.isEmpty { return Pixels(clear: area) }
    return image.node.rule(common, self).cut(area)
  }

  /// Pixels that are made once for a rendering.
  func cached(_ owner: AnyObject, _ make: () -> Pixels) -> Pixels {
    if let known = decoded[ObjectIdentifier(owner)] { return known.pixels }
    let made = make()
    decoded[ObjectIdentifier(owner)] = (owner, made)
    return made
  }

  /// A colour in the working space, multiplied by alpha.
  func color(_ color: CIColor) -> Pixel {
    let parts = working.map { color.cgColor.parts(in: $0) } ?? color.cgColor.sRGB
    return Pixel(Float(parts[0]), Float(parts[1]), Float(parts[2]), Float(parts[3])).premultiplied
  }

  /// Brings values into the working space, and their rows from top down to bottom up.
  func decode(_ values: [Pixel], width: Int, height: Int, _ space: CGColorSpace?) -> Pixels {
    var made = Pixels(clear: Area(x: 0, y: 0, width: width, height: height))
    let curve = Conversion(from: space, to: working)
    for y in 0..<height {
      for x in 0..<width { made.values[(height - 1 - y) * width + x] = curve.convert(values[y * width + x]) }
    }
    return made
  }

  /// Brings pixels into another space; rows go from the top down.
  package func encode(_ pixels: Pixels, _ space: CGColorSpace?) -> [Pixel] {
    let curve = Conversion(from: working, to: space)
    let area = pixels.area
    var made: [Pixel] = []
    made.reserveCapacity(area.width * area.height)
    for y in (0..<area.height).reversed() {
      for x in 0..<area.width { made.append(curve.convert(pixels.values[y * area.width + x])) }
    }
    return made
  }
}

/// The way of colours that are multiplied by alpha from one space into another.
struct Conversion {
  private let exact: ColorConversion?
  /// The curve of each part, where the spaces differ in nothing else: by 65,535ths of what is between 0 and 1.
  private let table: [Float]

  /// Spaces that are nil mean that colours stay as they are.
  init(from source: CGColorSpace?, to target: CGColorSpace?) {
    guard let source, let target, !source.means(target) else {
      (exact, table) = (nil, [])
      return
    }
    let conversion = ColorConversion(from: source, to: target)
    exact = conversion
    guard source.primaries == target.primaries, target.model == .rgb else {
      table = []
      return
    }
    table = (0...65_535).map { step in
      let value = Double(step) / 65_535
      return Float(conversion.convert((value, value, value)).0)
    }
  }

  func convert(_ pixel: Pixel) -> Pixel {
    guard let exact, pixel[3] > 0 else { return pixel }
    let color = pixel[3] == 1 ? pixel : pixel.straight
    if !table.isEmpty, color.min() >= 0, color.max() <= 1 {
      func look(_ value: Float) -> Float {
        // The curve is a line between two steps.
        let place = value * 65_535
        let step = min(Int(place), 65_534)
        let part = place - Float(step)
        return table[step] * (1 - part) + table[step + 1] * part
      }
      return Pixel(look(color[0]), look(color[1]), look(color[2]), color[3]).premultiplied
    }
    let made = exact.convert((Double(color[0]), Double(color[1]), Double(color[2])))
    return Pixel(Float(made.0), Float(made.1), Float(made.2), color[3]).premultiplied
  }
}
