import FarmTesting
import Glibc
import Media
import Messages
import Rendering
import Scenes
import Testing

@Suite struct `Chunks that were rendered before` {
  private static func document(_ title: String = "one", color: String = "#ffffff", crf: Int = 23, offset: String = "0") -> String
  {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
     "composition": {"tracks": [
       {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "\(offset)", "duration": "2"}, "at": "0"}]}]},
     "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"},
     "layers": [{"shape": "rectangle", "frame": [4, 4, 20, 20], "fillColor": "\(color)",
       "from": "1"}],
     "export": {"fileType": "mp4", "video": {"codec": "h264", "crf": \(crf)}, "metadata": {"title": "\(title)"}}}
    """
  }

  private static let (first, second) = (FrameRange(first: 0, count: 25), FrameRange(first: 25, count: 25))

  private func workshop() throws -> Workshop {
    let workshop = Workshop()
    workshop.cache = SegmentCache(of: workshop.store, .own)
    try workshop.clip("a.mp4", frameCount: 60)
    return workshop
  }

  /// Renders both chunks and muxes them.
  private func render(
    _ document: String, in workshop: Workshop, task: Int64, submitter: String = "ada"
  ) throws -> [PictureProof] {
    let edit = try workshop.edit(document)
    let chunks = try [Self.first, Self.second].enumerated().map { place, frames in
      try workshop.run(.picture(frames), task: task + Int64(place), of: edit, output: "m.mp4", submitter: submitter)
    }
    _ = try workshop.run(.mux(of: chunks), task: task + 2, of: edit, output: "m.mp4", submitter: submitter)
    return chunks.compactMap { if case .picture(let proof) = $0.proof { proof } else { nil } }
  }

  @Test func `are found as they were, and only those in which something changed are rendered`() throws {
    let workshop = try workshop()
    let before = try render(Self.document(), in: workshop, task: 10)
    #expect(before.map(\.isFound) == [false, false])
    #expect(Set(before.compactMap(\.key)).count == 2)

    let same = try render(Self.document("two"), in: workshop, task: 20)
    #expect(same.map(\.isFound) == [true, true])
    #expect(same.map(\.key) == before.map(\.key))
    #expect(same.map(\.segment.file.byteDigest) == before.map(\.segment.file.byteDigest))
    #expect(same.map(\.segment.contentDigest) == before.map(\.segment.contentDigest))
    #expect(same.map(\.frames) == [Self.first, Self.second])

    let changed = try render(Self.document(color: "#ff0000"), in: workshop, task: 30)
    #expect(changed.map(\.isFound) == [true, false])
    #expect(changed[1].segment.contentDigest != before[1].segment.contentDigest)
    #expect(try render(Self.document(crf: 30), in: workshop, task: 40).map(\.isFound) == [false, false])
    #expect(try render(Self.document(offset: "0.04"), in: workshop, task: 50).map(\.isFound) == [false, false])
  }

  @Test func `leave the sound as it is where only the picture changed, and what is heard makes it anew`() throws {
    let workshop = Workshop()
    workshop.cache = SegmentCache(of: workshop.store, .own)
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: 50)
      .write(to: workshop.file("a.mp4"), ["-c:v", "libx264", "-qp", "0"])
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=440:duration=2", "-c:a", "pcm_s16le", workshop.file("s.wav")])
    func sound(_ color: String, _ volume: String, task: Int64, title: String = "t") throws -> SoundProof {
      let edit = try workshop.edit(
        """
        {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "s": {"path": "s.wav"}},
         "composition": {"tracks": [
           {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}, "at": "0"}]},
           {"id": "S", "media": "audio", "segments": [{"asset": "s", "source": {"start": "0", "duration": "2"}, "at": "0"}]}]},
         "audioMix": [{"track": "S", "volume": \(volume)}],
         "layers": [{"shape": "rectangle", "frame": [4, 4, 20, 20], "fillColor": "\(color)"}],
         "export": {"fileType": "mp4", "metadata": {"title": "\(title)"}}}
        """)
      let picture = try workshop.run(.picture(FrameRange(first: 0, count: 50)), task: task, of: edit, output: "m.mp4")
      let sound = try workshop.run(.sound, task: task + 1, of: edit, output: "m.mp4")
      _ = try workshop.run(.mux(of: [picture, sound]), task: task + 2, of: edit, output: "m.mp4")
      guard case .sound(let proof) = sound.proof else { throw Failure(.bug, at: "sound", "is of another kind") }
      return proof
    }
    let first = try sound("#ffffff", "1", task: 10)
    #expect(!first.isFound && first.key != nil)
    let second = try sound("#ff0000", "1", task: 20, title: "u")
    #expect(second.isFound && second.key == first.key)
    #expect(second.segment.contentDigest == first.segment.contentDigest && second.sampleCount == first.sampleCount)
    let third = try sound("#ff0000", "0.5", task: 30)
    #expect(!third.isFound && third.segment.contentDigest != first.segment.contentDigest)
  }

  @Test func `are found at another place of another edit`() throws {
    let workshop = try workshop()
    let before = try render(Self.document(), in: workshop, task: 10)
    // The second half of the first edit is the first half of this one.
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [
         {"id": "other", "media": "video", "segments": [{"asset": "a", "source": {"start": "1", "duration": "1"}, "at": "0"}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"},
       "layers": [{"shape": "rectangle", "frame": [4, 4, 20, 20], "fillColor": "#ffffff"}],
       "export": {"fileType": "mov", "video": {"codec": "h264", "crf": 23}}}
      """)
    let chunk = try workshop.run(.picture(Self.first), task: 20, of: edit, output: "n.mov")
    guard case .picture(let found) = chunk.proof else { return }
    #expect(found.isFound)
    #expect(found.frames == Self.first)
    #expect(found.segment.contentDigest == before[1].segment.contentDigest)
  }

  @Test func `are rendered anew where their media changed, however little`() throws {
    let workshop = try workshop()
    let before = try render(Self.document(), in: workshop, task: 10)
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: 60)
      .write(to: workshop.file("a.mp4"), ["-c:v", "libx264", "-qp", "0", "-g", "12", "-bf", "2"])
    let after = try render(Self.document(), in: workshop, task: 20)
    #expect(after.map(\.isFound) == [false, false])
    #expect(zip(before, after).allSatisfy { $0.key != $1.key })
  }

  @Test func `are the submitter's own, unless all are to be found`() throws {
    let workshop = try workshop()
    _ = try render(Self.document(), in: workshop, task: 10)
    #expect(try render(Self.document(), in: workshop, task: 20, submitter: "bob").map(\.isFound) == [false, false])
    workshop.cache = SegmentCache(of: workshop.store, .all)
    #expect(try render(Self.document(), in: workshop, task: 30).map(\.isFound) == [false, false])
    #expect(try render(Self.document(), in: workshop, task: 40, submitter: "bob").map(\.isFound) == [true, true])
    workshop.cache = nil
    #expect(try render(Self.document(), in: workshop, task: 50).map(\.key) == [nil, nil])
  }

  @Test func `are rendered anew where the kept file is damaged or gone, and are kept again`() throws {
    let workshop = try workshop()
    let before = try render(Self.document(), in: workshop, task: 10)
    let (first, second) = (try file(of: before[0], in: workshop), try file(of: before[1], in: workshop))
    // Links share their bytes, so the damaged file takes the place of the kept one.
    var bytes = try [UInt8](contentsOf: first)
    bytes[bytes.count / 2] ^= 1
    unsafe unlink(first)
    try bytes.write(toFile: first)
    unsafe unlink(second)
    let after = try render(Self.document(), in: workshop, task: 20)
    #expect(after.map(\.isFound) == [false, false])
    #expect(after.map(\.segment.contentDigest) == before.map(\.segment.contentDigest))
    #expect(try render(Self.document(), in: workshop, task: 30).map(\.isFound) == [true, true])
  }

  @Test func `tell their key before anything else`() throws {
    let workshop = try workshop()
    let proofs = try render(Self.document(), in: workshop, task: 10)
    let edit = try workshop.edit(Self.document(crf: 31))
    _ = try workshop.run(.picture(Self.first), task: 20, of: edit, output: "m.mp4")
    guard case .keyed(let key?)? = workshop.reports.first else {
      Issue.record("the first report has no key: \(workshop.reports.prefix(1))")
      return
    }
    #expect(!proofs.compactMap(\.key).contains(key))
  }

  @Test func `go after a month, and before that where they take too much room, those used longest ago first`() throws {
    let workshop = try workshop()
    let cache = SegmentCache(of: workshop.store, .own)
    let proofs = try render(Self.document(), in: workshop, task: 10)
    let entries = proofs.compactMap(\.key).map { entry(of: $0, in: workshop) }
    let now = time(nil)
    func use(_ entry: String, secondsAgo: Int) {
      var times = [timeval(tv_sec: now - secondsAgo, tv_usec: 0), timeval(tv_sec: now - secondsAgo, tv_usec: 0)]
      unsafe utimes(entry, &times)
    }
    func left(after sweep: () -> Void) -> [Bool] {
      unsafe unlink(workshop.store.path("_cache/swept"))
      sweep()
      return entries.map { unsafe access($0, F_OK) == 0 }
    }
    #expect(left { cache.sweep(to: 1 << 30, now: now) } == [true, true])
    use(entries[0], secondsAgo: 10)
    use(entries[1], secondsAgo: 20)
    let bytes = proofs.map(\.segment.file.byteCount)
    #expect(left { cache.sweep(to: bytes[0], now: now) } == [true, false])
    use(entries[0], secondsAgo: 31 * 86_400)
    #expect(left { cache.sweep(to: 1 << 30, now: now) } == [false, false])
    // The job's own files stay.
    #expect(proofs.allSatisfy { unsafe access(workshop.store.path($0.segment.file.path), F_OK) == 0 })
  }

  private func entry(of key: String, in workshop: Workshop) -> String {
    workshop.store.path("_cache/\(key.prefix(2))/\(key).json")
  }

  private func file(of proof: PictureProof, in workshop: Workshop) throws -> String {
    let key = try #require(proof.key)
    return workshop.store.path("_cache/\(key.prefix(2))/\(key).nut")
  }
}
