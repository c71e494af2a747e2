import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing

@Suite(.serialized) struct `The words of a medium` {
  private let directory = TemporaryDirectory()

  private func asset(_ name: String, _ options: [String]) throws -> AVURLAsset {
    try TestMedia.worded(directory.file(name), options)
  }

  @Test func `are read of MPEG-4 files, as iTunes writes them`() async throws {
    let asset = try asset("words.mp4", ["-c:v", "copy", "-c:a", "aac", "-metadata", "description=Waves"])
    let words = try await asset.load(.metadata)
    let title = try #require(AVMetadataItem.metadataItems(from: words, filteredByIdentifier: .commonIdentifierTitle).first)
    #expect(title.stringValue == "Sea" && title.identifier == .iTunesMetadataSongName && title.keySpace == .iTunes)
    #expect((title.key as? NSNumber)?.uint32Value == 0xA96E_616D && title.commonKey == .commonKeyTitle)
    #expect(title.dataType == "com.apple.metadata.datatype.UTF-8" && (title.value as? NSString)?.length == 3)
    let found = Dictionary(asset.commonMetadata.map { ($0.commonKey, $0.stringValue) }) { first, _ in first }
    #expect(found[.commonKeyArtist] == "Ann" && found[.commonKeyAlbumName] == "Salt" && found[.commonKeyDescription] == "Waves")
    #expect(try await asset.load(.availableMetadataFormats) == [.iTunesMetadata])
    #expect(asset.metadata(forFormat: .id3Metadata).isEmpty && asset.creationDate?.stringValue == "2024-05-06")
  }

  @Test func `are read of QuickTime files, in both of their forms`() async throws {
    let keyed = try asset(
      "keyed.mov",
      [
        "-c", "copy", "-movflags", "use_metadata_tags", "-metadata", "com.apple.quicktime.title=Deep",
        "-metadata", "com.apple.quicktime.creationdate=2024-05-06T07:08:09+0200",
      ])
    let items = try await keyed.loadMetadata(for: .quickTimeMetadata)
    let title = try #require(items.first { $0.identifier == .quickTimeMetadataTitle })
    #expect(title.stringValue == "Deep" && title.key as? NSString == "com.apple.quicktime.title" as NSString)
    let made = try #require(try await keyed.load(.creationDate))
    #expect(made.dateValue == Date(timeIntervalSince1970: 1_714_972_089))
    let plain = try asset("plain.mov", ["-c", "copy"])
    let old = try #require(plain.metadata(forFormat: .quickTimeUserData).first { $0.commonKey == .commonKeyTitle })
    #expect(old.stringValue == "Sea" && old.identifier?.rawValue == "udta/%A9nam")
  }

  @Test func `are read of MP3 files`() async throws {
    for version in ["3", "4"] {
      let asset = try asset("words\(version).mp3", ["-vn", "-c:a", "libmp3lame", "-id3v2_version", version])
      let words = try await asset.load(.commonMetadata)
      #expect(Set(words.compactMap(\.stringValue)).isSuperset(of: ["Sea", "Ann", "Salt"]))
      #expect(words.first?.keySpace == .id3 && asset.availableMetadataFormats == [.id3Metadata])
    }
  }

  @Test func `are refused by name where they are not read, and edits have none`() async throws {
    let sound = try asset("sound.wav", ["-vn", "-c:a", "pcm_s16le"])
    let error = await #expect(throws: AVError.self) { try await sound.load(.metadata) }
    #expect(error?.property == "metadata" && error?.code == .operationNotAllowed && sound.metadata.isEmpty)
    #expect(try await AVMutableComposition().load(.metadata).isEmpty)
    let none = AVURLAsset(url: URL(fileURLWithPath: directory.file("none.mov")))
    let missing = await #expect(throws: AVError.self) { try await none.load(.commonMetadata) }
    #expect(missing?.code == .failedToLoadMediaData)
  }

  @Test func `that code made are loaded as they are`() async throws {
    let item = AVMutableMetadataItem()
    (item.identifier, item.value) = (.commonIdentifierTitle, "Sea" as NSString)
    #expect(try await item.load(.stringValue) == "Sea")
    #expect(try await item.load(.dateValue) == nil)
    let group = AVMutableTimedMetadataGroup(items: [item], timeRange: TestMedia.range(0, 5))
    group.timeRange = TestMedia.range(5, 10)
    #expect(group.items.first?.stringValue == "Sea" && group.timeRange.start == TestMedia.tenths(5))
  }

  @Test func `of damaged files are those before the damage`() {
    for length in 0..<24 {
      let atoms = Data([0, 0, 0, 10, 0x6d, 0x6f, 0x6f, 0x76, 1, 2, 0, 0, 0, 40, 0x75, 0x64, 0x74, 0x61, 0, 0, 0, 0, 0, 0])
      let read = MovieAtoms(atoms.prefix(length)).map(\.type)
      #expect(read == (length < 10 ? [] : [0x6d6f_6f76]))
    }
  }
}

// The program's environment is one for all tests of exports, so that this one runs after another, too.
extension `An export` {
  @Suite(.serialized) struct `Words that were read` {
    private let directory = TemporaryDirectory()

    init() {
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
      #expect(unsafe chmod(directory.path, 0o755) == 0)
    }

    @Test func `are written again as they were`() async throws {
      let asset = try TestMedia.worded(directory.file("again.mp4"), ["-c:v", "copy", "-c:a", "aac"])
      let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetHighestQuality))
      session.metadata = asset.commonMetadata.filter { $0.commonKey != .commonKeySoftware }
      let movie = URL(fileURLWithPath: directory.file("written.mp4"))
      try await session.export(to: movie, as: .mp4)
      let words = AVURLAsset(url: movie).commonMetadata.filter { $0.commonKey != .commonKeySoftware }
      #expect(Set(words.compactMap(\.stringValue)) == ["Sea", "Ann", "Salt", "2024-05-06"])
    }
  }
}

extension TestMedia {
  /// The test's clip, or its sound, with words in a file of FFmpeg's.
  static func worded(_ path: String, _ options: [String]) throws -> AVURLAsset {
    let words = ["title=Sea", "artist=Ann", "album=Salt", "date=2024-05-06"].flatMap { ["-metadata", $0] }
    try MediaTools.ffmpeg(["-i", clip.get().path] + words + options + [path])
    return AVURLAsset(url: URL(fileURLWithPath: path))
  }
}
