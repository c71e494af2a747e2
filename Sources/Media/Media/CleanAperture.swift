internal import Formats

/// Reads clean apertures, which FFmpeg 5.1 does not: the 'clap' box of a picture's sample entry (ISO/IEC 14496-12, 12.1.4).
///
/// A box that breaks the standard's rules is ignored: the picture then has no clean aperture.
struct CleanAperture {
  /// The aperture of a track's first sample entry, in pixels of a picture of `size`; nil where there is none.
  static func aperture(of track: MovieBoxes.Box, in boxes: MovieBoxes, _ size: PixelSize) -> Rect? {
    guard let table = boxes.descendant(of: track, ["mdia", "minf", "stbl", "stsd"]) else { return nil }
    // The first 8 bytes are version, flags and the count of entries (8.5.2). The first 78 of an entry are its own fields
    // (12.1.3).
    guard let entry = boxes.children(of: table.content.dropFirst(8)).first,
      let box = boxes.children(of: entry.content.dropFirst(78), named: "clap").first,
      let bytes = boxes.bytes(box.content.lowerBound, 32), box.content.count >= 32
    else { return nil }
    let terms = (0..<8).map { Int32(bitPattern: MovieBoxes.number(bytes[$0 * 4..<$0 * 4 + 4])) }
    guard terms[1] > 0, terms[3] > 0, terms[5] > 0, terms[7] > 0 else { return nil }
    func quotient(_ index: Int) -> Double { Double(terms[index]) / Double(terms[index + 1]) }
    let (width, height) = (quotient(0), quotient(2))
    let x = (Double(size.width) - width) / 2 + quotient(4)
    let y = (Double(size.height) - height) / 2 + quotient(6)
    let aperture = Rect(x, y, width, height)
    // An aperture of less than half a pixel shows nothing, and one that reaches outside the picture is invalid.
    guard width >= 0.5, height >= 0.5, x >= 0, y >= 0, aperture.maxX <= Double(size.width), aperture.maxY <= Double(size.height)
    else { return nil }
    return aperture == Rect(size) ? nil : aperture
  }
}
