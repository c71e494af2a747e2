internal import Formats
internal import MediaTime
internal import SampleStream

extension AVAssetWriter {
  /// The movie that the program is to write.
  func order(writing output: URL) throws(AVError) -> WritingOrder {
    guard !FileManager.default.fileExists(atPath: output.path) else {
      throw AVError(.fileAlreadyExists, "outputURL: \(output.path) exists already", property: "outputURL", url: output)
    }
    let fileType = try outputFileType.written()
    guard !inputs.isEmpty else { throw AVError(.operationNotAllowed, "startWriting(): there is no input", property: "inputs") }
    guard inputs.count(where: { $0.mediaType == .video }) <= 1 else {
      throw AVError(.operationNotAllowed, "inputs: a movie has one track of pictures here", property: "inputs")
    }
    guard inputs.count(where: { $0.mediaType == .audio }) <= 1 || fileType.describesSounds else {
      throw AVError(.operationNotAllowed, "inputs: \(fileType) holds one sound", property: "inputs")
    }
    var tracks: [WritingOrder.Coding] = []
    let enabled = try enabled()
    for (index, input) in inputs.enumerated() { tracks.append(try coding(of: input, isEnabled: enabled[index], in: fileType)) }
    guard inputs.contains(where: { [.video, .audio].contains($0.mediaType) }) else {
      throw AVError(
        .operationNotAllowed, "inputs: a movie has pictures or sound here, beside its texts and metadata", property: "inputs")
    }
    var order = WritingOrder(output: output.standardizedFileURL.path, fileType: fileType.rawValue, tracks: tracks)
    order.disabled = enabled.indices.filter { !enabled[$0] }
    order.optimizeForNetworkUse = shouldOptimizeForNetworkUse
    order.givesPieces = givesPieces
    order.fragments = givesPieces ? try pieces(fileType, tracks) : try fragments(fileType, tracks)
    guard initialMovieFragmentSequenceNumber > 0, initialMovieFragmentSequenceNumber < Int32.max else {
      throw AVError(
        .operationNotAllowed,
        "initialMovieFragmentSequenceNumber: \(initialMovieFragmentSequenceNumber) is no number of a fragment",
        property: "initialMovieFragmentSequenceNumber")
    }
    order.fragments?.first = initialMovieFragmentSequenceNumber
    let hasAperture = tracks.contains { if case .pictures(let coding) = $0 { coding.aperture != nil } else { false } }
    if hasAperture, order.fragments != nil {
      let property = "movieFragmentInterval"
      throw AVError(
        .operationNotAllowed,
        "\(property): a clean aperture is written into the index of a movie that is no sequence of fragments",
        property: property)
    }
    let (tags, words) = try MovieTags.split(metadata, in: fileType)
    for (key, text) in tags.texts { order.tags[key.rawValue] = text }
    order.place = tags.location.map { [$0.latitude, $0.longitude] }
    order.words = words
    return order
  }

  /// The way in which an input's track is encoded, and what the movie says of it.
  private func coding(
    of input: AVAssetWriterInput, isEnabled: Bool, in fileType: FileType
  ) throws(AVError) -> WritingOrder.Coding {
    if let refusal = input.refusal { throw refusal }
    var coding = try WritingSettings.coding(input.outputSettings, input.mediaType, fileType)
    switch coding {
    case .pictures(var pictures):
      pictures.orientation = try WritingSettings.orientation(of: input.transform)
      pictures.language = try input.language(in: fileType)
      try input.checkPictures(pictures.size)
      coding = .pictures(pictures)
    case .sound(var sound):
      sound.language = try input.language(in: fileType)
      sound.title = try input.title(in: fileType)
      sound.isDefault = isEnabled
      coding = .sound(sound)
    case .text(var text):
      text.language = try input.language(in: fileType)
      guard input.metadata.isEmpty else { throw input.fault("metadata", "a track of texts has no words of its own here") }
      coding = .text(text)
    case .metadata(var metadata):
      guard !input.metadataKeys.isEmpty else {
        throw input.fault("sourceFormatHint", "an input of metadata needs a description that names its keys")
      }
      guard input.metadata.isEmpty else {
        throw input.fault("metadata", "a track of metadata has no words of its own here")
      }
      metadata.keys = Array(MetadataSamples.box(of: input.metadataKeys))
      metadata.language = try input.language(in: fileType)
      coding = .metadata(metadata)
    }
    return coding
  }

  private func fragments(
    _ fileType: FileType, _ tracks: [WritingOrder.Coding]
  ) throws(AVError) -> WritingOrder.Fragments? {
    guard outputFileTypeProfile == nil else {
      throw AVError(
        .operationNotAllowed, "outputFileTypeProfile: a writer of a file has none; init(contentType:) makes a writer of pieces",
        property: "outputFileTypeProfile")
    }
    guard movieFragmentInterval.isNumeric, movieFragmentInterval > .zero else { return nil }
    guard fileType.holdsFragments else {
      throw AVError(
        .unsupportedOutputSettings, "movieFragmentInterval: \(fileType) is not written in fragments; mp4, mov and m4a are",
        property: "movieFragmentInterval")
    }
    try check(tracks, "movieFragmentInterval")
    return try WritingOrder.Fragments(every: MediaTime(movieFragmentInterval, "movieFragmentInterval"))
  }

  /// Checks whether the tracks stand in fragments.
  func check(_ tracks: [WritingOrder.Coding], _ property: String) throws(AVError) {
    for track in tracks {
      let (codec, stands) =
        switch track {
        case .pictures(let coding): (coding.codec, VideoCodec(rawValue: coding.codec)?.standsInFragments)
        case .sound(let coding): (coding.codec, AudioCodec(rawValue: coding.codec)?.standsInFragments)
        case .text: ("text", nil)
        case .metadata: ("metadata that changes with time", nil)
        }
      guard stands == true else {
        throw AVError(.unsupportedOutputSettings, "\(property): \(codec) does not stand in fragments", property: property)
      }
    }
  }
}

extension AVAssetWriterInput {
  fileprivate func fault(_ property: String, _ words: String) -> AVError {
    AVError(.operationNotAllowed, "\(property): \(words)", property: property)
  }

  /// Checks what an input of pictures says beside its settings.
  fileprivate func checkPictures(_ size: PixelSize?) throws(AVError) {
    guard metadata.isEmpty else { throw fault("metadata", "a track of pictures has no words of its own here") }
    if naturalSize != .zero, let size, naturalSize != CGSize(width: size.width, height: size.height) {
      throw fault("naturalSize", "pictures are shown in the size in which they are encoded, \(size.width) x \(size.height)")
    }
  }

  /// The track's language; nil where none is stated.
  fileprivate func language(in fileType: FileType) throws(AVError) -> String? {
    guard preferredVolume == 1 else { throw fault("preferredVolume", "a track has no volume of its own here") }
    guard let tag = extendedLanguageTag ?? languageCode, tag != "und" else { return nil }
    let property = extendedLanguageTag == nil ? "languageCode" : "extendedLanguageTag"
    guard fileType.describesSounds, LanguageCode.isKnown(tag, in: fileType) else {
      throw fault(property, "\(fileType) has no name for the language \(tag)")
    }
    return tag
  }

  /// The name of a track of sound; nil for none.
  fileprivate func title(in fileType: FileType) throws(AVError) -> String? {
    var title: String?
    for item in metadata {
      guard fileType.describesSounds, let text = item.stringValue,
        [.quickTimeUserDataTrackName, .commonIdentifierTitle].contains(item.identifier)
      else {
        throw fault(
          "metadata", "\(item.identifier?.rawValue ?? "a word without identifier") is not written for a track: a name is")
      }
      if let most = fileType.longestSoundTitle, text.utf8.count > most {
        throw fault("metadata", "the name of a track has at most \(most) bytes in \(fileType), not \(text.utf8.count)")
      }
      title = text
    }
    return title
  }
}

extension AVFileType {
  var isOfSound: Bool { [.m4a, .wav, .mp3].contains(self) }

  /// The file type as documents name it.
  ///
  /// - Throws: an error for one that is not written.
  func written() throws(AVError) -> FileType {
    switch self {
    case .mp4, .m4v: return .mp4
    case .mov: return .mov
    case .m4a: return .m4a
    case .wav: return .wav
    case .mp3: return .mp3
    default:
      throw AVError(
        .unsupportedOutputSettings, "fileType: \(rawValue) is not written; mp4, m4v, mov, m4a, wav and mp3 are",
        property: "fileType")
    }
  }
}
