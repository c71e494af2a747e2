internal import Formats
internal import MediaTime
internal import Timeline

extension DocumentReader {
  /// The length of the fragments in which the movie is written.
  func fragmentInterval(_ node: DocumentNode) -> MediaTime? {
    guard let time = time(node, .positive) else { return nil }
    let seconds = DocumentLimits.fragmentInterval
    guard seconds.contains(time.seconds) else {
      return node.refuse(because: "a fragment lasts from \(seconds.lowerBound) to \(Int(seconds.upperBound)) s")
    }
    return time
  }

  /// Checks whether the movie can be written in fragments. The fault names what can be.
  func checkFragments(
    _ settings: ExportSettings, _ node: DocumentNode, _ object: DocumentObject, knowsVideo: Bool, knowsAudio: Bool
  ) {
    let type = settings.fileType
    guard type.holdsFragments else {
      return node.note("\(type) is not written in fragments: use \(FileType.allCases.filter(\.holdsFragments).list)")
    }
    let (video, audio) = (settings.video.codec, settings.audio.codec)
    if knowsVideo, type.holdsPicture, video.fileTypes.contains(type), !video.standsInFragments {
      let others = VideoCodec.allCases.filter { $0.standsInFragments && $0.fileTypes.contains(type) }
      node.note("\(video) video does not stand in fragments of \(type): use \(others.list)")
    }
    if knowsAudio, audio.fileTypes.contains(type), !audio.standsInFragments {
      let others = AudioCodec.allCases.filter { $0.standsInFragments && $0.fileTypes.contains(type) }
      node.note("\(audio) audio does not stand in fragments of \(type): use \(others.list)")
    }
    if !settings.chapters.isEmpty, type.holdsChapters {
      object["chapters"]?.note("a movie in fragments holds no chapters: leave fragmentInterval out")
    }
  }
}
