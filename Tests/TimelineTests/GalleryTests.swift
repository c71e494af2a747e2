import EditTesting
import Document
import FarmTesting
import FoundationEssentials
import Lottie
import Testing
import Timeline

/// Tests of the examples in docs/gallery.md.
@Suite struct `The gallery` {
  private let page: String

  init() throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    page = String(decoding: try Data(contentsOf: package.appending(path: "docs/gallery.md")), as: UTF8.self)
  }

  /// The faults of a document whose Lottie files are those of the examples.
  private func faults(_ text: String) throws -> [String] {
    do throws(DocumentFaults) {
      var document = try Document(Array(text.utf8))
      for file in document.lottieFiles {
        document.animations[file.place] = try? LottieAnimation(
          [UInt8](contentsOf: Examples.file(file.path)), file.options)  // A file that is not read is a fault below.
      }
      _ = try document.reading(with: [:]).edit()
      return []
    } catch { return error.faults.map(\.description) }
  }

  @Test func `has examples that are valid, each with its picture`() throws {
    let blocks = page.matches(of: /```json\n([^`]*)```/).map { String($0.1) }
    let edit = try #require(blocks.first)
    for example in blocks.dropFirst() {
      // An example may replace the edit's last member.
      let replaces = example.contains("\"videoComposition\"")
      let common = replaces ? String(edit.split(separator: ",\n \"videoComposition\"")[0]) : String(edit.dropLast(2))
      let document = common + ", " + example.dropFirst()
      #expect(try faults(document) == [], "\(example)")
    }
    let pictures = page.matches(of: /!\[\]\((images\/gallery\/.*\.jpg)\)/).map { String($0.1) }
    #expect(pictures.count == blocks.count - 1)
    #expect(Set(pictures).count == pictures.count)
  }
}
