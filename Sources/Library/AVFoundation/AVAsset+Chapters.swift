internal import Formats
internal import MediaTime
internal import Timeline

extension AVAsset {
  /// The chapters that the asset's file names. An edit has none.
  fileprivate func chapters() throws(AVError) -> MovieChapters {
    guard let asset = self as? AVURLAsset else { return MovieChapters() }
    let place = try asset.place()
    return try MovieChapters(of: asset.url, at: place, asset.tables.tables(of: place))
  }

  // What cannot be read looks as if nothing were there, as on Apple's systems. `load(.availableChapterLocales)` throws the reason.
  private var known: MovieChapters { do { return try chapters() } catch { return MovieChapters() } }

  /// The languages in which chapters have titles; `und` where the file does not tell.
  public var availableChapterLocales: [Locale] { known.locales }

  /// The chapters whose titles are in a language; none where there are none in it.
  ///
  /// - Parameters:
  ///   - locale: the language of the titles.
  ///   - commonKeys: what beside the titles is wanted. Files are read for titles alone.
  public func chapterMetadataGroups(
    withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey]? = nil
  ) -> [AVTimedMetadataGroup] { known.groups(in: locale, until: duration) }

  /// The chapters in the first of these languages that they have titles in; none where there is no such language. Files that do not tell theirs
  /// have `und`.
  public func chapterMetadataGroups(bestMatchingPreferredLanguages preferredLanguages: [String]) -> [AVTimedMetadataGroup] {
    known.groups(preferring: preferredLanguages, until: duration)
  }

  public func loadChapterMetadataGroups(
    withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey] = []
  ) async throws -> [AVTimedMetadataGroup] { try chapters().groups(in: locale, until: loadedDuration()) }

  public func loadChapterMetadataGroups(
    bestMatchingPreferredLanguages preferredLanguages: [String]
  ) async throws -> [AVTimedMetadataGroup] { try chapters().groups(preferring: preferredLanguages, until: loadedDuration()) }

  public func loadChapterMetadataGroups(
    bestMatchingPreferredLanguages preferredLanguages: [String],
    completionHandler: @escaping @Sendable ([AVTimedMetadataGroup]?, (any Error)?) -> Void
  ) {
    DispatchQueue.global().async {
      do {
        completionHandler(try self.chapters().groups(preferring: preferredLanguages, until: self.loadedDuration()), nil)
      } catch { completionHandler(nil, error) }
    }
  }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  public static var availableChapterLocales: AVAsyncProperty<Root, [Locale]> { .init { try $0.chapters().locales } }
}

extension MovieChapters {
  fileprivate var locales: [Locale] { lists.map { Locale(identifier: $0.language) } }

  fileprivate func groups(in locale: Locale, until end: CMTime) -> [AVTimedMetadataGroup] {
    groups(preferring: [locale.identifier], until: end)
  }

  fileprivate func groups(preferring languages: [String], until end: CMTime) -> [AVTimedMetadataGroup] {
    let wanted = languages.lazy.compactMap { language in
      self.lists.first { $0.language == Self.code(of: language) }
    }
    return wanted.first.map { groups($0.language, $0.chapters, end) } ?? []
  }

  private func groups(_ language: String, _ chapters: [Chapter], _ end: CMTime) -> [AVTimedMetadataGroup] {
    chapters.enumerated().map { index, chapter in
      let next = index + 1 < chapters.count ? chapters[index + 1].start : end
      let length = chapter.duration ?? (next.isNumeric ? CMTimeMaximum(.zero, next - chapter.start) : .zero)
      let title = AVMutableMetadataItem()
      (title.identifier, title.value) = (.commonIdentifierTitle, chapter.title as NSString)
      (title.locale, title.extendedLanguageTag) = (Locale(identifier: language), language)
      (title.time, title.duration) = (chapter.start, length)
      title.dataType = "com.apple.metadata.datatype.UTF-8"
      return AVTimedMetadataGroup(items: [title], timeRange: CMTimeRange(start: chapter.start, duration: length))
    }
  }
}

extension ExportSettings.Chapter {
  /// The chapters of groups, for a document. Each ends where the next one begins.
  ///
  /// - Throws: an error for groups with gaps, and for what else than a title they have.
  static func list(_ groups: [AVTimedMetadataGroup]) throws(AVError) -> [ExportSettings.Chapter] {
    func fault(_ words: String, _ time: CMTime) -> AVError {
      AVError(.operationNotAllowed, "chapters: \(words)", property: "chapters", time: time)
    }
    var chapters: [ExportSettings.Chapter] = []
    for (index, group) in groups.enumerated() {
      let range = group.timeRange
      let titles = group.items.filter { $0.commonKey == .commonKeyTitle }
      guard let title = titles.first?.stringValue, !title.isEmpty else {
        throw fault("chapter \(index + 1) has no title", range.start)
      }
      guard group.items.count == 1 else {
        throw fault("'\(title)' has more than one title, which is all that chapters are written with", range.start)
      }
      if index + 1 < groups.count, range.duration.isNumeric, range.duration > .zero,
        range.end != groups[index + 1].timeRange.start
      {
        throw fault("'\(title)' does not end where the next chapter begins", range.end)
      }
      chapters.append(ExportSettings.Chapter(title, at: try MediaTime(range.start, "chapters")))
    }
    return chapters
  }
}
