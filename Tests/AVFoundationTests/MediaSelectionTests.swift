import AVFoundation
import FarmTesting
import Foundation
import Testing

/// The alternatives of a file, among which a viewer chooses.
@Suite struct `Alternatives of a medium` {
  private let directory = TemporaryDirectory()

  /// A movie with two sounds of which one is played, in two languages.
  private func movie() throws -> AVURLAsset {
    let path = directory.file("languages.mp4")
    // FFmpeg's muxer makes all tracks of sound alternatives to each other.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "color=s=64x48:r=25:d=0.4", "-f", "lavfi", "-i", "sine=440:d=0.4", "-f", "lavfi", "-i",
      "sine=660:d=0.4",
      "-map", "0", "-map", "1", "-map", "2", "-c:v", "libx264", "-bf", "2", "-c:a", "aac", "-metadata:s:a:0", "language=eng",
      "-metadata:s:a:1", "language=jpn", "-disposition:a:0", "default", "-disposition:a:1", "0", path,
    ])
    return AVURLAsset(url: URL(fileURLWithPath: path))
  }

  @Test func `are a group of options with their languages`() async throws {
    let asset = try movie()
    #expect(asset.availableMediaCharacteristicsWithMediaSelectionOptions == [.audible])
    #expect(try await asset.load(.availableMediaCharacteristicsWithMediaSelectionOptions) == [.audible])
    let group = try #require(try await asset.loadMediaSelectionGroup(for: .audible))
    #expect(group.options.map(\.extendedLanguageTag) == ["en", "ja"])
    #expect(group.options.map { $0.displayName(with: Locale(identifier: "en")) } == ["English", "Japanese"])
    #expect(group.defaultOption == group.options[0] && !group.allowsEmptySelection)
    let japanese = AVMediaSelectionGroup.mediaSelectionOptions(from: group.options, with: Locale(identifier: "ja_JP"))
    #expect(japanese == [group.options[1]])
    let wanted = AVMediaSelectionGroup.mediaSelectionOptions(
      from: group.options, filteredAndSortedAccordingToPreferredLanguages: ["fr", "ja", "en"])
    #expect(wanted == [group.options[1], group.options[0]])
    #expect(group.mediaSelectionOption(withPropertyList: group.options[1].propertyList()) == group.options[1])
    #expect(asset.mediaSelectionGroup(forMediaCharacteristic: .legible) == nil)
    #expect(asset.trackGroups.map(\.trackIDs) == [[2, 3]])
    #expect(asset.tracks(withMediaType: .audio).map(\.languageCode) == ["eng", "jpn"])
    #expect(asset.tracks(withMediaType: .video).map(\.requiresFrameReordering) == [true])
    #expect(asset.tracks(withMediaType: .audio).map(\.requiresFrameReordering) == [false, false])
  }

  @Test func `are chosen by an item, which enables the chosen track alone`() async throws {
    let asset = try movie()
    let group = try #require(asset.mediaSelectionGroup(forMediaCharacteristic: .audible))
    let item = AVPlayerItem(asset: asset)
    let player = AVPlayer(playerItem: item)
    while item.status == .unknown { try await Task.sleep(for: .milliseconds(5)) }
    #expect(player.error == nil && item.selectedMediaOption(in: group) == group.options[0])
    // The group that is asked for again is the same one.
    let again = try #require(asset.mediaSelectionGroup(forMediaCharacteristic: .audible))
    item.select(group.options[1], in: again)
    #expect(item.currentMediaSelection.selectedMediaOption(in: group) == group.options[1])
    #expect(item.tracks.map(\.isEnabled) == [true, false, true])
    item.selectMediaOptionAutomatically(in: group)
    #expect(item.tracks.map(\.isEnabled) == [true, true, false])
    #expect(asset.allMediaSelections.map { $0.selectedMediaOption(in: group) } == group.options)
  }

  @Test func `are none where a file has no alternatives`() throws {
    let path = directory.file("tone.wav")
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=440:d=0.2", path])
    let asset = AVURLAsset(url: URL(fileURLWithPath: path))
    #expect(asset.mediaSelectionGroup(forMediaCharacteristic: .audible) == nil && asset.trackGroups.isEmpty)
    #expect(AVMutableComposition().availableMediaCharacteristicsWithMediaSelectionOptions.isEmpty)
  }
}
