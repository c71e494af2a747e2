internal import EditFiles
internal import Examination
package import Formats
internal import Media
package import MediaTime
internal import Rendering
internal import Scenes
internal import Timeline

/// An edit without faults: what its movie will be.
package struct EditReport: Hashable, Sendable, Codable {
  package var ok = true
  package var frameCount: Int
  package var sampleCount: Int64
  package var duration: MediaTime
  package var renderSize: PixelSize?
  package var frameDuration: MediaTime?
  package var warnings: [FaultRecord]
}

/// An edit that cannot be rendered, with all its faults.
package struct EditFaults: Hashable, Sendable, Codable {
  package var ok = false
  package var faults: [FaultRecord]

  package init(_ complaint: Complaint) { faults = complaint.told }
}

extension MediaAccess {
  /// Checks a whole document and the media that it names.
  ///
  /// - Parameter document: the document's path.
  /// - Throws: a complaint with all faults for which `render` would refuse the edit.
  package func validate(_ document: String) throws(Complaint) -> EditReport {
    try complaining {
      let setting = try setting(nil)
      let file = try EditFile(path: document, setting, renderingWith: compositors)
      return try report(of: file, document)
    }
  }

  /// Checks a document whose media are known already.
  func validate(_ document: DocumentFile, _ assets: ProbedAssets, _ setting: ExaminationSetting) throws -> EditReport {
    let file = try EditFile(document, assets, setting, renderingWith: compositors)
    return try report(of: file, document.path)
  }

  private func report(of file: EditFile, _ document: String) throws -> EditReport {
    let edit = file.edit
    return EditReport(
      frameCount: try edit.frameCount, sampleCount: try edit.sampleCount, duration: edit.exportRange.duration,
      renderSize: edit.videoComposition?.outputSize, frameDuration: edit.videoComposition?.frameDuration,
      warnings: file.warnings.map { FaultRecord($0, of: document) })
  }
}
