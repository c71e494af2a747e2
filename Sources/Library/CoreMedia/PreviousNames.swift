// The functions as Swift had them before version 4.2: without labels.

@available(*, deprecated, renamed: "CMTimeMultiply(_:multiplier:)")
public func CMTimeMultiply(_ time: CMTime, _ multiplier: Int32) -> CMTime { CMTimeMultiply(time, multiplier: multiplier) }
@available(*, deprecated, renamed: "CMTimeMultiplyByRatio(_:multiplier:divisor:)")
public func CMTimeMultiplyByRatio(_ time: CMTime, _ multiplier: Int32, _ divisor: Int32) -> CMTime {
  CMTimeMultiplyByRatio(time, multiplier: multiplier, divisor: divisor)
}
@available(*, deprecated, renamed: "CMTimeMultiplyByFloat64(_:multiplier:)")
public func CMTimeMultiplyByFloat64(_ time: CMTime, _ multiplier: Double) -> CMTime {
  CMTimeMultiplyByFloat64(time, multiplier: multiplier)
}
@available(*, deprecated, renamed: "CMTimeConvertScale(_:timescale:method:)")
public func CMTimeConvertScale(_ time: CMTime, _ timescale: CMTimeScale, _ method: CMTimeRoundingMethod) -> CMTime {
  CMTimeConvertScale(time, timescale: timescale, method: method)
}
@available(*, deprecated, renamed: "CMTimeRangeGetUnion(_:otherRange:)")
public func CMTimeRangeGetUnion(_ range: CMTimeRange, _ otherRange: CMTimeRange) -> CMTimeRange { range.union(otherRange) }
@available(*, deprecated, renamed: "CMTimeRangeGetIntersection(_:otherRange:)")
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, _ otherRange: CMTimeRange) -> CMTimeRange {
  range.intersection(otherRange)
}
@available(*, deprecated, renamed: "CMTimeRangeContainsTime(_:time:)")
public func CMTimeRangeContainsTime(_ range: CMTimeRange, _ time: CMTime) -> Bool { range.containsTime(time) }
@available(*, deprecated, renamed: "CMTimeRangeContainsTimeRange(_:otherRange:)")
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, _ otherRange: CMTimeRange) -> Bool {
  range.containsTimeRange(otherRange)
}
@available(*, deprecated, renamed: "CMTimeClampToRange(_:range:)")
public func CMTimeClampToRange(_ time: CMTime, _ range: CMTimeRange) -> CMTime { CMTimeClampToRange(time, range: range) }
@available(*, deprecated, renamed: "CMTimeMappingMake(source:target:)")
public func CMTimeMappingMake(_ source: CMTimeRange, _ target: CMTimeRange) -> CMTimeMapping {
  CMTimeMappingMake(source: source, target: target)
}
@available(*, deprecated, renamed: "CMTimeMapTimeFromRangeToRange(_:fromRange:toRange:)")
public func CMTimeMapTimeFromRangeToRange(_ t: CMTime, _ fromRange: CMTimeRange, _ toRange: CMTimeRange) -> CMTime {
  CMTimeMapTimeFromRangeToRange(t, fromRange: fromRange, toRange: toRange)
}

@available(*, deprecated, renamed: "CMBlockBufferCopyDataBytes(_:atOffset:dataLength:destination:)")
@discardableResult
public func CMBlockBufferCopyDataBytes(
  _ theSourceBuffer: CMBlockBuffer, _ offsetToData: Int, _ dataLength: Int, _ destination: UnsafeMutableRawPointer
) -> OSStatus {
  unsafe CMBlockBufferCopyDataBytes(theSourceBuffer, atOffset: offsetToData, dataLength: dataLength, destination: destination)
}
@available(*, deprecated, renamed: "CMBlockBufferGetDataPointer(_:atOffset:lengthAtOffsetOut:totalLengthOut:dataPointerOut:)")
@discardableResult
public func CMBlockBufferGetDataPointer(
  _ theBuffer: CMBlockBuffer, _ offset: Int, _ lengthAtOffset: UnsafeMutablePointer<Int>?,
  _ totalLength: UnsafeMutablePointer<Int>?, _ dataPointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OSStatus {
  unsafe CMBlockBufferGetDataPointer(
    theBuffer, atOffset: offset, lengthAtOffsetOut: lengthAtOffset, totalLengthOut: totalLength, dataPointerOut: dataPointer)
}
@available(*, deprecated, renamed: "CMBlockBufferReplaceDataBytes(with:blockBuffer:offsetIntoDestination:dataLength:)")
@discardableResult
public func CMBlockBufferReplaceDataBytes(
  _ sourceBytes: UnsafeRawPointer, _ destinationBuffer: CMBlockBuffer, _ offsetIntoDestination: Int, _ dataLength: Int
) -> OSStatus {
  unsafe CMBlockBufferReplaceDataBytes(
    with: sourceBytes, blockBuffer: destinationBuffer, offsetIntoDestination: offsetIntoDestination, dataLength: dataLength)
}

@available(*, deprecated, renamed: "CMSampleBufferGetSampleAttachmentsArray(_:createIfNecessary:)")
public func CMSampleBufferGetSampleAttachmentsArray(_ sbuf: CMSampleBuffer, _ createIfNecessary: Bool) -> CFArray? {
  CMSampleBufferGetSampleAttachmentsArray(sbuf, createIfNecessary: createIfNecessary)
}
@available(*, deprecated, renamed: "CMSampleBufferGetSampleTimingInfoArray(_:entryCount:arrayToFill:entriesNeededOut:)")
@discardableResult
public func CMSampleBufferGetSampleTimingInfoArray(
  _ sbuf: CMSampleBuffer, _ timingArrayEntries: CMItemCount, _ timingArrayOut: UnsafeMutablePointer<CMSampleTimingInfo>?,
  _ timingArrayEntriesNeededOut: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus {
  unsafe CMSampleBufferGetSampleTimingInfoArray(
    sbuf, entryCount: timingArrayEntries, arrayToFill: timingArrayOut, entriesNeededOut: timingArrayEntriesNeededOut)
}
@available(
  *, deprecated,
  renamed:
    "CMSampleBufferCreateCopyWithNewTiming(allocator:sampleBuffer:sampleTimingEntryCount:sampleTimingArray:sampleBufferOut:)"
)
@discardableResult
public func CMSampleBufferCreateCopyWithNewTiming(
  _ allocator: CFAllocator?, _ originalSBuf: CMSampleBuffer, _ numSampleTimingEntries: CMItemCount,
  _ sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?, _ sBufCopyOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  unsafe CMSampleBufferCreateCopyWithNewTiming(
    allocator: allocator, sampleBuffer: originalSBuf, sampleTimingEntryCount: numSampleTimingEntries,
    sampleTimingArray: sampleTimingArray, sampleBufferOut: sBufCopyOut)
}
@available(
  *, deprecated,
  renamed: "CMVideoFormatDescriptionCreateForImageBuffer(allocator:imageBuffer:formatDescriptionOut:)"
)
@discardableResult
public func CMVideoFormatDescriptionCreateForImageBuffer(
  _ allocator: CFAllocator?, _ imageBuffer: CVImageBuffer, _ outDesc: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus {
  unsafe CMVideoFormatDescriptionCreateForImageBuffer(
    allocator: allocator, imageBuffer: imageBuffer, formatDescriptionOut: outDesc)
}
@available(*, deprecated, renamed: "CMGetAttachment(_:key:attachmentModeOut:)")
public func CMGetAttachment(
  _ target: CMAttachmentBearer, _ key: CFString, _ attachmentModeOut: UnsafeMutablePointer<CMAttachmentMode>?
) -> CFTypeRef? { unsafe CMGetAttachment(target, key: key, attachmentModeOut: attachmentModeOut) }
@available(*, deprecated, renamed: "CMSetAttachment(_:key:value:attachmentMode:)")
public func CMSetAttachment(
  _ target: CMAttachmentBearer, _ key: CFString, _ value: CFTypeRef?, _ attachmentMode: CMAttachmentMode
) { CMSetAttachment(target, key: key, value: value, attachmentMode: attachmentMode) }
