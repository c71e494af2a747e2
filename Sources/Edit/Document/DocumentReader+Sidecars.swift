internal import JSON
internal import Timeline

/// Reads which captions become files beside the movie.
extension DocumentReader {
  /// The file beside the movie that captions ask for; nil where there is none.
  ///
  /// - Parameter showing: says in what other ways they are shown.
  func sidecar(_ object: DocumentObject, _ showing: CaptionTrack.Showing) -> CaptionSidecar? {
    guard let node = object["sidecar"] else { return showing == .sidecar ? CaptionSidecar() : nil }
    switch node.value {
    case .bool(true): return CaptionSidecar()
    case .bool(false):
      guard showing == .sidecar else { return nil }
      return node.refuse(because: "\"as\" asks for the file: leave this out, or give its name")
    case .string:
      guard let name = node.string(atMost: CaptionSidecar.longestName) else { return nil }
      guard let objection = CaptionSidecar.objection(to: name) else { return CaptionSidecar(name) }
      return node.refuse(because: "'\(name)': \(objection)")
    default: return node.refuse("true or the name of a file")
    }
  }

  /// Notes files of captions that would be the same, and those of nested compositions.
  func checkSidecars(_ timeline: Timeline, _ root: DocumentNode) {
    let path = root.path["captions"]
    var owners: [String: Int] = [:]
    for (index, track) in timeline.captions.enumerated() {
      // Any movie's name will do to compare.
      guard let name = track.sidecarName(beside: "/", isFolder: true) else { continue }
      guard let owner = owners[name] else {
        owners[name] = index
        continue
      }
      let words = "is the same file as that of \(path[owner]): give a name, or a \"language\" in the style"
      log.note(words, at: path[index]["sidecar"])
    }
    for (id, nested) in timeline.compositions {
      for (index, track) in nested.captions.enumerated() where track.sidecar != nil {
        log.note(
          "only the edit's own captions become a file beside the movie",
          at: root.path["compositions"][id.rawValue]["captions"][index]["sidecar"])
      }
    }
  }
}
