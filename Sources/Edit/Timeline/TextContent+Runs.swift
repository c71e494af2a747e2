package import Formats

extension TextContent {
  package enum Slant: String, Hashable, Sendable, Encodable, CaseIterable { case normal, italic, oblique }

  /// A part of a text. What its style leaves out is as in the whole text.
  package struct Run: Hashable, Sendable, Encodable {
    package var string: String
    package var style: Style
    /// The small text above this one that tells how it is read; nil for none.
    package var ruby: String?
    /// Whether the run's letters stand beside each other in a vertical line, in the room of one.
    package var isCombined = false

    package init(_ string: String, _ style: Style = Style(), ruby: String? = nil) {
      (self.string, self.style, self.ruby) = (string, style, ruby)
    }

    /// Whether the run is as the whole text is.
    package var isPlain: Bool { style == Style() && ruby == nil && !isCombined }
  }

  /// A style of a run. Everything may be left out.
  package struct Style: Hashable, Sendable, Encodable {
    package var fonts: [String]?
    package var language: String?
    /// The font size, in pixels per em.
    package var size: Double?
    package var weight: Int?
    package var slant: Slant?
    package var stretch: Double?
    package var axes: [String: Double]?
    package var features: [String: Int]?
    package var color: RGBAColor?
    package var isUnderlined: Bool?
    package var isStruckThrough: Bool?
    package var letterSpacing: Double?
    /// The pixels by which the letters stand higher than the line.
    package var baselineOffset: Double?
    package var orientation: TextOrientation?
    package var emphasis: TextEmphasis?

    package init() {}
  }

  /// A style in which nothing is left out, except what the text's characters or its fill decide.
  package struct Span: Hashable, Sendable {
    package let string: String
    package let typeface: Typeface
    /// The run's own language.
    package let language: String?
    package let size: Double
    package let features: [String: Int]
    /// The run's own colour; nil where the whole text's fill is used.
    package let color: RGBAColor?
    package let isUnderlined: Bool
    package let isStruckThrough: Bool
    package let letterSpacing: Double
    package let baselineOffset: Double
    package let ruby: String?
    package let isCombined: Bool
    package let orientation: TextOrientation
    /// The marks beside the letters; nil for none.
    package let emphasis: TextEmphasis?
  }

  /// The runs with their whole styles.
  package var spans: [Span] {
    runs.map { run in
      let style = run.style
      return Span(
        string: run.string,
        typeface: Typeface(
          families: style.fonts ?? fonts, weight: style.weight ?? weight, slant: style.slant ?? slant,
          stretch: style.stretch ?? stretch, axes: style.axes ?? axes),
        language: style.language, size: style.size ?? size, features: style.features ?? features, color: style.color,
        isUnderlined: style.isUnderlined ?? isUnderlined, isStruckThrough: style.isStruckThrough ?? isStruckThrough,
        letterSpacing: style.letterSpacing ?? letterSpacing, baselineOffset: style.baselineOffset ?? 0, ruby: run.ruby,
        isCombined: run.isCombined, orientation: style.orientation ?? orientation,
        emphasis: (style.emphasis ?? emphasis).flatMap { $0.mark == .none ? nil : $0 })
    }
  }

  /// The text with each neighbouring runs of one style joined. Runs with ruby and combined ones stay as they are.
  package static func joined(_ runs: [Run]) -> [Run] {
    runs.reduce(into: []) { joined, run in
      if let last = joined.last, last.ruby == nil, run.ruby == nil, !last.isCombined, !run.isCombined, last.style == run.style {
        joined[joined.count - 1].string += run.string
      } else {
        joined.append(run)
      }
    }
  }
}

/// The wish for the faces of a run: its families in order of preference, and which face of each.
package struct Typeface: Hashable, Sendable {
  package let families: [String]
  package let weight: Int
  package let slant: TextContent.Slant
  package let stretch: Double
  /// The axes that are set, which only variable fonts have.
  package let axes: [String: Double]

  package init(
    families: [String], weight: Int = 400, slant: TextContent.Slant = .normal, stretch: Double = 100, axes: [String: Double] = [:]
  ) {
    (self.families, self.weight, self.slant, self.stretch, self.axes) = (families, weight, slant, stretch, axes)
  }

  /// The words that name the face beyond its weight, such as "italic 75% variable"; nil for an upright face of usual width.
  package var variant: String? {
    let words =
      (slant == .normal ? [] : [slant.rawValue]) + (stretch == 100 ? [] : ["\(stretch)%"]) + (axes.isEmpty ? [] : ["variable"])
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}
