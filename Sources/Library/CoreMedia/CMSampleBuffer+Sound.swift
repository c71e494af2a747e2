extension AudioStreamBasicDescription {
  /// The number of buffers that hold the sound: one, or one for each channel where these do not lie beside each other.
  fileprivate var bufferCount: Int {
    mFormatFlags & kAudioFormatFlagIsNonInterleaved != 0 ? max(1, Int(mChannelsPerFrame)) : 1
  }
}

/// Fills a list with the bytes of the sound, which live as long as the block that is given back: one buffer, or one for each
/// channel where these do not lie beside each other.
public func CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
  _ sbuf: CMSampleBuffer, bufferListSizeNeededOut: UnsafeMutablePointer<Int>?,
  bufferListOut: UnsafeMutablePointer<AudioBufferList>?, bufferListSize: Int, blockBufferAllocator: CFAllocator?,
  blockBufferMemoryAllocator: CFAllocator?, flags: UInt32, blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>?
) -> OSStatus {
  guard let block = sbuf.dataBuffer, let form = sbuf.formatDescription?.audioStreamBasicDescription else {
    return kCMSampleBufferError_InvalidMediaFormat
  }
  let count = form.bufferCount
  let needed = AudioBufferList.sizeInBytes(maximumBuffers: count)
  unsafe bufferListSizeNeededOut?.pointee = needed
  guard let list = unsafe bufferListOut else { return noErr }
  guard bufferListSize >= needed else { return kCMSampleBufferError_ArrayTooSmall }
  let buffers = unsafe UnsafeMutableAudioBufferListPointer(list)
  buffers.count = count
  let size = block.count / count
  for index in 0..<count {
    buffers[index] = unsafe AudioBuffer(
      mNumberChannels: count == 1 ? form.mChannelsPerFrame : 1, mDataByteSize: UInt32(clamping: size),
      mData: block.start + index * size)
  }
  unsafe blockBufferOut?.initialize(to: block)
  return noErr
}

public let kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment: UInt32 = 1

/// Copies frames of linear PCM into the memory of a list, whose buffers are as the sound's: one, or one for each channel.
public func CMSampleBufferCopyPCMDataIntoAudioBufferList(
  _ sbuf: CMSampleBuffer, at frameOffset: Int32, frameCount numFrames: Int32,
  into bufferList: UnsafeMutablePointer<AudioBufferList>
) -> OSStatus {
  guard let block = sbuf.dataBuffer, let form = sbuf.formatDescription?.audioStreamBasicDescription,
    form.mFormatID == kAudioFormatLinearPCM, form.mBytesPerFrame > 0
  else { return kCMSampleBufferError_InvalidMediaFormat }
  let (count, frame) = (form.bufferCount, Int(form.mBytesPerFrame))
  let (offset, length) = (Int(frameOffset) * frame, Int(numFrames) * frame)
  guard offset >= 0, length >= 0, Int(frameOffset) + Int(numFrames) <= sbuf.numSamples else {
    return kCMSampleBufferError_SampleIndexOutOfRange
  }
  let (buffers, size) = (unsafe UnsafeMutableAudioBufferListPointer(bufferList), block.count / count)
  guard buffers.count == count, offset + length <= size else { return kCMSampleBufferError_InvalidMediaFormat }
  for index in 0..<count {
    guard let target = unsafe buffers[index].mData, Int(buffers[index].mDataByteSize) >= length else {
      return kCMSampleBufferError_ArrayTooSmall
    }
    unsafe target.copyMemory(from: block.start + index * size + offset, byteCount: length)
    buffers[index].mDataByteSize = UInt32(length)
  }
  return noErr
}

/// Gives samples that have no bytes a copy of those of a list.
public func CMSampleBufferSetDataBufferFromAudioBufferList(
  _ sbuf: CMSampleBuffer, blockBufferAllocator: CFAllocator?, blockBufferMemoryAllocator: CFAllocator?, flags: UInt32,
  bufferList: UnsafePointer<AudioBufferList>
) -> OSStatus {
  guard let form = sbuf.formatDescription?.audioStreamBasicDescription else { return kCMSampleBufferError_InvalidMediaFormat }
  let buffers = unsafe UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: bufferList))
  guard buffers.count == form.bufferCount, Set(buffers.map(\.mDataByteSize)).count == 1 else {
    return kCMSampleBufferError_InvalidMediaFormat
  }
  var bytes: [UInt8] = []
  for buffer in buffers { unsafe bytes += UnsafeBufferPointer<UInt8>(buffer) }
  return sbuf.take(CMBlockBuffer(bytes)) ? noErr : kCMSampleBufferError_AlreadyHasDataBuffer
}

/// Gives samples that have no bytes a block.
public func CMSampleBufferSetDataBuffer(_ sbuf: CMSampleBuffer, newValue: CMBlockBuffer) -> OSStatus {
  sbuf.take(newValue) ? noErr : kCMSampleBufferError_AlreadyHasDataBuffer
}

/// Samples are ready as soon as they have bytes.
@discardableResult
public func CMSampleBufferSetDataReady(_ sbuf: CMSampleBuffer) -> OSStatus { noErr }
