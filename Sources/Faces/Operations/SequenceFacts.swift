internal import Formats
internal import Glibc
internal import Media
internal import MediaTime
internal import Scenes
internal import Timeline

/// The pictures of a sequence, as its edit has them.
struct SequencePictures {
  let names: PictureNames
  let count: Int
  let frameDuration: MediaTime
}

extension ResolvedTimeline {
  /// The pictures of the sequence that the edit becomes; nil where it becomes a file.
  var pictures: SequencePictures? {
    get throws {
      guard let names = timeline.export.pictureNames, let frameDuration = videoComposition?.frameDuration else { return nil }
      return SequencePictures(names: names, count: try frameCount, frameDuration: frameDuration)
    }
  }
}

extension AssetFacts {
  /// Makes the facts of a sequence of those of its first picture.
  mutating func become(_ pictures: SequencePictures, in folder: String) {
    byteCount = (0..<pictures.count).reduce(0) { sum, index in
      var facts = stat()
      return unsafe stat("\(folder)/\(pictures.names.name(index))", &facts) == 0 ? sum + Int64(facts.st_size) : sum
    }
    // A duration that a time cannot hold is left unknown.
    duration = (try? MediaTime(pictures.frameDuration.value * Int64(pictures.count), pictures.frameDuration.timescale)) ?? .zero
  }
}
