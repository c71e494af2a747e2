import AVFoundation
import Foundation
import Testing

@Suite struct `The words of a medium` {
  @Test func `are refused by name, since none would look like a medium without any`() async throws {
    let asset = try TestMedia.asset()
    let words = await #expect(throws: AVError.self) { try await asset.load(.metadata) }
    #expect(words?.property == "metadata" && words?.code == .operationNotAllowed)
    let common = await #expect(throws: AVError.self) { try await asset.load(.commonMetadata) }
    #expect(common?.property == "commonMetadata")
    let chapters = await #expect(throws: AVError.self) {
      try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["en"])
    }
    #expect(chapters?.property == "chapterMetadataGroups")
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
}
