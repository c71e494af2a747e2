internal import Document
package import EditFiles
package import Formats
package import Media
package import Messages
package import Rendering
package import Scenes
internal import Subprocess
internal import Timeline

/// Renders an edit to look at it, in another process, which a bad medium may crash.
///
/// Use it from the thread that made it.
package struct EditExamination {
  /// The process ended before it was done.
  package struct Broken: Error {
    /// The reason in words.
    package let reason: String
  }

  private let setting: ExaminationSetting
  private let edit: ResolvedTimeline
  private let fonts: [FontFace]?

  /// - Parameter fonts: the font files for the edit's texts; nil for the installed fonts, by their names.
  package init(of edit: ResolvedTimeline, fonts: [FontFace]?, _ setting: ExaminationSetting) {
    (self.edit, self.fonts, self.setting) = (edit, fonts, setting)
  }

  /// Calls `tell` with the MD5 of each frame, in order.
  ///
  /// - Throws: `MediaError`, `Failure`, `SubprocessError`, and what `tell` throws. `Broken` is about the frame after the last one
  ///   that was told.
  package func frames(_ range: FrameRange, tell: (_ index: Int, _ md5: String) throws -> Void) throws {
    var next = range.first
    try run(.frames(JobSpec(lookingAt: edit, fonts: fonts), range)) { report in
      guard case .frame(next, let md5) = report, range.indices.contains(next), Self.isDigest(md5) else { return false }
      try tell(next, md5)
      next += 1
      return true
    }
    guard next == range.indices.upperBound else { throw Broken(reason: Self.reticence) }
  }

  /// Renders the frame `index` in RGB, with alpha where the movie has it.
  ///
  /// - Throws: the same as `frames`, but for `tell`.
  package func picture(_ index: Int) throws -> PixelBuffer {
    guard let size = edit.videoComposition?.outputSize else { preconditionFailure("the edit has a picture") }
    let depth = edit.timeline.export.video.bitDepth > 8 ? 16 : 8
    let picture = try PixelBuffer(
      format: PixelFormat(.gbr, bitDepth: depth), width: size.width, height: size.height,
      color: ColorTags(edit.color.primaries, edit.color.transfer, .rgb, .full))
    let hasAlpha = edit.timeline.export.video.hasAlpha
    let byteCount = picture.packedByteCount + (hasAlpha ? 2 * size.width * size.height : 0)
    let file = try Descriptor.memory(byteCount: byteCount)
    var isThere = false
    try run(.picture(JobSpec(lookingAt: edit, fonts: fonts), index: index), picture: (file, byteCount)) { report in
      guard case .pictured(picture.width, picture.height, depth) = report, !isThere else { return false }
      isThere = true
      return true
    }
    let bytes = try isThere ? file.contents(limit: byteCount) : []
    guard picture.unpack(Array(bytes.prefix(picture.packedByteCount))) else { throw Broken(reason: Self.reticence) }
    guard hasAlpha else { return picture }
    guard let whole = try picture.unpackingAlpha(Array(bytes.dropFirst(picture.packedByteCount))) else {
      throw Broken(reason: Self.reticence)
    }
    return whole
  }

  /// Writes samples of the edit to a descriptor as they are made.
  ///
  /// - Parameter output: the records of a stream go there, without its beginning.
  /// - Throws: the same as `frames`, but for `tell`; `Relay.Lost` where nobody reads the output any more.
  package func samples(_ wish: SampleWish, to output: Int32) throws {
    let relay = try Relay(to: output)
    do {
      try run(
        .samples(JobSpec(lookingAt: edit, fonts: fonts), wish), picture: (relay.entrance, 0), wait: relay.check,
        hasAdvanced: relay.takeProgress
      ) { _ in false }
    } catch {
      // What was lost first is the reason of all that follows.
      do { try relay.finish() } catch let lost as Relay.Lost { throw lost }
      throw error
    }
    try relay.finish()
  }

  /// The edit with the levels of all its waveforms.
  ///
  /// - Parameter wait: called about every second, and throws where the caller waits no longer.
  /// - Throws: the same as `frames`, and what `wait` throws.
  package func measured(wait: () throws -> Void) throws -> ResolvedTimeline {
    let waveforms = edit.timeline.unmeasuredWaveforms
    guard !waveforms.isEmpty else { return edit }
    var (levels, known): ([UnmeasuredWaveform: [Int]], [Int]) = ([:], [])
    try run(.levels(JobSpec(lookingAt: edit, fonts: fonts)), wait: wait) { report in
      switch report {
      case .measuring: return true
      case .measured(let heights) where levels.count < waveforms.count:
        let waveform = waveforms[levels.count]
        let count = try waveform.waveform.levelCount
        guard !heights.isEmpty, known.count + heights.count <= count, heights.allSatisfy((0...WaveformContent.full).contains)
        else {
          return false
        }
        known += heights
        if known.count == count { (levels[waveform], known) = (known, []) }
        return true
      default: return false
      }
    }
    guard levels.count == waveforms.count else { throw Broken(reason: Self.reticence) }
    return try edit.timeline.with(levels).resolved(with: edit.facts)
  }

  /// The frames whose packets can be copied, as the edit's `export.video.copy` asks.
  ///
  /// - Parameter wait: called about every second, and throws where the caller waits no longer.
  /// - Throws: the same as `frames`, and what `wait` throws.
  package func copies(wait: () throws -> Void) throws -> CopySearch {
    var found: CopySearch?
    try run(.copies(JobSpec(lookingAt: edit, fonts: fonts)), wait: wait) { report in
      switch report {
      case .searching: return true
      case .copyable(let search) where found == nil:
        found = search
        return true
      default: return false
      }
    }
    guard let found, try found.isPlausible(for: edit) else { throw Broken(reason: Self.reticence) }
    return found
  }

  /// The edit with all captions in measured pages, and what was found about its texts, some of which are drawn in font files of its
  /// document.
  ///
  /// - Throws: the same as `frames`, but for `tell`.
  package func texts() throws -> (edit: ResolvedTimeline, found: TextFindings) {
    var (document, found): ([UInt8], TextFindings?) = ([], nil)
    // Texts are not reported one by one, and an edit may have thousands.
    var setting = setting
    setting.patienceSeconds *= 10
    try EditExamination(of: edit, fonts: nil, setting).run(.texts(JobSpec(lookingAt: edit, fonts: nil))) { report in
      switch report {
      case .document(let piece) where found == nil && document.count <= DocumentLimits.byteCount: document += piece
      case .texts(let told) where found == nil: found = told.shown
      default: return false
      }
      return true
    }
    guard let found else { throw Broken(reason: Self.reticence) }
    guard !document.isEmpty else { return (edit, found) }
    return (try Timeline.parse(document).resolved(with: edit.facts), found)
  }

  /// Compares a movie with the edit.
  ///
  /// - Throws: the same as `frames`, but for `tell`.
  package func verification(
    of movie: String, floor: Double, progress: (MovieVerification.Progress) -> Void
  ) throws -> MovieVerification {
    var last: (packets: Int, pictures: Int, samples: Int64) = (0, 0, 0)
    var result: MovieVerification?
    let roll = try edit.timeline.export.pictureNames.map { try PackedPictures(movie, $0, most: edit.frameCount + 1) }
    let pieces = edit.timeline.export.folderFiles == .pieces ? try PackedPieces(movie) : nil
    let spec = JobSpec(lookingAt: edit, fonts: fonts)
    let files = ExaminationOrder.Movie(
      path: roll?.path ?? pieces?.paths[0] ?? movie, sounds: pieces?.soundPaths ?? [], renditions: pieces?.renditionPaths ?? [])
    try run(.movie(files, spec, floor: floor)) { report in
      switch report {
      case .compared(.packets(let count)) where count > last.packets: last.packets = count
      case .compared(.pictures(let count)) where count == last.pictures + 1: last.pictures = count
      case .compared(.samples(let count)) where count > last.samples: last.samples = count
      case .verified(var verified) where result == nil:
        verified.faults = verified.faults.map { $0.shown() } + (try pieces?.faults(of: edit) ?? [])
        result = verified
        return true
      default: return false
      }
      if case .compared(let compared) = report { progress(compared) }
      return true
    }
    guard let result else { throw Broken(reason: Self.reticence) }
    return result
  }

  private static let reticence = "the process that renders it ended before it had reported everything"

  private static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
  }

  /// - Parameters:
  ///   - hasAdvanced: asked about every second whether there was progress that no report tells of.
  ///   - take: gets each report but an error at the end, and returns whether the report was due.
  private func run(
    _ order: ExaminationOrder, picture: (file: Descriptor, byteCount: Int)? = nil, wait: () throws -> Void = {},
    hasAdvanced: () -> Bool = { false },
    take: (ExaminationReport) throws -> Bool
  ) throws {
    let examination = try Examination(order, setting, picture: picture)
    while true {
      try wait()
      if hasAdvanced() { examination.hasAdvanced() }
      switch try examination.next() {
      case .silence: continue
      case .done: return
      case .broken(let reason), .hung(let reason): throw Broken(reason: reason)
      case .report(.unreadable(let refusal)): throw refusal.error
      case .report(.failed(let failure)): throw Failure(failure.class, at: failure.place.shown(), failure.reason.shown())
      case .report(let report): if try take(report) { examination.hasAdvanced() }
      }
    }
  }
}

extension TextFindings {
  /// The findings of another process, with its words made safe to show.
  fileprivate var shown: TextFindings {
    TextFindings(
      faults: faults.map { fault in
        var shown = fault
        (shown.place, shown.reason, shown.suggestion) = (fault.place.shown(), fault.reason.shown(), fault.suggestion?.shown())
        return shown
      },
      warnings: warnings.map { DocumentWarning(path: $0.path.shown(), message: $0.message.shown(), kind: $0.kind) },
      faces: Array(faces.prefix(FontFace.mostOfEdit)))
  }
}
