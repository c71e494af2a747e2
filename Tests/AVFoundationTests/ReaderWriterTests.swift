import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `A reader and a writer` {
    private let directory = TemporaryDirectory()

    init() { SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable]) }

    /// The samples that an output gives.
    private func samples(_ output: AVAssetReaderOutput) -> [CMSampleBuffer] {
      var found: [CMSampleBuffer] = []
      while let next = output.copyNextSampleBuffer() { found.append(next) }
      return found
    }

    private func pixel(_ buffer: CVPixelBuffer, _ x: Int, _ y: Int) throws -> [UInt8] {
      let base = unsafe try #require(CVPixelBufferGetBaseAddress(buffer)) + y * CVPixelBufferGetBytesPerRow(buffer) + x * 4
      return unsafe Array(UnsafeRawBufferPointer(start: base, count: 4))
    }

    @Test func `give a track's pictures and sound, exactly`() throws {
      let asset = try TestMedia.asset()
      let reader = try AVAssetReader(asset: asset)
      let pictures = AVAssetReaderTrackOutput(
        track: try #require(asset.tracks(withMediaType: .video).first),
        outputSettings: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA])
      let sound = AVAssetReaderTrackOutput(
        track: try #require(asset.tracks(withMediaType: .audio).first), outputSettings: [AVFormatIDKey: kAudioFormatLinearPCM])
      for output in [pictures, sound] {
        #expect(reader.canAdd(output))
        reader.add(output)
      }
      #expect(reader.startReading() && reader.status == .reading)
      let frames = samples(pictures)
      #expect(frames.map(\.presentationTimeStamp) == (0..<10).map { TestMedia.tenths($0) })
      #expect(frames.map(\.duration) == Array(repeating: TestMedia.tenths(1), count: 10))
      let heard = samples(sound)
      #expect(reader.status == .completed, "\(String(describing: reader.error))")
      #expect(heard.map(\.numSamples).reduce(0, +) == 38_400)
      // FFmpeg decodes the same samples, and the same colours.
      let raw = directory.file("sound.raw")
      try MediaTools.ffmpeg(["-i", asset.url.path, "-map", "0:a", "-f", "s16le", raw])
      let bytes = try heard.reduce(into: Data()) { $0.append(try #require(try $1.dataBuffer?.dataBytes())) }
      #expect(try bytes == Data(contentsOf: URL(fileURLWithPath: raw)))
      let rgb = directory.file("picture.raw")
      try MediaTools.ffmpeg([
        "-i", asset.url.path, "-vf", "select=eq(n\\,4),scale=flags=bicubic+accurate_rnd+full_chroma_int", "-frames:v", "1", "-f",
        "rawvideo",
        "-pix_fmt", "bgra", rgb,
      ])
      let expected = [UInt8](try Data(contentsOf: URL(fileURLWithPath: rgb)))
      let picture = try #require(frames[4].imageBuffer)
      for (x, y) in [(8, 8), (40, 20), (20, 40)] {
        let (own, theirs) = (try pixel(picture, x, y), Array(expected[((y * 64 + x) * 4)..<((y * 64 + x) * 4 + 4)]))
        #expect(zip(own, theirs).allSatisfy { abs(Int($0) - Int($1)) < 12 }, "\(x), \(y): \(own) \(theirs)")
      }
    }

    @Test(arguments: [kCVPixelFormatType_422YpCbCr8, kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange])
    func `give pictures with finer colour than 4:2:0`(type: OSType) throws {
      let asset = try TestMedia.asset()
      let reader = try AVAssetReader(asset: asset)
      let output = AVAssetReaderTrackOutput(
        track: try #require(asset.tracks(withMediaType: .video).first),
        outputSettings: [kCVPixelBufferPixelFormatTypeKey as String: type])
      reader.add(output)
      #expect(reader.startReading())
      let types = samples(output).compactMap { $0.imageBuffer.map(CVPixelBufferGetPixelFormatType) }
      #expect(types == Array(repeating: type, count: 10), "\(String(describing: reader.error))")
    }

    @Test func `give the part that is wanted, and end when they are told to`() throws {
      let composition = AVMutableComposition()
      try composition.insertTimeRange(TestMedia.range(2, 6), of: TestMedia.asset(), at: .zero)
      composition.scaleTimeRange(TestMedia.range(0, 4), toDuration: TestMedia.tenths(8))
      let reader = try AVAssetReader(asset: composition)
      let track = try #require(composition.tracks(withMediaType: .video).first)
      let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
      reader.add(output)
      #expect(reader.startReading())
      // Four pictures of a tenth of a second last two tenths each.
      #expect(samples(output).map(\.presentationTimeStamp) == [0, 2, 4, 6].map { TestMedia.tenths($0) })
      #expect(reader.status == .completed)

      let mixed = try AVAssetReader(asset: composition)
      mixed.timeRange = TestMedia.range(3, 5)
      let video = AVMutableVideoComposition(propertiesOf: composition)
      video.frameDuration = CMTime(value: 1, timescale: 20)
      let frames = AVAssetReaderVideoCompositionOutput(videoTracks: [track], videoSettings: nil)
      frames.videoComposition = video
      mixed.add(frames)
      #expect(mixed.startReading())
      #expect(samples(frames).map(\.presentationTimeStamp) == (6..<10).map { CMTime(value: $0, timescale: 20) })

      let cancelled = try AVAssetReader(asset: composition)
      let other = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
      cancelled.add(other)
      #expect(cancelled.startReading() && other.copyNextSampleBuffer() != nil)
      cancelled.cancelReading()
      #expect(other.copyNextSampleBuffer() == nil && cancelled.status == .cancelled)
      #expect(!cancelled.startReading())
      let refused = try AVAssetReader(asset: composition)
      refused.add(
        AVAssetReaderTrackOutput(
          track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_OneComponent8]))
      #expect(!refused.startReading() && refused.status == .failed)
      #expect((refused.error as? AVError)?.reason.contains("'L008'") == true)
    }

    @Test func `read one range after the other when they are asked to`() throws {
      let asset = try TestMedia.asset()
      let reader = try AVAssetReader(asset: asset)
      let output = AVAssetReaderTrackOutput(
        track: try #require(asset.tracks(withMediaType: .video).first), outputSettings: nil)
      output.supportsRandomAccess = true
      reader.add(output)
      #expect(reader.startReading())
      #expect(samples(output).count == 10 && reader.status == .reading)
      output.reset(forReadingTimeRanges: [TestMedia.range(2, 4), TestMedia.range(7, 8)].map { NSValue(timeRange: $0) })
      #expect(samples(output).map(\.presentationTimeStamp) == [2, 3, 7].map { TestMedia.tenths($0) })
      output.markConfigurationAsFinal()
      #expect(reader.status == .completed)
    }

    /// A picture of one colour in a format of four bytes.
    private func picture(_ type: OSType, _ pixel: [UInt8]) throws -> CVPixelBuffer {
      var made: CVPixelBuffer?
      #expect(unsafe CVPixelBufferCreate(kCFAllocatorDefault, 66, 48, type, nil, &made) == kCVReturnSuccess)
      let buffer = try #require(made)
      CVPixelBufferLockBaseAddress(buffer, [])
      defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
      let base = unsafe try #require(CVPixelBufferGetBaseAddress(buffer))
      for y in 0..<48 {
        for x in 0..<66 {
          for (index, byte) in pixel.enumerated() {
            unsafe base.storeBytes(
              of: byte, toByteOffset: y * CVPixelBufferGetBytesPerRow(buffer) + x * 4 + index, as: UInt8.self)
          }
        }
      }
      return buffer
    }

    private func sound(_ values: [Int16], at time: CMTime) throws -> CMSampleBuffer {
      let form = AudioStreamBasicDescription(
        mSampleRate: 48_000, mFormatID: kAudioFormatLinearPCM,
        mFormatFlags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked, mBytesPerPacket: 2, mFramesPerPacket: 1,
        mBytesPerFrame: 2, mChannelsPerFrame: 1, mBitsPerChannel: 16, mReserved: 0)
      let bytes = values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
      var samples: CMSampleBuffer?
      _ = unsafe CMAudioSampleBufferCreateReadyWithPacketDescriptions(
        allocator: nil, dataBuffer: CMBlockBuffer(bytes), formatDescription: CMFormatDescription(sound: form),
        sampleCount: values.count, presentationTimeStamp: time, packetDescriptions: nil, sampleBufferOut: &samples)
      return try #require(samples)
    }

    @Test func `write frames at their own times, in any pixel format, and sound to the sample`() async throws {
      let url = URL(fileURLWithPath: directory.file("movie.mov"))
      let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
      let video = AVAssetWriterInput(
        mediaType: .video,
        outputSettings: [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 66, AVVideoHeightKey: 48] as [String: Any])
      let audio = AVAssetWriterInput(
        mediaType: .audio,
        outputSettings: [
          AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 48_000.0, AVNumberOfChannelsKey: 1,
          AVLinearPCMBitDepthKey: 16,
        ])
      let adaptor = AVAssetWriterInputPixelBufferAdaptor(
        assetWriterInput: video,
        sourcePixelBufferAttributes: [kCVPixelBufferPixelFormatTypeKey as String: Int(kCVPixelFormatType_32BGRA)])
      for input in [video, audio] {
        #expect(writer.canAdd(input))
        writer.add(input)
      }
      #expect(!video.isReadyForMoreMediaData && adaptor.pixelBufferPool == nil)
      #expect(writer.startWriting())
      let start = CMTime(value: 7, timescale: 1)
      writer.startSession(atSourceTime: start)
      #expect(video.isReadyForMoreMediaData && adaptor.pixelBufferPool != nil)
      // Red in four layouts, and blue at last.
      let colours: [(OSType, [UInt8])] = [
        (kCVPixelFormatType_32ARGB, [255, 200, 0, 0]), (kCVPixelFormatType_32BGRA, [0, 0, 200, 255]),
        (kCVPixelFormatType_32RGBA, [200, 0, 0, 255]), (kCVPixelFormatType_32ABGR, [255, 0, 0, 200]),
        (kCVPixelFormatType_32ARGB, [255, 0, 0, 200]),
      ]
      let times = [0, 100, 133, 500, 501].map { CMTime(value: $0, timescale: 1000) }
      for (time, (type, pixel)) in zip(times, colours) {
        #expect(adaptor.append(try picture(type, pixel), withPresentationTime: start + time))
      }
      let values = (0..<4_800).map { Int16(truncatingIfNeeded: $0 * 37) }
      #expect(audio.append(try sound(Array(values[..<1000]), at: start)))
      // Ten samples of silence lie between the two.
      #expect(audio.append(try sound(Array(values[1000...]), at: start + CMTime(value: 1010, timescale: 48_000))))
      video.markAsFinished()
      writer.endSession(atSourceTime: start + CMTime(value: 600, timescale: 1000))
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let shown = try MediaTools.ffprobe([
        "-select_streams", "v", "-show_entries", "frame=pts_time:stream=width,height,codec_name", "-of", "csv=p=0", url.path,
      ])
      #expect(shown.contains("h264,66,48"))
      #expect(shown.split(separator: "\n").compactMap { Double($0.split(separator: ",")[0]) } == [0, 0.1, 0.133, 0.5, 0.501])
      let raw = directory.file("movie.raw")
      try MediaTools.ffmpeg([
        "-i", url.path, "-map", "0:v", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", raw,
      ])
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw)))
      for frame in 0..<5 {
        let place = (frame * 48 * 66 + 24 * 66 + 33) * 3
        let expected: [Int] = frame < 4 ? [200, 0, 0] : [0, 0, 200]
        #expect(zip(bytes[place..<place + 3], expected).allSatisfy { abs(Int($0) - $1) < 8 }, "frame \(frame)")
      }
      let heard = directory.file("heard.raw")
      try MediaTools.ffmpeg(["-i", url.path, "-map", "0:a", "-f", "s16le", heard])
      let silence = [Int16](repeating: 0, count: 10)
      let all = (values[..<1000] + silence + values[1000...]).flatMap {
        [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
      }
      #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: heard))) == all)
    }

    @Test func `write fragments of the length that is asked for, and refuse what does not stand in them`() async throws {
      let url = URL(fileURLWithPath: directory.file("pieces.mp4"))
      let writer = try AVAssetWriter(url: url, fileType: .mp4)
      let settings: [String: Any] = [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 64, AVVideoHeightKey: 48]
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
      let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input, sourcePixelBufferAttributes: nil)
      writer.add(input)
      writer.movieFragmentInterval = CMTime(value: 2, timescale: 5)
      #expect(writer.startWriting())
      writer.startSession(atSourceTime: .zero)
      let red = try picture(kCVPixelFormatType_32BGRA, [0, 0, 200, 255])
      for index in 0..<25 { #expect(adaptor.append(red, withPresentationTime: CMTime(value: Int64(index), timescale: 25))) }
      input.markAsFinished()
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let bytes = try Data(contentsOf: url)
      #expect(bytes.ranges(of: Data("moof".utf8)).count == 3)
      let shown = try MediaTools.ffprobe([
        "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", url.path,
      ])
      #expect(shown == "25\n")

      let refused = try AVAssetWriter(url: URL(fileURLWithPath: directory.file("refused.mov")), fileType: .mov)
      refused.add(AVAssetWriterInput(mediaType: .audio, outputSettings: [AVFormatIDKey: Int(kAudioFormatLinearPCM)]))
      refused.movieFragmentInterval = CMTime(value: 1, timescale: 1)
      #expect(!refused.startWriting())
      #expect("\(String(describing: refused.error))".contains("movieFragmentInterval: pcm does not stand in fragments"))
    }

    @Test func `take samples as they come, and keep the order of calls`() async throws {
      let url = URL(fileURLWithPath: directory.file("supplied.mp4"))
      let writer = try AVAssetWriter(url: url, fileType: .mp4)
      let settings: [String: Any] = [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 64, AVVideoHeightKey: 48]
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
      input.transform = CGAffineTransform(rotationAngle: .pi / 2)
      let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input, sourcePixelBufferAttributes: nil)
      #expect(!writer.canAdd(AVAssetWriterInput(mediaType: .video, outputSettings: [AVVideoCodecKey: AVVideoCodecType.jpeg])))
      writer.add(input)
      #expect(!writer.canAdd(AVAssetWriterInput(mediaType: .video, outputSettings: settings)))
      #expect(writer.startWriting())
      writer.startSession(atSourceTime: .zero)
      let red = try picture(kCVPixelFormatType_32BGRA, [0, 0, 200, 255])
      await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        nonisolated(unsafe) var count: Int64 = 0  // The block is called on one queue alone.
        input.requestMediaDataWhenReady(on: DispatchQueue(label: "frames")) {
          // The block gives one picture each time.
          guard input.isReadyForMoreMediaData else { return }
          unsafe adaptor.append(red, withPresentationTime: CMTime(value: count, timescale: 25))
          unsafe count += 1
          guard unsafe count == 5 else { return }
          input.markAsFinished()
          done.resume()
        }
      }
      #expect(!input.isReadyForMoreMediaData && !adaptor.append(red, withPresentationTime: .zero))
      // The last picture begins when the session ends, so that it is not seen.
      writer.endSession(atSourceTime: CMTime(value: 4, timescale: 25))
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let asset = AVURLAsset(url: url)
      let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
      #expect(asset.duration == CMTime(value: 4, timescale: 25) && track.preferredTransform.b == 1)
      #expect(FileManager.default.fileExists(atPath: url.path))

      let taken = try AVAssetWriter(url: url, fileType: .mp4)
      taken.add(AVAssetWriterInput(mediaType: .video, outputSettings: settings))
      #expect(!taken.startWriting() && (taken.error as? AVError)?.code == .fileAlreadyExists)
      let early = try AVAssetWriter(url: URL(fileURLWithPath: directory.file("early.mp4")), fileType: .mp4)
      early.startSession(atSourceTime: .zero)
      #expect(early.status == .failed && !early.startWriting())
      #expect(throws: AVError.self) { try AVAssetWriter(url: url, fileType: .caf) }
    }

    @Test func `leave nothing of a movie that is given up, or that cannot be made`() async throws {
      let url = URL(fileURLWithPath: directory.file("given-up.mov"))
      func begin() throws -> (AVAssetWriter, AVAssetWriterInputPixelBufferAdaptor) {
        let writer = try AVAssetWriter(url: url, fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: nil)
        writer.add(input)
        #expect(writer.startWriting())
        writer.startSession(atSourceTime: .zero)
        return (writer, AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input, sourcePixelBufferAttributes: nil))
      }
      let red = try picture(kCVPixelFormatType_32BGRA, [0, 0, 200, 255])
      let (writer, adaptor) = try begin()
      #expect(adaptor.append(red, withPresentationTime: .zero))
      writer.cancelWriting()
      #expect(writer.status == .cancelled && !adaptor.append(red, withPresentationTime: TestMedia.tenths(1)))
      let (broken, second) = try begin()
      #expect(second.append(red, withPresentationTime: TestMedia.tenths(1)))
      _ = second.append(red, withPresentationTime: .zero)
      await broken.finishWriting()
      #expect(broken.status == .failed && (broken.error as? AVError)?.reason.contains("comes after") == true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.contains("given-up") } == [])
    }
  }
}
