internal import Formats
internal import JSON
internal import Timeline

/// Reads the renditions of a movie in pieces: its versions beside the main picture.
extension DocumentReader {
  /// - Parameters:
  ///   - settings: the export without those that the document states. Each rendition has the settings of its picture, but for
  ///     those that it states.
  ///   - preset: the preset, whose renditions the movie has where the document states none; nil for one that is not known.
  func renditions(
    _ export: DocumentObject, _ settings: ExportSettings, beside preset: ExportPreset?, knowsType: Bool, knowsVideo: Bool
  ) -> [Rendition] {
    let (type, node) = (settings.fileType, export["renditions"])
    let nodes = node?.elements(atMost: DocumentLimits.renditions) ?? []
    if let node, !nodes.isEmpty, knowsType, !type.holdsRenditions {
      let types = FileType.allCases.filter(\.holdsRenditions).list
      node.note("\(type) holds no renditions: use \(types), or one document for each size")
    }
    let usual = node == nil && type.holdsRenditions ? settings.renditions : []
    let renditions =
      nodes.compactMap { rendition($0, of: settings.video, knowsVideo: knowsVideo) }
      + usual.map { $0.beside(settings.video, insteadOf: preset?.settings.video ?? settings.video) }
    if knowsVideo, settings.video.coding.coder.qualityTarget != nil, !renditions.isEmpty {
      let words = "a movie with renditions has no quality, which is searched for in one picture: use crf for each"
      log.note(words, at: export.node.path["video"][QualityTarget.key])
    }
    if knowsVideo, let target = settings.video.coding.coder.rateTarget, !renditions.isEmpty {
      let words = "a movie with renditions has no \(target.key): use crf, with maxBitRate where bits are to be bounded"
      log.note(words, at: export.node.path["video"][target.key])
    }
    return renditions
  }

  private func rendition(_ node: DocumentNode, of main: VideoCodecSettings, knowsVideo: Bool) -> Rendition? {
    guard let object = DocumentObject(.rendition, node) else { return nil }
    let size: Rendition.Size?
    switch (object["size"], object["maximumSize"]) {
    case (let exact?, nil): size = renderSize(exact).map(Rendition.Size.exact)
    case (nil, let bounds?): size = renderSize(bounds).map(Rendition.Size.within)
    case (nil, nil): return node.refuse(because: "needs a size, or a maximumSize to fit into")
    case (_?, let bounds?): return bounds.refuse(because: "contradicts size: leave one of them out")
    }
    let video = knowsVideo ? rate(object, of: main) : main
    return size.map { Rendition($0, video) }
  }

  /// The settings of a rendition, with those of the rate that it states.
  private func rate(_ object: DocumentObject, of main: VideoCodecSettings) -> VideoCodecSettings {
    var stated: [String: CodecKey.Value] = [:]
    for name in Rendition.rateKeys {
      guard let node = object[name] else { continue }
      guard let key = main.coding.coder.keys.first(where: { $0.name == name }) else {
        node.note("\(main.codec) has no \(name)")
        continue
      }
      stated[name] = node.value(of: key.form)
    }
    let video = main.rated(stated)
    if let contradiction = video.coding.coder.contradiction {
      log.note(contradiction.reason, at: (object[contradiction.key] ?? object.node).path)
    }
    return video
  }
}

extension Rendition {
  /// The settings of a codec that a rendition may have for itself.
  static let rateKeys = ["crf", "speed", "maxBitRate", "bufferSize"]

  /// The same rendition beside another main picture: what it had for itself it keeps, as far as the codec has that.
  ///
  /// - Parameter before: the settings of the main picture beside which it stood.
  func beside(_ main: VideoCodecSettings, insteadOf before: VideoCodecSettings) -> Rendition {
    let known = Set(main.coding.coder.keys.map(\.name))
    let own = video.rates(besides: before).filter { main.codec == before.codec && known.contains($0.key) }
    return Rendition(size, main.rated(own))
  }
}

extension VideoCodecSettings {
  /// The same settings with other ones of the rate. The buffer of a bound is that of the bound beside which it is stated.
  fileprivate func rated(_ own: [String: CodecKey.Value]) -> VideoCodecSettings {
    var made = self
    if own["maxBitRate"] != nil {
      made.coding = codec.usual
      for key in coding.coder.keys where key.name != "bufferSize" {
        if let value = coding.value(of: key.name) { made.coding.set(key.name, to: value) }
      }
    }
    for name in Rendition.rateKeys { if let value = own[name] { made.coding.set(name, to: value) } }
    return made
  }

  /// The settings of the rate that are not those of another picture. A buffer of its own stands beside its bound.
  func rates(besides main: VideoCodecSettings) -> [String: CodecKey.Value] {
    var own: [String: CodecKey.Value] = [:]
    for name in Rendition.rateKeys {
      if let value = coding.value(of: name), value != main.coding.value(of: name) { own[name] = value }
    }
    let buffers = (coding.value(of: "bufferSize"), main.coding.value(of: "bufferSize"))
    if buffers.0 != buffers.1 || own["maxBitRate"] != nil {
      own["maxBitRate"] = coding.value(of: "maxBitRate")
      own["bufferSize"] = buffers.0
    }
    return own
  }
}
