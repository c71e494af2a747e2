import AVFoundation
import FarmTesting
import Foundation
import Synchronization
import Testing

/// The players that said that they had finished.
private final class Ends: AVAudioPlayerDelegate, Sendable {
  private let count = Mutex(0)
  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    if flag { count.withLock { $0 += 1 } }
  }
  var all: Int { count.withLock(\.self) }
}

@Suite struct `A player of sounds` {
  private func player() throws -> AVAudioPlayer { try AVAudioPlayer(contentsOf: TestMedia.clip.get()) }

  @Test func `tells what its sound is, from a file and from bytes`() throws {
    let url = try TestMedia.clip.get()
    let player = try player()
    #expect(player.duration == 0.8 && player.numberOfChannels == 1 && player.url == url && player.data == nil)
    #expect(player.format.sampleRate == 48_000 && player.settings[AVSampleRateKey] as? Double == 48_000)
    let bytes = try Data(contentsOf: url)
    let other = try AVAudioPlayer(data: bytes)
    #expect(other.duration == 0.8 && other.url == nil && other.data == bytes)
    #expect(throws: AVError.self) { try AVAudioPlayer(data: Data("no sound".utf8)) }
    #expect(throws: AVError.self) { try AVAudioPlayer(contentsOf: URL(fileURLWithPath: "/nowhere.m4a")) }
  }

  @Test func `a program that ends while a player lives leaves no file`() async throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("spool-ends-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }  // What is left lies among the temporary files.
    let (folder, clip) = (place.path, try TestMedia.clip.get().path)
    await #expect(processExitsWith: .success) { [folder = folder as String, clip = clip as String] in
      unsafe setenv("TMPDIR", folder, 1)
      let player = try AVAudioPlayer(data: Data(contentsOf: URL(fileURLWithPath: clip)))
      guard try FileManager.default.contentsOfDirectory(atPath: folder).count == 1 else { exit(1) }
      withExtendedLifetime(player) { exit(0) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }

  @Test(.timeLimit(.minutes(10))) func `plays by the clock, repeats, and tells its end once`() async throws {
    let (player, ends) = (try player(), Ends())
    (player.delegate, player.numberOfLoops, player.enableRate, player.rate) = (ends, 1, true, 2)
    let start = player.deviceCurrentTime
    #expect(!player.isPlaying && player.prepareToPlay() && player.play() && player.isPlaying)
    while player.isPlaying { try await Task.sleep(for: .milliseconds(5)) }
    // Twice 0.8 s at double speed.
    let passed = player.deviceCurrentTime - start
    #expect(passed >= 0.8, "\(passed)")
    while ends.all == 0 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(ends.all == 1 && player.currentTime == 0)
  }

  @Test func `stands where it is paused or put`() throws {
    let player = try player()
    player.currentTime = 0.5
    #expect(abs(player.currentTime - 0.5) < 1e-6 && player.play(atTime: player.deviceCurrentTime + 3600))
    #expect(player.isPlaying && abs(player.currentTime - 0.5) < 1e-6)
    player.pause()
    #expect(!player.isPlaying)
    player.currentTime = 0.1
    #expect(player.play())
    player.stop()
    let place = player.currentTime
    #expect(!player.isPlaying && player.currentTime == place)
    player.currentTime = 7
    #expect(player.currentTime == 0.8)
    player.rate = 9
    #expect(player.rate == 2)
  }

  @Test func `moves its volume`() throws {
    let player = try player()
    player.volume = 3
    #expect(player.volume == 1)
    player.setVolume(0, fadeDuration: 3600)
    #expect(player.volume > 0.9 && player.volume <= 1)
    player.setVolume(0.25, fadeDuration: 0)
    #expect(player.volume == 0.25 && player.pan == 0)
  }

  @Test func `meters the samples that are played`() throws {
    let player = try player()
    player.isMeteringEnabled = true
    player.updateMeters()
    #expect(player.averagePower(forChannel: 0) == -160 && player.peakPower(forChannel: 3) == -160)
    player.currentTime = 0.3
    // At a time that never comes it stands in the middle of its sine, which has an eighth of the full scale.
    #expect(player.play(atTime: player.deviceCurrentTime + 3600))
    player.updateMeters()
    #expect(abs(player.peakPower(forChannel: 0) + 18.06) < 0.1, "\(player.peakPower(forChannel: 0))")
    #expect(abs(player.averagePower(forChannel: 0) + 21.07) < 0.1, "\(player.averagePower(forChannel: 0))")
    player.pause()
    player.updateMeters()
    #expect(player.peakPower(forChannel: 0) == -160)
  }
}
