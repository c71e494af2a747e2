import Testing
import VideoToolbox

/// The flags of VideoToolbox. Their numbers are those of the C header VTErrors.h.
@Suite struct VideoToolboxFlagTests {
  @Test func `flags have the numbers of Apple's headers`() {
    let decode: [VTDecodeFrameFlags] = [
      ._EnableAsynchronousDecompression, ._DoNotOutputFrame, ._1xRealTimePlayback, ._EnableTemporalProcessing,
    ]
    #expect(decode.map(\.rawValue) == [1 << 0, 1 << 1, 1 << 2, 1 << 3])
    #expect([VTDecodeInfoFlags.asynchronous, .frameDropped, .imageBufferModifiable].map(\.rawValue) == [1 << 0, 1 << 1, 1 << 2])
    #expect([VTEncodeInfoFlags.asynchronous, .frameDropped].map(\.rawValue) == [1 << 0, 1 << 1])
  }
}
