internal import Formats
internal import JSON
internal import Timeline

extension Timeline {
  /// Notes each asset whose film is to be restored and that carries no film, or has alpha, which no film has.
  func checkTreatments(_ facts: [AssetID: AssetFacts], _ log: FaultLog) {
    for (asset, treatment) in treatments.sorted(by: { $0.key < $1.key }) where treatment.interlace == .inverseTelecine {
      let path = JSONPath.root["assets"][asset.rawValue]["interlace"]
      for track in facts[asset]?.playableTracks(.video) ?? [] {
        guard case .video(let video) = track.detail else { continue }
        if video.alpha != nil {
          log.note("inverse telecine cannot keep the alpha of track \(track.index)", at: path, .media)
        }
        guard FilmCadence(of: video) == nil else { continue }
        let rate = video.nominalFrameRate.map { "\($0) frames a second" } ?? "no known frame rate"
        log.note("film is carried in 30000/1001, 30 or 25 frames a second; track \(track.index) has \(rate)", at: path, .media)
      }
    }
  }
}
