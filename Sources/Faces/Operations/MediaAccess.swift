package import EditFiles
package import Examination
package import SpoolCompositing

/// How operations read media. The face decides it, not those who ask: the folders and URLs that media may come from, the user who
/// reads them, and how far that process is contained.
package struct MediaAccess {
  /// The setting with which the media of a document, or a file without one, are read. It is asked for before the first medium is
  /// read, and throws a complaint about a folder that cannot be used, or about a lack of containment.
  package var setting: (_ document: DocumentFile?) throws(Complaint) -> ExaminationSetting
  /// The compositors of this program.
  package var compositors: CompositorRegistry

  package init(
    compositors: CompositorRegistry, setting: @escaping (_ document: DocumentFile?) throws(Complaint) -> ExaminationSetting
  ) {
    (self.setting, self.compositors) = (setting, compositors)
  }
}
