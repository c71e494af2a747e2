import CoreGraphics
import Foundation
import Testing

/// The red, green, blue and alpha of a picture's pixel, counted from the top left corner.
func pixel(_ image: CGImage?, _ x: Int, _ y: Int) -> [Int] {
  guard let image, let bytes = image.dataProvider?.data.map({ [UInt8]($0) }) else { return [] }
  let place = y * image.bytesPerRow + x * 4
  let order: [Int] =
    switch (image.alphaInfo, image.byteOrderInfo) {
    case (.premultipliedFirst, .order32Little), (.noneSkipFirst, .order32Little): [2, 1, 0, 3]
    case (.premultipliedFirst, _), (.noneSkipFirst, _): [1, 2, 3, 0]
    default: [0, 1, 2, 3]
    }
  return order.map { Int(bytes[place + $0]) }
}

/// A context of RGB with alpha, in memory of its own.
func sheet(_ width: Int, _ height: Int) throws -> CGContext {
  let context = unsafe CGContext(
    data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
    bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
  return try #require(context)
}
