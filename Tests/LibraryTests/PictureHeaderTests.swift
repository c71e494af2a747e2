import CoreGraphics
import CoreImage
import Foundation
import ImageIO
import Testing
import UIKit

@Suite struct `The header of a picture` {
  /// A JPEG's first bytes: a segment of EXIF with so many entries of 12 bytes, the last of which says that the picture is turned,
  /// and a frame header of 8 x 6.
  private func jpeg(entries: Int, told count: Int) -> Data {
    let other: [UInt8] = [0x01, 0x00, 0, 3, 0, 0, 0, 1, 0, 5, 0, 0]
    let turned: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
    let directory = Array(repeating: other, count: entries - 1).flatMap(\.self) + turned
    let tiff: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, UInt8(count >> 8), UInt8(count & 255)] + directory + [0, 0, 0, 0]
    let exif = Array("Exif".utf8) + [0, 0] + tiff
    let length = exif.count + 2
    let frame: [UInt8] = [0xff, 0xc0, 0, 11, 8, 0, 6, 0, 8, 1, 1, 0x11, 0]
    return Data([0xff, 0xd8, 0xff, 0xe1, UInt8(length >> 8), UInt8(length & 255)] + exif + frame)
  }

  @Test func `the orientation is that of the directory's own entries`() throws {
    #expect(try #require(PictureHeader(jpeg(entries: 1, told: 1))).orientation == 6)
    #expect(try #require(PictureHeader(jpeg(entries: 9, told: 9))).orientation == 6)
    // What stands behind the entries that are told is none of them.
    #expect(try #require(PictureHeader(jpeg(entries: 9, told: 8))).orientation == 1)
    #expect(try #require(PictureHeader(jpeg(entries: 2, told: 0))).orientation == 1)
    // A directory of more entries than any file has is read as far as its 200th.
    #expect(try #require(PictureHeader(jpeg(entries: 200, told: 60_000))).orientation == 6)
    #expect(try #require(PictureHeader(jpeg(entries: 201, told: 60_000))).orientation == 1)
    #expect(try #require(PictureHeader(jpeg(entries: 1, told: 1))).width == 8)
  }

  /// The four corners of the picture that is seen, left to right and top to bottom, by the number of EXIF 2.32, 4.6.4 (orientation).
  /// As stored they are 0 and 1, and below them 2 and 3.
  private static let seen = [
    1: [0, 1, 2, 3], 2: [1, 0, 3, 2], 3: [3, 2, 1, 0], 4: [2, 3, 0, 1], 5: [0, 2, 1, 3], 6: [2, 0, 3, 1], 7: [3, 1, 2, 0],
    8: [1, 3, 0, 2],
  ]

  @Test(arguments: 1...8) func `a thumbnail stands as the header says, if that is asked for`(orientation: Int) throws {
    let context = try sheet(64, 32)
    let grays: [CGFloat] = [0, 0.3, 0.6, 1]
    for (corner, gray) in grays.enumerated() {
      context.setFillColor(red: gray, green: gray, blue: gray, alpha: 1)
      context.fill(CGRect(x: corner % 2 * 32, y: corner < 2 ? 16 : 0, width: 32, height: 16))
    }
    let picture = try #require(context.makeImage())
    let stored = try #require(UIImage(cgImage: picture).jpegData(compressionQuality: 1))
    let entry: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0]
    let tiff: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1] + entry + [0, 0, 0, 0]
    let exif = Array("Exif".utf8) + [0, 0] + tiff
    let turned = Data(stored.prefix(2) + [0xff, 0xe1, 0, UInt8(exif.count + 2)] + exif + stored.dropFirst(2))
    let unturned = try #require(CIImage(data: turned))
    #expect(unturned.extent.size == CGSize(width: 64, height: 32), "as stored, unless it is asked for")
    let upright = try #require(CIImage(data: turned, options: [.applyOrientationProperty: true]))
    #expect(upright.extent.size == (orientation > 4 ? CGSize(width: 32, height: 64) : CGSize(width: 64, height: 32)))
    let source = try #require(CGImageSourceCreateWithData(turned as CFData, nil))
    for turns in [true, false] {
      let options: [CFString: Any] = [
        kCGImageSourceCreateThumbnailWithTransform: turns, kCGImageSourceThumbnailMaxPixelSize: 32,
      ]
      let image = try #require(CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary))
      let isTall = turns && orientation > 4
      #expect(image.width == (isTall ? 16 : 32) && image.height == (isTall ? 32 : 16))
      let corners = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)].map { across, down in
        pixel(image, Int(across * Double(image.width)), Int(down * Double(image.height)))[0]
      }
      let expected = (turns ? Self.seen[orientation] ?? [] : [0, 1, 2, 3]).map { Int(grays[$0] * 255) }
      #expect(zip(corners, expected).allSatisfy { abs($0 - $1) < 12 }, "\(corners), not \(expected)")
    }
  }
}
