internal import CWebP

/// An animated WebP, which FFmpeg does not read, presented as a QuickTime movie, which it reads. Each picture is composed by
/// libwebp when FFmpeg reads its bytes. One thread at a time.
@safe final class AnimatedWebP {
  /// The largest canvas, in pixels: somewhat more than 8K. libwebp holds two canvases in memory.
  private static let maxPixels = 1 << 25
  /// The most pictures in one file: eleven minutes at 24 pictures a second.
  private static let maxPictures = 1 << 14
  /// The most pixels that may have to be composed to reach one picture: 4000 canvases of 1080p, a few seconds of work.
  private static let maxGroupPixels = 1 << 33
  /// The duration, in milliseconds, of a picture that states none. Browsers and FFmpeg's GIF reader use the same.
  private static let leastDuration: UInt32 = 100

  let width: Int
  let height: Int
  let hasAlpha: Bool
  /// The movie's bytes before the first picture. The uncompressed pictures follow it.
  private let head: [UInt8]
  private let bytes: [UInt8]
  /// The chunks that libwebp's decoder needs before each group of pictures.
  private let prefix: [UInt8]
  private let pictures: [AnimatedWebPPicture]
  /// The indices of the pictures that could not be composed.
  private var broken: Set<Int> = []
  private var group: AnimatedWebPGroup?

  /// Whether `head` begins a RIFF file of kind "WEBP" whose extended header says that it is animated.
  static func isBegun(by head: ArraySlice<UInt8>) -> Bool {
    let head = Array(head)
    return head.count >= 30 && head[0..<4].elementsEqual("RIFF".utf8) && head[8..<16].elementsEqual("WEBPVP8X".utf8)
      && head[20] & 2 != 0
  }

  /// - Precondition: `isBegun(by: bytes[...])` is true.
  /// - Throws: `MediaError` `unsupported` for a file that would take too much memory or time, before any of it is decoded;
  ///   `corrupt` for a damaged file.
  init(_ bytes: [UInt8], at path: String) throws(MediaError) {
    func side(_ offset: Int) -> Int { 1 + Int(bytes[offset]) + Int(bytes[offset + 1]) << 8 + Int(bytes[offset + 2]) << 16 }
    (width, height, hasAlpha) = (side(24), side(27), bytes[20] & 0x10 != 0)
    guard max(width, height) <= 1 << 14, width * height <= Self.maxPixels else {
      throw MediaError(
        .unsupported, at: path, "is an animation of \(width)x\(height): at most \(Self.maxPixels) pixels are read")
    }
    let chunks = unsafe bytes.withUnsafeBufferPointer { unsafe WebPChunk.all(in: $0, from: 12) }
    let control = chunks?.first { $0.name == "ANIM" }
    guard let chunks, let control, chunks[0].whole.upperBound == 30 else { throw Self.damaged(path) }
    var pictures: [AnimatedWebPPicture] = []
    for chunk in chunks where chunk.name == "ANMF" {
      guard let picture = AnimatedWebPPicture(chunk, in: bytes, after: pictures.last, width: width, height: height) else {
        throw Self.damaged(path)
      }
      pictures.append(picture)
      guard pictures.count <= Self.maxPictures else {
        throw MediaError(.unsupported, at: path, "is an animation of more than \(Self.maxPictures) pictures")
      }
    }
    guard !pictures.isEmpty else { throw Self.damaged(path) }
    let starts = pictures.indices.filter { pictures[$0].isKeyframe } + [pictures.count]
    let longest = zip(starts, starts.dropFirst()).map { $1 - $0 }.max() ?? 0
    guard longest * width * height <= Self.maxGroupPixels else {
      throw MediaError(
        .unsupported, at: path,
        "is an animation of \(longest) pictures of \(width)x\(height) that build upon each other, which takes too long: make it a movie"
      )
    }
    // Only the flags for animation and alpha are kept, since the chunks that the other flags announce are left out.
    var prefix = Array(bytes[..<30])
    prefix[20] &= 0x12
    prefix += bytes[control.whole]
    self.prefix = prefix
    let durations = pictures.map { $0.duration == 0 ? Self.leastDuration : $0.duration }
    head = UncompressedMovie.head(
      width: width, height: height, hasAlpha: hasAlpha, durations: durations, keyframes: starts.dropLast().map { $0 })
    (self.bytes, self.pictures) = (bytes, pictures)
    // The first picture is composed at once, so that a file without WebP pictures in its chunks is refused here.
    guard unsafe sample(0) != nil else { throw Self.damaged(path) }
  }

  /// The movie as FFmpeg reads it. It keeps this object alive.
  var source: RemoteFile {
    let size = Int64(head.count) + Int64(pictures.count) * Int64(sampleSize)
    return RemoteFile(version: RemoteVersion(byteCount: size, tag: "")) { number in self.block(number) }
  }

  /// Whether the picture that begins at byte `offset` of the movie could not be composed. It is false for a picture that was not
  /// read yet.
  func isBroken(at offset: Int64) -> Bool { broken.contains(Int((offset - Int64(head.count)) / Int64(sampleSize))) }

  private var sampleSize: Int { width * height * (hasAlpha ? 4 : 3) }

  private func block(_ number: Int64) -> [UInt8] {
    let size = Int64(head.count) + Int64(pictures.count) * Int64(sampleSize)
    var next = number * Int64(RemoteMedia.blockSize)
    let end = min(next + Int64(RemoteMedia.blockSize), size)
    var block: [UInt8] = []
    block.reserveCapacity(Int(max(0, end - next)))
    while next < end {
      if next < head.count {
        let part = head[Int(next)..<min(head.count, Int(end))]
        block += part
        next += Int64(part.count)
        continue
      }
      let (index, start) = Int(next - Int64(head.count)).quotientAndRemainder(dividingBy: sampleSize)
      let count = min(sampleSize - start, Int(end - next))
      if let sample = unsafe sample(index) {
        unsafe append(sample, start..<start + count, to: &block)
      } else {
        block += repeatElement(0, count: count)
      }
      next += Int64(count)
    }
    return block
  }

  /// Appends the bytes `range` of a sample. The sample is made from `canvas`, which has four bytes to a pixel.
  private func append(_ canvas: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, to block: inout [UInt8]) {
    if hasAlpha { return unsafe block.append(contentsOf: UnsafeBufferPointer(rebasing: canvas[range])) }
    for position in range {
      let (pixel, component) = position.quotientAndRemainder(dividingBy: 3)
      unsafe block.append(canvas[4 * pixel + component])
    }
  }

  /// The canvas of a picture, valid until the next call; nil for one that cannot be composed.
  private func sample(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
    if broken.contains(index) { return nil }
    let known = group.flatMap { $0.range.contains(index) && ($0.last ?? index) <= index ? $0 : nil }
    let group = known ?? makeGroup(of: index)
    self.group = group
    let canvas = unsafe group.canvas(of: index, byteCount: width * height * 4)
    if unsafe canvas == nil {
      // All later pictures of the group build upon this one, so they are lost too.
      broken.formUnion(group.reached..<group.range.upperBound)
      self.group = nil
    }
    return unsafe canvas
  }

  private func makeGroup(of index: Int) -> AnimatedWebPGroup {
    let first = pictures[...index].lastIndex { $0.isKeyframe } ?? 0
    let end = pictures[(index + 1)...].firstIndex { $0.isKeyframe } ?? pictures.count
    return AnimatedWebPGroup(
      prefix, Array(bytes[pictures[first].chunk.lowerBound..<pictures[end - 1].chunk.upperBound]), first..<end)
  }

  private static func damaged(_ path: String) -> MediaError {
    MediaError(.corrupt, at: path, "is an animated WebP that is cut off or damaged")
  }
}

/// The facts in a chunk 'ANMF' about its picture.
struct AnimatedWebPPicture {
  let chunk: Range<Int>
  /// The duration in milliseconds; 0 where the file states none.
  let duration: UInt32
  /// Whether the picture builds upon no other, by the rules of libwebp's decoder.
  let isKeyframe: Bool
  private let isFull: Bool
  private let isDisposed: Bool

  /// Nil where the chunk is too short to be an 'ANMF'.
  init?(_ chunk: WebPChunk, in bytes: [UInt8], after previous: AnimatedWebPPicture?, width: Int, height: Int) {
    let start = chunk.payload.lowerBound
    guard chunk.payload.count >= 24 else { return nil }
    func number(_ offset: Int) -> Int { (0..<3).reduce(0) { $0 | Int(bytes[start + offset + $1]) << (8 * $1) } }
    self.chunk = chunk.whole
    duration = UInt32(number(12))
    isFull = number(6) + 1 == width && number(9) + 1 == height
    let flags = bytes[start + 15]
    isDisposed = flags & 1 != 0
    guard let previous else {
      isKeyframe = true
      return
    }
    let replaces = flags & 2 != 0 || !Self.hasAlpha(bytes[start + 16..<chunk.payload.upperBound])
    isKeyframe = isFull && replaces || previous.isDisposed && (previous.isFull || previous.isKeyframe)
  }

  /// Whether a picture has alpha. The first chunk inside it tells: lossy, lossless with a flag for alpha, or alpha that precedes
  /// a lossy one.
  private static func hasAlpha(_ picture: ArraySlice<UInt8>) -> Bool {
    let name = picture.prefix(4)
    if name.elementsEqual("VP8 ".utf8) { return false }
    guard name.elementsEqual("VP8L".utf8), picture.count >= 13 else { return true }
    return picture[picture.startIndex + 12] & 0x10 != 0
  }
}

/// A run of pictures, each of which builds upon the one before, and the libwebp decoder that composes them in order.
@safe final class AnimatedWebPGroup {
  let range: Range<Int>
  /// The index of the picture that was composed last.
  private(set) var last: Int?
  /// Owned: freed in `deinit`. It reads `file`, which lives longer. Nil where libwebp does not take the bytes for WebP.
  private let decoder: OpaquePointer?
  private let file: UnsafeMutableBufferPointer<UInt8>
  private var canvas: UnsafeMutablePointer<UInt8>?

  /// - Parameter prefix: the file's header, the chunk 'VP8X' and the chunk 'ANIM'.
  init(_ prefix: [UInt8], _ chunks: [UInt8], _ range: Range<Int>) {
    self.range = range
    unsafe file = UnsafeMutableBufferPointer.allocate(capacity: prefix.count + chunks.count)
    _ = unsafe file.initialize(from: prefix + chunks)
    let size = unsafe file.count - 8
    for index in 0..<4 { unsafe file[4 + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
    var options = WebPAnimDecoderOptions()
    var data = unsafe WebPData(bytes: UnsafePointer(file.baseAddress), size: file.count)
    unsafe decoder = WebPAnimDecoderOptionsInit(&options) != 0 ? WebPAnimDecoderNew(&data, &options) : nil
  }

  deinit {
    unsafe WebPAnimDecoderDelete(decoder)
    unsafe file.deallocate()
  }

  /// The index of the picture that is composed next.
  var reached: Int { last.map { $0 + 1 } ?? range.lowerBound }

  /// Composes the pictures up to `index`.
  ///
  /// - Precondition: `index` is in `range` and not below `last`.
  /// - Returns: the canvas, four bytes to a pixel, not premultiplied, valid until the next call; nil where it cannot be composed.
  func canvas(of index: Int, byteCount: Int) -> UnsafeBufferPointer<UInt8>? {
    while reached <= index {
      var time: Int32 = 0
      guard let decoder = unsafe decoder, unsafe WebPAnimDecoderGetNext(decoder, &canvas, &time) != 0 else { return nil }
      last = reached
    }
    return unsafe canvas.map { unsafe UnsafeBufferPointer(start: $0, count: byteCount) }
  }
}
