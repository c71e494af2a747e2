package import Formats
internal import MediaTime
package import Timeline

/// Draws waveforms at one moment, as shapes. The arithmetic is that of IEEE 754 alone, so that all machines draw the same.
extension LayerMaker {
  /// The shapes of a waveform in its layer's rectangle: what lies ahead, and what has been heard in a colour of its own. There are
  /// none before the sound is measured.
  func parts(of waveform: WaveformContent, _ size: Point) throws(TimeError) -> [Scene.Drawing.Part] {
    guard let levels = waveform.levels, !levels.isEmpty else { return [] }
    if let spectrum = waveform.spectrum { return try parts(of: waveform, spectrum, levels, size) }
    let elapsed = try Rational(time) - Rational(waveform.range.start)
    var figure = WaveformFigure(waveform, levels, size)
    var heard = size.x * min(max((try elapsed / Rational(waveform.range.duration)).approximation, 0), 1)
    if waveform.window != nil {
      heard = size.x * waveform.now
      figure.left = heard - (try elapsed / waveform.levelDuration).approximation * figure.pitch
    }
    guard let path = figure.path else { return [] }
    let frame = Rect(0, 0, size.x, size.y)
    guard let progressColor = waveform.progressColor, heard > 0 else {
      return [Self.part(path, color: waveform.color, of: waveform, size: size, within: frame)]
    }
    guard heard < size.x else { return [Self.part(path, color: progressColor, of: waveform, size: size, within: frame)] }
    return [
      Self.part(path, color: waveform.color, of: waveform, size: size, within: Rect(heard, 0, size.x - heard, size.y)),
      Self.part(path, color: progressColor, of: waveform, size: size, within: Rect(0, 0, heard, size.y)),
    ]
  }

  /// The shape of a spectrum at this moment. Before the range that was measured, and after it, all bands are silent.
  private func parts(
    of waveform: WaveformContent, _ spectrum: WaveformContent.Spectrum, _ levels: [Int], _ size: Point
  ) throws(TimeError) -> [Scene.Drawing.Part] {
    let elapsed = try Rational(time) - Rational(waveform.range.start)
    let moment = try (elapsed / Rational(spectrum.step)).floor
    var bands = [Int](repeating: 0, count: waveform.bars)
    if time < waveform.range.end, moment >= 0, let place = Int(exactly: moment), (place + 1) * bands.count <= levels.count {
      bands = Array(levels[(place * bands.count)..<((place + 1) * bands.count)])
    }
    guard let path = WaveformFigure(waveform, bands, size).path else { return [] }
    return [Self.part(path, color: waveform.color, of: waveform, size: size, within: Rect(0, 0, size.x, size.y))]
  }

  /// The outline in one colour, of which only what lies in `area` is seen.
  private static func part(
    _ path: VectorPath, color: RGBAColor, of waveform: WaveformContent, size: Point, within area: Rect
  ) -> Scene.Drawing.Part {
    let isLine = waveform.style == .line
    let shape = ShapeContent(
      outline: .path(path), fillColor: isLine ? nil : color, strokeColor: isLine ? color : nil, lineWidth: waveform.lineWidth,
      lineCap: .round, lineJoin: .round)
    let figure = Scene.Drawing(.shape(shape, stroked: .whole), size: size)
    var look = Scene.Drawing.Look()
    look.clips = true
    let pane = Scene.Drawing(
      nil, size: Point(area.width, area.height), look: look,
      parts: [Scene.Drawing.Part(figure, map: .translation(-area.x, -area.y))])
    return Scene.Drawing.Part(pane, map: .translation(area.x, area.y))
  }
}

/// The outline of the part of a waveform that is seen.
struct WaveformFigure {
  private let waveform: WaveformContent
  private let levels: [Int]
  private let size: Point
  /// The distance from one level to the next, in the layer's pixels.
  let pitch: Double
  /// The left edge of the first level, in the layer's pixels.
  var left = 0.0

  init(_ waveform: WaveformContent, _ levels: [Int], _ size: Point) {
    (self.waveform, self.levels, self.size) = (waveform, levels, size)
    pitch = size.x / Double(waveform.bars)
  }

  /// The outline; nil where no level is in sight.
  var path: VectorPath? {
    // A level beyond each edge is drawn as well, because lines lead to it.
    let count = Double(levels.count)
    let first = min(max((-left / pitch).rounded(.down) - 1, 0), count)
    let end = min(max(((size.x - left) / pitch).rounded(.up) + 1, 0), count)
    guard first < end else { return nil }
    let elements = waveform.style == .bars ? bars(Int(first)..<Int(end)) : outline(Int(first)..<Int(end))
    return elements.isEmpty ? nil : VectorPath(elements)
  }

  private func height(_ index: Int) -> Double { size.y * Double(levels[index]) / Double(WaveformContent.full) }

  private func bars(_ indices: Range<Int>) -> [VectorPath.Element] {
    let width = pitch * waveform.barWidth
    var elements: [VectorPath.Element] = []
    for index in indices {
      // The ends of a round bar are a circle at least.
      let height = waveform.hasRoundBars ? min(max(self.height(index), width), size.y) : self.height(index)
      guard height > 0 else { continue }
      let top = waveform.isMirrored ? (size.y - height) / 2 : size.y - height
      let bar = Rect(left + pitch * (Double(index) + 0.5) - width / 2, top, width, height)
      elements += Self.rectangle(bar, radius: waveform.hasRoundBars ? min(width, height) / 2 : 0)
    }
    return elements
  }

  /// A rectangle whose corners are quarter circles.
  private static func rectangle(_ rect: Rect, radius: Double) -> [VectorPath.Element] {
    let (x, y, right, bottom) = (rect.x, rect.y, rect.maxX, rect.maxY)
    guard radius > 0 else {
      return [.move(Point(x, y)), .line(Point(right, y)), .line(Point(right, bottom)), .line(Point(x, bottom)), .close]
    }
    // The length of the control arms with which a cubic curve comes nearest to a quarter circle.
    let arm = radius * (1 - 0.5522847498307936)
    return [
      .move(Point(x + radius, y)), .line(Point(right - radius, y)),
      .curve(Point(right - arm, y), Point(right, y + arm), to: Point(right, y + radius)),
      .line(Point(right, bottom - radius)),
      .curve(Point(right, bottom - arm), Point(right - arm, bottom), to: Point(right - radius, bottom)),
      .line(Point(x + radius, bottom)),
      .curve(Point(x + arm, bottom), Point(x, bottom - arm), to: Point(x, bottom - radius)),
      .line(Point(x, y + radius)),
      .curve(Point(x, y + arm), Point(x + arm, y), to: Point(x + radius, y)), .close,
    ]
  }

  /// The line through the levels, and where it is mirrored the line below it.
  private func outline(_ indices: Range<Int>) -> [VectorPath.Element] {
    let middle = waveform.isMirrored ? size.y / 2 : size.y
    let share = waveform.isMirrored ? 0.5 : 1
    var upper = indices.map { Point(left + pitch * (Double($0) + 0.5), middle - height($0) * share) }
    // The first and the last level reach to the ends of the sound.
    if let first = upper.first, indices.lowerBound == 0 { upper.insert(Point(left, first.y), at: 0) }
    if let last = upper.last, indices.upperBound == levels.count {
      upper.append(Point(left + pitch * Double(levels.count), last.y))
    }
    let lower = upper.reversed().map { Point($0.x, 2 * middle - $0.y) }
    guard let start = upper.first, let end = upper.last else { return [] }
    let ahead: [VectorPath.Element] = [.move(start)] + upper.dropFirst().map { .line($0) }
    if waveform.style == .line {
      guard waveform.isMirrored, let back = lower.first else { return ahead }
      return ahead + [.move(back)] + lower.dropFirst().map { .line($0) }
    }
    let back = waveform.isMirrored ? lower : [Point(end.x, middle), Point(start.x, middle)]
    return ahead + back.map { .line($0) } + [.close]
  }
}

extension WaveformContent {
  /// The outline of a measured waveform of which all is seen, in a rectangle of this size from (0, 0); nil where nothing is seen.
  package func outline(in size: Point) -> VectorPath? { levels.flatMap { WaveformFigure(self, $0, size).path } }
}
