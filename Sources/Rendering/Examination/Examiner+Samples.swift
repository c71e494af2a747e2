internal import Compositing
internal import Formats
internal import Glibc
internal import Linux
internal import Media
internal import MediaTime
internal import Messages
internal import Rendering
internal import SampleStream
internal import Scenes
internal import Subprocess
internal import Timeline

/// The samples of an edit that somebody wants.
package enum SampleWish: Hashable, Sendable, Codable {
  /// These frames, in the layout in which they are composited, or in RGB.
  case frames(FrameIndices, isRGB: Bool)
  /// The pictures that the first video track plays, each once, at the time at which it begins.
  case trackPictures(isRGB: Bool)
  /// The mixed sound.
  case sound

  package struct FrameIndices: Hashable, Sendable, Codable {
    package var first: Int
    package var count: Int
    package init(_ range: Range<Int>) { (first, count) = (range.lowerBound, range.count) }
    var range: Range<Int> { first..<first + count }
  }
}

extension Examiner {
  /// Writes samples of an edit to the descriptor for pictures.
  func write(_ wish: SampleWish, of spec: JobSpec, to output: Descriptor) throws {
    switch wish {
    case .frames(let indices, let isRGB):
      let renderer = try renderer(of: spec)
      guard let frameDuration = renderer.edit.videoComposition?.frameDuration else { return }
      for index in indices.range {
        try write(
          renderer.frame(index), isRGB: isRGB, of: renderer.edit, at: try renderer.edit.time(ofFrame: index),
          duration: frameDuration, to: output)
      }
    case .trackPictures(let isRGB): try writeTrack(of: spec, isRGB, output)
    case .sound: try writeSound(of: spec, output)
    }
    try send(SampleRecord(.end).head, output)
  }

  private func write(
    _ frame: PixelBuffer, isRGB: Bool, of edit: ResolvedTimeline, at time: MediaTime, duration: MediaTime, to output: Descriptor
  ) throws {
    let samples = try (isRGB ? frame.rgb(edit.color) : frame).packed()
    try send(SampleRecord(.samples, time: time, duration: duration, byteCount: samples.count).head + samples, output)
  }

  private func writeTrack(of spec: JobSpec, _ isRGB: Bool, _ output: Descriptor) throws {
    let renderer = try renderer(of: spec)
    let edit = renderer.edit
    guard let frameDuration = edit.videoComposition?.frameDuration else { return }
    var stated: [SegmentSource: [Rational]] = [:]
    let count = try edit.frameCount
    for clip in edit.timeline.composition.tracks.first(where: { $0.media == .video })?.clips ?? [] {
      guard case .asset(let asset, let position) = clip.source, let place = edit.timeline.assets[asset]?.path else { continue }
      let times =
        try stated[clip.source]
        ?? PacketTimes(
          path: place, track: edit.track(position, of: asset, media: .video), policy: policy
        ).presentation
      stated[clip.source] = times
      guard clip.mapping.curve == nil else {
        throw MediaError(
          .unsupported, at: "\(asset)",
          "a track that plays it along a timeMap has no list of pictures: read those of the movie's frames")
      }
      let begins = try clip.mapping.begins(of: times)
      for (index, begin) in begins.enumerated() {
        let end = index + 1 < begins.count ? begins[index + 1] : clip.mapping.target.end
        // The picture of a frame on the edit's grid that begins with it, or a moment later.
        let place = try ((Rational(begin) - Rational(edit.exportRange.start)) / Rational(frameDuration)).ceiling
        guard edit.exportRange.contains(begin), place >= 0, place < count else { continue }
        try write(renderer.frame(Int(place)), isRGB: isRGB, of: edit, at: begin, duration: try end - begin, to: output)
      }
    }
  }

  private func writeSound(of spec: JobSpec, _ output: Descriptor) throws {
    let movie = try spec.edit
    guard movie.audio != nil, case let edit = movie.sounds[movie.defaultSound], let settings = edit.audio else { return }
    try confine(AttemptReach(readingFor: edit, policy, compositors, showingPictures: false))
    let sound = try MasteredSound(edit: edit, policy: policy)
    var position: Int64 = 0
    while let block = try sound.next() {
      guard block.count > 0 else { continue }
      let channels = block.channelCount
      var bytes = [UInt8](repeating: 0, count: block.count * channels * MemoryLayout<Float>.size)
      unsafe bytes.withUnsafeMutableBytes { raw in
        for channel in 0..<channels {
          let samples = unsafe block.samples[channel]
          for index in 0..<block.count {
            let value = unsafe samples[index].bitPattern.littleEndian
            unsafe raw.storeBytes(of: value, toByteOffset: (index * channels + channel) * 4, as: UInt32.self)
          }
        }
      }
      let time = try edit.exportRange.start + MediaTime(position, settings.sampleRate)
      let duration = try MediaTime(Int64(block.count), settings.sampleRate)
      try send(SampleRecord(.samples, time: time, duration: duration, byteCount: bytes.count).head + bytes, output)
      position += Int64(block.count)
    }
  }

  private func send(_ bytes: [UInt8], _ output: Descriptor) throws {
    let code = SystemCall.write(bytes, to: output.number)
    guard code == 0 else { throw MediaError(.cannotWrite, at: "samples", SystemWords.of(code)) }
  }
}

extension TimeMapping {
  /// The times in the edit at which the pictures of these times begin to be seen.
  ///
  /// - Parameter times: the times of a source's pictures, ascending.
  fileprivate func begins(of times: [Rational]) throws(TimeError) -> [MediaTime] {
    let (start, end) = (Rational(source.start), Rational(source.end))
    let rate = try Rational(target.duration) / Rational(source.duration)
    let first = times.last { $0 <= start } ?? start
    var found: [MediaTime] = []
    for time in [first] + times.filter({ start < $0 && $0 < end }) {
      let moved = try Rational(target.start) + (max(time, start) - start) * rate
      // A time that does not fit is rounded to the billionth of a second, which no frame is as short as.
      let billionths = try moved * Rational(1_000_000_000)
      let exact: MediaTime
      do { exact = try MediaTime(moved) } catch { exact = try MediaTime(Int64(clamping: billionths.floor), 1_000_000_000) }
      if found.last.map({ $0 < exact }) ?? true { found.append(exact) }
    }
    return found
  }
}
