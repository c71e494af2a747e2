internal import PlainText

extension DocumentForm {
  /// The keys that people know from other programs and write here, each with the form that this document has for it.
  private var habits: [String: String] {
    switch self {
    case .document:
      [
        "subtitles": "captions", "lyrics": "captions", "tracks": "composition.tracks", "audio": "audioMix",
        "output": "the command line, -o FILE",
      ]
    case .videoComposition:
      [
        "frameRate": Self.frameDuration, "framerate": Self.frameDuration, "frame_rate": Self.frameDuration,
        "fps": Self.frameDuration, "size": "renderSize", "width": "renderSize", "height": "renderSize",
        "backgroundColor": "instructions[].background",
      ]
    case .instruction:
      [
        "backgroundColor": "background", "start": "timeRange", "duration": "timeRange",
        "layers": "layerInstructions, topmost first; layers, bottommost first, stand beside videoComposition",
      ]
    case .timeRange, .sourceRange: ["end": "duration"]
    case .segment:
      [
        "start": "source.start", "in": "source.start", "end": "source.duration", "out": "source.duration",
        "timeRange": "at and source", "speed": "duration: how long it plays", "rate": "duration: how long it plays",
        "timeRemap": "timeMap", "retime": "timeMap", "speedRamp": "timeMap",
      ]
    case .timePoint: ["time": "at", "value": "source", "rate": "speed", "easing": "speed: what it is at this point"]
    case .layerInstruction:
      [
        "frame": "gravity and transform", "position": "transform: [1, 0, 0, 1, x, y]",
        "scale": "transform: [scale, 0, 0, scale, x, y]",
        "asset": "track", "id": "track",
      ]
    case .transition: ["type": "kind", "duration": "the instruction's timeRange"]
    case .keyframe: ["time": "at"]
    case .captionTrack:
      [
        "path": "file", "src": "file", "delay": "offset", "font": "style.font", "size": "style.size", "position": "place",
        "color": "style.color", "language": "style.language",
      ]
    case .captionCue: ["start": "from", "end": "to", "duration": "to"]
    case .captionRun: ["bold": "weight: 700", "slant": "italic: true", "fontWeight": "weight"]
    case .captionMove: ["position": "to: [x, y]", "end": "until"]
    case .captionRegion: ["regionanchor": "regionAnchor", "viewportanchor": "viewportAnchor", "height": "lines"]
    case .captionScroll: ["to": "until"]
    case .shapeLayer:
      Self.layerHabits.merging(["fill": "fillColor", "stroke": "strokeColor", "strokeWidth": "lineWidth"]) { first, _ in first }
    case .gradientLayer, .waveformLayer, .trackLayer, .videoLayer, .clipLayer, .plainLayer: Self.layerHabits
    case .lottieLayer:
      Self.layerHabits.merging(["animationId": "animation", "repeat": "loop", "speed": "clock.speed"]) { first, _ in first }
    case .imageLayer: Self.layerHabits.merging(["asset": "image", "source": "image", "src": "image"]) { first, _ in first }
    case .textLayer:
      Self.layerHabits.merging(Self.textHabits) { first, _ in first }.merging([
        "alignment": "align", "textAlign": "align", "string": "text", "stroke": "outline", "valign": "verticalAlign",
        "runs": "text: an array of runs",
        "gradient": "fillGradient",
        "justify": "align", "ellipsis": "truncate", "lines": "maxLines", "shrinkToFit": "minSize", "background": "box",
      ]) { first, _ in first }
    case .textRun: Self.textHabits
    case .emphasis: ["style": "mark", "position": "side", "open": "fill: \"open\"", "filled": "fill", "shape": "mark"]
    case .audioMixInput:
      [
        "gain": "volume, a factor or \"-6 dB\"", "db": "volume: \"-6 dB\"", "pan": "balance", "muted": "mute",
        "pitch": "preservesPitch", "ducking": "duck", "sidechain": "duck", "normalize": "loudness",
        "channelMap": "channels", "channel": "channels: a list, such as [\"right\"]", "swap": "channels: [\"right\", \"left\"]",
      ]
    case .ducking:
      [
        "track": "under: a list of tracks", "tracks": "under", "to": "under", "gain": "by: \"-12 dB\"",
        "amount": "by: \"-12 dB\"",
        "volume": "by: \"-12 dB\"", "level": "threshold", "fadeIn": "attack", "fadeOut": "release",
      ]
    case .loudness:
      [
        "target": "integrated, in LUFS", "lufs": "integrated", "I": "integrated", "TP": "truePeak", "peak": "truePeak, in dBTP",
        "LRA": "range, in LU", "lra": "range, in LU",
      ]
    case .trackLoudness:
      [
        "target": "integrated, in LUFS", "lufs": "integrated", "I": "integrated", "LRA": "range, in LU", "lra": "range, in LU",
        "truePeak": "export.loudness.truePeak, of the whole sound",
      ]
    case .export:
      [
        "format": "fileType", "container": "fileType", "codec": "video.codec", "bitRate": "video.bitRate",
        "bitrate": "video.bitRate", "fileSize": "video.fileSize", "size": "video.fileSize or maximumSize",
        "audioTracks": "sounds", "languages": "sounds", "title": "metadata.title", "tags": "metadata", "normalize": "loudness",
        "thumbnail": "thumbnails", "sprite": "thumbnails", "sprites": "thumbnails", "storyboard": "thumbnails",
        "cover": "poster", "lufs": "loudness.integrated", "ladder": "renditions", "variants": "renditions",
        "qualities": "renditions",
      ]
    case .soundEffect:
      [
        "eq": "equalizer", "equaliser": "equalizer", "comp": "compressor", "noiseGate": "gate", "deesser": "deEsser",
        "limiter": "export.loudness with a truePeak", "kind": "the key: {\"compressor\": {…}}",
        "type": "the key: {\"compressor\": {…}}",
      ]
    case .equalizerBand:
      ["type": "kind", "freq": "frequency, in Hz", "f": "frequency, in Hz", "Q": "q", "width": "q", "db": "gain: \"-3 dB\""]
    case .compression: ["makeup": "makeUpGain", "makeUp": "makeUpGain", "gain": "makeUpGain", "softness": "knee"]
    case .gate: ["floor": "range", "reduction": "range"]
    case .deEsser: ["freq": "frequency, in Hz"]
    case .reverb:
      [
        "time": "decay", "rt60": "decay", "wet": "level: \"-12 dB\"", "mix": "level: \"-12 dB\"", "gain": "level",
        "predelay": "preDelay",
      ]
    case .musicBed:
      ["loop": "kind: \"loop\"", "from": "start", "to": "end", "until": "end", "crossfade": "the track's crossfade"]
    case .movieSound:
      [
        "name": "title", "lang": "language", "track": "tracks: a list of tracks", "stems": "tracks", "isDefault": "default",
        "channelLayout": "audio.channelLayout", "codec": "audio.codec", "bitRate": "audio.bitRate", "enabled": "default",
      ]
    case .metadata:
      [
        "year": "date", "author": "artist", "creator": "artist", "album_artist": "albumArtist", "gps": "location",
        "synopsis": "description", "latitude": "location: [latitude, longitude]", "longitude": "location: [latitude, longitude]",
      ]
    case .chapter: ["start": "at", "time": "at", "from": "at", "name": "title", "text": "title"]
    case .copies: [:]
    case .timecodeSource: ["clip": "asset", "source": "asset", "file": "asset"]
    case .rendition:
      [
        "width": "size: [width, height]", "height": "size: [width, height]", "resolution": "size: [width, height]",
        "renderSize": "size", "bitRate": "maxBitRate", "bitrate": "maxBitRate", "maxrate": "maxBitRate", "bufsize": "bufferSize",
        "preset": "speed", "codec": "export.video.codec, which is that of all renditions",
      ]
    case .poster: ["time": "at", "frame": "at: a time", "size": "width", "maximumSize": "width"]
    case .thumbnails:
      [
        "every": "interval", "step": "interval", "size": "width", "tile": "width",
        "rows": "columns, which are also the most rows",
        "grid": "columns",
      ]
    case .sequence: ["pattern": "names", "name": "names", "start": "first", "startNumber": "first", "number": "first"]
    case .videoSettings:
      [
        "interlaced": "fields: \"topFirst\"", "fieldOrder": "fields", "field_order": "fields", "scan": "fields",
        "bitrate": "bitRate", "averageBitRate": "bitRate", "targetSize": "fileSize", "maxrate": "maxBitRate",
        "bufsize": "bufferSize", "vmaf": "quality: {\"xpsnr\": 42}", "ssim": "quality: {\"ssim\": 0.98}",
        "xpsnr": "quality: {\"xpsnr\": 42}", "targetQuality": "quality: {\"ssim\": 0.98}", "preset": "speed",
        "pixelAspect": "pixelAspectRatio", "sampleAspectRatio": "pixelAspectRatio", "sar": "pixelAspectRatio",
        "pasp": "pixelAspectRatio",
        "aspect": "pixelAspectRatio", "pixelFormat": "bitDepth", "transparent": "alpha", "transparency": "alpha",
        "alphaMode": "alpha",
      ]
    case .qualityTarget: ["SSIM": "ssim", "XPSNR": "xpsnr", "dssim": "ssim", "msssim": "ssim", "target": "ssim or xpsnr"]
    case .audioSettings: ["channels": "channelLayout", "rate": "sampleRate"]
    case .asset: ["font": "kind: \"font\"", "type": "kind", "index": "face", "file": "path"]
    case .nestedComposition: ["composition": "tracks, which stand in it themselves"]
    case .composition, .track, .colorTags, .border, .compositor, .masteringDisplay,
      .contentLight, .captionStyle, .captionWord, .captionHighlight, .shadow, .outline, .glow, .textBox, .shapeOutline, .gradient:
      [:]
    case .keyframeCurve:
      [
        "additive": Self.sums, "cumulative": Self.sums, "repeat": "a layer's clock", "calculationMode": "calculation",
      ]
    case .keyframeSummand:
      [
        "isAdditive": "additive", "composite": "additive: true", "isCumulative": "cumulative",
        "iterationComposite": "cumulative: true",
        "iterations": "repeat", "repeatCount": "repeat", "calculationMode": "calculation",
      ]
    case .layerShadow: ["opacity": "color, by its alpha", "blur": "radius", "x": "offset: [x, y]", "y": "offset: [x, y]"]
    case .filter:
      [
        "gaussianBlur": "blur", "radius": "blur", "grayscale": "saturation: 0", "saturate": "saturation",
        "kind": "its values alone",
      ]
    case .motionPath: ["rotationMode": "rotate: true", "keyTimes": "progress: keyframes"]
    case .replicator:
      ["instanceCount": "count", "instanceDelay": "delay", "instanceTransform": "offset, rotation and scale", "copies": "count"]
    case .waveform: ["asset": "track", "count": "bars", "seconds": "window", "played": "progressColor", "range": "timeRange"]
    case .spectrum:
      [
        "bands": "bars of the waveform", "min": "from", "max": "to", "low": "from", "high": "to", "decay": "fall",
        "interval": "step",
      ]
    case .textMotion:
      ["entrance": "in", "exit": "out", "emphasis": "loop with \"repeat\": 1", "preset": "\"in\": {\"preset\": …}"]
    case .textAnimation:
      [
        "by": "unit", "from": "away", "to": "away", "name": "preset", "timing": "easing", "count": "repeat",
        "interval": "stagger",
      ]
    case .textPose: ["x": "offset: [x, y] in ems", "y": "offset: [x, y] in ems", "rotate": "rotation", "alpha": "opacity"]
    case .timestamp: ["drop": "dropFrame", "offset": "start", "precision": "decimals"]
    case .spring: ["initialVelocity": "velocity", "friction": "damping", "tension": "stiffness"]
    case .clock:
      [
        "beginTime": "begin", "timeOffset": "offset", "repeatCount": "repeat", "autoreverses": "autoreverse", "rate": "speed",
        "loop": "repeat: \"forever\"",
      ]
    }
  }

  private static let frameDuration = "frameDuration: \"1/25\" for 25 frames a second"

  private static let sums = "keyframes of places, factors, angles and transforms of layers, of opacities and of widths"

  private static let textHabits = [
    "fontSize": "size", "fontFamily": "font", "fonts": "font", "lang": "language", "locale": "language", "fontWeight": "weight",
    "italic": "slant: \"italic\"", "fontStyle": "slant", "bold": "weight: 700", "variations": "axes", "kerning": "letterSpacing",
    "rise": "baselineOffset", "furigana": "ruby", "vertical": "writingMode: \"vertical-rl\"", "dir": "direction",
    "baseWritingDirection": "direction", "textCombineUpright": "textCombine",
  ]

  private static let layerHabits = [
    "x": "frame: [x, y, width, height]", "y": "frame: [x, y, width, height]", "width": "frame: [x, y, width, height]",
    "height": "frame: [x, y, width, height]", "boundsSize": "bounds", "border": "borderWidth and borderColor",
    "sublayers": "layers", "angle": "rotation: degrees, clockwise", "anchor": "anchorPoint",
    "isHidden": "hidden", "visible": "hidden: the opposite", "zIndex": "zPosition", "blend": "blendMode",
    "compositingFilter": "blendMode", "isDoubleSided": "doubleSided", "backgroundFilters": "backdropFilters",
    "isGeometryFlipped": "origin", "m34": "perspective: -1 / m34",
    "start": "from", "end": "to", "duration": "from and to",
  ]

  /// The names that people know for gravities from other programs, each with its name here.
  static let gravityHabits = [
    "fit": "resizeAspect", "contain": "resizeAspect", "letterbox": "resizeAspect", "fill": "resizeAspectFill",
    "cover": "resizeAspectFill", "stretch": "resize", "scaleToFill": "resize", "topLeft": "none",
    "middle": "center", "centre": "center",
  ]

  /// A hint at the meaning of an unknown key, in parentheses, and the suggestion alone; nil when the key is like no other.
  func hint(for key: String) -> (text: String, suggestion: String)? {
    // A word that is known is no slip, however near it is to another one.
    if let meant = habits[key] { return (" (that is said by \(meant))", meant) }
    return Spelling.nearest(to: key, among: required + optional).map { (" (did you mean '\($0)'?)", $0) }
  }
}
