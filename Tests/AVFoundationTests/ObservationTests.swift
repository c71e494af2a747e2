import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Synchronization
import Testing

/// The things that observers were told, in order.
private final class Told<Value: Sendable>: Sendable {
  private let list = Mutex<[Value]>([])
  func add(_ value: Value) { list.withLock { $0.append(value) } }
  var all: [Value] { list.withLock(\.self) }
}

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `Objects that are observed` {
    private let directory = TemporaryDirectory()

    init() {
      // The database runs as another user.
      #expect(unsafe chmod(directory.path, 0o755) == 0)
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
    }

    @Test(.timeLimit(.minutes(10))) func `tell an export's states, and what it has in between`() async throws {
      let session = try #require(
        AVAssetExportSession(asset: TestMedia.asset(), presetName: AVAssetExportPresetHighestQuality))
      let (states, changes) = (Told<AVAssetExportSession.Status>(), Told<[AVAssetExportSession.Status?]>())
      let first = session.observe(\.status, options: [.initial]) { session, change in
        states.add(session.status)
        #expect(change.newValue == nil && change.oldValue == nil && change.kind == .setting)
      }
      let second = session.observe(\.status, options: [.new, .old]) { _, change in
        changes.add([change.oldValue, change.newValue])
      }
      try await session.export(to: URL(fileURLWithPath: directory.file("movie.mp4")), as: .mp4)
      #expect(states.all == [.unknown, .waiting, .exporting, .completed])
      #expect(changes.all == [[.unknown, .waiting], [.waiting, .exporting], [.exporting, .completed]])
      first.invalidate()
      withExtendedLifetime(second) {}
    }

    @Test(.timeLimit(.minutes(10))) func `tell what lies behind a player's item`() async throws {
      let player = AVPlayer()
      let (states, currents, controls) = (Told<AVPlayerItem.Status?>(), Told<Bool>(), Told<AVPlayer.TimeControlStatus>())
      let observations = [
        player.observe(\.currentItem?.status, options: [.initial, .new]) { _, change in states.add(change.newValue ?? nil) },
        player.observe(\.currentItem) { player, _ in currents.add(player.currentItem != nil) },
        player.observe(\.timeControlStatus, options: .new) { _, change in change.newValue.map(controls.add) },
      ]
      player.replaceCurrentItem(with: AVPlayerItem(asset: try TestMedia.asset()))
      while player.currentItem?.status != .readyToPlay { try await Task.sleep(for: .milliseconds(2)) }
      while states.all.count < 3 { try await Task.sleep(for: .milliseconds(2)) }
      #expect(states.all == [nil, .unknown, .readyToPlay] && currents.all == [true])
      player.play()
      player.pause()
      #expect(controls.all == [.playing, .paused])
      player.replaceCurrentItem(with: nil)
      #expect(states.all.last == .some(nil) && currents.all == [true, false])
      for observation in observations { observation.invalidate() }
      player.volume = 0.5
      #expect(currents.all.count == 2)
    }

    @Test func `of a queue, a layer, a writer and a reader tell theirs, too`() async throws {
      let queue = AVQueuePlayer(items: [])
      let rates = Told<Float>()
      let rate = queue.observe(\.rate, options: [.old, .new, .prior]) { _, change in
        if !change.isPrior { change.newValue.map(rates.add) }
      }
      queue.rate = 2
      queue.rate = 0
      #expect(rates.all == [2, 0])
      rate.invalidate()
      let layer = AVPlayerLayer(player: nil)
      let ready = Told<Bool>()
      let seen = layer.observe(\.isReadyForDisplay, options: [.new]) { _, change in change.newValue.map(ready.add) }
      layer.player = AVPlayer(url: try TestMedia.clip.get())
      while ready.all.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      #expect(ready.all == [true])
      seen.invalidate()
      let writer = try AVAssetWriter(url: URL(fileURLWithPath: directory.file("none.mov")), fileType: .mov)
      let states = Told<AVAssetWriter.Status>()
      let status = writer.observe(\.status, options: [.new]) { _, change in change.newValue.map(states.add) }
      #expect(!writer.startWriting() && states.all == [.failed])
      status.invalidate()
      let reader = try AVAssetReader(asset: try TestMedia.asset())
      let readings = Told<AVAssetReader.Status>()
      let reading = reader.observe(\.status, options: [.new]) { _, change in change.newValue.map(readings.add) }
      reader.add(
        AVAssetReaderTrackOutput(track: try #require(reader.asset.tracks(withMediaType: .video).first), outputSettings: nil))
      #expect(reader.startReading())
      reader.cancelReading()
      #expect(readings.all == [.reading, .cancelled])
      reading.invalidate()
    }
  }
}
