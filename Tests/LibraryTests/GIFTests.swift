import CoreGraphics
import FarmTesting
import Foundation
import ImageIO
import Testing
import UIKit

@Suite struct `A GIF` {
  /// A GIF of pictures in an area of four by four pixels. Colour 0 is clear, 1 red, 2 green, 3 blue.
  private func file(_ pictures: [(place: (x: UInt8, y: UInt8, side: UInt8), disposal: UInt8, isInterlaced: Bool, codes: [UInt8])])
    -> Data
  {
    var bytes = Array("GIF89a".utf8) + [4, 0, 4, 0, 0x81, 0, 0]
    bytes += [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]
    bytes += [0x21, 0xff, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 5, 0, 0]
    for picture in pictures {
      bytes += [0x21, 0xf9, 4, picture.disposal << 2 | 1, 7, 0, 0, 0]
      let (x, y, side) = picture.place
      bytes += [0x2c, x, 0, y, 0, side, 0, side, 0, picture.isInterlaced ? 0x40 : 0, 2]
      // A clear code, 4, before each pair of numbers keeps all codes at three bits.
      var codes: [UInt8] = []
      for (index, code) in picture.codes.enumerated() { codes += index % 2 == 0 ? [4, code] : [code] }
      codes.append(5)
      var (bits, held, packed): (Int, Int, [UInt8]) = (0, 0, [])
      for code in codes {
        (bits, held) = (bits | Int(code) << held, held + 3)
        while held >= 8 {
          packed.append(UInt8(bits & 255))
          (bits, held) = (bits >> 8, held - 8)
        }
      }
      if held > 0 { packed.append(UInt8(bits)) }
      bytes += [UInt8(packed.count)] + packed + [0]
    }
    return Data(bytes + [0x3b])
  }

  /// The colours of a picture, by rows: one letter for each pixel.
  private func letters(_ image: CGImage?) throws -> [String] {
    let image = try #require(image)
    let pixels = try #require(image.floatPixels)
    return (0..<image.height).map { y in
      String(
        (0..<image.width).map { x -> Character in
          let pixel = pixels[y * image.width + x]
          return pixel.w == 0 ? "." : pixel.x == 1 ? "r" : pixel.y == 1 ? "g" : "b"
        })
    }
  }

  @Test func `lays each picture over what the ones before it left`() throws {
    let all = [UInt8](repeating: 1, count: 16)
    let source = try #require(
      CGImageSourceCreateWithData(
        file([
          ((0, 0, 4), 1, false, all), ((1, 1, 2), 2, false, [2, 0, 0, 2]), ((0, 0, 2), 3, false, [3, 3, 3, 3]),
          ((2, 2, 2), 1, false, [3, 0, 0, 3]),
        ]), nil))
    #expect(CGImageSourceGetCount(source) == 4 && CGImageSourceGetType(source) == "com.compuserve.gif")
    // The last one is asked first: no picture depends on which others were made.
    let shown = try [3, 0, 1, 2, 3].map { try letters(CGImageSourceCreateImageAtIndex(source, $0, nil)) }
    #expect(shown[1] == ["rrrr", "rrrr", "rrrr", "rrrr"])
    #expect(shown[2] == ["rrrr", "rgrr", "rrgr", "rrrr"])
    #expect(shown[3] == ["bbrr", "bb.r", "r..r", "rrrr"])
    #expect(shown[4] == ["rrrr", "r..r", "r.br", "rrrb"] && shown[0] == shown[4])
    #expect(CGImageSourceCreateImageAtIndex(source, 4, nil) == nil)
  }

  @Test func `has its rows in order where they are interlaced`() throws {
    let rows: [UInt8] = [1, 1, 1, 1, 3, 3, 3, 3, 2, 2, 2, 2, 0, 0, 0, 0]
    let image = UIImage(data: file([((0, 0, 4), 0, true, rows)]))
    #expect(try letters(image?.cgImage) == ["rrrr", "gggg", "bbbb", "...."])
  }

  @Test func `tells its times and how often it is shown`() throws {
    let source = try #require(CGImageSourceCreateWithData(file([((0, 0, 1), 0, false, [1])]), nil))
    let gif = CGImageSourceCopyProperties(source, nil)?[kCGImagePropertyGIFDictionary] as? [CFString: Any]
    #expect(gif?[kCGImagePropertyGIFLoopCount] as? Int == 5)
    let times = CGImageSourceCopyPropertiesAtIndex(source, 0, nil)?[kCGImagePropertyGIFDictionary] as? [CFString: Any]
    #expect(times?[kCGImagePropertyGIFUnclampedDelayTime] as? Double == 0.07)
    #expect(times?[kCGImagePropertyGIFDelayTime] as? Double == 0.1)
  }

  @Test func `of another program has the pictures that this one sees`() throws {
    let directory = TemporaryDirectory()
    let (gif, raw) = (directory.file("a.gif"), directory.file("a.raw"))
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=0.6", "-vf",
      "split[a][b];[a]palettegen[p];[b][p]paletteuse", gif,
    ])
    try MediaTools.ffmpeg(["-i", gif, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "bgra", raw])
    let expected = try Data(contentsOf: URL(fileURLWithPath: raw))
    let source = try #require(CGImageSourceCreateWithURL(URL(fileURLWithPath: gif), nil))
    #expect(CGImageSourceGetCount(source) == 6 && expected.count == 6 * 64 * 48 * 4)
    for index in 0..<6 {
      let image = try #require(CGImageSourceCreateImageAtIndex(source, index, nil))
      #expect(image.dataProvider?.bytes == expected[index * 64 * 48 * 4..<(index + 1) * 64 * 48 * 4], "picture \(index)")
    }
  }

  @Test func `that is damaged is refused, and one that is cut off has what came before`() throws {
    let whole = file([
      ((0, 0, 4), 0, false, [UInt8](repeating: 2, count: 16)), ((0, 0, 4), 0, false, [UInt8](repeating: 3, count: 16)),
    ])
    let cut = try #require(CGImageSourceCreateWithData(whole.dropLast(6), nil))
    #expect(try CGImageSourceGetCount(cut) == 1 && letters(CGImageSourceCreateImageAtIndex(cut, 0, nil))[0] == "gggg")
    // The first code is one that no table has yet.
    var damaged = file([((0, 0, 1), 0, false, [1])])
    damaged[damaged.count - 4] = 0xff
    let source = try #require(CGImageSourceCreateWithData(damaged, nil))
    #expect(CGImageSourceCreateImageAtIndex(source, 0, nil) == nil)
    for length in 0..<whole.count { _ = CGImageSourceCreateWithData(whole.prefix(length), nil).map(CGImageSourceGetCount) }
  }
}
