package import Formats
package import MediaTime

extension ThumbnailSheets {
  /// The WebVTT file that tells, for each part of the movie, which part of which sheet shows it.
  ///
  /// Its cues are spatial media fragments (W3C Media Fragments URI 1.0, section 4.2.2), as players of thumbnails read them. Times are rounded to
  /// milliseconds, each border once, so that cues touch.
  ///
  /// - Parameter names: the names of the sheets, which stand beside the file.
  package func webVTT(_ names: StillNames) throws(TimeError) -> String {
    var text = "WEBVTT\n"
    for index in 0..<count {
      let place = place(of: index)
      let start = WebVTTWriter.milliseconds(try interval * Int64(index))
      let end = WebVTTWriter.milliseconds(try index + 1 < count ? interval * Int64(index + 1) : duration)
      text += "\n\(WebVTTWriter.clock(start)) --> \(WebVTTWriter.clock(max(end, start + 1)))\n"
      text += "\(Self.reference(names.sheet(place.sheet + 1)))#xywh="
      text += "\(place.column * tile.width),\(place.row * tile.height),\(tile.width),\(tile.height)\n"
    }
    return text
  }

  /// A file's name as a relative reference (RFC 3986): all but letters, digits and four signs is written by its bytes.
  private static func reference(_ name: String) -> String {
    let (plain, digits) = (Set("-._~".utf8), Array("0123456789ABCDEF".utf8))
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        bytes.append(byte)
      case _ where plain.contains(byte): bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
