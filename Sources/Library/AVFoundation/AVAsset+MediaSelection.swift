internal import Synchronization

extension AVAsset {
  /// The tracks of the file that are alternatives to others, in order, with their places in the file. Other media have none.
  private var alternatives: [(index: Int, track: MovieTrackTables)] {
    // A file that is lost has no tables, and `load` of anything else tells the reason.
    guard let asset = self as? AVURLAsset, let place = try? asset.place(), let list = asset.tables.tables(of: place)
    else { return [] }
    let chapters = Set(list.flatMap(\.chapterTracks))
    return list.enumerated().filter { $1.alternateGroup != 0 && !chapters.contains($1.trackID) }.map { ($0, $1) }
  }

  /// The tracks with a characteristic that are alternatives to each other; nil where the file has none.
  public func mediaSelectionGroup(forMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic) -> AVMediaSelectionGroup? {
    let kinds: [AVMediaCharacteristic: [String: AVMediaType]] = [
      .audible: ["soun": .audio], .legible: ["sbtl": .subtitle, "subt": .subtitle, "text": .text, "clcp": .closedCaption],
    ]
    guard let types = kinds[mediaCharacteristic] else { return nil }
    let options = alternatives.compactMap { index, track in
      types[track.handler].map { AVMediaSelectionOption(track, at: index, $0) }
    }
    return options.isEmpty ? nil : AVMediaSelectionGroup(options, mediaCharacteristic)
  }

  /// - Throws: an `AVError` where the medium cannot be read.
  public func loadMediaSelectionGroup(
    for mediaCharacteristic: AVMediaCharacteristic
  ) async throws -> AVMediaSelectionGroup? {
    _ = try loadedTracks()
    return mediaSelectionGroup(forMediaCharacteristic: mediaCharacteristic)
  }

  /// Loads a group on another thread, and then calls the handler.
  public func loadMediaSelectionGroup(
    for mediaCharacteristic: AVMediaCharacteristic,
    completionHandler: @escaping @Sendable (AVMediaSelectionGroup?, (any Error)?) -> Void
  ) {
    DispatchQueue.global().async {
      do {
        _ = try self.loadedTracks()
        completionHandler(self.mediaSelectionGroup(forMediaCharacteristic: mediaCharacteristic), nil)
      } catch { completionHandler(nil, error) }
    }
  }

  public var availableMediaCharacteristicsWithMediaSelectionOptions: [AVMediaCharacteristic] {
    [.audible, .legible].filter { mediaSelectionGroup(forMediaCharacteristic: $0) != nil }
  }
  /// The selection in which nobody chose.
  public var preferredMediaSelection: AVMediaSelection { AVMediaSelection(self) }
  /// Every choice of one option in each group.
  public var allMediaSelections: [AVMediaSelection] {
    let groups = availableMediaCharacteristicsWithMediaSelectionOptions.compactMap(mediaSelectionGroup(forMediaCharacteristic:))
    return groups.reduce([AVMediaSelection(self)]) { selections, group in
      selections.flatMap { selection in
        group.options.map { option in
          AVMediaSelection(self, selection.choices.merging([group.characteristic: option]) { $1 })
        }
      }
    }
  }

  /// The tracks that are alternatives to each other, group by group.
  public var trackGroups: [AVAssetTrackGroup] {
    let groups = Dictionary(grouping: alternatives) { $0.track.alternateGroup }
    return groups.sorted { $0.key < $1.key }.filter { $0.value.count > 1 }.map { group in
      AVAssetTrackGroup(group.value.map { CMPersistentTrackID($0.index + 1) })
    }
  }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  public static var availableMediaCharacteristicsWithMediaSelectionOptions: AVAsyncProperty<Root, [AVMediaCharacteristic]> {
    selection(\.availableMediaCharacteristicsWithMediaSelectionOptions)
  }
  public static var preferredMediaSelection: AVAsyncProperty<Root, AVMediaSelection> { selection(\.preferredMediaSelection) }
  public static var allMediaSelections: AVAsyncProperty<Root, [AVMediaSelection]> { selection(\.allMediaSelections) }
  public static var trackGroups: AVAsyncProperty<Root, [AVAssetTrackGroup]> { selection(\.trackGroups) }

  private static func selection<Value>(_ path: KeyPath<Root, Value>) -> AVAsyncProperty<Root, Value> {
    .init { asset in
      _ = try asset.loadedTracks()
      return asset[keyPath: path]
    }
  }
}

extension AVPlayerItem {
  public static let mediaSelectionDidChangeNotification = NSNotification.Name("AVPlayerItemMediaSelectionDidChangeNotification")

  /// The choices so far.
  public var currentMediaSelection: AVMediaSelection { AVMediaSelection(asset, choices.withLock(\.self)) }

  /// Chooses an option of a group, or none. Of a group of sounds, the chosen track alone is enabled then; nothing is heard in any case.
  ///
  /// - Precondition: the option is one of the group, and nil only where the group allows that.
  public func select(_ mediaSelectionOption: AVMediaSelectionOption?, in mediaSelectionGroup: AVMediaSelectionGroup) {
    mediaSelectionGroup.check(mediaSelectionOption)
    choices.withLock { $0[mediaSelectionGroup.characteristic] = .some(mediaSelectionOption) }
    enable(mediaSelectionOption, of: mediaSelectionGroup)
  }

  /// Chooses as if nobody had.
  public func selectMediaOptionAutomatically(in mediaSelectionGroup: AVMediaSelectionGroup) {
    choices.withLock { $0[mediaSelectionGroup.characteristic] = nil }
    enable(currentMediaSelection.selectedMediaOption(in: mediaSelectionGroup), of: mediaSelectionGroup)
  }

  public func selectedMediaOption(in mediaSelectionGroup: AVMediaSelectionGroup) -> AVMediaSelectionOption? {
    currentMediaSelection.selectedMediaOption(in: mediaSelectionGroup)
  }

  private func enable(_ option: AVMediaSelectionOption?, of group: AVMediaSelectionGroup) {
    let ids = Set(group.options.map(\.trackID))
    for track in tracks {
      guard let id = track.assetTrack?.trackID, ids.contains(id) else { continue }
      track.isEnabled = id == option?.trackID
    }
    tellChange()
    NotificationCenter.default.post(name: Self.mediaSelectionDidChangeNotification, object: self)
  }
}
