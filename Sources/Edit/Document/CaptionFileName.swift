/// A caption file that a document names.
package struct CaptionFileName: Hashable, Sendable {
  /// The place of its captions in the document, such as "captions[0]".
  package let place: String
  /// The path. A relative one counts from the document's folder.
  package var path: String
  /// The declared encoding; nil when none is.
  package let encoding: String?
  /// Whether libass draws the file.
  package let isDrawnAsScript: Bool
}
