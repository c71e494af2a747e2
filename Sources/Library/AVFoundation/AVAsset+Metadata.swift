extension AVAsset {
  static func untold(_ name: String, _ words: String, _ url: URL?) -> AVError {
    AVError(.operationNotAllowed, "\(name): the words \(words)", property: name, url: url)
  }

  /// The words that the asset's file says of itself. An edit has none.
  ///
  /// - Throws: an `AVError` for media that are not asked.
  fileprivate func words() throws(AVError) -> MovieWords {
    guard let asset = self as? AVURLAsset else { return MovieWords() }
    return try MovieWords(of: asset.url, at: asset.place())
  }

  // What cannot be read looks as if nothing were there, as on Apple's systems. `load(.metadata)` throws the reason.
  private var known: MovieWords { do { return try words() } catch { return MovieWords() } }

  /// The words of the file in all forms; none where they cannot be read.
  public var metadata: [AVMetadataItem] { known.list.map(\.item) }
  /// The words that have a common key, such as a title.
  public var commonMetadata: [AVMetadataItem] { metadata.filter { $0.commonKey != nil } }
  public var availableMetadataFormats: [AVMetadataFormat] { known.formats }
  public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] { known.items(of: format) }
  /// The word that says when the movie was made; nil where its file does not say that in words.
  public var creationDate: AVMetadataItem? { metadata.first { $0.commonKey == .commonKeyCreationDate } }

  /// Loads the words of one form.
  public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] { try words().items(of: format) }

  /// Loads the words of one form on another thread, and then calls the handler.
  public func loadMetadata(
    for format: AVMetadataFormat, completionHandler: @escaping @Sendable ([AVMetadataItem]?, (any Error)?) -> Void
  ) {
    DispatchQueue.global().async {
      do { completionHandler(try self.words().items(of: format), nil) } catch { completionHandler(nil, error) }
    }
  }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> { .init { try $0.words().list.map(\.item) } }
  public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> {
    .init { try $0.words().list.map(\.item).filter { $0.commonKey != nil } }
  }
  public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> { .init { try $0.words().formats } }
  public static var creationDate: AVAsyncProperty<Root, AVMetadataItem?> {
    .init { try $0.words().list.map(\.item).first { $0.commonKey == .commonKeyCreationDate } }
  }
}

extension MovieWords {
  /// Makes the words of what says nothing.
  init() {}

  /// The forms of the words, each once.
  var formats: [AVMetadataFormat] {
    list.reduce(into: []) { found, word in if !found.contains(word.format) { found.append(word.format) } }
  }

  func items(of format: AVMetadataFormat) -> [AVMetadataItem] { list.filter { $0.format == format }.map(\.item) }
}

extension AVMetadataItem {
  /// An item as a file has it.
  static func read(
    _ keySpace: AVMetadataKeySpace, _ identifier: String, _ key: any NSObjectProtocol & NSCopying, _ value: Any,
    _ dataType: String
  ) -> AVMetadataItem {
    let item = AVMetadataItem()
    item.take(
      Parts(identifier: AVMetadataIdentifier(identifier), keySpace: keySpace, key: key, value: value, dataType: dataType))
    return item
  }
}
