import CoreGraphics
import Foundation
import Testing

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
}
