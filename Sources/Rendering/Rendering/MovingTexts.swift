internal import Compositing
internal import Drawing
internal import Formats
internal import Media
internal import Scenes
internal import Timeline

/// The moving texts of an edit, laid out. One thread at a time.
final class MovingTexts {
  private struct Key: Hashable {
    let drawing: Scene.Drawing
    let motion: TextMotion
  }

  /// A text that was laid out, and how its parts move.
  struct Text {
    let drawing: LettersDrawing
    let choreography: TextChoreography
  }

  private let fonts: FontBook
  private var texts: [Key: Text] = [:]
  /// The most texts that are kept. More are seldom shown at once, and what is dropped is laid out again.
  private static let most = 64

  init(_ fonts: FontBook) { self.fonts = fonts }

  func text(of moving: Scene.MovingText) throws -> Text {
    let drawing = moving.still.drawing
    let key = Key(drawing: drawing, motion: moving.motion)
    if let known = texts[key] { return known }
    guard case .text(let content, let lowerThird)? = drawing.content else { preconditionFailure("a moving text is a text") }
    let letters = try LettersDrawing(
      content, in: Rect(0, 0, drawing.size.x, drawing.size.y), lowerThird: lowerThird, fonts: fonts)
    let text = Text(drawing: letters, choreography: TextChoreography(letters.letters, moving.motion, em: content.size))
    if texts.count >= Self.most { texts = [:] }
    texts[key] = text
    return text
  }

  func states(of moving: Scene.MovingText) throws -> [TextState] {
    switch moving.moment {
    case .states(let states): states
    case .time(let time, let range): try text(of: moving).choreography.states(at: time, in: range)
    }
  }
}

/// A picture of a part of a moving text. Each is drawn once, and moved.
struct TextPart: Hashable {
  let still: Scene.Still
  /// The part's bytes in the text; nil for the boxes of the whole text.
  let bytes: Range<Int>?
  let tier: LettersDrawing.Tier
  let tints: [TextTint]
  /// The standard deviation of the blur, in the layer's pixels.
  let blur: Double
  /// The pixels of the picture for each of the still's.
  let density: Double
}

extension StillPictures {
  /// The pieces of a frame that show a moving text.
  func pieces(of moving: Scene.MovingText, _ placement: Scene.Placement) throws -> [Collage.Piece] {
    let states = try supplies.texts.states(of: moving)
    if states.allSatisfy({ $0 == .rest }) { return try piece(of: moving.still, placement).map { [$0] } ?? [] }
    let text = try supplies.texts.text(of: moving)
    let opacity = placement.opacity * moving.still.opacity
    let full = Scene.Placement(transform: placement.transform)
    var pieces: [Collage.Piece] = []
    for tier in text.drawing.tiers {
      if tier == .boxes {
        let part = TextPart(still: moving.still, bytes: nil, tier: tier, tints: [], blur: 0, density: 1)
        if let piece = try piece(of: part, text: text, state: TextState(), window: nil, placement: full) { pieces.append(piece) }
        continue
      }
      for (part, state) in zip(text.choreography.parts, states) where state.opacity > 0 {
        pieces += try self.pieces(of: part, tier: tier, moving: moving, text: text, state: state, placement: full)
      }
    }
    // Parts that lie over each other are faded together.
    return opacity < 1 && !pieces.isEmpty
      ? [.group(Collage.Group(pieces, cover: nil, opacity: opacity, blendMode: .normal))] : pieces
  }

  private func pieces(
    of part: TextChoreography.Part, tier: LettersDrawing.Tier, moving: Scene.MovingText, text: MovingTexts.Text,
    state: TextState, placement: Scene.Placement
  ) throws -> [Collage.Piece] {
    // The line around letters that are half clear would shine through them.
    let isOne = state.opacity < 1 && text.drawing.tiers.contains(.outline)
    if tier == .outline, isOne { return [] }
    let density = state.map.largestStretch <= 1 ? 1 : min(state.map.largestStretch.rounded(.up), Self.mostDensity)
    var pieces: [Collage.Piece] = []
    for coat in tier == .letters ? state.coats : [TextState.Coat()] {
      let wanted = TextPart(
        still: moving.still, bytes: part.bytes, tier: tier == .letters && isOne ? .whole : tier, tints: coat.tints,
        blur: state.blur, density: density)
      var window = state.window ?? coat.window
      if let own = state.window, let other = coat.window {
        window = own.intersection(other)
        if window == nil { continue }
      }
      if let piece = try piece(of: wanted, text: text, state: state, window: window, placement: placement) {
        pieces.append(piece)
      }
    }
    return pieces
  }

  /// The largest number of a picture's pixels for each of the still's. What grows more is enlarged.
  private static let mostDensity = 8.0

  /// - Parameter window: the part of the layer in which the piece is seen, before it is moved; nil where all of it is.
  private func piece(
    of part: TextPart, text: MovingTexts.Text, state: TextState, window: Rect?, placement: Scene.Placement
  ) throws -> Collage.Piece? {
    let toPicture = part.still.map.then(.scale(part.density, part.density))
    let known = try parts[part] ?? shownParts[part] ?? draw(part, text, toPicture)
    shownParts[part] = .some(known)
    guard let known, let back = toPicture.inverse else { return nil }
    let transform =
      state.map == .identity && part.density == 1
      ? placement.transform : back.then(state.map).then(part.still.map).then(placement.transform)
    let crop = window.flatMap { window in
      window.mapped(toPicture).roundedToPixels.intersection(
        Rect(Double(known.x), Double(known.y), Double(known.picture.width), Double(known.picture.height)))
    }
    if window != nil, crop == nil { return nil }
    return piece(of: known, Scene.Placement(crop: crop, transform: transform, opacity: state.opacity))
  }

  private func draw(_ part: TextPart, _ text: MovingTexts.Text, _ map: AffineTransform) throws -> PlacedPicture? {
    supplies.drawingCount += 1
    let target = compositor.graphicsFormat
    return try text.drawing.picture(of: part.bytes, part.tier, tints: part.tints, blur: part.blur, map).flatMap { drawing in
      try PlacedPicture(movable: drawing, opacity: 1, format: target.format, color: target.color)
    }
  }
}

extension Rect {
  /// The image under a map that does not turn.
  fileprivate func mapped(_ map: AffineTransform) -> Rect {
    let (from, to) = (map.apply(x, y), map.apply(maxX, maxY))
    return Rect(min(from.x, to.x), min(from.y, to.y), abs(to.x - from.x), abs(to.y - from.y))
  }

  /// The rectangle with its edges on whole pixels, so that what lies beside each other in two windows has no seam.
  fileprivate var roundedToPixels: Rect {
    let (left, top) = (x.rounded(), y.rounded())
    return Rect(left, top, maxX.rounded() - left, maxY.rounded() - top)
  }
}
