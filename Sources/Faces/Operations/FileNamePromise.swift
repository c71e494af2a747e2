internal import Formats

/// The kind of file that a name promises by its ending. Other endings promise nothing.
struct FileNamePromise {
  enum Kind {
    /// A movie; nil stands for a kind that Spool never makes.
    case movie(FileType?)
    /// Sound alone, in a file type of sound or of movies; nil stands for a kind that Spool never makes.
    case sound(FileType?)
    case stillPicture
    case playlist
  }

  /// The name's ending in lower case, without the dot.
  let ending: String
  let kind: Kind

  /// Returns nil when the name promises nothing.
  init?(of name: String) {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    ending = name[dot...].dropFirst().lowercased()
    guard let kind = Self.kinds[ending] else { return nil }
    self.kind = kind
  }

  /// The file type that the name asks for; nil for a kind that Spool never makes.
  var fileType: FileType? {
    switch kind {
    case .movie(let type), .sound(let type): type
    case .stillPicture, .playlist: nil
    }
  }

  /// The promise in words, to stand behind "the name promises".
  var words: String {
    switch kind {
    case .movie(let type): type?.isAnimation == true ? "an animation in \(ending)" : "a movie in \(ending)"
    case .sound: "sound alone, in \(ending)"
    case .stillPicture: "a still picture in \(ending)"
    case .playlist: "a list of files in \(ending)"
    }
  }

  private static let kinds: [String: Kind] = {
    var kinds: [String: Kind] = ["mka": .sound(.mkv), "weba": .sound(.webm)]
    for type in FileType.allCases where !type.isFolder {
      for ending in type.endings { kinds[ending] = type.holdsPicture ? .movie(type) : .sound(type) }
    }
    let movies =
      "264 265 3g2 3gp asf av1 divx dv f4v flv gifv h264 h265 hevc ivf m1v m2t m2ts m2v mjpeg mjpg mp2v mpe mpeg mpg mts nut obu "
      + "ogm ogv rm rmvb swf vob wmv wtv y4m yuv"
    let sounds =
      "aac ac3 alac amr ape au caf dsf dts eac3 mid mp2 spx tta w64 wma wv"
    let pictures =
      "arw avif bmp cr2 dng dpx emf eps exr hdr heic heif hif ico j2k jfif jp2 jpe jpeg jpg jxl nef pbm pcx pdf pgm pict png pnm "
      + "ppm psd qoi svg tga tif tiff xcf"
    for ending in movies.split(separator: " ") { kinds[String(ending)] = .movie(nil) }
    for ending in sounds.split(separator: " ") { kinds[String(ending)] = .sound(nil) }
    for ending in pictures.split(separator: " ") { kinds[String(ending)] = .stillPicture }
    for ending in ["m3u", "m3u8", "mpd", "pls", "xspf"] { kinds[ending] = .playlist }
    return kinds
  }()
}
