internal import CFFmpeg
internal import Formats

extension Demuxer {
  /// The descriptions in the file; nil for none that are known here.
  var words: SourceWords? {
    var words = SourceWords()
    for key in MovieTags.Key.allCases {
      words[key] = names(of: key).lazy.compactMap(text).first { key != .date || MovieTags.isDate($0) }
    }
    words.place =
      ["com.apple.quicktime.location.ISO6709", "location"].lazy.compactMap(text).compactMap { MovieTags.Location(iso6709: $0) }
      .first
    return words.isEmpty ? nil : words
  }

  /// The names that containers have for a kind of description, as FFmpeg reads them: the most telling first.
  private func names(of key: MovieTags.Key) -> [String] {
    switch key {
    case .albumArtist: ["album_artist"]
    case .date: ["creation_time", "com.apple.quicktime.creationdate", "date"]
    case .make, .model:
      ["com.apple.quicktime.\(key.rawValue)", key.rawValue, "com.android.\(key == .make ? "manufacturer" : "model")"]
    default: [key.rawValue, "com.apple.quicktime.\(key.rawValue)"]
    }
  }

  /// A text of the container's metadata. A moment is given to a second.
  private func text(_ name: String) -> String? {
    guard let entry = unsafe av_dict_get(context.pointee.metadata, name, nil, 0) else { return nil }
    let text = unsafe String(cString: entry.pointee.value)
    // FFmpeg writes moments with fractions of a second, in UTC.
    guard let moment = text.wholeMatch(of: /([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})\.[0-9]+Z/) else {
      return text
    }
    return "\(moment.1)Z"
  }
}
