import CoreMedia
import CoreVideo
import Foundation
import Testing

/// Code writes `UnsafeMutablePointer<CVPixelBuffer?>.allocate(capacity: 1)` and gives the memory away as it is, as C allows.
@Suite struct `An object that a function gives by a pointer` {
  /// Calls `body` with memory that holds no object but arbitrary bytes, and returns what is there afterwards.
  private func given<Value>(_ body: (UnsafeMutablePointer<Value?>) -> Int32) -> Value? {
    let memory = UnsafeMutablePointer<Value?>.allocate(capacity: 1)
    unsafe UnsafeMutableRawPointer(memory).initializeMemory(as: UInt8.self, repeating: 0x5a, count: MemoryLayout<Value?>.size)
    defer { unsafe memory.deallocate() }
    guard unsafe body(memory) == 0 else { return nil }
    return unsafe memory.move()
  }

  @Test func `may be put where no object was`() throws {
    let buffer: CVPixelBuffer? = unsafe given { unsafe CVPixelBufferCreate(nil, 8, 4, kCVPixelFormatType_32BGRA, nil, $0) }
    #expect(buffer.map(CVPixelBufferGetWidth) == 8)
    let attributes: CFDictionary = [
      kCVPixelBufferWidthKey: 6, kCVPixelBufferHeightKey: 4, kCVPixelBufferPixelFormatTypeKey: Int(kCVPixelFormatType_32BGRA),
    ]
    let pool: CVPixelBufferPool? = unsafe given { unsafe CVPixelBufferPoolCreate(nil, nil, attributes, $0) }
    let pooled: CVPixelBuffer? = unsafe given { unsafe CVPixelBufferPoolCreatePixelBuffer(nil, pool!, $0) }
    #expect(pooled.map(CVPixelBufferGetWidth) == 6)
    let image = try #require(buffer)
    let format: CMVideoFormatDescription? = unsafe given {
      unsafe CMVideoFormatDescriptionCreateForImageBuffer(allocator: nil, imageBuffer: image, formatDescriptionOut: $0)
    }
    let described = try #require(format)
    var timing = CMSampleTimingInfo(
      duration: CMTime(value: 1, timescale: 25), presentationTimeStamp: .zero, decodeTimeStamp: .invalid)
    let sample: CMSampleBuffer? = unsafe given {
      unsafe CMSampleBufferCreateReadyWithImageBuffer(
        allocator: nil, imageBuffer: image, formatDescription: described, sampleTiming: &timing, sampleBufferOut: $0)
    }
    #expect(sample?.duration == CMTime(value: 1, timescale: 25))
  }
}
