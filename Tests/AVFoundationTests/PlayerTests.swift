import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Synchronization
import Testing

/// The values that observers were given, in order.
private final class Notes: Sendable {
  private let list = Mutex<[CMTime]>([])
  func add(_ time: CMTime) { list.withLock { $0.append(time) } }
  var times: [CMTime] { list.withLock(\.self) }
}

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `A player without a screen` {
    private let queue = DispatchQueue(label: "observers")

    init() { SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable]) }

    /// The end of the item's playing.
    private func end(of item: AVPlayerItem) -> AsyncStream<Void> {
      AsyncStream { ends in
        let token = NotificationCenter.default.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: item, queue: nil) {
          _ in
          ends.yield()
          ends.finish()
        }
        nonisolated(unsafe) let held = token  // It is only handed to the centre.
        ends.onTermination = { _ in unsafe NotificationCenter.default.removeObserver(held) }
      }
    }

    @Test func `calls its observers at their times, and ends where the item ends`() async throws {
      let item = AVPlayerItem(asset: try TestMedia.asset())
      item.forwardPlaybackEndTime = TestMedia.tenths(5)
      let player = AVPlayer(playerItem: item)
      #expect(player.timeControlStatus == .paused && player.rate == 0 && player.currentItem === item)
      let (periodic, boundary) = (Notes(), Notes())
      let first = player.addPeriodicTimeObserver(forInterval: TestMedia.tenths(1), queue: queue) { periodic.add($0) }
      let second = player.addBoundaryTimeObserver(
        forTimes: [NSValue(time: TestMedia.tenths(2)), NSValue(time: TestMedia.tenths(9))], queue: queue
      ) { boundary.add(TestMedia.tenths(2)) }
      let removed = player.addPeriodicTimeObserver(forInterval: TestMedia.tenths(1), queue: queue) { _ in Issue.record("removed")
      }
      player.removeTimeObserver(removed)
      let ends = end(of: item)
      player.play()
      for await _ in ends {}
      // The player pauses after it has told the end.
      while player.rate != 0 { await Task.yield() }
      queue.sync {}
      #expect(player.currentTime() == TestMedia.tenths(5) && player.status == .readyToPlay)
      #expect(boundary.times.count == 1)
      for tenth in 1...4 { #expect(periodic.times.contains(TestMedia.tenths(Int64(tenth)))) }
      withExtendedLifetime((first, second)) {}
    }

    @Test func `steps by the frames of its first video track`() async throws {
      let folder = TemporaryDirectory()
      let path = folder.file("two.mov")
      try MediaTools.ffmpeg(
        [10, 20].flatMap { ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=\($0):d=1"] }
          + ["-map", "0", "-map", "1", "-c:v", "mpeg4", path])
      let item = AVPlayerItem(asset: AVURLAsset(url: URL(fileURLWithPath: path)))
      await item.seek(to: TestMedia.tenths(3), toleranceBefore: .zero, toleranceAfter: .zero)
      item.step(byCount: 2)
      #expect(item.currentTime() == TestMedia.tenths(5))
      item.step(byCount: -1)
      #expect(item.currentTime() == TestMedia.tenths(4))
    }

    @Test func `gives the pictures that are seen at times of the item`() async throws {
      let item = AVPlayerItem(asset: try TestMedia.asset())
      let output = AVPlayerItemVideoOutput(pixelBufferAttributes: nil)
      item.add(output)
      let player = AVPlayer(playerItem: item)
      while item.status == .unknown { await Task.yield() }
      #expect(item.status == .readyToPlay && item.duration == TestMedia.tenths(10))
      await item.seek(to: TestMedia.tenths(3), toleranceBefore: .zero, toleranceAfter: .zero)
      #expect(player.currentTime() == TestMedia.tenths(3))
      let time = CMTime(value: 35, timescale: 100)
      #expect(output.hasNewPixelBuffer(forItemTime: time))
      var shown = CMTime.invalid
      let picture = unsafe try #require(output.copyPixelBuffer(forItemTime: time, itemTimeForDisplay: &shown))
      #expect(shown == TestMedia.tenths(3) && CVPixelBufferGetPixelFormatType(picture) == kCVPixelFormatType_32BGRA)
      #expect(
        !output.hasNewPixelBuffer(forItemTime: TestMedia.tenths(3)) && output.hasNewPixelBuffer(forItemTime: TestMedia.tenths(4)))
      #expect(unsafe output.copyPixelBuffer(forItemTime: TestMedia.tenths(10), itemTimeForDisplay: nil) == nil)
      let missing = AVPlayerItem(url: URL(fileURLWithPath: "/nonexistent.mov"))
      player.replaceCurrentItem(with: missing)
      while missing.status == .unknown { await Task.yield() }
      #expect(missing.status == .failed && (missing.error as? AVError)?.code == .failedToLoadMediaData)
    }

    @Test func `plays items one after the other, and ranges again and again`() async throws {
      let items = try (0..<2).map { _ in AVPlayerItem(asset: try TestMedia.asset()) }
      for item in items { item.forwardPlaybackEndTime = TestMedia.tenths(1) }
      let player = AVQueuePlayer(items: items)
      #expect(player.items().count == 2 && !player.canInsert(items[0], after: nil))
      let ends = end(of: items[1])
      player.play()
      for await _ in ends {}
      while !player.items().isEmpty { await Task.yield() }
      #expect(player.currentItem == nil)

      let looping = AVQueuePlayer()
      let looper = AVPlayerLooper(player: looping, templateItem: items[0], timeRange: TestMedia.range(2, 3))
      let counts = AsyncStream<Int> { counts in
        let observation = looper.observe(\.loopCount, options: [.new]) { looper, change in
          counts.yield(change.newValue ?? -1)
          if looper.loopCount == 3 { counts.finish() }
        }
        counts.onTermination = { _ in withExtendedLifetime(observation) {} }
      }
      looping.play()
      var seen: [Int] = []
      for await count in counts { seen.append(count) }
      #expect(seen == [1, 2, 3])
      looper.disableLooping()
    }

    @Test func `captures nothing, and says so`() {
      #expect(AVCaptureDevice.default(for: .video) == nil)
      let session = AVCaptureSession()
      let note = Mutex<AVError?>(nil)
      let token = NotificationCenter.default.addObserver(forName: .AVCaptureSessionRuntimeError, object: session, queue: nil) {
        sent in
        note.withLock { $0 = sent.userInfo?[AVCaptureSessionErrorKey] as? AVError }
      }
      session.startRunning()
      NotificationCenter.default.removeObserver(token)
      #expect(note.withLock(\.self)?.code == .deviceNotConnected && !session.isRunning)
    }
  }
}
