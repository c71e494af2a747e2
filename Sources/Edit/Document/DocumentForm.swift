internal import Formats

/// The objects of which a document consists, and the keys of each. docs/spool-1.schema.json has the same keys in `$defs` of these
/// names. A test compares the two.
package enum DocumentForm: String, CaseIterable {
  case document, asset, composition, nestedComposition, track, musicBed, segment, sourceRange, timePoint, timeRange
  case videoComposition, colorTags, instruction, layerInstruction, transition, border, compositor
  case keyframe, keyframeCurve, keyframeSummand
  case imageLayer, textLayer, shapeLayer, gradientLayer, waveformLayer, trackLayer, videoLayer, clipLayer, lottieLayer, plainLayer
  case layerShadow, filter, motionPath, replicator
  case audioMixInput, ducking, soundEffect, equalizerBand, compression, gate, deEsser, reverb
  case captionTrack, captionStyle, captionCue, captionRun, captionMove, captionWord, captionHighlight, captionRegion,
    captionScroll
  case shadow, textRun, emphasis, outline, glow, textBox, shapeOutline, gradient, waveform, spectrum, clock, spring, timestamp
  case textMotion, textAnimation, textPose
  case export, videoSettings, masteringDisplay, contentLight, audioSettings, loudness, trackLoudness, movieSound, rendition
  case metadata, chapter, sequence, poster, thumbnails, copies, timecodeSource, qualityTarget

  /// The keys that must be present.
  package var required: [String] {
    switch self {
    case .document: ["spool", "composition"]
    case .composition, .nestedComposition: ["tracks"]
    case .track: ["id", "media", "segments"]
    case .musicBed: ["kind"]
    case .timePoint: ["at"]
    case .timeRange: ["start", "duration"]
    case .colorTags: ["primaries", "transfer", "matrix"]
    case .layerInstruction: ["track"]
    case .transition: ["kind", "from", "to"]
    case .border: ["width"]
    case .compositor: ["name", "requiredTracks"]
    case .keyframe: ["at", "value"]
    case .keyframeCurve: ["keyframes", "calculation"]
    case .keyframeSummand: ["keyframes"]
    case .motionPath: ["path", "progress"]
    case .replicator: ["count"]
    case .imageLayer: ["image"]
    case .textLayer: ["text", "font", "size"]
    case .shapeLayer: ["shape"]
    case .gradientLayer: ["gradient"]
    case .waveformLayer: ["waveform"]
    case .trackLayer: ["track"]
    case .videoLayer: ["video"]
    case .clipLayer: ["clip"]
    case .lottieLayer: ["lottie"]
    case .textRun: ["text"]
    case .emphasis: ["mark"]
    case .outline: ["width"]
    case .glow: ["radius"]
    case .textBox: ["color"]
    case .captionTrack: []
    case .captionStyle: ["font", "size"]
    case .captionCue: ["from", "to", "text"]
    case .captionRun: ["text"]
    case .captionMove: ["to"]
    case .captionRegion: []
    case .captionScroll: ["from", "until", "up"]
    case .captionWord: ["at", "text"]
    case .captionHighlight: ["color"]
    case .shapeOutline: ["path"]
    case .gradient: ["colors"]
    case .audioMixInput: ["track"]
    case .ducking: ["under"]
    case .loudness, .trackLoudness: ["integrated"]
    case .equalizerBand: ["kind", "frequency"]
    case .compression, .gate, .deEsser: ["threshold"]
    case .movieSound: ["tracks"]
    case .masteringDisplay: ["red", "green", "blue", "white", "luminance"]
    case .contentLight: ["maximum", "frameAverage"]
    case .chapter: ["at", "title"]
    case .copies: ["frames"]
    case .timecodeSource: ["asset"]
    case .asset, .segment, .sourceRange, .videoComposition, .instruction, .plainLayer, .shadow, .layerShadow, .filter, .clock,
      .spring, .timestamp, .waveform, .spectrum, .textMotion, .textAnimation, .textPose, .soundEffect, .reverb, .export,
      .videoSettings, .audioSettings, .metadata, .sequence, .poster, .thumbnails, .rendition, .qualityTarget:
      []
    }
  }

  /// The keys that may be left out. Every object may have a comment.
  package var optional: [String] { own + ["comment"] }

  /// The keys that only people and their editors read.
  package static let remarks = ["$schema", "title", "comment"]

  /// The keys of every layer.
  private static let layerKeys = [
    "frame", "bounds", "anchorPoint", "position", "scale", "rotation", "transform", "opacity", "from", "to", "fadeIn", "fadeOut",
    "backgroundColor", "cornerRadius", "borderWidth", "borderColor", "masksToBounds", "shadow", "mask", "blendMode",
    "clock", "zPosition", "hidden", "layers", "rotationX", "rotationY", "perspective", "transform3D", "doubleSided", "motionPath",
    "maskMode", "filters", "backdropFilters", "replicator", "origin",
  ]

  /// The keys of style that texts and their runs have in common.
  private static let textKeys = [
    "language", "weight", "slant", "stretch", "axes", "features", "color", "underline", "strikethrough", "letterSpacing",
    "textOrientation", "textEmphasis",
  ]

  private var own: [String] {
    switch self {
    case .document:
      [
        "$schema", "title", "assets", "compositions", "videoComposition", "layers", "captions", "textAnimations", "audioMix",
        "export",
      ]
    case .asset: ["path", "url", "data", "kind", "face", "damage", "interlace"]
    case .composition, .timeRange, .masteringDisplay, .contentLight: []
    case .track: ["bed", "crossfade"]
    case .musicBed: ["start", "end"]
    case .nestedComposition: ["videoComposition", "layers", "captions", "audioMix"]
    case .segment: ["asset", "composition", "source", "at", "duration", "sourceTrack", "reversed", "timeMap"]
    case .timePoint: ["source", "speed"]
    case .sourceRange: ["start", "duration"]
    case .videoComposition: ["renderSize", "frameDuration", "renderScale", "color", "toneMap", "blending", "instructions"]
    case .colorTags: ["range"]
    case .instruction: ["timeRange", "background", "layerInstructions", "transition", "compositor"]
    case .layerInstruction: ["gravity", "opacity", "transform", "crop", "cropTo"]
    case .transition: ["subtype", "color", "radius", "map", "softness", "border", "reverse", "easing"]
    case .border: ["color"]
    case .compositor: ["parameters", "passthrough", "containsTweening", "enablePostProcessing"]
    case .keyframe: ["hold", "easing"]
    case .keyframeCurve: []
    case .keyframeSummand: ["calculation", "repeat", "cumulative", "additive"]
    case .imageLayer: ["gravity", "contentsRect", "contentsCenter"] + Self.layerKeys
    case .clipLayer: ["gravity", "loop"] + Self.layerKeys
    case .lottieLayer: ["animation", "gravity", "loop", "images", "fonts", "strict"] + Self.layerKeys
    case .layerShadow: ["color", "offset", "radius", "path", "ofContent"]
    case .filter: ["blur", "brightness", "contrast", "saturation"]
    case .motionPath: ["rotate"]
    case .replicator: ["offset", "rotation", "scale", "delay", "opacityStep", "color", "colorStep"]
    case .trackLayer, .videoLayer: ["gravity"] + Self.layerKeys
    case .textLayer:
      Self.textKeys + [
        "writingMode", "direction", "align", "verticalAlign", "outline", "fillGradient", "textShadow", "glow", "box",
        "wordSpacing",
        "lineSpacing", "lineHeight", "tabs", "wrap", "maxLines", "truncate", "minSize", "timestamp", "animation",
      ] + Self.layerKeys
    case .textRun: Self.textKeys + ["font", "size", "baselineOffset", "ruby", "textCombine"]
    case .shapeLayer:
      [
        "fillColor", "fillRule", "strokeColor", "lineWidth", "lineCap", "lineJoin", "miterLimit", "dash", "dashPhase",
        "strokeStart",
        "strokeEnd",
      ] + Self.layerKeys
    case .gradientLayer, .waveformLayer, .plainLayer: Self.layerKeys
    case .captionTrack:
      [
        "file", "encoding", "offset", "cues", "style", "padding", "place", "margin", "maxLines", "highlight", "as", "drawnBy",
        "script", "opacity", "sidecar",
      ]
    case .captionStyle:
      Self.textKeys + [
        "writingMode", "direction", "align", "outline", "fillGradient", "textShadow", "glow", "box", "wordSpacing",
        "lineSpacing", "lineHeight",
        "animation", "opacity",
        "backgroundColor", "cornerRadius", "borderWidth", "borderColor", "shadow",
      ]
    case .captionCue:
      ["words", "writingMode", "place", "position", "width", "move", "align", "color", "weight", "fadeIn", "fadeOut", "frame"] + [
        "line", "region", "clip", "scrolls", "language", "makesRoom", "direction",
      ]
    case .captionRegion: ["width", "lines", "regionAnchor", "viewportAnchor", "scroll"]
    case .captionScroll: []
    case .captionRun:
      ["language", "weight", "italic", "underline", "strikethrough", "color", "ruby", "textCombine", "textEmphasis"]
    case .captionMove: ["from", "until"]
    case .captionWord: ["until", "frame"]
    case .captionHighlight: ["kind", "animation"]
    case .textMotion: ["in", "out", "loop"]
    case .textAnimation:
      [
        "preset", "unit", "order", "seed", "delay", "stagger", "duration", "easing", "anchor", "clip", "alternate", "repeat",
        "away",
      ]
    case .textPose: ["at", "opacity", "offset", "scale", "rotation", "blur", "reveal", "color"]
    case .shadow: ["color", "offset", "radius"]
    case .outline: ["color", "position", "join"]
    case .emphasis: ["fill", "color", "side"]
    case .glow: ["color", "strength"]
    case .textBox: ["padding", "cornerRadius", "around"]
    case .clock: ["begin", "speed", "offset", "duration", "repeat", "autoreverse"]
    case .timestamp: ["start", "dropFrame", "decimals", "date", "track"]
    case .spring: ["mass", "stiffness", "damping", "velocity"]
    case .shapeOutline: []
    case .gradient: ["kind", "locations", "start", "end"]
    case .waveform:
      [
        "track", "spectrum", "timeRange", "bars", "window", "now", "measure", "floor", "normalize", "style", "mirrored",
        "barWidth", "round",
        "lineWidth", "color", "progressColor", "levels",
      ]
    case .spectrum: ["from", "to", "step", "fall"]
    case .audioMixInput:
      [
        "volume", "fadeIn", "fadeOut", "fadeShape", "balance", "mute", "solo", "preservesPitch", "loudness", "channels",
        "effects", "duck",
      ]
    case .ducking: ["by", "threshold", "attack", "lookAhead", "hold", "release"]
    case .loudness: ["truePeak", "range"]
    case .trackLoudness: ["range"]
    case .soundEffect: ["equalizer", "compressor", "gate", "deEsser", "reverb"]
    case .equalizerBand: ["gain", "q"]
    case .compression: ["ratio", "knee", "attack", "release", "makeUpGain"]
    case .gate: ["range", "attack", "hold", "release"]
    case .deEsser: ["frequency", "ratio"]
    case .reverb: ["decay", "level", "preDelay", "brightness"]
    case .movieSound: ["language", "title", "default", "audio", "loudness"]
    case .export:
      [
        "preset", "fileType", "video", "renditions", "audio", "sounds", "effects", "loudness", "optimizeForNetworkUse",
        "renderScale", "maximumSize", "timeRange", "fragmentInterval", "timecode", "metadata", "chapters", "playCount",
        "sequence", "poster", "thumbnails", "cleanAperture", "checksum", "copies",
      ]
    case .videoSettings:
      ["codec"] + Self.codecKeyNames
        + ["bitDepth", "alpha", "fields", "fieldFilter", "pixelAspectRatio", "copy", "masteringDisplay", "contentLight"]
    case .metadata: MovieTags.Key.allCases.map(\.rawValue) + ["location", "language", "custom", "from", "keep"]
    case .chapter: []
    case .rendition: ["size", "maximumSize", "crf", "speed", "maxBitRate", "bufferSize"]
    case .sequence: ["names", "first"]
    case .poster: ["at", "width"]
    case .thumbnails: ["interval", "width", "columns"]
    case .copies: ["reorderDepth", "parameterSets", "sound", "priming"]
    case .timecodeSource: []
    case .qualityTarget: QualityTarget.Measure.allCases.map(\.rawValue)
    case .audioSettings: ["codec", "sampleRate", "channelLayout", "bitRate", "sampleFormat", "copy"]
    }
  }
}
