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

  /// A picture of pixels in red, green, blue and alpha.
  private func picture(_ width: Int, _ height: Int, _ color: (Int, Int) -> [UInt8]) throws -> CGImage {
    var bytes: [UInt8] = []
    for y in 0..<height { for x in 0..<width { bytes += color(x, y) } }
    let provider = try #require(CGDataProvider(data: Data(bytes) as CFData))
    return try #require(
      unsafe CGImage(
        width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: width * 4,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.premultipliedLast.rawValue),
        provider: provider, decode: nil, shouldInterpolate: false, intent: .defaultIntent))
  }

  @Test func `is written with its pictures, times and repeats`() throws {
    let data = NSMutableData()
    let target = try #require(CGImageDestinationCreateWithData(data, "com.compuserve.gif", 3, nil))
    CGImageDestinationSetProperties(target, [kCGImagePropertyGIFDictionary: [kCGImagePropertyGIFLoopCount: 0]] as CFDictionary)
    let flat = try picture(3, 2) { x, _ in x == 0 ? [255, 0, 0, 255] : x == 1 ? [0, 255, 0, 255] : [0, 0, 0, 0] }
    // As many colours as pixels, which are more than a GIF has, and more codes than fit into 12 bits.
    let many = try picture(128, 96) { x, y in [UInt8(x * 2), UInt8(y * 2), UInt8((x + y) & 0xff), 255] }
    for (image, delay) in [(flat, 0.2), (many, 0.05), (flat, 0.2)] {
      let times = [kCGImagePropertyGIFDictionary: [kCGImagePropertyGIFUnclampedDelayTime: delay]]
      CGImageDestinationAddImage(target, image, times as CFDictionary)
    }
    #expect(CGImageDestinationFinalize(target))
    let file = Data(referencing: data)
    #expect(file.range(of: Data("NETSCAPE2.0".utf8)) != nil)
    let source = try #require(CGImageSourceCreateWithData(file as CFData, nil))
    #expect(CGImageSourceGetCount(source) == 3)
    // The area is as large as the first picture.
    #expect(try letters(CGImageSourceCreateImageAtIndex(source, 0, nil)) == ["rg.", "rg."])
    let alone = NSMutableData()
    let one = try #require(CGImageDestinationCreateWithData(alone, "com.compuserve.gif", 1, nil))
    CGImageDestinationAddImage(one, many, nil as CFDictionary?)
    #expect(CGImageDestinationFinalize(one))
    let second = try #require(CGImageSourceCreateWithData(Data(referencing: alone) as CFData, nil))
    let again = try #require(CGImageSourceCreateImageAtIndex(second, 0, nil))
    let read = try #require(again.floatPixels)
    let given = try #require(many.floatPixels)
    let error = zip(read, given).map { (($0 - $1) * ($0 - $1)).sum() / 4 }.reduce(0, +) / Float(given.count)
    #expect(error < 0.001, "\(error)")
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
