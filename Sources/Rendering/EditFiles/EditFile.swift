package import CharacterSets
internal import Document
package import Formats
package import Media
package import Scenes
package import SpoolCompositing
package import Timeline

/// A document from disk without faults, resolved against its media.
package struct EditFile {
  /// The edit. Asset paths are absolute.
  package let edit: ResolvedTimeline
  /// The font faces in which the texts are drawn. They are in font files of this machine.
  package let fonts: [FontFace]
  /// The document's path, as it was given.
  private let path: String
  /// The warnings about the files beside it, which are known here alone.
  private let fileWarnings: [DocumentWarning]

  /// The parts of the document that have no effect, or not the one that was meant.
  package var warnings: [DocumentWarning] { Array((edit.warnings + fileWarnings).prefix(DocumentLimits.faults)) }

  /// - Parameters:
  ///   - assets: the facts of the document's media.
  ///   - policy: says which caption files may be read.
  ///   - compositors: the compositors of this program, when it will render the edit itself; else nil.
  ///   - probe: finds out the facts of the images in Lottie files, in a process that such an image may crash. Nil to probe them here.
  ///   - detect: finds the encoding of a caption file that does not say it, in a process that such a file may crash. Nil to find it here.
  ///   - examine: looks at the texts of an edit that are drawn in font files of its document, in a process that such a file may
  ///     crash. Nil to look at them here.
  /// - Throws: all faults of the edit: `EditFileError` `document`, `assets` and `layers`, or `several` of them; what `probe`,
  ///   `detect` and `examine` throw.
  package init(
    _ document: DocumentFile, _ assets: ProbedAssets, _ policy: SourcePolicy,
    renderingWith compositors: CompositorRegistry? = nil,
    examiningPictures probe: (([ProbedAssets.Asset]) throws -> ProbedAssets)? = nil,
    detectingEncodings detect: (([UInt8]) throws -> EncodingFinding)? = nil,
    examiningTexts examine: ((ResolvedTimeline) throws -> (edit: ResolvedTimeline, found: TextFindings))? = nil
  ) throws {
    path = document.path
    let captions = try CaptionFiles(document, policy, detecting: detect ?? { EncodingFinding(of: $0) })
    var known = document.document
    (known.captionCues, known.captionScripts) = (captions.cues, captions.scripts)
    let lottie = LottieFiles(document, policy)
    known.animations = lottie.animations
    let images = try LottieImageFacts(known.reading(with: assets.facts).lottieImages) { images in
      try probe?(images) ?? ProbedAssets(images[...], policy: policy)
    }
    let facts = assets.facts.merging(images.facts) { own, _ in own }
    let reading = known.reading(with: facts)
    var errors: [EditFileError] = []
    if !captions.faults.isEmpty { errors.append(.captions(path: path, captions.faults)) }
    let lottieFaults = lottie.faults + images.faults
    if !lottieFaults.isEmpty { errors.append(.lottie(path: path, lottieFaults)) }
    if let faults = reading.faults { errors.append(.document(path: path, faults)) }
    if !assets.faults.isEmpty { errors.append(.assets(assets.faults)) }
    var resolved: ResolvedTimeline?
    if errors.isEmpty {
      do throws(DocumentFaults) {
        resolved = try reading.edit().resolved(with: facts)
      } catch { errors.append(.document(path: path, error)) }
    }
    if let edit = resolved?.timeline, !lottie.animations.isEmpty || !captions.scripts.isEmpty,
      edit.canonicalJSON().count > DocumentLimits.byteCount
    {
      // The layers go with every attempt's order.
      let reason = "the edit with its scripts and Lottie files is larger than \(DocumentLimits.byteCount >> 20) MiB"
      errors.append(.document(path: path, DocumentFaults(reason, .value)))
      resolved = nil
    }
    guard let resolved else {
      errors += Self.faults(of: reading.timeline, path, compositors)
      throw EditFileError.all(errors)
    }
    let found: TextFindings
    if let examine, !resolved.fonts.isEmpty {
      (edit, found) = try examine(resolved)
    } else {
      do throws(DocumentFaults) { (edit, found) = try EditTexts(resolved, policy).findings(in: resolved) } catch {
        throw EditFileError.document(path: path, error)
      }
    }
    if !found.faults.isEmpty { errors.append(.layers(path: path, found.faults)) }
    (fileWarnings, fonts) = (captions.warnings + lottie.warnings + found.warnings, found.faces)
    if let compositors {
      do throws(EditFileError) { try requireCompositors(compositors) } catch { errors.append(error) }
    }
    guard errors.isEmpty else { throw EditFileError.all(errors) }
  }

  /// The further faults of an edit that has faults, as far as it could be read.
  private static func faults(of timeline: Timeline, _ path: String, _ compositors: CompositorRegistry?) -> [EditFileError] {
    let texts = EditTexts(faulty: timeline).faults(of: timeline)
    let unknown = compositors.map { faults(of: timeline.compositorUses, refusal(by: $0)) } ?? []
    return (texts.isEmpty ? [] : [.layers(path: path, texts)])
      + (unknown.isEmpty ? [] : [.document(path: path, DocumentFaults(faults: unknown))])
  }

  /// Checks that the edit's compositors are among those of this program, and that they accept their parameters. It is meant for
  /// an edit that this program will render.
  ///
  /// - Throws: `EditFileError.document`.
  package func requireCompositors(_ compositors: CompositorRegistry) throws(EditFileError) {
    try requireCompositors(Self.refusal(by: compositors))
    try requireParameters(compositors)
  }

  private static func refusal(by compositors: CompositorRegistry) -> (String) -> String? {
    let names = compositors.names
    let known = names.isEmpty ? "it has none" : "it has \(names.joined(separator: ", "))"
    return { names.contains($0) ? nil : "this program has no compositor '\($0)': \(known)" }
  }

  private static func faults(of uses: [CompositorUse], _ refusal: (String) -> String?) -> [DocumentFaults.Fault] {
    uses.compactMap { use in refusal(use.statement.name).map { use.fault(ofName: $0) } }
  }

  /// Checks the names of the edit's compositors.
  ///
  /// - Parameter refusal: gives the fault of a name; nil when it has none.
  /// - Throws: `EditFileError.document`.
  package func requireCompositors(_ refusal: (String) -> String?) throws(EditFileError) {
    let faults = Self.faults(of: edit.compositorUses, refusal)
    guard faults.isEmpty else { throw .document(path: path, DocumentFaults(faults: faults)) }
  }

  /// Checks that the encoders of the export are there.
  ///
  /// - Parameter refusal: gives the fault of an encoder, by FFmpeg's name; nil when it has none.
  /// - Throws: `EditFileError.document`.
  package func requireEncoders(_ refusal: (String) -> String?) throws(EditFileError) {
    let faults = edit.optionalEncoders.compactMap { name in
      refusal(name).map { DocumentFaults.Fault(path: "export", message: $0, .media) }
    }
    guard faults.isEmpty else { throw .document(path: path, DocumentFaults(faults: faults)) }
  }

  /// Checks the parameters for those of the edit's compositors that this program has.
  ///
  /// - Throws: `EditFileError.document`.
  package func requireParameters(_ compositors: CompositorRegistry) throws(EditFileError) {
    let faults = compositors.parameterFaults(in: edit)
    guard faults.isEmpty else { throw .document(path: path, DocumentFaults(faults: faults)) }
  }
}

/// An asset that cannot be read.
package struct AssetFault: Error, Sendable {
  package var asset: AssetID
  package var error: MediaError

  package init(asset: AssetID, error: MediaError) { (self.asset, self.error) = (asset, error) }
}

package enum EditFileError: Error, Sendable {
  case unreadable(path: String, code: Int32)
  case tooLarge(path: String, limit: Int)
  case document(path: String, DocumentFaults)
  case assets([AssetFault])
  case layers(path: String, [LayerFault])
  case captions(path: String, [SideFileFault])
  case lottie(path: String, [SideFileFault])
  /// Several of the other errors at once.
  case several([EditFileError])

  /// The only error, or `several`.
  ///
  /// - Precondition: there is at least one error.
  fileprivate static func all(_ errors: [EditFileError]) -> EditFileError { errors.count == 1 ? errors[0] : .several(errors) }
}
