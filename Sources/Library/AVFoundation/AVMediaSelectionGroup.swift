/// One of the tracks of a medium among which a viewer chooses, such as the sound in one language.
// All is constant.
/// - Partly: tracks of MP4 and QuickTime files, with their languages. They have no metadata
open class AVMediaSelectionOption: NSObject, @unchecked Sendable {
  public let mediaType: AVMediaType
  let trackID: CMPersistentTrackID
  private let language: String
  private let fullLanguage: String?
  /// Whether the file says that it is played where nobody chooses.
  let isEnabled: Bool

  init(_ track: MovieTrackTables, at index: Int, _ mediaType: AVMediaType) {
    // A track has the ID that the asset's own track has: its place in the file.
    (self.mediaType, trackID) = (mediaType, CMPersistentTrackID(index + 1))
    (language, fullLanguage, isEnabled) = (track.language, track.fullLanguage, track.isEnabled)
    super.init()
  }

  /// The language, one of IETF BCP 47; "und" where the file tells none.
  open var extendedLanguageTag: String? {
    fullLanguage ?? Locale(identifier: language).language.languageCode?.identifier(.alpha2) ?? language
  }
  open var locale: Locale? { language == "und" && fullLanguage == nil ? nil : extendedLanguageTag.map(Locale.init(identifier:)) }
  open var isPlayable: Bool { mediaType == .audio }
  open var mediaSubTypes: [NSNumber] { [] }
  open var commonMetadata: [AVMetadataItem] { [] }
  open var availableMetadataFormats: [String] { [] }
  open func metadata(forFormat format: String) -> [AVMetadataItem] { [] }
  open func hasMediaCharacteristic(_ mediaCharacteristic: AVMediaCharacteristic) -> Bool {
    mediaCharacteristic == (mediaType == .audio ? .audible : .legible)
  }
  open func associatedMediaSelectionOption(in mediaSelectionGroup: AVMediaSelectionGroup) -> AVMediaSelectionOption? { nil }

  /// The name of the language, in the user's own.
  open var displayName: String { displayName(with: .current) }
  open func displayName(with locale: Locale) -> String {
    self.locale.flatMap { locale.localizedString(forIdentifier: $0.identifier) } ?? "Unknown language"
  }
  /// The facts by which the group finds the option again.
  open func propertyList() -> Any { ["trackID": Int(trackID)] }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVMediaSelectionOption else { return false }
    return (trackID, mediaType, language) == (other.trackID, other.mediaType, other.language)
  }
  open override var hash: Int { Int(trackID) }
}

/// The tracks of a medium of which one is chosen.
// All is constant.
/// - Partly: as `AVMediaSelectionOption`
open class AVMediaSelectionGroup: NSObject, NSCopying, @unchecked Sendable {
  public let options: [AVMediaSelectionOption]
  let characteristic: AVMediaCharacteristic

  init(_ options: [AVMediaSelectionOption], _ characteristic: AVMediaCharacteristic) {
    (self.options, self.characteristic) = (options, characteristic)
    super.init()
  }

  /// The option that the file says is played where nobody chooses.
  open var defaultOption: AVMediaSelectionOption? { options.first(where: \.isEnabled) }
  /// Whether none may be chosen: texts need not be read, and one of the sounds is heard.
  open var allowsEmptySelection: Bool { characteristic == .legible }
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open func mediaSelectionOption(withPropertyList plist: Any) -> AVMediaSelectionOption? {
    let id = (plist as? [String: Any])?["trackID"] as? Int
    return options.first { Int($0.trackID) == id }
  }

  open class func playableMediaSelectionOptions(
    from mediaSelectionOptions: [AVMediaSelectionOption]
  ) -> [AVMediaSelectionOption] { mediaSelectionOptions.filter(\.isPlayable) }

  /// The options in a language.
  open class func mediaSelectionOptions(
    from mediaSelectionOptions: [AVMediaSelectionOption], with locale: Locale
  ) -> [AVMediaSelectionOption] {
    let wanted = locale.language.languageCode
    return mediaSelectionOptions.filter { wanted != nil && $0.locale?.language.languageCode == wanted }
  }

  /// The options in languages that are wanted, the most wanted one first.
  open class func mediaSelectionOptions(
    from mediaSelectionOptions: [AVMediaSelectionOption], filteredAndSortedAccordingToPreferredLanguages languages: [String]
  ) -> [AVMediaSelectionOption] {
    languages.flatMap { mediaSelectionOptionsInLanguage(mediaSelectionOptions, $0) }
  }
  private class func mediaSelectionOptionsInLanguage(
    _ options: [AVMediaSelectionOption], _ language: String
  ) -> [AVMediaSelectionOption] { mediaSelectionOptions(from: options, with: Locale(identifier: language)) }

  open class func mediaSelectionOptions(
    from mediaSelectionOptions: [AVMediaSelectionOption], withMediaCharacteristics mediaCharacteristics: [AVMediaCharacteristic]
  ) -> [AVMediaSelectionOption] {
    mediaSelectionOptions.filter { option in mediaCharacteristics.allSatisfy(option.hasMediaCharacteristic) }
  }
  open class func mediaSelectionOptions(
    from mediaSelectionOptions: [AVMediaSelectionOption],
    withoutMediaCharacteristics mediaCharacteristics: [AVMediaCharacteristic]
  ) -> [AVMediaSelectionOption] {
    mediaSelectionOptions.filter { option in !mediaCharacteristics.contains(where: option.hasMediaCharacteristic) }
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVMediaSelectionGroup else { return false }
    return characteristic == other.characteristic && options == other.options
  }
  open override var hash: Int { characteristic.hashValue }
}

// A selection is its owner's, who must not change it while others read it.
/// The options that are chosen in the groups of a medium.
/// - Partly: as `AVMediaSelectionOption`
open class AVMediaSelection: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
  open private(set) weak var asset: AVAsset?
  /// The choices of those groups in which there was one; nil for none.
  fileprivate(set) var choices: [AVMediaCharacteristic: AVMediaSelectionOption?]

  init(_ asset: AVAsset?, _ choices: [AVMediaCharacteristic: AVMediaSelectionOption?] = [:]) {
    (self.asset, self.choices) = (asset, choices)
    super.init()
  }

  /// The option that is chosen: the group's own where nobody did; nil for none.
  open func selectedMediaOption(in mediaSelectionGroup: AVMediaSelectionGroup) -> AVMediaSelectionOption? {
    let usual = mediaSelectionGroup.characteristic == .legible ? nil : mediaSelectionGroup.usualOption
    return choices[mediaSelectionGroup.characteristic] ?? usual
  }
  open func mediaSelectionCriteriaCanBeApplied(automaticallyTo mediaSelectionGroup: AVMediaSelectionGroup) -> Bool {
    choices[mediaSelectionGroup.characteristic] == nil
  }
  open func copy(with zone: NSZone? = nil) -> Any { AVMediaSelection(asset, choices) }
  open func mutableCopy(with zone: NSZone? = nil) -> Any { AVMutableMediaSelection(asset, choices) }
}

open class AVMutableMediaSelection: AVMediaSelection, @unchecked Sendable {  // Its owner changes it before others read it.
  /// Chooses an option of a group, or none.
  ///
  /// - Precondition: the option is one of the group, and nil only where the group allows that.
  open func select(_ mediaSelectionOption: AVMediaSelectionOption?, in mediaSelectionGroup: AVMediaSelectionGroup) {
    mediaSelectionGroup.check(mediaSelectionOption)
    choices[mediaSelectionGroup.characteristic] = .some(mediaSelectionOption)
  }
}

extension AVMediaSelectionGroup {
  var usualOption: AVMediaSelectionOption? { defaultOption ?? options.first }

  func check(_ option: AVMediaSelectionOption?) {
    precondition(
      option.map(options.contains) ?? allowsEmptySelection, "select(_:in:): the option is not one of the group's options")
  }
}

/// The tracks of a medium of which at most one is played at a time.
/// - Partly: those of MP4 and QuickTime files
open class AVAssetTrackGroup: NSObject, NSCopying {
  public let trackIDs: [NSNumber]
  init(_ trackIDs: [CMPersistentTrackID]) {
    self.trackIDs = trackIDs.map { NSNumber(value: $0) }
    super.init()
  }
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
