internal import JSON
internal import MediaTime
internal import Timeline

/// Reads how a track of sound is made as long as the picture, and how its segments follow each other.
extension DocumentReader {
  /// A name, or an object with the times of a loop.
  func musicBed(_ node: DocumentNode) -> MusicBed? {
    if case .string = node.value { return bed(node) { .loop(MusicLoop()) } }
    guard let object = DocumentObject(.musicBed, node) else { return nil }
    let (start, end) = (object["start"].map { time($0) }, object["end"].map { time($0) })
    guard let kind = object["kind"] else { return nil }
    if case .some(nil) = start { return nil }
    if case .some(nil) = end { return nil }
    let bed = bed(kind) { .loop(MusicLoop(start: start ?? nil, end: end ?? nil)) }
    if bed == .pad { (object["start"] ?? object["end"])?.note("only a loop goes back to a time of its track") }
    return bed
  }

  private func bed(_ node: DocumentNode, _ loop: () -> MusicBed) -> MusicBed? {
    node.choice(MusicBed.Kind.self).map { $0 == .pad ? .pad : loop() }
  }

  /// The length of the crossfade between segments that follow each other at once.
  func crossfade(_ node: DocumentNode) -> MediaTime? {
    let most = DocumentLimits.crossfadeSeconds
    guard let time = time(node, .positive) else { return nil }
    return time <= MediaTime(seconds: most) ? time : node.refuse(because: "longer than \(most) seconds")
  }
}
