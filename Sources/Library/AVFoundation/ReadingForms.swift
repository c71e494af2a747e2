internal import Formats
internal import SampleStream
internal import Timeline

/// The form in which a reader gives pictures.
struct PictureForm {
  var type: OSType
  var samples: PlanarSamples

  /// - Parameter settings: a pixel format under `kCVPixelBufferPixelFormatTypeKey`, or a list of them; nil for 420v.
  /// - Throws: an error for a format that has no colours, or that this library does not have.
  init(_ settings: [String: Any]?, _ property: String) throws(AVError) {
    let decoding = settings?[AVVideoDecompressionPropertiesKey] as? [String: Any]
    if let layers = decoding?["RequestedMVHEVCVideoLayerIDs"] as? [Any], layers.count > 1 {
      throw AVError(
        .decoderNotFound, "\(property): RequestedMVHEVCVideoLayerIDs: one layer is read of several (MV-HEVC)", property: property)
    }
    guard let value = settings?[kCVPixelBufferPixelFormatTypeKey] else {
      (type, samples) = (
        kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, PlanarSamples(layout: "yuv420", bitDepth: 8, isFullRange: false)
      )
      return
    }
    let list = value as? [Any] ?? [value]
    let types = list.compactMap { AnyNumber.whole($0).flatMap { OSType(exactly: $0) } }
    for type in types {
      if let samples = PlanarSamples(type) {
        (self.type, self.samples) = (type, samples)
        return
      }
    }
    throw AVError(
      .unsupportedOutputSettings, "\(property): pictures are not given in \(types.map(PixelLayout.name).joined(separator: ", "))",
      property: property)
  }

  var isRGB: Bool { samples.layout == "gbr" }

  /// The layout and the bits in which pictures of this form are kept without loss, until they become a movie's.
  var kept: (layout: String, bitDepth: Int) {
    // Two more bits keep what 8 bits of RGB say.
    (isRGB ? "yuv444" : samples.layout, isRGB || samples.bitDepth > 8 ? 10 : 8)
  }

  /// The encoder's settings of a document whose frames have this form. Nothing is encoded with them.
  var codec: VideoCodecSettings {
    let chroma = ChromaSampling(layout: samples.layout) ?? .yuv420
    return VideoCodecSettings(.ffv1(FFV1(chroma: chroma)), bitDepth: samples.bitDepth > 8 ? 10 : 8)
  }

  /// The picture of planar samples.
  ///
  /// - Throws: an error for samples of another form.
  func picture(
    _ bytes: [UInt8], _ form: SampleTrack.PictureForm, from pool: inout CVPixelBufferPool?
  ) throws(AVError) -> CVPixelBuffer {
    guard form.layout == samples.layout, form.bitDepth == samples.bitDepth, form.byteCount == bytes.count else {
      throw AVError(.unknown, "'spool read' of another version answered")
    }
    if pool == nil {
      pool = CVPixelBufferPool(attributes: [
        kCVPixelBufferPixelFormatTypeKey: type, kCVPixelBufferWidthKey: form.width, kCVPixelBufferHeightKey: form.height,
      ])
    }
    guard case .success(let picture)? = pool?.buffer() else { throw AVError(.outOfMemory, "there is no memory for a picture") }
    picture.fill(with: bytes)
    for (key, value) in form.color.attachments { CVBufferSetAttachment(picture, key, value, .shouldPropagate) }
    return picture
  }
}

extension ColorTags {
  /// The colours that a movie of pictures with these attachments has.
  var composed: ColorTags {
    ColorTags(
      ColorNames.primaries.values.contains(primaries) ? primaries : .bt709,
      ColorNames.transfers.values.contains(transfer) ? transfer : .bt709,
      ColorNames.matrices.values.contains(matrix) ? matrix : .bt709, .limited)
  }

  /// The colours as Core Video attaches them to pictures; those that it has no name for are left out.
  var attachments: [(String, String)] {
    var found: [(String, String)] = []
    if let name = ColorNames.primaries.first(where: { $0.value == primaries })?.key {
      found.append((kCVImageBufferColorPrimariesKey, name))
    }
    if let name = ColorNames.transfers.first(where: { $0.value == transfer })?.key {
      found.append((kCVImageBufferTransferFunctionKey, name))
    }
    if let name = ColorNames.matrices.first(where: { $0.value == matrix })?.key {
      found.append((kCVImageBufferYCbCrMatrixKey, name))
    }
    return found
  }
}

/// The names of colours in AVFoundation, which are those of Core Video.
enum ColorNames {
  static let primaries: [String: ColorTags.Primaries] = [
    AVVideoColorPrimaries_ITU_R_709_2: .bt709, AVVideoColorPrimaries_SMPTE_C: .smpte170m,
    AVVideoColorPrimaries_EBU_3213: .bt470bg, AVVideoColorPrimaries_P3_D65: .smpte432, AVVideoColorPrimaries_ITU_R_2020: .bt2020,
  ]
  static let transfers: [String: ColorTags.Transfer] = [
    AVVideoTransferFunction_ITU_R_709_2: .bt709, AVVideoTransferFunction_SMPTE_ST_2084_PQ: .pq,
    AVVideoTransferFunction_ITU_R_2100_HLG: .hlg, AVVideoTransferFunction_IEC_sRGB: .srgb,
    AVVideoTransferFunction_Linear: .linear,
  ]
  static let matrices: [String: ColorTags.Matrix] = [
    AVVideoYCbCrMatrix_ITU_R_709_2: .bt709, AVVideoYCbCrMatrix_ITU_R_601_4: .smpte170m, AVVideoYCbCrMatrix_ITU_R_2020: .bt2020nc,
  ]
}

/// The form in which a reader gives sound: linear PCM.
struct SoundForm {
  enum Sample { case int16, int24, int32, float32 }

  var sampleRate: Int32
  var channelCount: Int
  var sample: Sample
  var isBigEndian: Bool
  /// Whether each channel lies by itself.
  var isPlanar = false

  /// - Parameters:
  ///   - settings: AVFoundation's settings of sound; nil for floats.
  ///   - source: the rate and the channels of the sound that is read.
  init(_ settings: [String: Any]?, _ source: (sampleRate: Int32, channelCount: Int), _ property: String) throws(AVError) {
    func fault(_ words: String) -> AVError { AVError(.unsupportedOutputSettings, "\(property): \(words)", property: property) }
    let format = AnyNumber.whole(settings?[AVFormatIDKey])
    guard settings == nil || format == Int(kAudioFormatLinearPCM) else { throw fault("sound is given as linear PCM alone") }
    sampleRate = AnyNumber.whole(settings?[AVSampleRateKey]).flatMap { Int32(exactly: $0) } ?? source.sampleRate
    let count = AnyNumber.whole(settings?[AVNumberOfChannelsKey]) ?? source.channelCount
    channelCount = [1, 2, 6].contains(count) ? count : settings?[AVNumberOfChannelsKey] == nil ? 2 : count
    guard [1, 2, 6].contains(channelCount) else { throw fault("\(channelCount) channels are not given; 1, 2 and 6 are") }
    guard AudioCodec.pcm.sampleRates.contains(sampleRate) else {
      throw fault("\(sampleRate) samples a second are not given; \(AudioCodec.pcm.sampleRates) are")
    }
    isBigEndian = AnyNumber.truth(settings?[AVLinearPCMIsBigEndianKey]) ?? false
    isPlanar = channelCount > 1 && AnyNumber.truth(settings?[AVLinearPCMIsNonInterleaved]) ?? false
    let isFloat = AnyNumber.truth(settings?[AVLinearPCMIsFloatKey]) ?? (settings == nil)
    switch (isFloat, AnyNumber.whole(settings?[AVLinearPCMBitDepthKey]) ?? (isFloat ? 32 : 16)) {
    case (true, 32): sample = .float32
    case (false, 16): sample = .int16
    case (false, 24): sample = .int24
    case (false, 32): sample = .int32
    case (_, let depth): throw fault("samples of \(depth) bits are not given; 16, 24 and 32 are, and floats of 32")
    }
  }

  var bytesPerSample: Int {
    switch sample {
    case .int16: 2
    case .int24: 3
    case .int32, .float32: 4
    }
  }

  var description: AudioStreamBasicDescription {
    let kind = sample == .float32 ? kAudioFormatFlagIsFloat : kAudioFormatFlagIsSignedInteger
    let bytes = UInt32(bytesPerSample * (isPlanar ? 1 : channelCount))
    let order = (isBigEndian ? kAudioFormatFlagIsBigEndian : 0) | (isPlanar ? kAudioFormatFlagIsNonInterleaved : 0)
    return AudioStreamBasicDescription(
      mSampleRate: Double(sampleRate), mFormatID: kAudioFormatLinearPCM,
      mFormatFlags: kind | kAudioFormatFlagIsPacked | order, mBytesPerPacket: bytes,
      mFramesPerPacket: 1, mBytesPerFrame: bytes, mChannelsPerFrame: UInt32(channelCount),
      mBitsPerChannel: UInt32(bytesPerSample * 8), mReserved: 0)
  }

  /// The settings of a document whose sound has this form.
  var codec: AudioCodecSettings {
    AudioCodecSettings(
      .pcm(PCM(samples: .float32)), sampleRate: sampleRate,
      channelLayout: channelCount == 1 ? .mono : channelCount == 2 ? .stereo : .surround51)
  }

  /// The samples of floats, in this form. Whole numbers are rounded to the nearest, and clipped.
  func samples(ofFloats bytes: [UInt8]) -> [UInt8] {
    guard isPlanar else { return packed(bytes) }
    let (frame, step) = (4 * channelCount, bytes.count / 4 / channelCount)
    var planes: [UInt8] = []
    planes.reserveCapacity(bytes.count)
    for channel in 0..<channelCount {
      for index in 0..<step {
        let place = index * frame + 4 * channel
        planes += bytes[place..<place + 4]
      }
    }
    return packed(planes)
  }

  private func packed(_ bytes: [UInt8]) -> [UInt8] {
    if sample == .float32, !isBigEndian { return bytes }
    var made: [UInt8] = []
    made.reserveCapacity(bytes.count / 4 * bytesPerSample)
    unsafe bytes.withUnsafeBytes { raw in
      for index in 0..<bytes.count / 4 {
        let bits = UInt32(littleEndian: unsafe raw.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        let word = sample == .float32 ? bits : UInt32(bitPattern: whole(Float(bitPattern: bits)))
        for byte in 0..<bytesPerSample {
          let place = isBigEndian ? bytesPerSample - 1 - byte : byte
          made.append(UInt8(truncatingIfNeeded: word >> UInt32(8 * place)))
        }
      }
    }
    return made
  }

  private func whole(_ value: Float) -> Int32 {
    let limit = Double(Int64(1) << (bytesPerSample * 8 - 1))
    guard !value.isNaN else { return 0 }
    return Int32(min(max((Double(value) * limit).rounded(.toNearestOrEven), -limit), limit - 1))
  }
}
