package import Formats
package import MediaTime

/// A text that is shown for a while: a subtitle, a caption or a line of lyrics.
package struct CaptionCue: Hashable, Sendable {
  /// The time in which the cue is shown. An empty range is kept, and is never shown.
  package var range: MediaTimeRange
  /// The text. Its lines are parted by newlines.
  package var text: String
  /// The parts of the text that look different from the whole, in its order. They do not overlap.
  package var spans: [Span] = []
  /// The words or syllables with times of their own, in the order of the text.
  package var words: [Word]
  /// The language as a BCP 47 tag; nil is that of the track's style.
  package var language: String?
  /// The direction in which the paragraphs run; nil is that of the track's style.
  package var direction: TextDirection?
  /// The way in which lines run; nil is that of the track's style.
  package var writingMode: WritingMode?
  /// The place in the picture; nil is that of the track.
  package var place: CaptionPlace?
  /// The number of lines that the text keeps from the edge of its place: from the top, or from the side of vertical lines. At the bottom the
  /// first line keeps it, as far as the others leave room.
  package var line: Int?
  /// The part of the picture in which the cue stands with others; nil for none.
  package var region: Region?
  /// The point that the text is laid at, as shares of the picture's width and height; nil for none. The cue's alignment and place
  /// say which point of the text lies there.
  package var position: Point?
  /// Whether a text that is laid at a point, and would lie on another one, is moved as those without a point are.
  package var makesRoom = false
  /// The share of the picture's width, or with vertical lines of its height, at which the text is laid along its lines, while its place
  /// decides the rest; nil where a position or the place does.
  package var along: Double?
  /// The width at which lines are broken, as a share of the picture's; of vertical lines, the height. It is nil for that of the place.
  package var width: Double?
  /// The way that the text goes from its position; nil where it stays.
  package var move: Move?
  /// The side to which the lines are set; nil is that of the track's style.
  package var align: CaptionAlignment?
  /// The colour; nil is that of the track's style.
  package var color: RGBAColor?
  /// The weight of the font, 100...1000; nil is that of the track's style.
  package var weight: Int?
  /// The times that the cue takes to appear and to vanish. They lie within its range.
  package var (fadeIn, fadeOut) = (MediaTime.zero, MediaTime.zero)
  /// The rectangle of the text in render pixels, once it was measured; nil before. A cue with a frame stands there as it is: its
  /// lines are not broken again.
  package var frame: Rect?
  /// The rectangle beyond which nothing of the cue is seen, once a cue of a region was measured; nil for none.
  package var clip: Rect?
  /// The distances that a cue of a region moves up, once it was measured.
  package var scrolls: [Scroll] = []

  package init(_ range: MediaTimeRange, _ text: String, words: [Word] = []) {
    (self.range, self.text, self.words) = (range, text, words)
  }

  /// A part of the text with a look of its own. What it leaves out is as in the whole cue.
  package struct Span: Hashable, Sendable {
    package struct Look: Hashable, Sendable {
      package var weight: Int?
      package var isItalic = false
      package var isUnderlined = false
      package var isStruckThrough = false
      package var color: RGBAColor?
      /// The small text that tells how the part is read; nil for none.
      package var ruby: String?
      /// Whether its letters stand beside each other in a vertical line.
      package var isCombined = false
      /// The language as a BCP 47 tag; nil for that of the whole.
      package var language: String?
      /// The marks beside its letters; nil for those of the whole.
      package var emphasis: TextEmphasis?

      package init() {}
    }

    /// The part's bytes in the text, in UTF-8.
    package var bytes: Range<Int>
    package var look: Look

    package init(_ bytes: Range<Int>, _ look: Look) { (self.bytes, self.look) = (bytes, look) }
  }

  /// A straight way from the cue's position to another one.
  package struct Move: Hashable, Sendable {
    /// The point at which it ends, as shares of the picture's width and height.
    package var to: Point
    /// The time in which the text is on its way. It stands still before and after.
    package var range: MediaTimeRange

    package init(to: Point, _ range: MediaTimeRange) { (self.to, self.range) = (to, range) }
  }

  /// A part of the picture whose cues stand on each other, the latest one at the bottom.
  package struct Region: Hashable, Sendable {
    /// The width, as a share of the picture's.
    package var width = 1.0
    /// The number of lines that it is high.
    package var lines = 3
    /// The point of the region, as shares of its sides, that lies at a point of the picture.
    package var anchor = Point(0, 1)
    /// The point of the picture at which that one lies, as shares of its sides.
    package var viewportAnchor = Point(0, 1)
    package var scroll = Scrolling.none

    /// The way in which cues make room for one that comes: they jump, or slide up.
    package enum Scrolling: String, Hashable, Sendable, CaseIterable { case none, up }

    package init() {}
  }

  /// A way up, while another cue of the region comes or goes.
  package struct Scroll: Hashable, Sendable {
    package var range: MediaTimeRange
    /// The pixels by which the text moves up; down where they are negative.
    package var distance: Double

    package init(_ range: MediaTimeRange, _ distance: Double) { (self.range, self.distance) = (range, distance) }
  }

  /// A word or a syllable, and the time at which it begins. It ends where the next one begins, the last one with its cue, unless it says so.
  package struct Word: Hashable, Sendable {
    package var time: MediaTime
    /// The time at which it ends, where that is before the next one begins; nil for none.
    package var end: MediaTime?
    /// The text, which stands in the cue's text after the word before.
    package var text: String
    /// The rectangle of the word in render pixels, once it was measured; nil before.
    package var frame: Rect?

    package init(_ time: MediaTime, _ text: String, until end: MediaTime? = nil, frame: Rect? = nil) {
      (self.time, self.text, self.end, self.frame) = (time, text, end, frame)
    }
  }
}

extension [CaptionCue.Word] {
  /// The words that have a text. The beginning of one that has none is the end of the one before it.
  var spoken: [CaptionCue.Word] {
    var words: [CaptionCue.Word] = []
    for word in self {
      if !word.text.isEmpty {
        words.append(word)
      } else if let last = words.last, last.end == nil {
        words[words.count - 1].end = word.time
      }
    }
    return words
  }
}

/// The part of the picture in which captions stand.
package enum CaptionPlace: String, Hashable, Sendable, CaseIterable {
  /// In the middle of the lower third.
  case lowerThird
  case bottom, middle, top
  /// The sides, for lines from the top down.
  case left, right
}

package enum CaptionAlignment: String, Hashable, Sendable, CaseIterable {
  case left, center, right

  var opposite: CaptionAlignment {
    switch self {
    case .left: .right
    case .center: .center
    case .right: .left
    }
  }
}

/// The bounds of captions. They are far above real ones.
package enum CaptionLimits {
  /// The bytes of a file: a film has some 200 000.
  package static let byteCount = 8 << 20
  /// The cues of a document in all. They travel with the edit.
  package static let cues = 20_000
  /// The words with times of a document in all.
  package static let words = 60_000
  /// The bytes of all cues' texts, with those of their words.
  package static let textLength = 3 << 20
  /// The lines by which a cue may be away from an edge.
  package static let line = 0...99
  /// The bytes of a ruby.
  package static let rubyLength = 256
  /// The cues that stand in a region at one time.
  package static let regionCues = 100
  /// The times that a cue of a region moves.
  package static let scrolls = 200
  /// The lines of a region.
  package static let regionLines = 1...99
  /// The bytes of one cue's text.
  package static let cueLength = 16_384
  /// The remarks that are told of a file. The others are counted.
  package static let remarks = 50
  /// The length of the last line of lyrics, which has no end in the file.
  package static let lastLine = MediaTime(seconds: 5)
  /// The bytes of a script that libass draws. They travel with the edit.
  package static let scriptLength = 4 << 20
  /// The bytes of its styles and properties, which are part of each frame's scene.
  package static let scriptSetup = 256 << 10
  /// The events of such a script. Effects by letter, for a song, have tens of thousands.
  package static let scriptEvents = 100_000
  /// The events of such a script that are shown at one time, and their bytes.
  package static let (eventsAtOnce, lengthAtOnce) = (2_000, 512 << 10)
  /// The earlier events of a layer that are looked at to place one that might lie on them.
  package static let placedBefore = 24
  /// The latest time of a cue.
  package static let latest = MediaTime(seconds: 360_000)
}
