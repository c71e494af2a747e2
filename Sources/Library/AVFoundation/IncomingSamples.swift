internal import Formats
internal import SampleStream

extension CVBuffer {
  /// The form of the picture's samples, with the colours that are attached to it, else those of BT.709.
  ///
  /// - Throws: an error for a format that has no colours.
  func form() throws(AVError) -> SampleTrack.PictureForm {
    guard let samples = PlanarSamples(type) else {
      throw AVError(.unsupportedOutputSettings, "a picture in \(PixelLayout.name(of: type)) cannot be written")
    }
    func attached<Value>(_ key: String, _ names: [String: Value], _ usual: Value) -> Value {
      guard let name = CVBufferCopyAttachment(self, key, nil) as? String else { return usual }
      return names[name] ?? usual
    }
    let isRGB = samples.layout == "gbr"
    let color = ColorTags(
      attached(kCVImageBufferColorPrimariesKey, ColorNames.primaries, .bt709),
      attached(kCVImageBufferTransferFunctionKey, ColorNames.transfers, .bt709),
      isRGB ? .rgb : attached(kCVImageBufferYCbCrMatrixKey, ColorNames.matrices, .bt709),
      isRGB || samples.isFullRange ? .full : .limited)
    return .init(width: width, height: height, layout: samples.layout, bitDepth: samples.bitDepth, color: color)
  }
}

/// The sound of samples that were appended, as floats.
struct IncomingSound {
  let form: SampleTrack.SoundForm
  let samples: [UInt8]

  /// - Throws: an error for anything but linear PCM.
  init(_ buffer: CMSampleBuffer) throws(AVError) {
    func fault(_ words: String) -> AVError {
      AVError(.unsupportedOutputSettings, "append(_:): \(words)", time: buffer.presentationTimeStamp)
    }
    guard let block = buffer.dataBuffer, let sound = buffer.formatDescription?.audioStreamBasicDescription else {
      throw fault("the samples have neither a picture nor sound")
    }
    guard sound.mFormatID == kAudioFormatLinearPCM else {
      throw fault("samples that are encoded already are not written: give linear PCM")
    }
    guard
      let rate = Int32(exactly: sound.mSampleRate), let channels = Int(exactly: sound.mChannelsPerFrame),
      case let form = SampleTrack.SoundForm(sampleRate: rate, channelCount: channels), form.isPlausible
    else { throw fault("sound of \(sound.mChannelsPerFrame) channels at \(sound.mSampleRate) samples a second is not written") }
    self.form = form
    let isFloat = sound.mFormatFlags & kAudioFormatFlagIsFloat != 0
    let isBig = sound.mFormatFlags & kAudioFormatFlagIsBigEndian != 0
    // The bytes of a frame are those of one channel, where each channel lies by itself.
    let isPlanar = sound.mFormatFlags & kAudioFormatFlagIsNonInterleaved != 0 && channels > 1
    let size = Int(sound.mBytesPerFrame) / (isPlanar ? 1 : channels)
    guard [2, 3, 4].contains(size) && !isFloat || size == 4 && isFloat, Int(sound.mBitsPerChannel) == size * 8 else {
      throw fault("samples of \(sound.mBitsPerChannel) bits are not written")
    }
    let (stored, count) = (block.bytes, buffer.numSamples * channels)
    guard stored.count >= count * size else { throw fault("\(buffer.numSamples) samples are in \(stored.count) bytes") }
    let bytes = isPlanar ? Self.interleaved(stored, buffer.numSamples, channels, size) : stored
    if isFloat, !isBig {
      samples = Array(bytes.prefix(count * 4))
    } else {
      samples = Self.floats(bytes, count, size, isFloat: isFloat, isBig: isBig)
    }
  }

  /// The samples with the channels beside each other, which lie one after the other.
  private static func interleaved(_ bytes: [UInt8], _ frames: Int, _ channels: Int, _ size: Int) -> [UInt8] {
    let plane = bytes.count / channels
    var made: [UInt8] = []
    made.reserveCapacity(frames * channels * size)
    for frame in 0..<frames {
      for channel in 0..<channels {
        let place = channel * plane + frame * size
        made += bytes[place..<place + size]
      }
    }
    return made
  }

  private static func floats(_ bytes: [UInt8], _ count: Int, _ size: Int, isFloat: Bool, isBig: Bool) -> [UInt8] {
    var made: [UInt8] = []
    made.reserveCapacity(count * 4)
    for index in 0..<count {
      var word: UInt32 = 0
      for byte in 0..<size {
        let place = isBig ? size - 1 - byte : byte
        word |= UInt32(bytes[index * size + byte]) << UInt32(8 * place)
      }
      let bits: UInt32
      if isFloat {
        bits = word
      } else {
        // The sign is the topmost bit of the sample.
        let shift = UInt32(32 - 8 * size)
        bits = (Float(Int32(bitPattern: word << shift)) / 0x1p31).bitPattern
      }
      for byte in 0..<4 { made.append(UInt8(truncatingIfNeeded: bits >> UInt32(8 * byte))) }
    }
    return made
  }
}
