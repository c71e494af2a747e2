/// Makes samples of a block of bytes.
public func CMSampleBufferCreate(
  allocator: CFAllocator?, dataBuffer: CMBlockBuffer?, dataReady: Bool,
  makeDataReadyCallback: ((CMSampleBuffer, UnsafeMutableRawPointer?) -> OSStatus)?, refcon: UnsafeMutableRawPointer?,
  formatDescription: CMFormatDescription?, sampleCount: CMItemCount, sampleTimingEntryCount: CMItemCount,
  sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?, sampleSizeEntryCount: CMItemCount,
  sampleSizeArray: UnsafePointer<Int>?, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  guard sampleCount >= 0, [0, 1, sampleCount].contains(sampleTimingEntryCount),
    [0, 1, sampleCount].contains(sampleSizeEntryCount)
  else { return kCMSampleBufferError_InvalidEntryCount }
  let timing = (0..<sampleTimingEntryCount).compactMap { unsafe sampleTimingArray?[$0] }
  let sizes = (0..<sampleSizeEntryCount).compactMap { unsafe sampleSizeArray?[$0] }
  unsafe sampleBufferOut.initialize(
    to: CMSampleBuffer(
      picture: nil, block: dataBuffer, formatDescription, count: sampleCount, timing: timing, sizes: sizes))
  return noErr
}

public func CMSampleBufferCreateReady(
  allocator: CFAllocator?, dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription?, sampleCount: CMItemCount,
  sampleTimingEntryCount: CMItemCount, sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?,
  sampleSizeEntryCount: CMItemCount, sampleSizeArray: UnsafePointer<Int>?,
  sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  unsafe CMSampleBufferCreate(
    allocator: allocator, dataBuffer: dataBuffer, dataReady: true, makeDataReadyCallback: nil, refcon: nil,
    formatDescription: formatDescription, sampleCount: sampleCount, sampleTimingEntryCount: sampleTimingEntryCount,
    sampleTimingArray: sampleTimingArray, sampleSizeEntryCount: sampleSizeEntryCount, sampleSizeArray: sampleSizeArray,
    sampleBufferOut: sampleBufferOut)
}

/// Makes a sample of a picture. The description must be the picture's.
public func CMSampleBufferCreateForImageBuffer(
  allocator: CFAllocator?, imageBuffer: CVImageBuffer, dataReady: Bool,
  makeDataReadyCallback: ((CMSampleBuffer, UnsafeMutableRawPointer?) -> OSStatus)?, refcon: UnsafeMutableRawPointer?,
  formatDescription: CMVideoFormatDescription, sampleTiming: UnsafePointer<CMSampleTimingInfo>,
  sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  unsafe CMSampleBufferCreateReadyWithImageBuffer(
    allocator: allocator, imageBuffer: imageBuffer, formatDescription: formatDescription, sampleTiming: sampleTiming,
    sampleBufferOut: sampleBufferOut)
}

public func CMSampleBufferCreateReadyWithImageBuffer(
  allocator: CFAllocator?, imageBuffer: CVImageBuffer, formatDescription: CMVideoFormatDescription,
  sampleTiming: UnsafePointer<CMSampleTimingInfo>, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  do {
    unsafe sampleBufferOut.initialize(
      to: try CMSampleBuffer(
        imageBuffer: imageBuffer, formatDescription: formatDescription, sampleTiming: unsafe sampleTiming.pointee))
    return noErr
  } catch { return (error as? CMFailure)?.status ?? kCMSampleBufferError_AllocationFailed }
}

public func CMAudioSampleBufferCreateReadyWithPacketDescriptions(
  allocator: CFAllocator?, dataBuffer: CMBlockBuffer, formatDescription: CMFormatDescription, sampleCount: CMItemCount,
  presentationTimeStamp: CMTime, packetDescriptions: UnsafePointer<AudioStreamPacketDescription>?,
  sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  guard let form = formatDescription.audioStreamBasicDescription, form.mSampleRate >= 1, form.mSampleRate < 1e9 else {
    return kCMSampleBufferError_InvalidMediaFormat
  }
  let timing = CMSampleTimingInfo(
    duration: CMTime(value: 1, timescale: CMTimeScale(form.mSampleRate)), presentationTimeStamp: presentationTimeStamp,
    decodeTimeStamp: .invalid)
  unsafe sampleBufferOut.initialize(
    to: CMSampleBuffer(
      picture: nil, block: dataBuffer, formatDescription, count: sampleCount, timing: [timing],
      sizes: form.mBytesPerFrame > 0 ? [Int(form.mBytesPerFrame)] : []))
  return noErr
}

public func CMAudioSampleBufferCreateWithPacketDescriptions(
  allocator: CFAllocator?, dataBuffer: CMBlockBuffer?, dataReady: Bool,
  makeDataReadyCallback: ((CMSampleBuffer, UnsafeMutableRawPointer?) -> OSStatus)?, refcon: UnsafeMutableRawPointer?,
  formatDescription: CMFormatDescription, sampleCount: CMItemCount, presentationTimeStamp: CMTime,
  packetDescriptions: UnsafePointer<AudioStreamPacketDescription>?, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  guard let dataBuffer else { return kCMSampleBufferError_RequiredParameterMissing }
  return unsafe CMAudioSampleBufferCreateReadyWithPacketDescriptions(
    allocator: allocator, dataBuffer: dataBuffer, formatDescription: formatDescription, sampleCount: sampleCount,
    presentationTimeStamp: presentationTimeStamp, packetDescriptions: packetDescriptions, sampleBufferOut: sampleBufferOut)
}

public func CMSampleBufferCreateCopy(
  allocator: CFAllocator?, sampleBuffer: CMSampleBuffer, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  unsafe CMSampleBufferCreateCopyWithNewTiming(
    allocator: allocator, sampleBuffer: sampleBuffer, sampleTimingEntryCount: 0, sampleTimingArray: nil,
    sampleBufferOut: sampleBufferOut)
}

/// Makes the same samples with other times; with its own ones where none are given.
public func CMSampleBufferCreateCopyWithNewTiming(
  allocator: CFAllocator?, sampleBuffer: CMSampleBuffer, sampleTimingEntryCount: CMItemCount,
  sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  let given = (0..<max(sampleTimingEntryCount, 0)).compactMap { unsafe sampleTimingArray?[$0] }
  do {
    unsafe sampleBufferOut.initialize(
      to: try CMSampleBuffer(
        copying: sampleBuffer, withNewTiming: given.isEmpty ? sampleBuffer.timing : given))
    return noErr
  } catch { return kCMSampleBufferError_InvalidEntryCount }
}

public func CMSampleBufferDataIsReady(_ sbuf: CMSampleBuffer) -> Bool { true }
public func CMSampleBufferMakeDataReady(_ sbuf: CMSampleBuffer) -> OSStatus { noErr }
public func CMSampleBufferIsValid(_ sbuf: CMSampleBuffer) -> Bool { sbuf.isValid }
@discardableResult
public func CMSampleBufferInvalidate(_ sbuf: CMSampleBuffer) -> OSStatus {
  do { try sbuf.invalidate() } catch { return kCMSampleBufferError_Invalidated }
  return noErr
}
public func CMSampleBufferGetNumSamples(_ sbuf: CMSampleBuffer) -> CMItemCount { sbuf.numSamples }
public func CMSampleBufferGetImageBuffer(_ sbuf: CMSampleBuffer) -> CVImageBuffer? { sbuf.imageBuffer }
public func CMSampleBufferGetDataBuffer(_ sbuf: CMSampleBuffer) -> CMBlockBuffer? { sbuf.dataBuffer }
public func CMSampleBufferGetFormatDescription(_ sbuf: CMSampleBuffer) -> CMFormatDescription? { sbuf.formatDescription }
public func CMSampleBufferGetPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.presentationTimeStamp }
public func CMSampleBufferGetDecodeTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.decodeTimeStamp }
public func CMSampleBufferGetDuration(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.duration }
public func CMSampleBufferGetOutputPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.outputPresentationTimeStamp }
public func CMSampleBufferGetOutputDuration(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.outputDuration }
@discardableResult
public func CMSampleBufferSetOutputPresentationTimeStamp(
  _ sbuf: CMSampleBuffer, newValue: CMTime
) -> OSStatus {
  do { try sbuf.setOutputPresentationTimeStamp(newValue) } catch { return kCMSampleBufferError_Invalidated }
  return noErr
}

/// The bytes of all samples; 0 for a picture.
public func CMSampleBufferGetTotalSampleSize(_ sbuf: CMSampleBuffer) -> Int {
  sbuf.sizes.count == 1
    ? sbuf.sizes[0] * sbuf.numSamples : sbuf.sizes.isEmpty ? sbuf.dataBuffer?.count ?? 0 : sbuf.sizes.reduce(0, +)
}

public func CMSampleBufferGetSampleSize(_ sbuf: CMSampleBuffer, at sampleIndex: CMItemIndex) -> Int {
  sbuf.sizes.count == 1 ? sbuf.sizes[0] : sbuf.sizes.indices.contains(sampleIndex) ? sbuf.sizes[sampleIndex] : 0
}

public typealias CMItemIndex = Int

public func CMSampleBufferGetSampleTimingInfo(
  _ sbuf: CMSampleBuffer, at sampleIndex: CMItemIndex, timingInfoOut: UnsafeMutablePointer<CMSampleTimingInfo>
) -> OSStatus {
  do {
    unsafe timingInfoOut.pointee = try sbuf.sampleTimingInfo(at: sampleIndex)
    return noErr
  } catch { return (error as? CMFailure)?.status ?? kCMSampleBufferError_SampleIndexOutOfRange }
}

public func CMSampleBufferGetSampleTimingInfoArray(
  _ sbuf: CMSampleBuffer, entryCount: CMItemCount, arrayToFill: UnsafeMutablePointer<CMSampleTimingInfo>?,
  entriesNeededOut: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus {
  unsafe entriesNeededOut?.pointee = sbuf.timing.count
  guard let arrayToFill = unsafe arrayToFill else { return noErr }
  guard entryCount >= sbuf.timing.count else { return kCMSampleBufferError_ArrayTooSmall }
  for (index, entry) in sbuf.timing.enumerated() { unsafe arrayToFill[index] = entry }
  return noErr
}

/// The attachments of each sample, as a copy: what is changed in it changes nothing here.
public func CMSampleBufferGetSampleAttachmentsArray(_ sbuf: CMSampleBuffer, createIfNecessary: Bool) -> CFArray? {
  sbuf.attachmentsOfSamples(makes: createIfNecessary)
}

public func CMGetAttachment(
  _ target: CMAttachmentBearer, key: CFString, attachmentModeOut: UnsafeMutablePointer<CMAttachmentMode>?
) -> CFTypeRef? {
  switch target {
  case let samples as CMSampleBuffer:
    guard let found = samples.attachment(key) else { return nil }
    unsafe attachmentModeOut?.pointee = found.mode
    return found.value
  case let picture as CVBuffer:
    var mode = CVAttachmentMode.shouldNotPropagate
    guard let value = unsafe CVBufferCopyAttachment(picture, key, &mode) else { return nil }
    unsafe attachmentModeOut?.pointee = mode.rawValue
    return value
  default: return nil
  }
}

/// The attachments of a mode; nil where there are none.
public func CMCopyDictionaryOfAttachments(
  allocator: CFAllocator?, target: CMAttachmentBearer, attachmentMode: CMAttachmentMode
) -> CFDictionary? {
  let found: [String: Any]?
  switch target {
  case let samples as CMSampleBuffer: found = samples.attachments(attachmentMode)
  case let picture as CVBuffer:
    found = CVAttachmentMode(rawValue: attachmentMode).flatMap { CVBufferCopyAttachments(picture, $0) }
  default: found = nil
  }
  return found.flatMap { $0.isEmpty ? nil : $0 }
}

/// Sets all attachments of a dictionary.
public func CMSetAttachments(
  _ target: CMAttachmentBearer, attachments theAttachments: CFDictionary, attachmentMode: CMAttachmentMode
) {
  for (key, value) in theAttachments { CMSetAttachment(target, key: key, value: value, attachmentMode: attachmentMode) }
}

public func CMRemoveAttachment(_ target: CMAttachmentBearer, key: CFString) {
  CMSetAttachment(target, key: key, value: nil, attachmentMode: kCMAttachmentMode_ShouldPropagate)
}

/// Gives one object's attachments that are passed on to another one.
public func CMPropagateAttachments(_ source: CMAttachmentBearer, destination: CMAttachmentBearer) {
  let mode = kCMAttachmentMode_ShouldPropagate
  guard let found = CMCopyDictionaryOfAttachments(allocator: nil, target: source, attachmentMode: mode) else { return }
  CMSetAttachments(destination, attachments: found, attachmentMode: mode)
}

public func CMSetAttachment(
  _ target: CMAttachmentBearer, key: CFString, value: CFTypeRef?, attachmentMode: CMAttachmentMode
) {
  switch target {
  case let samples as CMSampleBuffer: samples.attach(value, key, attachmentMode)
  case let picture as CVBuffer:
    if let value {
      CVBufferSetAttachment(picture, key, value, CVAttachmentMode(rawValue: attachmentMode) ?? .shouldNotPropagate)
    } else {
      CVBufferRemoveAttachment(picture, key)
    }
  default: break
  }
}
