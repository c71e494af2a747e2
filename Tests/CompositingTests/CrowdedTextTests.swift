import Drawing
import Formats
import Testing
import Timeline

/// Texts that several threads draw at once.
@Suite struct `Texts drawn by a crowd` {
  /// Faces of more files than Cairo keeps open, all of which `scripts/setup` installs.
  private static let faces: [(family: String, weight: Int)] = [
    "DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono", "Liberation Sans", "Liberation Serif", "Liberation Mono",
  ].flatMap { family in [400, 700].map { (family, $0) } }

  private static func drawn(_ index: Int) throws -> Pixels {
    let face = faces[index % faces.count]
    let text = TextContent(string: "Crowd \(index)", fonts: [face.family], size: 24 + Double(index % 5), weight: face.weight)
    return Pixels(try PlacedPicture(text: text, in: Rect(0, 0, 320, 60), of: PixelSize(320, 60), fonts: FontBook()))
  }

  @Test func `are those that one thread draws`() async throws {
    let count = 3 * Self.faces.count
    let alone = try (0..<count).map(Self.drawn)
    let crowd = try await withThrowingTaskGroup(of: (Int, Pixels).self) { group in
      for index in 0..<count { group.addTask { (index, try Self.drawn(index)) } }
      return try await group.reduce(into: [Int: Pixels]()) { $0[$1.0] = $1.1 }
    }
    for index in 0..<count { #expect(crowd[index] == alone[index], "\(index)") }
  }
}
