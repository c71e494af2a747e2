internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentReader {
  func export(_ node: DocumentNode) -> ExportSettings? {
    guard let object = DocumentObject(.export, node) else { return nil }
    let preset = object["preset"].map { $0.choice(ExportPreset.self) } ?? .high
    // The rest is read all the same, to find its faults. Settings that depend on an unknown preset or codec are not judged.
    var settings = (preset ?? .high).settings
    let asked = object["fileType"].map { $0.format(FileType.self) }
    if let fileType = asked ?? nil { settings.fileType = fileType }
    var (knowsVideo, knowsAudio) = (preset != nil, preset != nil)
    settings.video = settings.video.held(by: settings.fileType)
    if let video = object["video"].flatMap({ DocumentObject(.videoSettings, $0) }) {
      knowsVideo = read(video, into: &settings.video, isKnown: knowsVideo)
    }
    settings.audio = settings.audio.held(by: settings.fileType)
    if let video = object["video"], !settings.fileType.holdsPicture {
      video.note("\(settings.fileType) holds sound alone: leave the settings of the picture out")
    }
    if !settings.fileType.holdsPicture { (settings.video, settings.maximumSize) = (ExportSettings().video, nil) }
    if !settings.fileType.hasMovableIndex { settings.optimizeForNetworkUse = false }
    if !settings.fileType.holdsSound { settings.audio = ExportSettings().audio }
    if let key = ["audio", "loudness", "effects"].first(where: { object[$0] != nil }), !settings.fileType.holdsSound {
      object[key]?.note("\(settings.fileType) holds a picture alone: leave the settings of the sound out")
    }
    if let audio = object["audio"].flatMap({ DocumentObject(.audioSettings, $0) }) {
      knowsAudio = read(audio, into: &settings.audio, isKnown: knowsAudio)
    }
    settings.audio = settings.audio.stored(in: settings.fileType)
    settings.loudness = object["loudness"].flatMap(loudness)
    settings.effects = object["effects"].map { effects($0) } ?? []
    if let node = object["sounds"] {
      settings.sounds = sounds(node, settings, in: asked == .some(nil) ? nil : settings.fileType, knowsAudio: knowsAudio)
    }
    if let optimize = object["optimizeForNetworkUse"]?.bool() { settings.optimizeForNetworkUse = optimize }
    if let scale = object["renderScale"]?.number(in: DocumentLimits.renderScale) { settings.renderScale = scale }
    if let size = object["maximumSize"].flatMap(renderSize) { settings.maximumSize = size }
    settings.renditions = renditions(object, settings, beside: preset, knowsType: asked != .some(nil), knowsVideo: knowsVideo)
    settings.timeRange = object["timeRange"].flatMap(timeRange)
    if let asked = settings.timeRange, let duration, asked.start >= duration {
      object["timeRange"]?.note("starts at \(asked.start), but the edit ends at \(duration)")
    }
    readContents(of: object, into: &settings, knowsType: asked != .some(nil))
    if knowsVideo { checkCopy(&settings, object["video"]) }
    if knowsAudio { checkSoundCopy(&settings, object["audio"]) }
    if knowsVideo, asked != .some(nil) { checkTarget(settings, object) }
    settings.copies = object["copies"].flatMap(copies)
    if asked != .some(nil) { checkContainer(settings, object, knowsVideo: knowsVideo, knowsAudio: knowsAudio) }
    if let node = object["fragmentInterval"], asked != .some(nil) {
      checkFragments(settings, node, object, knowsVideo: knowsVideo, knowsAudio: knowsAudio)
    }
    return settings
  }

  /// Reads what the movie's file says beside picture and sound.
  private func readContents(of object: DocumentObject, into settings: inout ExportSettings, knowsType: Bool) {
    if let node = object["metadata"], let metadata = DocumentObject(.metadata, node) {
      settings.tags = tags(metadata, in: knowsType ? settings.fileType : nil)
      settings.keptTags = keptTags(metadata, in: knowsType ? settings.fileType : nil)
    }
    if let chapters = object["chapters"] {
      settings.chapters = self.chapters(chapters)
      if knowsType, !settings.fileType.holdsChapters, !settings.chapters.isEmpty {
        chapters.note("\(settings.fileType) holds no chapters: use \(FileType.allCases.filter(\.holdsChapters).list)")
      }
    }
    if let node = object["fragmentInterval"] { settings.fragmentInterval = fragmentInterval(node) }
    if let node = object["timecode"] { settings.timecode = timecode(node, in: knowsType ? settings : nil) }
    if let node = object["playCount"] {
      settings.playCount = node.integer(in: 1...Int(UInt16.max))
      if knowsType, !settings.fileType.isAnimation {
        node.note("\(settings.fileType) is no animation: use \(FileType.allCases.filter(\.isAnimation).list)")
      }
    }
    if let node = object["sequence"] { settings.sequence = sequence(node, in: knowsType ? settings.fileType : nil) }
    readStills(of: object, into: &settings, knowsType: knowsType)
    settings.cleanAperture = object["cleanAperture"].flatMap { cleanAperture($0, in: knowsType ? settings : nil) }
    settings.checksum = object["checksum"].flatMap { $0.choice(ChecksumMethod.self) }
  }

  /// - Parameter type: the file type; nil where it is not known.
  private func sequence(_ node: DocumentNode, in type: FileType?) -> PictureNames? {
    guard let object = DocumentObject(.sequence, node) else { return nil }
    if let type, !type.isSequence {
      node.note("\(type) is no sequence of pictures: use \(FileType.allCases.filter(\.isSequence).list)")
    }
    let first = object["first"]?.integer(in: 0...PictureNames.mostFirst) ?? 0
    let usual = PictureNames.usual(type.map { $0.isSequence ? $0 : .pngSequence } ?? .pngSequence)
    guard let pattern = object["names"].map({ $0.string(atMost: DocumentLimits.nameLength) }) ?? usual.pattern else { return nil }
    guard let names = PictureNames(pattern, first: first) else {
      return object["names"]?.refuse(because: "'\(pattern)' is no name with one place for a number, such as %06d.png")
    }
    if let type, type.isSequence, !type.endings.contains(names.ending) {
      object["names"]?.note("pictures of \(type) have names that end in \(type.endings.map { ".\($0)" }.list)")
    }
    return names
  }

  /// Reads an object of video settings into `video`.
  ///
  /// - Parameter isKnown: whether the codec is known where the object names none.
  /// - Returns: whether the codec is known.
  private func read(_ object: DocumentObject, into video: inout VideoCodecSettings, isKnown: Bool) -> Bool {
    let codec = object["codec"].map { $0.format(VideoCodec.self) }
    if let codec = codec ?? nil, codec != video.codec { video = .usual(codec) }
    let isKnown = codec.map { $0 != nil } ?? isKnown
    for name in DocumentForm.codecKeyNames {
      guard let node = object[name] else { continue }
      let own = video.coding.coder.keys.first { $0.name == name }
      if own == nil, isKnown, name == QualityTarget.key {
        node.note(video.objectionToQuality)
        continue
      }
      guard let form = own?.form ?? DocumentForm.codecKeys.first(where: { $0.name == name })?.form,
        let value = node.value(of: form), isKnown
      else { continue }
      if own != nil {
        video.coding.set(name, to: value)
      } else {
        node.note("\(video.codec) \(video.coding.coder.isLossless ? "is lossless and " : "")has no \(name)")
      }
    }
    if isKnown { checkTarget(video, object) }
    let depths = video.coding.coder.bitDepths
    if !depths.contains(video.bitDepth) { video.bitDepth = depths[0] }
    if let node = object["bitDepth"], let bitDepth = self.bitDepth(node) {
      if bitDepth == 9 { node.note("9 is not 8 or 10") }
      if isKnown, bitDepth != 9, !depths.contains(bitDepth) {
        node.note("\(video.codec) with these settings has \(depths[0]) bits, not \(bitDepth)")
      }
      video.bitDepth = bitDepth
    }
    if isKnown, let contradiction = video.coding.coder.contradiction {
      log.note(contradiction.reason, at: (object[contradiction.key] ?? object.node).path)
    }
    if let alpha = object["alpha"]?.bool() { video.hasAlpha = alpha }
    if video.hasAlpha, isKnown { checkAlpha(video, object) }
    readFields(object, into: &video, isKnown: isKnown)
    if let aspect = object["pixelAspectRatio"].flatMap(pixelAspect) { video.pixelAspect = aspect }
    if let rule = object["copy"]?.choice(CopyRule.self) { video.copy = rule }
    video.hdrMetadata = HDRMetadata(
      masteringDisplay: object["masteringDisplay"].flatMap(masteringDisplay),
      contentLight: object["contentLight"].flatMap(contentLight))
    return isKnown
  }

  private func bitDepth(_ node: DocumentNode) -> Int? {
    if case .number(let text) = node.value, let bits = Int(text), UnmadeFormat.unmadeDepths.contains(bits) {
      return node.refuse(because: UnmadeFormat.objection(toBits: bits))
    }
    return node.integer(in: 8...10)
  }

  /// Checks whether the codec has alpha with these settings. The fault names what has.
  private func checkAlpha(_ video: VideoCodecSettings, _ object: DocumentObject) {
    if video.coding.coder.qualityTarget != nil {
      log.note("is not measured beside alpha: use crf", at: (object[QualityTarget.key] ?? object.node).path)
    }
    if let target = video.coding.coder.rateTarget {
      let path = (object[target.key] ?? object.node).path
      log.note("counts no alpha, which takes bits of its own: use crf", at: path)
    }
    let depths = video.coding.coder.alphaBitDepths
    if depths.contains(video.bitDepth) { return }
    let path = (object["alpha"] ?? object.node).path
    if let depth = depths.first {
      return log.note("\(video.codec) has alpha with \(depth) bits, not with \(video.bitDepth)", at: path)
    }
    let (codec, profile) = (video.codec, video.coding.value(of: "profile"))
    let words = if case .word(let word)? = profile { "\(codec) \(word)" } else { "\(codec)" }
    log.note("\(words) has no alpha: use ffv1, vp9, png, webp, tiff, or prores of the profile 4444 or 4444xq", at: path)
  }

  private func masteringDisplay(_ node: DocumentNode) -> MasteringDisplay? {
    guard let object = DocumentObject(.masteringDisplay, node) else { return nil }
    func point(_ key: String) -> SIMD2<Double>? { object[key]?.numbers(["x", "y"], in: 0...1).map { SIMD2($0[0], $0[1]) } }
    let points = (red: point("red"), green: point("green"), blue: point("blue"), white: point("white"))
    let luminance = object["luminance"]?.numbers(["black", "white"], in: 0...MasteringDisplay.brightest)
    guard let red = points.red, let green = points.green, let blue = points.blue, let white = points.white, let luminance else {
      return nil
    }
    // Rounding to the units that files count in must not make the two equal.
    guard luminance[1] - luminance[0] >= 1 / MasteringDisplay.luminanceUnits else {
      return object["luminance"]?.refuse(because: "its white must be brighter than its black")
    }
    return MasteringDisplay(red: red, green: green, blue: blue, white: white, luminance: luminance[0]...luminance[1])
  }

  private func contentLight(_ node: DocumentNode) -> ContentLight? {
    guard let object = DocumentObject(.contentLight, node) else { return nil }
    let maximum = object["maximum"]?.integer(in: 0...DocumentLimits.contentLight)
    let frameAverage = object["frameAverage"]?.integer(in: 0...DocumentLimits.contentLight)
    guard let maximum, let frameAverage else { return nil }
    return ContentLight(maximum: maximum, frameAverage: frameAverage)
  }

  /// Reads an object of audio settings into `audio`. `isKnown` and the result are as for the video settings.
  func read(_ object: DocumentObject, into audio: inout AudioCodecSettings, isKnown: Bool) -> Bool {
    let codec = object["codec"].map { $0.format(AudioCodec.self) }
    if let codec = codec ?? nil, codec != audio.codec { audio = .usual(codec) }
    let isKnown = codec.map { $0 != nil } ?? isKnown
    let rates = audio.codec.sampleRates
    if let node = object["sampleRate"], let rate = node.integer(in: 1...Int(Int32.max)) {
      if isKnown, !rates.contains(Int32(rate)) { node.note("\(audio.codec) is not made at \(rate) Hz, but at \(rates.list)") }
      audio.sampleRate = Int32(rate)
    }
    if let node = object["channelLayout"], let layout = node.choice(AudioCodecSettings.ChannelLayout.self) {
      let most = audio.coding.coder.mostChannels
      if isKnown, layout.channelCount > most { node.note("\(audio.codec) has at most \(most == 2 ? "two" : "\(most)") channels") }
      audio.channelLayout = layout
    }
    if let node = object["sampleFormat"], let samples = node.choice(PCM.Samples.self), isKnown {
      if case .pcm = audio.coding {
        audio.coding = .pcm(PCM(samples: samples))
      } else {
        node.note("\(audio.codec) has no sampleFormat, which is pcm's")
      }
    }
    if let rule = object["copy"]?.choice(CopyRule.self) { audio.copy = rule }
    guard isKnown else { return false }
    read(bitRate: object["bitRate"], into: &audio)
    return true
  }

  private func read(bitRate node: DocumentNode?, into audio: inout AudioCodecSettings) {
    guard let node else { return audio.fitBitRate() }
    guard let all = audio.codec.bitRates, let some = audio.bitRates else {
      return node.note("\(audio.codec) is lossless and has no bitRate")
    }
    guard let bitRate = node.integer(in: all) else { return }
    if !some.contains(bitRate), !audio.coding.coder.makesNearestBitRate {
      let form = "\(audio.codec) in \(audio.channelLayout.rawValue) at \(audio.sampleRate) Hz"
      node.note("\(bitRate) is not in \(some), the bit rates of \(form)")
    }
    audio.coding.bitRate = bitRate
  }

  /// Checks whether the file type can hold the codecs. The fault names the file types that can.
  private func checkContainer(_ settings: ExportSettings, _ object: DocumentObject, knowsVideo: Bool, knowsAudio: Bool) {
    let path = object["fileType"]?.path ?? object.node.path
    let type = settings.fileType
    if knowsVideo, type.holdsPicture, !settings.video.codec.fileTypes.contains(type) {
      let (codec, reason) = (settings.video.codec, type.reason(against: settings.video.codec).map { "; \($0)" } ?? "")
      log.note("\(type) cannot hold \(codec) video: use \(codec.fileTypes.list)\(reason)", at: path)
    }
    let alphaTypes = settings.video.coding.coder.alphaFileTypes
    if knowsVideo, settings.video.hasAlpha, settings.video.codec.fileTypes.contains(type), !alphaTypes.contains(type) {
      log.note("\(type) cannot hold the alpha of \(settings.video.codec): use \(alphaTypes.list)", at: path)
    }
    if knowsAudio, type.holdsSound { checkHolds(settings, at: path) }
    if knowsVideo, type == .cmaf, settings.video.fields != nil {
      let words = "pieces for HLS and DASH are played as whole frames: use mp4, or leave fields out"
      log.note(words, at: object.node.path["video"]["fields"])
    }
    if knowsVideo { checkPixelAspect(settings, object) }
    if settings.optimizeForNetworkUse, !type.hasMovableIndex {
      object["optimizeForNetworkUse"]?.note("\(type) has no index to move to the front: use mp4 or mov")
    }
  }
}

extension DocumentReader {
  /// Checks whether the file type holds the sound's codec, rate and samples.
  func checkHolds(_ settings: ExportSettings, at path: JSONPath) {
    let (type, audio) = (settings.fileType, settings.audio)
    guard audio.codec.fileTypes.contains(type) else {
      let reason = type.reason(against: audio.codec).map { "; \($0)" } ?? ""
      return log.note("\(type) cannot hold \(audio.codec) audio: use \(audio.codec.fileTypes.list)\(reason)", at: path)
    }
    if let objection = type.objection(to: audio.channelLayout, of: audio.codec) { log.note(objection, at: path) }
    if let rates = type.sampleRates, !rates.contains(audio.sampleRate) {
      log.note("\(type) holds sound of \(rates.list) Hz, not of \(audio.sampleRate)", at: path)
    }
    if let samples = audio.coding.samples, !type.pcmSamples.contains(samples) {
      log.note("\(type) holds no pcm of \(samples): use \(type.pcmSamples.list)", at: path)
    }
  }
}

extension AudioCodecSettings {
  /// The sound of a preset in a file type that cannot hold its codec: lossless sound instead, or else what the type holds.
  fileprivate func held(by type: FileType) -> AudioCodecSettings {
    guard !codec.fileTypes.contains(type),
      let codec = [AudioCodec.flac, .pcm, .alac, .opus, .aac, .mp3].first(where: { $0.fileTypes.contains(type) })
    else { return self }
    return .usual(codec)
  }
}

extension VideoCodecSettings {
  /// The picture of a preset in a file type that cannot hold its codec: VP9 in WebM, MPEG-2 of 4:2:2 in MXF, Motion JPEG in AVI, and that of an animation. It is
  /// unchanged elsewhere.
  fileprivate func held(by type: FileType) -> VideoCodecSettings {
    guard !codec.fileTypes.contains(type) else { return self }
    return switch type {
    case .webm: .usual(.vp9)
    case .mxf: VideoCodecSettings(.mpeg2(MPEG2(chroma: .yuv422)))
    case .avi: .usual(.mjpeg)
    case .gif: .usual(.gif)
    case .apng: .usual(.png)
    case .webp: .usual(.webp)
    case .pngSequence: .usual(.png)
    case .jpegSequence: .usual(.mjpeg)
    case .tiffSequence: .usual(.tiff)
    default: self
    }
  }
}

extension DocumentForm {
  /// The names of `codecKeys`, each once.
  static var codecKeyNames: [String] { codecKeys.map(\.name).reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }

  /// The settings that only some codecs of pictures have. A name comes again where codecs have other values for it.
  static var codecKeys: [CodecKey] {
    VideoCodec.allCases.flatMap(\.usual.coder.keys).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

extension DocumentNode {
  /// The value if it has the form; nil, and a fault is noted, if it has not.
  func value(of form: CodecKey.Form) -> CodecKey.Value? {
    switch form {
    case .number(let range): return number(in: range).map(CodecKey.Value.number)
    case .word(let words):
      guard case .string(let text) = value else { return refuse("a string") }
      return words.contains(text) ? .word(text) : refuse(text, among: words)
    case .quality: return quality().map(CodecKey.Value.quality)
    }
  }
}

extension Array {
  /// The elements as messages list them, such as "mov or mkv".
  var list: String {
    let words = map { "\($0)" }
    return (words.dropLast(2) + [words.suffix(2).joined(separator: " or ")]).joined(separator: ", ")
  }
}
