import CoreFoundation
import Photos
import QuartzCore
import Testing
import os

/// Tests of the values with which modules beside the pictures' ones begin.
@Suite struct `Photos and os` {
  @Test func `requests begin as they are documented`() {
    let (image, video) = (PHImageRequestOptions(), PHVideoRequestOptions())
    #expect(!image.isNetworkAccessAllowed && !image.isSynchronous && image.resizeMode == .fast)
    #expect(image.version == .current && image.deliveryMode == .opportunistic && image.normalizedCropRect == .zero)
    #expect(!video.isNetworkAccessAllowed && video.version == .current && video.deliveryMode == .automatic)
  }

  @Test func `the host's clock counts nanoseconds`() {
    var info = mach_timebase_info_data_t()
    #expect(unsafe mach_timebase_info(&info) == 0)
    #expect(info == mach_timebase_info(numer: 1, denom: 1))
    let (before, seconds, after) = (mach_absolute_time(), CACurrentMediaTime(), mach_absolute_time())
    #expect(Double(before) / 1e9 <= seconds && seconds <= Double(after) / 1e9)
  }

  @Test func `a log writes what is no detail, unless it is the disabled one`() {
    let log = OSLog(subsystem: "app", category: "export")
    #expect(log.isEnabled(type: .default) && log.isEnabled(type: .error) && log.isEnabled(type: .fault))
    #expect(!log.isEnabled(type: .info) && !log.isEnabled(type: .debug))
    for type in [OSLogType.default, .info, .debug, .error, .fault] { #expect(!OSLog.disabled.isEnabled(type: type)) }
  }
}
