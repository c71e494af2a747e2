internal import CFFmpeg
internal import Glibc

/// The number by which archives know the material of an MXF (UMID, SMPTE ST 330).
///
/// FFmpeg draws one by lot, or writes zeros into every file where its bytes must be the same each time. Here it comes from the digests of the
/// segments: the same movie has the same number, and another movie has another one.
enum MXFIdentity {
  /// The bytes in front of the number: a label, a length, and an instance of three bytes, which is 0 as long as nobody changes a copy.
  private static let label: [UInt8] = [6, 10, 43, 52, 1, 1, 1, 5, 1, 1, 13, 0, 19, 0, 0, 0]
  /// FFmpeg's own part of the number. The last byte, which follows it, tells packages of a file apart.
  private static let length = 15
  /// The bytes of a file in which numbers are looked for: its header's partition is much shorter.
  private static let window = 1 << 17

  /// Replaces the zeros that FFmpeg wrote.
  ///
  /// - Parameter segments: what the movie is made of.
  /// - Throws: `MediaError`; `internal` when the file has no such numbers.
  static func write(to file: OutputFile, of segments: [SegmentInput]) throws(MediaError) {
    let text = segments.map { "\($0.facts.digest.byteCount) \($0.facts.digest.hash)" }.joined(separator: "\n")
    let hash = try FileHash()
    unsafe Array(text.utf8).withUnsafeBytes { unsafe hash.update($0) }
    let digest = hash.finish()
    let number = stride(from: 0, to: digest.utf8.count, by: 2).compactMap { start in
      UInt8(String(digest.dropFirst(start).prefix(2)), radix: 16)
    }.prefix(length)
    guard number.count == length else { throw MediaError(.internal, at: file.path, "a digest has 16 bytes") }
    var bytes = try file.head(window)
    let blank = label + [UInt8](repeating: 0, count: length)
    var places: [Int] = []
    var index = 0
    while index + blank.count <= bytes.count {
      if bytes[index] == blank[0], bytes[index..<index + blank.count].elementsEqual(blank) {
        bytes.replaceSubrange(index + label.count..<index + blank.count, with: number)
        places.append(index)
        index += blank.count
      } else {
        index += 1
      }
    }
    guard !places.isEmpty else { throw MediaError(.internal, at: file.path, "an MXF without a number of its material") }
    try file.replaceHead(by: bytes)
  }
}
