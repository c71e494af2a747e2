internal import Captions
internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads captions that are a SubStation script which libass draws.
extension DocumentReader {
  mutating func scriptTrack(_ object: DocumentObject) -> CaptionTrack? {
    for key in ["cues", "style", "padding", "place", "margin", "maxLines", "highlight"] {
      object[key]?.note("libass draws the script as it says: leave it out")
    }
    let drawnBy = object["drawnBy"].map { $0.choice(CaptionDrawer.self) }
    let offset = object["offset"].map(captionOffset) ?? .zero
    let opacity = envelope(object["opacity"], neutral: 1) { $0.number(in: 0...1) }
    let showing = object["as"].map { $0.choice(CaptionTrack.Showing.self) } ?? .picture
    let script = script(of: object)
    guard drawnBy != .some(nil), let offset, let showing, let script else { return nil }
    let drawn = CaptionTrack.Script(script, offset: offset, opacity: opacity)
    let sidecar = sidecar(object, showing)
    guard showing.isCarried || sidecar != nil else { return CaptionTrack(drawn) }
    guard let cues = cues(of: script, object) else { return nil }
    let shifted = exact(object.node) { () throws(TimeError) in try Self.shifted(cues, by: offset) }
    return shifted.map {
      var track = CaptionTrack(drawn, cues: $0, showing: showing)
      track.sidecar = sidecar
      return track
    }
  }

  /// The texts of a script, for the movie's own track of captions.
  private func cues(of script: CaptionScript, _ object: DocumentObject) -> [CaptionCue]? {
    do throws(CaptionFault) {
      let read = try CaptionFile(script.text, .ass)
      guard !read.cues.isEmpty || script.events.isEmpty else {
        return (object["as"] ?? object["sidecar"])?.refuse(because: "the script has drawings alone, and no text for a track")
      }
      return read.cues
    } catch {
      return (object["as"] ?? object["sidecar"])?.refuse(because: "no track can be made of the script: it \(error.description)")
    }
  }

  /// The script, in the document or in a file that was read before.
  private mutating func script(of object: DocumentObject) -> CaptionScript? {
    switch (object["file"], object["script"]) {
    case (let node?, nil):
      guard let path = node.string(atMost: DocumentLimits.pathLength) else { return nil }
      guard CaptionFormat(fileName: path) == .ass else {
        return node.refuse(because: "libass draws .ass and .ssa alone: leave \"drawnBy\" out")
      }
      guard let place = captionFile(path, object, isDrawnAsScript: true) else { return nil }
      if let script = captionScripts[place] { return script }
      log.leaveUnjudged(node.path)
      return nil
    case (nil, let node?):
      object["encoding"]?.note("only files have an encoding")
      guard let text = node.string(atMost: CaptionLimits.scriptLength) else { return nil }
      do throws(CaptionFault) { return try CaptionScript(text) } catch { return node.refuse(because: error.description) }
    default: return object.node.refuse(because: "needs either \"file\" or \"script\"")
    }
  }
}

/// The libraries that draw the captions of a file, where their texts do not.
private enum CaptionDrawer: String, CaseIterable { case libass }
