import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `Metadata that changes with time` {
    private let directory = TemporaryDirectory()
    private let stillTime = "mdta/com.apple.quicktime.still-image-time"

    init() { SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable]) }

    private func tenths(_ value: Int64) -> CMTime { TestMedia.tenths(value) }

    private func description(_ kinds: [(identifier: String, dataType: String)]) throws -> CMFormatDescription {
      let specifications: [NSDictionary] = kinds.map { kind in
        [
          kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier as NSString: kind.identifier,
          kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType as NSString: kind.dataType,
        ]
      }
      var made: CMFormatDescription?
      let status = unsafe CMMetadataFormatDescriptionCreateWithMetadataSpecifications(
        allocator: kCFAllocatorDefault, metadataType: kCMMetadataFormatType_Boxed,
        metadataSpecifications: specifications as CFArray, formatDescriptionOut: &made)
      #expect(status == noErr)
      return try #require(made)
    }

    private func item(_ identifier: String, _ dataType: CFString, _ value: any NSObjectProtocol & NSCopying) -> AVMetadataItem {
      let item = AVMutableMetadataItem()
      (item.identifier, item.dataType, item.value) = (AVMetadataIdentifier(rawValue: identifier), dataType, value)
      return item
    }

    private func group(_ items: [AVMetadataItem], _ start: Int64, _ end: Int64) -> AVTimedMetadataGroup {
      AVTimedMetadataGroup(items: items, timeRange: TestMedia.range(start, end))
    }

    /// A writer of pictures and metadata, and what appends both.
    private func writer(
      _ name: String, _ kinds: [(identifier: String, dataType: String)]
    ) throws -> (AVAssetWriter, AVAssetWriterInputPixelBufferAdaptor, AVAssetWriterInputMetadataAdaptor) {
      let writer = try AVAssetWriter(url: URL(fileURLWithPath: directory.file(name)), fileType: .mov)
      let settings: [String: Any] = [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 64, AVVideoHeightKey: 48]
      let pictures = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
      let metadata = AVAssetWriterInput(mediaType: .metadata, outputSettings: nil, sourceFormatHint: try description(kinds))
      for input in [pictures, metadata] {
        #expect(writer.canAdd(input))
        writer.add(input)
      }
      return (
        writer, AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: pictures),
        AVAssetWriterInputMetadataAdaptor(assetWriterInput: metadata)
      )
    }

    private func append(_ count: Int64, to adaptor: AVAssetWriterInputPixelBufferAdaptor) throws {
      var made: CVPixelBuffer?
      #expect(unsafe CVPixelBufferCreate(nil, 64, 48, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnSuccess)
      let picture = try #require(made)
      for tenth in 0..<count { #expect(adaptor.append(picture, withPresentationTime: tenths(tenth))) }
    }

    /// The groups of a file's only track of metadata.
    private func groups(_ url: URL) async throws -> [AVTimedMetadataGroup] {
      let asset = AVURLAsset(url: url)
      let tracks = try await asset.loadTracks(withMediaType: .metadata)
      #expect(tracks.count == 1)
      let reader = try AVAssetReader(asset: asset)
      let output = AVAssetReaderTrackOutput(track: try #require(tracks.first), outputSettings: nil)
      #expect(reader.canAdd(output))
      reader.add(output)
      let adaptor = AVAssetReaderOutputMetadataAdaptor(assetReaderTrackOutput: output)
      #expect(reader.startReading(), "\(String(describing: reader.error))")
      var groups: [AVTimedMetadataGroup] = []
      while let group = adaptor.nextTimedMetadataGroup() { groups.append(group) }
      #expect(reader.status == .completed)
      return groups
    }

    @Test(arguments: [false, true]) func `is written for a Live Photo, and read back`(isFast: Bool) async throws {
      let (writer, pictures, metadata) = try writer("live-\(isFast).mov", [(stillTime, "com.apple.metadata.datatype.int8")])
      writer.shouldOptimizeForNetworkUse = isFast
      let identifier = AVMutableMetadataItem()
      identifier.key = "com.apple.quicktime.content.identifier" as NSString
      identifier.keySpace = .quickTimeMetadata
      identifier.value = "4AD60801-2BA5-4B9F-A69C-1F66A11EADCF" as NSString
      identifier.dataType = "com.apple.metadata.datatype.UTF-8"
      writer.metadata = [identifier]
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      let still = item(stillTime, kCMMetadataBaseDataType_SInt8, NSNumber(value: -1))
      #expect(metadata.append(group([still], 5, 6)))
      try append(10, to: pictures)
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let groups = try await groups(writer.outputURL)
      #expect(groups.map(\.timeRange) == [TestMedia.range(5, 6)])
      let read = try #require(groups.first?.items.first)
      #expect(groups.first?.items.count == 1 && read.identifier?.rawValue == stillTime)
      #expect(read.numberValue == -1 && read.dataType == kCMMetadataBaseDataType_SInt8)
      let asset = AVURLAsset(url: writer.outputURL)
      let words = AVMetadataItem.metadataItems(
        from: asset.metadata, withKey: "com.apple.quicktime.content.identifier", keySpace: .quickTimeMetadata)
      #expect(words.first?.stringValue == "4AD60801-2BA5-4B9F-A69C-1F66A11EADCF")
      #expect(asset.tracks.map(\.mediaType) == [.video, .metadata] && asset.isPlayable)
      let track = try #require(asset.tracks(withMediaType: .metadata).first)
      let description = try #require(track.formatDescriptions.first as? CMFormatDescription)
      #expect(CMMetadataFormatDescriptionGetIdentifiers(description) as? [String] == [stillTime])
      #expect(track.timeRange == TestMedia.range(5, 6))
      let count = try MediaTools.ffprobe([
        "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0",
        writer.outputURL.path,
      ])
      #expect(count == "10\n")
    }

    @Test func `stands in the file as QuickTime has it`() async throws {
      let (writer, pictures, metadata) = try writer("bytes.mov", [(stillTime, "com.apple.metadata.datatype.int8")])
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      #expect(metadata.append(group([item(stillTime, kCMMetadataBaseDataType_SInt8, NSNumber(value: -1))], 0, 1)))
      try append(3, to: pictures)
      await writer.finishWriting()
      let bytes = [UInt8](try Data(contentsOf: writer.outputURL))
      func holds(_ part: [UInt8]) -> Bool { Data(bytes).range(of: Data(part)) != nil }
      let name = Array("mdtacom.apple.quicktime.still-image-time".utf8)
      let keyd = [0, 0, 0, UInt8(name.count + 8)] + Array("keyd".utf8) + name
      let dtyp = [0, 0, 0, 16] + Array("dtyp".utf8) + [0, 0, 0, 0, 0, 0, 0, 65]
      let key = [0, 0, 0, UInt8(keyd.count + dtyp.count + 8), 0, 0, 0, 1] + keyd + dtyp
      let keys = [0, 0, 0, UInt8(key.count + 8)] + Array("keys".utf8) + key
      let head: [UInt8] = [0, 0, 0, UInt8(keys.count + 16)] + Array("mebx".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]
      #expect(holds(head + keys))
      #expect(holds([0, 0, 0, 9, 0, 0, 0, 1, 0xff]))
      #expect(!holds(Array("gpmd".utf8)))
    }

    @Test func `has several keys, gaps, and groups that last until the next one`() async throws {
      let place = "mdta/com.apple.quicktime.location.ISO6709"
      let level = "mdta/org.example.level"
      let (writer, pictures, metadata) = try writer(
        "groups.mov",
        [(place, kCMMetadataDataType_QuickTimeMetadataLocation_ISO6709), (level, kCMMetadataBaseDataType_Float64)])
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: tenths(20))
      let here = item(place, kCMMetadataDataType_QuickTimeMetadataLocation_ISO6709, "+35.6586+139.7454/" as NSString)
      let loud = item(level, kCMMetadataBaseDataType_Float64, NSNumber(value: 0.1))
      #expect(metadata.append(group([here, loud], 20, 22)))
      #expect(metadata.append(AVTimedMetadataGroup(items: [loud], timeRange: CMTimeRange(start: tenths(24), duration: .invalid))))
      #expect(metadata.append(AVTimedMetadataGroup(items: [here], timeRange: CMTimeRange(start: tenths(27), duration: .invalid))))
      var made: CVPixelBuffer?
      #expect(unsafe CVPixelBufferCreate(nil, 64, 48, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnSuccess)
      let picture = try #require(made)
      for tenth in 20..<30 { #expect(pictures.append(picture, withPresentationTime: tenths(Int64(tenth)))) }
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let groups = try await groups(writer.outputURL)
      #expect(groups.map(\.timeRange) == [TestMedia.range(0, 2), TestMedia.range(4, 7), TestMedia.range(7, 10)])
      #expect(groups.map { $0.items.map { $0.identifier?.rawValue } } == [[place, level], [level], [place]])
      #expect(groups[0].items[0].stringValue == "+35.6586+139.7454/" && groups[0].items[1].numberValue == 0.1)
    }

    @Test func `passes through a reader and a writer as it is stored`() async throws {
      let (first, pictures, metadata) = try writer("first.mov", [(stillTime, "com.apple.metadata.datatype.int8")])
      #expect(first.startWriting(), "\(String(describing: first.error))")
      first.startSession(atSourceTime: .zero)
      #expect(metadata.append(group([item(stillTime, kCMMetadataBaseDataType_SInt8, NSNumber(value: 0))], 1, 2)))
      try append(3, to: pictures)
      await first.finishWriting()
      let asset = AVURLAsset(url: first.outputURL)
      let track = try #require(asset.tracks(withMediaType: .metadata).first)
      let reader = try AVAssetReader(asset: asset)
      let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
      reader.add(output)
      #expect(reader.startReading())
      let (second, others, copies) = try writer("second.mov", [(stillTime, "com.apple.metadata.datatype.int8")])
      #expect(second.startWriting(), "\(String(describing: second.error))")
      second.startSession(atSourceTime: .zero)
      while let sample = output.copyNextSampleBuffer() { #expect(copies.assetWriterInput.append(sample)) }
      try append(3, to: others)
      await second.finishWriting()
      #expect(try await groups(second.outputURL).map(\.timeRange) == [TestMedia.range(1, 2)])
    }

    @Test func `refuses by name what it does not write`() async throws {
      let mp4 = try AVAssetWriter(url: URL(fileURLWithPath: directory.file("no.mp4")), fileType: .mp4)
      let kinds = [(identifier: stillTime, dataType: "com.apple.metadata.datatype.int8")]
      let input = AVAssetWriterInput(mediaType: .metadata, outputSettings: nil, sourceFormatHint: try description(kinds))
      #expect(!mp4.canAdd(input) && !mp4.availableMediaTypes.contains(.metadata))
      let bare = try AVAssetWriter(url: URL(fileURLWithPath: directory.file("bare.mov")), fileType: .mov)
      bare.add(AVAssetWriterInput(mediaType: .metadata, outputSettings: nil))
      #expect(!bare.startWriting() && (bare.error as? AVError)?.property == "sourceFormatHint")
      for (key, value, property) in [("mdta/other", NSNumber(value: 0), "items"), (stillTime, NSNumber(value: 300), "items")] {
        let (writer, _, metadata) = try writer("refused-\(value).mov", kinds)
        #expect(writer.startWriting(), "\(String(describing: writer.error))")
        writer.startSession(atSourceTime: .zero)
        #expect(!metadata.append(group([item(key, kCMMetadataBaseDataType_SInt8, value)], 0, 1)))
        #expect(writer.status == .failed && (writer.error as? AVError)?.property == property)
      }
      let (writer, pictures, metadata) = try writer("overlap.mov", kinds)
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      let still = item(stillTime, kCMMetadataBaseDataType_SInt8, NSNumber(value: 0))
      for start: Int64 in [0, 1] { _ = metadata.append(group([still], start, start + 3)) }
      // The program may have ended already.
      _ = try? append(2, to: pictures)
      await writer.finishWriting()
      #expect(writer.status == .failed)
      var made: CMFormatDescription?
      let status = unsafe CMMetadataFormatDescriptionCreateWithMetadataSpecifications(
        allocator: nil, metadataType: kCMMetadataFormatType_Boxed, metadataSpecifications: [["MetadataIdentifier": "mdta/x"]],
        formatDescriptionOut: &made)
      #expect(status == kCMFormatDescriptionError_InvalidParameter && made == nil)
    }
  }
}
