import CoreMedia
import CoreVideo
import Foundation
import Testing

@Suite struct `A pixel buffer` {
  private func make(_ type: OSType, _ width: Int = 6, _ height: Int = 4, _ attributes: CFDictionary? = nil) throws
    -> CVPixelBuffer
  {
    var buffer: CVPixelBuffer?
    let code = unsafe CVPixelBufferCreate(kCFAllocatorDefault, width, height, type, attributes, &buffer)
    try #require(code == kCVReturnSuccess)
    return try #require(buffer)
  }

  @Test func `has the strides and planes of its format`() throws {
    let packed = try make(kCVPixelFormatType_32BGRA, 70, 3)
    #expect(CVPixelBufferGetBytesPerRow(packed) == 320 && !CVPixelBufferIsPlanar(packed))
    #expect(CVPixelBufferGetPlaneCount(packed) == 0 && CVPixelBufferGetDataSize(packed) == 960)
    let pair = try make(kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, 71, 5)
    #expect(CVPixelBufferGetPlaneCount(pair) == 2 && CVPixelBufferGetBytesPerRowOfPlane(pair, 0) == 192)
    #expect(CVPixelBufferGetWidthOfPlane(pair, 1) == 36 && CVPixelBufferGetHeightOfPlane(pair, 1) == 3)
    let distance =
      unsafe try #require(CVPixelBufferGetBaseAddressOfPlane(pair, 1)) - (#require(CVPixelBufferGetBaseAddress(pair)))
    #expect(distance == 192 * 5)
    var none: CVPixelBuffer?
    #expect(unsafe CVPixelBufferCreate(nil, 4, 4, 1, nil, &none) == kCVReturnInvalidPixelFormat)
    #expect(unsafe CVPixelBufferCreate(nil, 0, 4, kCVPixelFormatType_32BGRA, nil, &none) == kCVReturnInvalidSize)
    #expect(CVPixelBufferUnlockBaseAddress(packed, []) == kCVReturnInvalidArgument)
    CVPixelBufferLockBaseAddress(packed, .readOnly)
    #expect(CVPixelBufferUnlockBaseAddress(packed, .readOnly) == kCVReturnSuccess)
  }

  @Test func `keeps every format's samples on the way through planes`() throws {
    for (type, _) in PixelLayout.kinds {
      guard let form = PlanarSamples(type) else { continue }
      let buffer = try make(type)
      // Samples of 10 bits have nothing above their low bits.
      let top = form.bitDepth == 10 ? 3 : 255
      let samples = (0..<form.byteCount(width: 6, height: 4)).map { index in
        UInt8(truncatingIfNeeded: form.bitDepth > 8 && index % 2 == 1 ? index * 37 & top : index * 91)
      }
      buffer.fill(with: samples)
      let isHalf = type == kCVPixelFormatType_64RGBAHalf
      let found = buffer.planarSamples()
      // A half float has 11 bits.
      let distance = isHalf ? zip(words(samples), words(found)).map { abs($0 - $1) }.max() ?? 0 : samples == found ? 0 : 99
      #expect(distance <= 16, "\(PixelLayout.name(of: type)): \(distance)")
    }
  }

  private func words(_ bytes: [UInt8]) -> [Int] {
    stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
  }

  @Test func `has the components where the format's name says`() throws {
    // One pixel of red 1, green 2, blue 3: the planes are G, B, R.
    func bytes(_ type: OSType) throws -> [UInt8] {
      let buffer = try make(type, 1, 1)
      buffer.fill(with: [2, 3, 1])
      let base = unsafe try #require(CVPixelBufferGetBaseAddress(buffer))
      return unsafe Array(UnsafeRawBufferPointer(start: base, count: 4))
    }
    #expect(try bytes(kCVPixelFormatType_32BGRA) == [3, 2, 1, 255])
    #expect(try bytes(kCVPixelFormatType_32ARGB) == [255, 1, 2, 3])
    #expect(try bytes(kCVPixelFormatType_32RGBA) == [1, 2, 3, 255])
    #expect(try bytes(kCVPixelFormatType_32ABGR) == [255, 3, 2, 1])
  }

  @Test func `comes from a pool, whose memory is used again`() throws {
    var pool: CVPixelBufferPool?
    let attributes: [String: Any] = [
      kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA, kCVPixelBufferWidthKey as String: 8,
      kCVPixelBufferHeightKey as String: NSNumber(value: 4),
    ]
    #expect(unsafe CVPixelBufferPoolCreate(kCFAllocatorDefault, nil, attributes as CFDictionary, &pool) == kCVReturnSuccess)
    let made = try #require(pool)
    func place() throws -> UnsafeMutableRawPointer? {
      var buffer: CVPixelBuffer?
      #expect(unsafe CVPixelBufferPoolCreatePixelBuffer(nil, made, &buffer) == kCVReturnSuccess)
      return unsafe CVPixelBufferGetBaseAddress(try #require(buffer))
    }
    #expect(unsafe try place() == place())
    var (first, second): (CVPixelBuffer?, CVPixelBuffer?)
    let bound = [kCVPixelBufferPoolAllocationThresholdKey as String: 1] as CFDictionary
    #expect(unsafe CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(nil, made, bound, &first) == kCVReturnSuccess)
    let code = unsafe CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(nil, made, bound, &second)
    #expect(code == kCVReturnWouldExceedAllocationThreshold && first != nil && second == nil)
  }

  @Test func `passes on the attachments that propagate`() throws {
    let (source, target) = (try make(kCVPixelFormatType_32BGRA), try make(kCVPixelFormatType_32BGRA))
    CVBufferSetAttachment(source, kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_709_2, .shouldPropagate)
    CVBufferSetAttachment(source, "own" as CFString, 3, .shouldNotPropagate)
    CVBufferPropagateAttachments(source, target)
    #expect(CVBufferCopyAttachment(target, kCVImageBufferYCbCrMatrixKey, nil) as? String == "ITU_R_709_2")
    #expect(CVBufferCopyAttachment(target, "own", nil) == nil)
  }
}

@Suite struct `Samples in memory` {
  @Test func `have times, durations and sizes`() throws {
    var format: CMAudioFormatDescription?
    var sound = AudioStreamBasicDescription(
      mSampleRate: 48_000, mFormatID: kAudioFormatLinearPCM,
      mFormatFlags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked, mBytesPerPacket: 4, mFramesPerPacket: 1,
      mBytesPerFrame: 4, mChannelsPerFrame: 2, mBitsPerChannel: 16, mReserved: 0)
    let made = unsafe CMAudioFormatDescriptionCreate(
      allocator: kCFAllocatorDefault, asbd: &sound, layoutSize: 0, layout: nil, magicCookieSize: 0, magicCookie: nil,
      extensions: nil, formatDescriptionOut: &format)
    #expect(made == noErr)
    var block: CMBlockBuffer?
    let code = unsafe CMBlockBufferCreateWithMemoryBlock(
      allocator: nil, memoryBlock: nil, blockLength: 400, blockAllocator: nil, customBlockSource: nil, offsetToData: 0,
      dataLength: 400, flags: 0, blockBufferOut: &block)
    #expect(code == kCMBlockBufferNoErr)
    let bytes: [UInt8] = [1, 2, 3, 4]
    let data = try #require(block)
    #expect(unsafe CMBlockBufferReplaceDataBytes(with: bytes, blockBuffer: data, offsetIntoDestination: 396, dataLength: 4) == 0)
    #expect(unsafe CMBlockBufferReplaceDataBytes(with: bytes, blockBuffer: data, offsetIntoDestination: 397, dataLength: 4) != 0)
    var samples: CMSampleBuffer?
    let start = CMTime(value: 1, timescale: 3)
    _ = unsafe CMAudioSampleBufferCreateReadyWithPacketDescriptions(
      allocator: nil, dataBuffer: data, formatDescription: try #require(format), sampleCount: 100, presentationTimeStamp: start,
      packetDescriptions: nil, sampleBufferOut: &samples)
    let buffer = try #require(samples)
    #expect(CMSampleBufferGetPresentationTimeStamp(buffer) == start && CMSampleBufferDataIsReady(buffer))
    #expect(buffer.duration == CMTime(value: 100, timescale: 48_000) && CMSampleBufferGetTotalSampleSize(buffer) == 400)
    #expect(try buffer.dataBuffer?.dataBytes().suffix(4) == Data(bytes))
    #expect(unsafe CMAudioFormatDescriptionGetStreamBasicDescription(try #require(format))?.pointee == sound)
  }

  @Test func `stand in values as times do`() {
    let range = CMTimeRange(start: CMTime(value: 1, timescale: 3), duration: CMTime(value: 5, timescale: 7))
    #expect(NSValue(time: range.start).timeValue == range.start)
    #expect(NSValue(timeRange: range).timeRangeValue == range)
    let mapping = CMTimeMapping(source: range, target: CMTimeRange(start: .zero, duration: .positiveInfinity))
    #expect(NSValue(timeMapping: mapping).timeMappingValue == mapping)
    #expect(!NSValue(timeRange: range).timeValue.isValid)
    let moved = CMTimeMapTimeFromRangeToRange(
      CMTime(value: 1, timescale: 2), fromRange: CMTimeRange(start: .zero, duration: CMTime(value: 1, timescale: 1)),
      toRange: CMTimeRange(start: CMTime(value: 2, timescale: 1), duration: CMTime(value: 1, timescale: 3)))
    #expect(moved == CMTime(value: 13, timescale: 6))
  }
}
