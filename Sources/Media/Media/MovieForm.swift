package import Formats
package import MediaTime

/// The segment files that become a movie.
package struct MovieSegments {
  /// The picture segments in the order of their frames; empty where there is sound alone.
  package let pictures: [SegmentInput]
  /// The versions of the pictures beside them, each as its segments (cmaf). They have the same settings but for size and rate.
  package let renditions: [[SegmentInput]]
  /// The sounds among which players choose.
  package let sounds: [SoundInput]

  package init(pictures: [SegmentInput], renditions: [[SegmentInput]] = [], sounds: [SoundInput] = []) {
    (self.pictures, self.renditions, self.sounds) = (pictures, renditions, sounds)
  }

  /// - Parameter sound: the only sound; nil for none.
  package init(pictures: [SegmentInput], sound: SegmentInput?) {
    self.init(pictures: pictures, sounds: sound.map { [SoundInput([$0])] } ?? [])
  }

  /// The segments of each track, in the order of the movie: the picture, its renditions, the sounds.
  var all: [[SegmentInput]] { [pictures].filter { !$0.isEmpty } + renditions + sounds.map(\.segments) }
}

/// The form of a movie's file, and what it says beside its packets.
package struct MovieForm {
  package var fileType: FileType
  /// The settings with which the pictures were encoded. Segment files do not keep all that containers ask for.
  package var video: VideoCodecSettings?
  /// The duration of a frame; positive. The pictures were encoded with it, and with `color` and `hdrMetadata`.
  package var frameDuration: MediaTime
  package var color: ColorTags
  package var hdrMetadata: HDRMetadata?
  /// Whether packets of some picture segments were copied from sources. These may have parameter sets of their own.
  package var joinsParameterSets = false
  /// The times of the frames, where they are not multiples of `frameDuration`.
  package var times: FrameTimes?
  /// The way in which players turn the stored picture (mp4, mov).
  package var orientation = Orientation.up
  /// The part of the pictures that players show, in whole pixels (mp4, mov, in one piece and with the index at the end); nil is all of it.
  package var cleanAperture: Rect?
  /// The language of what is written in the pictures, as a BCP 47 tag; nil where none is told.
  package var pictureLanguage: String?
  /// Whether the index stands at the front (mp4, mov). To move it there, the movie is read and written once more.
  package var optimizeForNetworkUse = false
  /// The length of the fragments in which the movie is written (mp4, mov, m4a), without chapters and text tracks; nil for none.
  package var fragmentInterval: MediaTime?
  /// The times at or after which fragments begin with a keyframe, ascending, in place of multiples of an interval; nil for none.
  package var fragmentStarts: [MediaTime]?
  /// The number of the first fragment.
  package var firstFragment = 1
  /// The label of the first frame (mp4, mov, mxf); nil writes none, or in mxf that of 0. The frames' rate has such a label.
  package var timecode: String?
  /// The comment in the movie's metadata; nil for none.
  package var comment: String?
  /// The metadata of the movie. Keys that the file type does not hold are left out.
  package var tags = MovieTags()
  /// Further words of QuickTime by their keys (mov). Beside them, the other words stand under QuickTime's keys, too.
  package var words: [String: String] = [:]
  /// Whether each track is played where nobody chooses, in the order of the file (mp4, mov, m4a); nil leaves it to the muxer.
  package var enabledTracks: [Bool]?
  /// The movie's named parts, one after the other from 0 on.
  package var chapters: [MovieChapter] = []
  /// The movie's text tracks.
  package var captions: [MovieCaptions] = []
  /// The movie's tracks of metadata that changes with time (mov, in one piece).
  package var metadata: [MovieMetadata] = []
  /// The tracks of texts of a movie in pieces.
  package var texts: [PieceText] = []
  /// The still pictures of a movie in pieces, and the file that tells where the thumbnails are: they lie in its folder.
  package var stills: [CompanionFile] = []
  /// The places of the thumbnails among these; nil without any.
  package var sheets: ThumbnailSheets?
  /// The number of times that an animation is played; nil is for ever.
  package var playCount: Int?

  package init(_ fileType: FileType, frameDuration: MediaTime, color: ColorTags) {
    (self.fileType, self.frameDuration, self.color) = (fileType, frameDuration, color)
  }

  /// Whether the chapters stand in a list beside their track (mp4, mov, m4a). It counts up to 255 of them, and as many bytes of a title:
  /// players that read it would miss the others, and see a part of a letter. In a mov whose words have keys there is none: those are lifted from
  /// beside it.
  var listsChapters: Bool {
    tagNames != .quickTime && chapters.count <= 255 && chapters.allSatisfy { $0.title.utf8.count <= 255 }
  }

  /// The borders of the fragments in which the movie is written; nil where it is in one piece.
  var fragmentBorders: FragmentedMovie.Borders? {
    fragmentStarts.map { .at($0) } ?? fragmentInterval.map { .every($0) }
  }

  /// The names under which what the file says of the movie stands in it.
  enum TagNames: Hashable {
    /// The container's own, by FFmpeg's names of them.
    case plain
    /// QuickTime's keys (mov).
    case quickTime
    /// Keys, once by FFmpeg's names and once by QuickTime's (mp4): the container has no words of its own beside keys.
    case both
  }

  /// MPEG-4's own words have no place for others, and none for a camera: where there are such, all stand under keys.
  var tagNames: TagNames {
    switch fileType {
    case .mov: words.isEmpty && tags.custom.isEmpty ? .plain : .quickTime
    case .mp4, .m4a: tags.custom.isEmpty && tags.texts[.make] == nil && tags.texts[.model] == nil ? .plain : .both
    default: .plain
    }
  }

  /// The bytes that the tags and the chapters take in the file, as measured, to within some for each of them (mp4, mov, mkv, webm).
  package var describingByteCount: Int {
    let isISO = fileType.hasMovableIndex
    // The boxes, or elements, around a word and its key.
    let (around, isTwice) = (isISO ? 32 : 14, tagNames == .both)
    var words = tags.texts.map { (key: QuickTimeWords.key(of: $0.key), text: $0.value) }
    if let location = tags.location { words.append((key: QuickTimeWords.place, text: location.iso6709)) }
    var count = words.reduce(0) { $0 + ($1.text.utf8.count + around + $1.key.utf8.count) * (isTwice ? 2 : 1) }
    count += tags.custom.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + around }
    guard !chapters.isEmpty else { return count }
    let titles = chapters.reduce(0) { $0 + $1.title.utf8.count }
    guard isISO else { return count + titles + 31 * chapters.count }
    // The track of texts, and the list.
    return count + 700 + titles + 15 * chapters.count + (listsChapters ? titles + 11 * chapters.count : 0)
  }

  /// Whether Matroska's times apply: none may be negative, so tracks start later by the priming.
  var isMatroska: Bool { [.mkv, .webm].contains(fileType) }
}
