internal import Formats
internal import Linux
package import Media
internal import MediaTime
internal import Messages
package import Scenes
internal import Timeline

extension ResolvedTimeline {
  /// The captions that the movie carries as text tracks, in the movie's time.
  var carriedCaptions: [MovieCaptions] {
    get throws(TimeError) {
      var found: [MovieCaptions] = []
      for track in timeline.captions where track.showing.isCarried {
        let cues = try track.texts(in: exportRange).map { MovieCaptions.Cue($0.text, $0.range) }
        found.append(MovieCaptions(cues, language: track.language))
      }
      return found
    }
  }

  /// The captions that a movie in pieces carries as files in its folder, in the movie's time.
  var carriedTexts: [PieceText] {
    get throws(TimeError) {
      var found: [PieceText] = []
      for track in timeline.captions where track.showing.isCarried {
        found.append(PieceText(Array(try track.webVTT(in: exportRange).utf8), language: track.language))
      }
      return found
    }
  }

  /// The names of the small files beside a movie: captions, then the times of thumbnails, then still pictures.
  ///
  /// - Parameter movie: the movie's path, or its key in S3.
  package func sidecarNames(beside movie: String) -> [String] {
    let (name, isFolder) = (FilePath.name(of: movie), timeline.export.fileType.isFolder)
    let captions = timeline.captions.compactMap { $0.sidecarName(beside: name, isFolder: isFolder) }
    // An edit whose times overflow was not resolved.
    return captions + (hasStillsBeside ? (try? stillNames(beside: name)) ?? [] : [])
  }

  /// The files of captions that come beside a movie, and that of its thumbnails' times, in the movie's time.
  ///
  /// - Parameter movie: the movie's path, or its key in S3.
  /// - Throws: `Failure` where a file would have the name of another, or of the movie.
  package func sidecars(beside movie: String) throws -> [CompanionFile] {
    if let name = sidecarClash(beside: movie) {
      throw Failure(.content, at: name, "is the name of two files: name the file of the captions by \"sidecar\"")
    }
    let tracks = timeline.captions.filter { $0.sidecar != nil }
    let captions = try zip(tracks, sidecarNames(beside: movie)).map {
      CompanionFile($1, Array(try $0.webVTT(in: exportRange).utf8))
    }
    let times = hasStillsBeside ? try stills?.times(StillNames(beside: FilePath.name(of: movie))) : nil
    return captions + (times.map { [CompanionFile($0.name, Array($0.text.utf8))] } ?? [])
  }

  /// The name that a file of captions or of stills has in common with another file beside a movie, or with the movie; nil where each has its own.
  ///
  /// - Parameter movie: the movie's path, or its key in S3.
  package func sidecarClash(beside movie: String) -> String? {
    let name = FilePath.name(of: movie)
    var taken = Set([name] + [timeline.export.checksum?.fileName(of: name)].compactMap(\.self))
    return sidecarNames(beside: movie).first { !taken.insert($0).inserted }
  }
}
