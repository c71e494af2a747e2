import Examination
import Media
import Rendering
import SpoolCompositing
import Timeline

extension EditFile {
  /// The edit that the document at `path` describes, its media read as `setting` says.
  ///
  /// - Parameter compositors: those of this program, when it is this one that will render the edit.
  init(path: String, _ setting: ExaminationSetting, renderingWith compositors: CompositorRegistry? = nil) throws {
    try self.init(DocumentFile(path: path), setting, renderingWith: compositors)
  }

  init(_ document: DocumentFile, _ setting: ExaminationSetting, renderingWith compositors: CompositorRegistry? = nil) throws {
    try self.init(document, AssetExamination(document.assets, setting).finish(), renderingWith: compositors)
  }
}

extension AssetExamination {
  /// What one file is, or what a URL names.
  ///
  /// - Throws: `MediaError`, as `finish`.
  static func facts(of path: String, _ setting: ExaminationSetting) throws -> AssetFacts {
    try AssetExamination(path, setting).facts()
  }

  convenience init(_ path: String, _ setting: ExaminationSetting) throws {
    try self.init([(id: Self.only, path: path)], setting)
  }

  /// Waits for what the only one is.
  ///
  /// - Throws: `MediaError`, as `finish`.
  func facts() throws -> AssetFacts {
    let assets = try finish()
    if let fault = assets.faults.first { throw fault.error }
    guard let facts = assets.facts[Self.only] else { preconditionFailure("what is not known is refused") }
    return facts
  }

  private static let only = AssetID("file")
}

extension EditExamination.Broken {
  /// As it is told of the frame that was due, or of the sound where that was the last one.
  ///
  /// - Parameter others: what was read besides the frame's assets.
  func complaint(_ edit: ResolvedTimeline, at index: Int, _ others: [String] = []) throws -> Complaint {
    let isFrame = index < (try edit.frameCount)
    let sources = (isFrame ? try edit.scene(at: index).assets.sorted().map { "assets.\($0)" } : []) + others
    let place = isFrame ? "frame \(index)" : "sound"
    return Complaint(sources.isEmpty ? place : "\(place) (\(sources.joined(separator: ", ")))", reason, ExitCode.badDocument)
  }
}

extension DocumentFile {
  /// Whether each of its media is a file below a root, as far as names tell, or behind a URL.
  func namesFiles(below roots: [String]) -> Bool {
    let policy = SourcePolicy(roots: roots)
    return document.assets.values.allSatisfy { asset in
      // Why it is none is told by who opens it.
      if case .file(let path) = asset { (try? policy.resolve(path)) != nil } else { true }
    }
  }
}
