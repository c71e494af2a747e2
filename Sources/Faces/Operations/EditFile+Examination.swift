internal import CharacterSets
internal import Document
package import EditFiles
package import Examination
package import Formats
internal import Media
internal import Rendering
package import Scenes
package import SpoolCompositing
internal import Timeline

extension EditFile {
  /// The edit that the document at `path` describes. Its media are read as `setting` says.
  ///
  /// - Parameter compositors: this program's compositors, when this program will render the edit.
  package init(path: String, _ setting: ExaminationSetting, renderingWith compositors: CompositorRegistry? = nil) throws {
    try self.init(DocumentFile(path: path), setting, renderingWith: compositors)
  }

  package init(_ document: DocumentFile, _ setting: ExaminationSetting, renderingWith compositors: CompositorRegistry? = nil)
    throws
  {
    try self.init(document, AssetExamination(document.assets, setting).finish(), setting, renderingWith: compositors)
  }

  /// The edit of a document whose assets are known.
  package init(
    _ document: DocumentFile, _ assets: ProbedAssets, _ setting: ExaminationSetting,
    renderingWith compositors: CompositorRegistry? = nil
  ) throws {
    try self.init(
      document, assets, SourcePolicy(roots: setting.roots), renderingWith: compositors,
      examiningPictures: { try AssetExamination($0, setting).finish() },
      detectingEncodings: { bytes in
        // A file whose bytes break the process has no encoding that could be told.
        do { return try EncodingFinding(of: bytes, setting) } catch is EditExamination.Broken {
          return EncodingFinding(nil, isCertain: false)
        }
      }
    ) { edit in
      do { return try EditExamination(of: edit, fonts: nil, setting).texts() } catch let broken as EditExamination.Broken {
        let fonts = edit.fonts.keys.sorted().map { "assets.\($0)" }
        throw Complaint("texts (\(fonts.joined(separator: ", ")))", broken.reason, .badDocument)
      }
    }
  }
}

extension EditFile {
  /// The edit with the levels of its waveforms, which are measured where the document does not have them.
  ///
  /// - Parameter wait: called about every second, and throws where the caller waits no longer.
  /// - Throws: `Complaint`, what `EditExamination` throws, and what `wait` throws.
  func measured(_ setting: ExaminationSetting, wait: () throws -> Void = {}) throws -> ResolvedTimeline {
    do {
      return try EditExamination(of: edit, fonts: fonts, setting).measured(wait: wait)
    } catch let broken as EditExamination.Broken {
      let sources = edit.facts.keys.sorted().map { "assets.\($0)" }
      throw Complaint("waveform (\(sources.joined(separator: ", ")))", broken.reason, .badDocument)
    }
  }
}

extension EditFile {
  /// The edit as a job has it: with the levels of its waveforms, and with the frames that are copied from its media.
  ///
  /// - Parameter wait: called about every second, and throws where the caller waits no longer.
  /// - Returns: also what is to be told of the frames that are not copied, although the edit asks for it.
  /// - Throws: as `measured`; a `Complaint` where not all frames can be copied, and the edit requires it.
  func readied(
    _ setting: ExaminationSetting, wait: () throws -> Void = {}
  ) throws -> (edit: ResolvedTimeline, warnings: [DocumentWarning]) {
    let measured = try measured(setting, wait: wait)
    var timeline = measured.timeline
    timeline.export.copies = nil
    let rule = (
      picture: measured.videoComposition == nil ? .never : timeline.export.video.copy,
      sound: measured.audio == nil ? CopyRule.never : timeline.export.audio.copy
    )
    guard rule.picture != .never || rule.sound != .never else {
      return (timeline == measured.timeline ? measured : try timeline.resolved(with: measured.facts), [])
    }
    let found: CopySearch
    do {
      found = try EditExamination(of: measured, fonts: fonts, setting).copies(wait: wait)
    } catch let broken as EditExamination.Broken {
      throw Complaint("export.\(rule.picture != .never ? "video" : "audio").copy", broken.reason, .badDocument)
    }
    timeline.export.copies = found.plan
    let places = found.encoded.prefix(Self.mostToldStretches).map { encoded in
      "frames \(encoded.frames.lowerBound)..<\(encoded.frames.upperBound) are encoded: \(encoded.reason)"
    }
    let sound = found.soundReason.map { "the sound is encoded: \($0)" }
    let refused = [
      rule.picture == .require ? places.first.map { ("export.video.copy", $0) } : nil,
      rule.sound == .require ? sound.map { ("export.audio.copy", $0) } : nil,
    ].compactMap(\.self)
    if let (place, words) = refused.first { throw Complaint(place, "requires what cannot be: \(words)", .badDocument) }
    var words = places
    if found.encoded.count > places.count { words.append("\(found.encodedCount) frames are encoded altogether") }
    return (
      try timeline.resolved(with: measured.facts),
      words.map { DocumentWarning(path: "export.video.copy", message: $0, kind: .encoded) }
        + [sound].compactMap(\.self).map { DocumentWarning(path: "export.audio.copy", message: $0, kind: .encoded) }
    )
  }

  /// The most stretches of frames that are told one by one.
  private static let mostToldStretches = 10
}

extension AssetExamination {
  /// The facts of one media file or URL.
  ///
  /// - Throws: what `finish` throws, or the file's `MediaError`.
  package static func facts(of path: String, _ setting: ExaminationSetting) throws -> AssetFacts {
    try AssetExamination(path, setting).facts()
  }

  package convenience init(_ path: String, _ setting: ExaminationSetting) throws {
    try self.init([.init(id: Self.only, path: path)], setting)
  }

  /// Waits for the facts of the only file.
  ///
  /// - Throws: what `finish` throws, or the file's `MediaError`.
  package func facts() throws -> AssetFacts {
    let assets = try finish()
    if let fault = assets.faults.first { throw fault.error }
    guard let facts = assets.facts[Self.only] else { preconditionFailure("what is not known is refused") }
    return facts
  }

  private static let only = AssetID("file")
}

extension EditExamination.Broken {
  /// A complaint about the frame that was being read, or about the sound when all frames were read.
  ///
  /// - Parameter others: paths that were read besides the frame's assets.
  package func complaint(_ edit: ResolvedTimeline, at index: Int, _ others: [String] = []) throws -> Complaint {
    let isFrame = index < (try edit.frameCount)
    let sources = (isFrame ? try edit.scene(at: index).assets.sorted().map { "assets.\($0)" } : []) + others
    let place = isFrame ? "frame \(index)" : "sound"
    return Complaint(sources.isEmpty ? place : "\(place) (\(sources.joined(separator: ", ")))", reason, .badDocument)
  }
}

extension DocumentFile {
  /// Whether each of the document's media is behind a URL or, by its name, a file below one of the roots.
  package func namesFiles(below roots: [String]) -> Bool {
    let policy = SourcePolicy(roots: roots)
    return document.assets.values.allSatisfy { asset in
      // When the name cannot be resolved, whoever opens the file tells why.
      if case .file(let path) = asset { (try? policy.resolve(path)) != nil } else { true }
    }
  }
}
