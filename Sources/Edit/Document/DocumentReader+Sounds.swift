internal import Formats
internal import Timeline

/// Reads the sounds among which a movie's players choose.
extension DocumentReader {
  /// - Parameters:
  ///   - settings: the export without them. Its sound and its loudness are those of each that states none.
  ///   - type: the file type; nil where it is not known.
  func sounds(_ node: DocumentNode, _ settings: ExportSettings, in type: FileType?, knowsAudio: Bool) -> [MovieSound] {
    let nodes = node.elements(atMost: DocumentLimits.sounds) ?? []
    if let type, !nodes.isEmpty, !type.holdsSounds {
      node.note(
        type.holdsSound
          ? "\(type) holds one sound: use \(FileType.allCases.filter(\.holdsSounds).list), or one document for each sound"
          : "\(type) holds a picture alone: leave the settings of the sound out")
    }
    var (sounds, chosen): ([MovieSound], DocumentNode?) = ([], nil)
    for (index, element) in nodes.enumerated() {
      guard let object = DocumentObject(.movieSound, element) else { continue }
      if let isDefault = object["default"], isDefault.bool() == true {
        if let chosen { isDefault.note("\(chosen.path) is the one that is played where nobody chooses") }
        chosen = chosen ?? isDefault
        if let type, index > 0, type.holdsSounds, !type.describesSounds {
          isDefault.note("players of \(type) play the first sound where nobody chooses: let it be the first")
        }
      }
      let isDefault = chosen != nil && chosen?.path == object["default"]?.path
      if let sound = self.sound(object, settings, in: type, knowsAudio: knowsAudio, isDefault: isDefault) { sounds.append(sound) }
    }
    if chosen == nil, !sounds.isEmpty { sounds[0].isDefault = true }
    return sounds
  }

  private func sound(
    _ object: DocumentObject, _ settings: ExportSettings, in type: FileType?, knowsAudio: Bool, isDefault: Bool
  ) -> MovieSound? {
    let names = object["tracks"]?.elements(atMost: DocumentLimits.tracks)
    if names?.isEmpty == true { object["tracks"]?.note("names no track that is heard") }
    let tracks = (names ?? []).compactMap { trackID($0, .audio) }
    let language = object["language"].flatMap { soundLanguage($0, in: type) }
    let title = object["title"].flatMap { $0.tag() }
    if let type, type.holdsSounds, !type.describesSounds {
      object["title"]?.note("\(type) holds no titles of sounds: leave it out, or use mp4, mov or mkv")
    }
    if let type, let title, let most = type.longestSoundTitle, title.utf8.count > most {
      object["title"]?.note("\(type) holds titles of at most \(most) bytes, not \(title.utf8.count): shorten it, or use mp4")
    }
    var (own, isKnown) = (settings, knowsAudio)
    let audio = object["audio"].flatMap { DocumentObject(.audioSettings, $0) }
    if let audio { isKnown = read(audio, into: &own.audio, isKnown: isKnown) }
    if own.audio.sampleRate != settings.audio.sampleRate {
      audio?["sampleRate"]?.note(
        "all sounds of a movie have one rate, which export.audio.sampleRate states: \(settings.audio.sampleRate) Hz")
    }
    own.audio.sampleRate = settings.audio.sampleRate
    if let audio, isKnown, !own.audio.codec.sampleRates.contains(own.audio.sampleRate) {
      audio.node.note("\(own.audio.codec) is not made at \(own.audio.sampleRate) Hz, but at \(own.audio.codec.sampleRates.list)")
    }
    own.audio = own.audio.stored(in: settings.fileType)
    audio?["copy"]?.note("holds for the movie: state it in export.audio")
    own.audio.copy = settings.audio.copy
    if let audio, isKnown, type?.holdsSounds == true { checkHolds(own, at: audio.node.path) }
    if let loudness = object["loudness"] { own.loudness = self.loudness(loudness) }
    guard !tracks.isEmpty else { return nil }
    return MovieSound(
      of: tracks, language: language, title: title, isDefault: isDefault, audio: own.audio, loudness: own.loudness)
  }

  /// A language that files of the type can name.
  private func soundLanguage(_ node: DocumentNode, in type: FileType?) -> String? {
    guard let tag = language(node) else { return nil }
    guard LanguageCode.letters(of: tag) != nil else {
      return node.refuse(because: "the three letters of '\(tag)' (ISO 639-2) are not known here: write them, such as deu")
    }
    guard let type, type.holdsSounds, !LanguageCode.isKnown(tag, in: type) else { return tag }
    return node.refuse(because: "\(type) has no number for the language '\(tag)': use mp4 or mkv, or leave it out")
  }
}
