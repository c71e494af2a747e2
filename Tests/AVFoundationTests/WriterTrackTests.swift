import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing
import VideoToolbox

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `Tracks and words of a writer` {
    private let directory = TemporaryDirectory()
    private let settings: [String: Any] = [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 64, AVVideoHeightKey: 48]

    init() { SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable]) }

    private func writer(_ name: String, _ type: AVFileType = .mov) throws -> AVAssetWriter {
      try AVAssetWriter(url: URL(fileURLWithPath: directory.file(name)), fileType: type)
    }

    private func sound(_ language: String? = nil) -> AVAssetWriterInput {
      let input = AVAssetWriterInput(mediaType: .audio, outputSettings: [AVFormatIDKey: Int(kAudioFormatAppleLossless)])
      input.languageCode = language
      return input
    }

    private func picture() throws -> CVPixelBuffer {
      var made: CVPixelBuffer?
      #expect(unsafe CVPixelBufferCreate(nil, 64, 48, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnSuccess)
      return try #require(made)
    }

    private func tone(_ value: Int16, at time: CMTime = .zero) throws -> CMSampleBuffer {
      let form = AudioStreamBasicDescription(
        mSampleRate: 48_000, mFormatID: kAudioFormatLinearPCM,
        mFormatFlags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked, mBytesPerPacket: 2, mFramesPerPacket: 1,
        mBytesPerFrame: 2, mChannelsPerFrame: 1, mBitsPerChannel: 16, mReserved: 0)
      let bytes = (0..<4_800).flatMap { _ in [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }
      return try CMSampleBuffer(
        dataBuffer: CMBlockBuffer(bytes), formatDescription: CMFormatDescription(sound: form), numSamples: 4_800,
        sampleTimings: [
          CMSampleTimingInfo(
            duration: CMTime(value: 1, timescale: 48_000), presentationTimeStamp: time, decodeTimeStamp: .invalid)
        ],
        sampleSizes: [2])
    }

    private func finish(_ writer: AVAssetWriter) async {
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
    }

    /// The enabled flag and the alternate group of each track.
    private func heads(_ url: URL) throws -> [[UInt8]] {
      let bytes = [UInt8](try Data(contentsOf: url))
      return bytes.indices.dropLast(50).filter { bytes[$0..<$0 + 4].elementsEqual("tkhd".utf8) }.map { place in
        // Behind the type: version, flags, two dates, number, nothing, duration, eight bytes of nothing, layer, group.
        [bytes[place + 7] & 1, bytes[place + 39]]
      }
    }

    @Test func `writes sounds as alternatives with their languages, of which one is played`() async throws {
      let writer = try writer("languages.mov")
      let (english, japanese) = (sound("eng"), sound("jpn"))
      japanese.metadata = [AVMutableMetadataItem()].map { item in
        (item.identifier, item.value) = (.quickTimeUserDataTrackName, "Dub" as NSString)
        return item
      }
      for input in [english, japanese] {
        #expect(writer.canAdd(input))
        writer.add(input)
      }
      let group = AVAssetWriterInputGroup(inputs: [english, japanese], defaultInput: japanese)
      #expect(writer.canAdd(group))
      writer.add(group)
      #expect(writer.inputGroups == [group] && !writer.canAdd(group))
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      let (low, high) = (try tone(1_000), try tone(2_000))
      #expect(english.append(low) && japanese.append(high))
      await finish(writer)
      #expect(try heads(writer.outputURL) == [[0, 1], [1, 1]])
      let languages = try MediaTools.ffprobe([
        "-show_entries", "stream_tags=language", "-of", "csv=p=0", writer.outputURL.path,
      ])
      #expect(languages == "eng\njpn\n")
      let raw = directory.file("second.raw")
      try MediaTools.ffmpeg(["-i", writer.outputURL.path, "-map", "0:a:1", "-f", "s16le", raw])
      let heard = [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw)))
      #expect(heard.count == 9_600 && Array(heard[..<2]) == [0xD0, 0x07])
    }

    @Test func `plays sounds together that are in no group, and says what it cannot write of tracks`() async throws {
      let together = try writer("together.mov")
      let inputs = [sound(), sound()]
      for input in inputs { together.add(input) }
      #expect(together.startWriting(), "\(String(describing: together.error))")
      together.startSession(atSourceTime: .zero)
      for input in inputs { #expect(input.append(try tone(1_000))) }
      await finish(together)
      let heads = try heads(together.outputURL)
      #expect(heads.map { $0[0] } == [1, 1] && heads[0][1] != heads[1][1])
      let quiet = try writer("quiet.mov")
      let input = sound()
      input.marksOutputTrackAsEnabled = false
      quiet.add(input)
      #expect(quiet.startWriting(), "\(String(describing: quiet.error))")
      quiet.startSession(atSourceTime: .zero)
      let tone = try tone(1_000)
      #expect(input.append(tone))
      await finish(quiet)
      #expect(try self.heads(quiet.outputURL).map { $0[0] } == [0])

      func refusal(_ type: AVFileType = .mov, _ change: (AVAssetWriter) -> Void) throws -> String? {
        let writer = try writer("refused", type)
        change(writer)
        #expect(!writer.startWriting())
        return (writer.error as? AVError)?.property
      }
      #expect(try refusal(.wav) { writer in for _ in 0..<2 { writer.add(sound()) } } == "inputs")
      #expect(try refusal { $0.add(sound("qqq")) } == "languageCode")
      let (one, other) = (sound(), sound())
      one.addTrackAssociation(withTrackOf: other, type: AVAssetTrack.AssociationType.audioFallback.rawValue)
      let bound = try refusal { writer in for input in [one, other] { writer.add(input) } }
      #expect(bound == "inputs")
      let stranger = AVAssetWriterInputGroup(inputs: [sound()], defaultInput: nil)
      let grouped = try refusal {
        $0.add(sound())
        $0.add(stranger)
      }
      #expect(grouped == "inputGroups")
    }

    @Test(arguments: [false, true])
    func `keeps a content identifier, other words with keys and a place`(isFirst: Bool) async throws {
      let writer = try writer("words.mov")
      func item(_ identifier: AVMetadataIdentifier, _ value: String) -> AVMetadataItem {
        let item = AVMutableMetadataItem()
        (item.identifier, item.value) = (identifier, value as NSString)
        return item
      }
      let own = AVMutableMetadataItem()
      (own.keySpace, own.key) = (.quickTimeMetadata, "com.apple.quicktime.content.identifier" as NSString)
      own.value = "8F2A-é" as NSString
      writer.metadata = [
        own, item(.commonIdentifierTitle, "Sea"), item(.quickTimeMetadataAuthor, "Ann"),
        item(.quickTimeMetadataLocationISO6709, "+35.6586+139.7454/"),
      ]
      writer.shouldOptimizeForNetworkUse = isFirst
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
      writer.add(input)
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input, sourcePixelBufferAttributes: nil)
      for index in 0..<3 { #expect(adaptor.append(try picture(), withPresentationTime: TestMedia.tenths(Int64(index)))) }
      await finish(writer)
      let words = try await AVURLAsset(url: writer.outputURL).load(.metadata)
      func text(_ identifier: AVMetadataIdentifier) -> String? {
        AVMetadataItem.metadataItems(from: words, filteredByIdentifier: identifier).first?.stringValue
      }
      #expect(text(.quickTimeMetadataContentIdentifier) == "8F2A-é" && text(.quickTimeMetadataTitle) == "Sea")
      #expect(text(.quickTimeMetadataAuthor) == "Ann")
      #expect(text(.quickTimeMetadataLocationISO6709)?.hasPrefix("+35.6586+139.7454") == true)
      let shown = try MediaTools.ffprobe([
        "-show_entries", "format_tags=com.apple.quicktime.content.identifier:stream=nb_frames", "-of", "csv=p=0",
        writer.outputURL.path,
      ])
      #expect(shown.contains("8F2A-é") && shown.contains("3"))
    }

    @Test func `tells the language of pictures`() async throws {
      let writer = try writer("signs.mp4", .mp4)
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
      input.extendedLanguageTag = "ja"
      writer.add(input)
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
      for index in 0..<2 {
        let picture = try picture()
        #expect(adaptor.append(picture, withPresentationTime: TestMedia.tenths(Int64(index))))
      }
      await finish(writer)
      let shown = try MediaTools.ffprobe(["-show_entries", "stream_tags=language", "-of", "csv=p=0", writer.outputURL.path])
      #expect(shown == "jpn\n")
    }

    @Test func `keeps a place without other words`() async throws {
      let writer = try writer("place.mp4", .mp4)
      let item = AVMutableMetadataItem()
      (item.identifier, item.value) = (.commonIdentifierLocation, "+35.6586+139.7454/" as NSString)
      writer.metadata = [item]
      let input = sound()
      writer.add(input)
      #expect(writer.startWriting())
      writer.startSession(atSourceTime: .zero)
      #expect(input.append(try tone(1)))
      await finish(writer)
      let shown = try MediaTools.ffprobe(["-show_entries", "format_tags=location", "-of", "csv=p=0", writer.outputURL.path])
      #expect(shown.contains("+35.6586+139.7454"))
    }

    @Test func `writes a group of one picture, and refuses both eyes by name`() async throws {
      let writer = try writer("eye.mov")
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
      let adaptor = AVAssetWriterInputTaggedPixelBufferGroupAdaptor(assetWriterInput: input)
      writer.add(input)
      #expect(writer.startWriting())
      writer.startSession(atSourceTime: .zero)
      let left = CMTaggedBuffer(tags: [.videoLayerID(0), .stereoView(.leftEye)], pixelBuffer: try picture())
      #expect(left.tags.first(matchingCategory: .stereoView) == .stereoView(.leftEye))
      #expect(left.tags.first(matchingCategory: .videoLayerID)?.typedValue == 0)
      #expect(adaptor.appendTaggedBuffers([left], withPresentationTime: .zero))
      let right = CMTaggedBuffer(tags: [.videoLayerID(1), .stereoView(.rightEye)], buffer: .pixelBuffer(try picture()))
      #expect(!adaptor.appendTaggedBuffers([left, right], withPresentationTime: TestMedia.tenths(1)))
      #expect(writer.status == .failed && (writer.error as? AVError)?.reason.contains("MV-HEVC") == true)
      let hevc: [String: Any] = [
        AVVideoCodecKey: AVVideoCodecType.hevc, AVVideoWidthKey: 64, AVVideoHeightKey: 48,
        AVVideoCompressionPropertiesKey: [kVTCompressionPropertyKey_MVHEVCVideoLayerIDs as String: [0, 1]],
      ]
      let layers = try self.writer("layers.mov")
      layers.add(AVAssetWriterInput(mediaType: .video, outputSettings: hevc))
      #expect(!layers.startWriting() && (layers.error as? AVError)?.property == "MVHEVCVideoLayerIDs")
    }

    @Test func `takes samples from tasks, as a reader gives them`() async throws {
      let asset = try TestMedia.asset()
      let reader = try AVAssetReader(asset: asset)
      let (video, audio) = (asset.tracks(withMediaType: .video).first, asset.tracks(withMediaType: .audio).first)
      let pictures = reader.outputProvider(for: AVAssetReaderTrackOutput(track: try #require(video), outputSettings: nil))
      let heard = reader.outputProvider(for: AVAssetReaderTrackOutput(track: try #require(audio), outputSettings: nil))
      let writer = try writer("tasks.mov")
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
      let receiver = writer.inputPixelBufferReceiver(for: input, pixelBufferAttributes: nil)
      let sounds = writer.inputReceiver(for: sound())
      #expect(receiver.pixelBufferPool == nil)
      try reader.start()
      try writer.start()
      writer.startSession(atSourceTime: .zero)
      #expect(receiver.pixelBufferPool?.pixelBufferAttributes.size == CVImageSize(width: 64, height: 48))
      var count = 0
      while let sample = try await pictures.next() {
        let picture = try #require(CMReadySampleBuffer<CVReadOnlyPixelBuffer>(sample))
        try await receiver.append(picture.content, with: sample.presentationTimeStamp)
        count += 1
      }
      while let sample = try await heard.next() { try await sounds.append(sample) }
      receiver.finish()
      sounds.finish()
      await finish(writer)
      let shown = try MediaTools.ffprobe([
        "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0",
        writer.outputURL.path,
      ])
      #expect(count == 10 && shown == "10\n" && reader.status == .completed)
      #expect(throws: AVError.self) { try writer.start() }
    }

    @Test(arguments: [AVFileType.mp4, .mov])
    func `writes texts with their languages and times, as captions and as samples`(type: AVFileType) async throws {
      let writer = try writer("texts", type)
      let voice = sound()
      let texts = ["fra", "jpn"].map { language in
        let input = AVAssetWriterInput(mediaType: .subtitle, outputSettings: nil)
        input.languageCode = language
        return input
      }
      for input in [voice] + texts {
        #expect(writer.canAdd(input))
        writer.add(input)
      }
      let group = AVAssetWriterInputGroup(inputs: texts, defaultInput: nil)
      #expect(writer.canAdd(group))
      writer.add(group)
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: TestMedia.tenths(50))
      let captions = AVAssetWriterInputCaptionAdaptor(assetWriterInput: texts[0])
      #expect(captions.append(AVCaption("La mer", timeRange: TestMedia.range(51, 53))))
      let two = AVCaptionGroup(
        captions: [AVCaption("bleue", timeRange: TestMedia.range(54, 56))], timeRange: TestMedia.range(54, 56))
      #expect(captions.append(two))
      let bytes = [UInt8](Array("海".utf8))
      let sample = try CMSampleBuffer(
        dataBuffer: CMBlockBuffer([0, UInt8(bytes.count)] + bytes), formatDescription: nil, numSamples: 1,
        sampleTimings: [
          CMSampleTimingInfo(
            duration: TestMedia.tenths(3), presentationTimeStamp: TestMedia.tenths(52), decodeTimeStamp: .invalid)
        ],
        sampleSizes: [bytes.count + 2])
      #expect(texts[1].append(sample))
      let form = try tone(1_000)
      let heard = try CMSampleBuffer(
        copying: form,
        withNewTiming: [
          CMSampleTimingInfo(
            duration: CMTime(value: 1, timescale: 48_000), presentationTimeStamp: TestMedia.tenths(50), decodeTimeStamp: .invalid)
        ])
      #expect(voice.append(heard))
      await finish(writer)
      func subtitles(_ number: Int) throws -> String {
        let path = directory.file("texts-\(number).srt")
        try MediaTools.ffmpeg(["-i", writer.outputURL.path, "-map", "0:s:\(number)", "-f", "srt", path])
        return try String(contentsOfFile: path, encoding: .utf8)
      }
      let first = try subtitles(0)
      for word in ["00:00:00,100 --> 00:00:00,300", "La mer", "00:00:00,400 --> 00:00:00,600", "bleue"] {
        #expect(first.contains(word))
      }
      let second = try subtitles(1)
      #expect(second.contains("00:00:00,200 --> 00:00:00,500") && second.contains("海"))
      let languages = try MediaTools.ffprobe([
        "-select_streams", "s", "-show_entries", "stream_tags=language", "-of", "csv=p=0", writer.outputURL.path,
      ])
      #expect(languages == "fra\njpn\n")
      #expect(try heads(writer.outputURL).map { $0[0] } == [1, 0, 0])
    }

    @Test func `lets sound without times go on where the sound before it ended`() async throws {
      let writer = try writer("untimed.mov")
      let input = sound()
      writer.add(input)
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: TestMedia.tenths(20))
      for value in [1_000, 2_000] as [Int16] { #expect(input.append(try tone(value, at: .invalid))) }
      #expect(input.append(try tone(3_000, at: TestMedia.tenths(23))))
      #expect(input.append(try tone(4_000, at: .invalid)))
      await finish(writer)
      let raw = directory.file("untimed.raw")
      try MediaTools.ffmpeg(["-i", writer.outputURL.path, "-f", "s16le", raw])
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw)))
      let heard = stride(from: 0, to: bytes.count - 1, by: 2).map { Int16(bytes[$0]) | Int16(bytes[$0 + 1]) << 8 }
      #expect(heard == [1_000, 2_000, 0, 3_000, 4_000].flatMap { [Int16](repeating: $0, count: 4_800) })
    }

    @Test func `writes the file type that it was given, whatever its file's name promises`() async throws {
      for (name, type) in [("named.mp4", AVFileType.mov), ("named.mov", .mp4)] {
        let writer = try writer(name, type)
        let input = AVAssetWriterInput(mediaType: .audio, outputSettings: [AVFormatIDKey: Int(kAudioFormatMPEG4AAC)])
        writer.add(input)
        #expect(writer.startWriting(), "\(String(describing: writer.error))")
        writer.startSession(atSourceTime: .zero)
        #expect(input.append(try tone(1_000)))
        await finish(writer)
        let found = try MediaTools.ffprobe(["-show_entries", "format_tags=major_brand", "-of", "csv=p=0", writer.outputURL.path])
        #expect(!found.isEmpty && found.hasPrefix("qt") == (type == .mov), "\(name): \(found)")
      }
    }

    @Test func `refuses closed captions by name`() throws {
      let writer = try writer("captions.mov")
      let input = AVAssetWriterInput(mediaType: .closedCaption, outputSettings: nil)
      let adaptor = AVAssetWriterInputCaptionAdaptor(assetWriterInput: input)
      #expect(!writer.canAdd(input))
      writer.add(input)
      #expect(!writer.startWriting() && (writer.error as? AVError)?.reason.contains("tracks of clcp are not written") == true)
      let caption = AVCaption("Sea", timeRange: TestMedia.range(0, 5))
      #expect(!adaptor.append(caption) && caption.text == "Sea")
      let conformer = AVCaptionFormatConformer(conversionSettings: [.mediaType: AVMediaType.closedCaption])
      #expect(throws: AVError.self) { try conformer.conformedCaption(for: caption) }
    }
  }
}
