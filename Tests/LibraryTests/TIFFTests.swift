import AppKit
import CoreGraphics
import FarmTesting
import Foundation
import ImageIO
import Testing

/// AppKit hands pictures on as TIFF: it is the way from an NSImage to a PNG.
@Suite struct `Pictures as TIFF` {
  private let directory = TemporaryDirectory()

  /// Four by three points, of which some are half clear and some are clear.
  private var image: NSImage {
    let image = NSImage(size: CGSize(width: 4, height: 3))
    image.lockFocus()
    NSColor(red: 1, green: 0.2, blue: 0.4, alpha: 1).setFill()
    CGRect(x: 0, y: 0, width: 2, height: 3).fill()
    NSColor(red: 0, green: 1, blue: 0, alpha: 0.5).setFill()
    CGRect(x: 2, y: 0, width: 1, height: 3).fill()
    image.unlockFocus()
    return image
  }

  @Test func `become a PNG with the same pixels`() throws {
    let data = try #require(image.tiffRepresentation)
    let bitmap = try #require(NSBitmapImageRep(data: data))
    #expect(bitmap.pixelsWide == 4 && bitmap.pixelsHigh == 3)
    let png = try #require(bitmap.representation(using: .png, properties: [:]))
    let source = try #require(CGImageSourceCreateWithData(png, nil))
    let made = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    let wanted = unsafe image.cgImage(forProposedRect: nil, context: nil, hints: nil)
    for y in 0..<3 { for x in 0..<4 { #expect(pixel(made, x, y) == pixel(wanted, x, y), "\(x), \(y)") } }
    #expect(pixel(made, 0, 0) == [255, 51, 102, 255] && pixel(made, 3, 0) == [0, 0, 0, 0])
    #expect(NSImage(data: data)?.size == CGSize(width: 4, height: 3))
    #expect(image.tiffRepresentation(using: .lzw, factor: 0) == nil)
  }

  @Test func `are read by others`() throws {
    let (file, raw) = (directory.file("picture.tiff"), directory.file("picture.raw"))
    let target = try #require(
      CGImageDestinationCreateWithURL(URL(fileURLWithPath: file) as CFURL, "public.tiff" as CFString, 1, nil))
    let picture = try #require(unsafe image.cgImage(forProposedRect: nil, context: nil, hints: nil))
    CGImageDestinationAddImage(target, picture, nil)
    #expect(CGImageDestinationFinalize(target))
    try MediaTools.ffmpeg(["-i", file, "-f", "rawvideo", "-pix_fmt", "rgba", raw])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw)))
    #expect(bytes.count == 48)
    #expect(Array(bytes.prefix(8)) == [255, 51, 102, 255, 255, 51, 102, 255] && Array(bytes[12..<16]) == [0, 0, 0, 0])
  }

  @Test(arguments: ["rgb24", "rgba", "gray"]) func `of others are read`(_ form: String) throws {
    let file = directory.file("\(form).tiff")
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "color=0x808080:s=5x4,format=\(form)", "-frames:v", "1", "-compression_algo", "raw", file,
    ])
    let image = try #require(NSImage(contentsOfFile: file))
    let made = unsafe image.cgImage(forProposedRect: nil, context: nil, hints: nil)
    #expect(image.size == CGSize(width: 5, height: 4))
    let color = pixel(made, 4, 3)
    #expect(color.count == 4 && color[3] == 255 && color.prefix(3).allSatisfy { abs(Int($0) - 128) <= 2 }, "\(color)")
  }

  @Test func `that are compressed or cut off are none`() throws {
    let file = directory.file("packed.tiff")
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:s=16x16,format=rgb24", "-frames:v", "1", "-compression_algo", "packbits", file,
    ])
    #expect(NSImage(contentsOfFile: file) == nil)
    let whole = try #require(image.tiffRepresentation)
    for length in 0..<whole.count { #expect(NSImage(data: whole.prefix(length)) == nil, "\(length) bytes") }
  }

  @Test func `are made of a sheet that is drawn on, whatever its size in points is`() throws {
    let sheet = try #require(
      unsafe NSBitmapImageRep(
        bitmapDataPlanes: nil, pixelsWide: 4, pixelsHigh: 2, bitsPerSample: 8, samplesPerPixel: 4, hasAlpha: true,
        isPlanar: false,
        colorSpaceName: .deviceRGB, bytesPerRow: 0, bitsPerPixel: 0))
    sheet.size = CGSize(width: 2, height: 1)
    for color in [NSColor.blue, .red] {
      NSGraphicsContext.saveGraphicsState()
      NSGraphicsContext.current = NSGraphicsContext(bitmapImageRep: sheet)
      color.setFill()
      CGRect(x: 0, y: 0, width: 1, height: 1).fill()
      NSGraphicsContext.restoreGraphicsState()
    }
    #expect(sheet.pixelsWide == 4 && sheet.bytesPerRow >= 16)
    #expect(sheet.colorAt(x: 1, y: 1)?.cgColor == NSColor(red: 1, green: 0, blue: 0, alpha: 1).cgColor)
    #expect(sheet.colorAt(x: 2, y: 1)?.alphaComponent == 0 && sheet.colorAt(x: 4, y: 0) == nil)
    let image = NSImage(size: CGSize(width: 2, height: 1))
    image.addRepresentation(sheet)
    let made = unsafe image.cgImage(forProposedRect: nil, context: nil, hints: nil)
    #expect(
      pixel(made, 0, 0) == [255, 0, 0, 255] && pixel(made, 1, 1) == [255, 0, 0, 255] && pixel(made, 2, 0) == [0, 0, 0, 0])
    #expect(
      unsafe NSBitmapImageRep(
        bitmapDataPlanes: nil, pixelsWide: 4, pixelsHigh: 2, bitsPerSample: 16, samplesPerPixel: 4, hasAlpha: true,
        isPlanar: false,
        colorSpaceName: .deviceRGB, bytesPerRow: 0, bitsPerPixel: 0) == nil)
  }
}
