internal import Formats
package import MediaTime

/// The bounds of a document. They are far above real edits. They keep a hostile or broken document from using much memory or time
/// before anybody looks at it.
package enum DocumentLimits {
  /// The bytes of a document: 16 MiB hold some 100 000 clips. This is checked before the text is parsed.
  package static let byteCount = 16 << 20
  /// The faults that are told. Nobody reads more at once.
  package static let faults = 200

  /// The number of assets. Each is probed, and its facts are stored with the job.
  package static let assets = 10_000
  /// The bytes of a picture in the document, as its URL has them: as many as a Lottie file may have.
  package static let embeddedLength = 8 << 20
  package static let compositions = 1_000
  /// The levels to which compositions nest. Each level renders its own frames.
  package static let nesting = 8
  /// The number of segments when every nested composition is written out. It grows fast: ten in ten in ten.
  package static let unfoldedSegments = 1_000_000
  /// The pictures of media that one frame shows when every nested composition is written out: as many as layer instructions of
  /// one level in another.
  package static let framePictures = 4_096
  package static let tracks = 1_000
  package static let segments = 100_000
  package static let instructions = 100_000
  /// The layers of one instruction. Each is a decoder that is open at the same time.
  package static let layerInstructions = 64
  /// The bytes of a compositor's parameters, in canonical form. They go with every attempt's order.
  package static let compositorParameters = 65_536
  /// The number of layers. Each frame looks at every one.
  package static let layers = 10_000
  /// The levels to which layers stand on each other. Each is two levels of JSON, which has 80. Files of Lottie nest deeply.
  package static let layerNesting = 32
  /// The elements of a path, and the bytes of its text. The canonical text of so many elements is not longer.
  package static let pathElements = 10_000
  package static let pathLengthInText = 2 << 20
  /// The longest side and the most pixels that a layer is drawn with because it is seen so large while it moves. A larger one is
  /// drawn smaller, and enlarged then.
  package static let movingSide = 8_192.0
  package static let movingPixels = 33_554_432.0
  /// The speeds of layers' clocks, the largest denominator of one, and the largest number of cycles.
  package static let clockSpeed = 0.001...1_000
  package static let clockDenominator: Int128 = 1_001
  package static let clockCycles = 1_000_000
  /// The largest gain that is given in decibels: about that of the largest factor.
  package static let decibels = 24.0
  /// The mass, stiffness and damping of a spring, and its velocity.
  package static let spring = 0.001...1e6
  package static let springVelocity = -1_000.0...1_000
  package static let chapters = 1_000
  /// The seconds from one thumbnail to the next, their width, and the most in a row or a column of a sheet.
  package static let thumbnailInterval = 0.1...3_600
  package static let thumbnailWidth = 16...640
  package static let thumbnailColumns = 1...20
  /// The width of a poster: that of the largest picture.
  package static let posterWidth = 16...8_192
  /// The thumbnails of a movie.
  package static let thumbnails = 10_000
  /// The most pixels of a sheet, as much as browsers of telephones show, and of all sheets of a movie.
  package static let sheetPixels = 1 << 24
  package static let allSheetPixels = 1 << 28
  /// The seconds of a fragment. Shorter ones would be headers mostly; a player waits for a longer one.
  package static let fragmentInterval = 0.1...60
  /// The descriptions of a movie under keys of the user's own.
  package static let customTags = 64
  /// The most bytes of one of a movie's descriptions.
  package static let tagLength = 4_096
  package static let captionTracks = PieceNames.mostTexts
  /// The sounds of a movie. All are mixed at the same time.
  package static let sounds = 16
  /// The most renditions beside the main picture. Each frame is encoded so often, and an attempt holds as many encoders.
  package static let renditions = PieceNames.mostRenditions
  /// The layers that are Lottie files, with those of nested compositions.
  package static let lottieFiles = 64
  /// The width at which a cue's lines are broken, as a share of the picture's.
  package static let captionWidth = 0.01...1.0
  package static let gradientStops = 64
  package static let dashes = 16
  package static let miterLimit = 1.0...1_000
  /// The elements of all outlines of a shape whose outline changes.
  package static let movingPathElements = 1_000_000
  /// The waveforms of an edit, with those of its nested compositions.
  package static let waveforms = 16
  /// The levels of a waveform that are seen at once.
  package static let waveformBars = 2...2_000
  /// The levels of a waveform.
  package static let waveformLevels = 50_000
  /// The levels of all spectra of an edit together.
  package static let spectrumLevels = 1_000_000
  /// The edges of a spectrum, in Hz.
  package static let spectrumEdges = 10.0...48_000.0
  /// The dB by which a band of a spectrum may fall within a second.
  package static let spectrumFall = 1.0...10_000.0
  /// The level in dB at which a waveform has no height.
  package static let waveformFloor = -120.0 ... -1.0
  package static let keyframes = 10_000
  /// The values over time that are added to make one.
  package static let addedValues = 64

  /// The bytes of a name: an asset's, a track's, a font's.
  package static let nameLength = 256
  /// The names in a text's list of fonts.
  package static let fonts = 8
  /// The bytes of a path: Linux's PATH_MAX.
  package static let pathLength = 4_096
  /// The bytes of a text layer: more than fit into a picture.
  package static let textLength = 16_384
  /// The runs of a text, the bytes of a run's ruby, and the lines and tabs that a text may ask for.
  package static let textRuns = 1_000
  package static let rubyLength = 256
  package static let textLines = 1_000
  package static let tabs = 64
  /// The animations of texts that a document names, and the poses of one.
  package static let textAnimations = 1_000
  package static let textSteps = 64
  /// The characters of a text whose letters or words move on their own. Each is a picture.
  package static let movingLetters = 2_000
  package static let animationSeed = 1_000_000
  /// The distances in ems and the factors of a pose, and its blur in ems.
  package static let poseDistance = -100.0...100.0
  package static let poseBlur = 0.0...10.0
  /// The axes or features of a run. Fonts have some dozens at most.
  package static let fontSettings = 32

  /// The longest time, in hours. A timecode starts again after 100.
  package static let hours: Int64 = 100
  package static let latest = MediaTime(seconds: hours * 3600)
  package static let framesPerSecond: Int64 = 1_000
  /// The longest frame, in seconds. A longer one is probably a rate that was given as a duration.
  package static let frameSeconds: Int64 = 10
  /// The factor by which a segment may be faster or slower than its source. Beyond it the range is probably a mistake, and
  /// resampling costs too much.
  package static let speed: Int64 = 100
  /// The points of a segment's retiming curve.
  package static let timePoints = 1_000
  /// The factor by which sound may be faster or slower than its source while it keeps its pitch. Beyond it little of the sound is
  /// left.
  package static let preservedSpeed: Int64 = 8

  /// The sides of a frame, in pixels. 8192 is the widest frame for which H.264 has a level; 16 is the side of a macroblock.
  package static let renderSide = 16...8_192
  /// The movie's size over the render size.
  package static let renderScale = 0.01...1.0
  /// The progress of an easing's control points.
  package static let overshoot = -10.0...10.0
  /// Positions and sizes in pixels, and the terms of a transform.
  package static let coordinate = -1_000_000.0...1_000_000.0
  /// The radius of a blur, as a share of the frame's height. A wider blur shows nothing but colours.
  package static let blurRadius = 0.001...0.5
  /// The width of a wipe's border, as a share of the edge's way. A border without width is left out of the document.
  package static let borderWidth = 0.0001...1.0
  /// The most cd/m² of `ContentLight`, which has 16 bits.
  package static let contentLight = 65_535
  package static let fontSize = 1.0...4_096.0
  /// The width of letters in percent: the widths of the OpenType specification.
  package static let stretch = 50.0...200.0
  /// The value of a variable font's axis, which is 16.16 bits.
  package static let axis = -32_768.0...32_767.0
  /// The value of an OpenType feature.
  package static let feature = 0...255
  /// Spaces between letters and words, and how far letters stand above their line, in pixels.
  package static let letterSpacing = -1_000.0...1_000.0
  /// The number of times that a glow is laid.
  package static let glowStrength = 1...8
  /// The distance of lines, as a multiple of the font's own.
  package static let lineSpacing = 0.1...10.0
  /// The factor by which a layer is scaled. A negative one mirrors it.
  package static let layerScale = -1_000.0...1_000.0
  /// Angles in degrees: a hundred thousand turns.
  package static let rotation = -36_000_000.0...36_000_000.0
  /// The distance of the eye from a layer that is turned in space, in pixels.
  package static let perspective = 1.0...1_000_000.0
  /// The elements of a way along which a layer moves. It is measured for each frame.
  package static let motionPathElements = 1_000
  /// The filters of a layer, and those of what lies below it. Each is a pass over a picture.
  package static let filters = 8
  /// The number that controls of colour add, and their factors.
  package static let brightness = -1.0...1.0
  package static let colorFactor = 0.0...10.0
  /// The copies of what stands on a layer.
  package static let copies = 1_000
  /// The standard deviation of the blur of a shadow or a filter, in pixels.
  package static let shadowRadius = 0.0...500.0
  /// The width of a line or a border, in pixels.
  package static let lineWidth = 0.0...8_192.0
  /// The factor of a volume: up to +24 dB. More is probably a mistake.
  package static let volume = 0.0...16.0
  /// The factor of a channel that is heard in another; a negative one turns the wave over.
  package static let channelFactor = -16.0...16.0
  /// The effects of a track or of the whole sound, and the bands of an equaliser. Each is a pass over all samples.
  package static let soundEffects = 16
  package static let equalizerBands = 32
  /// The frequencies of filters in Hz, and their qualities.
  package static let frequency = 10.0...90_000.0
  package static let quality = 0.1...100.0
  /// The dB of an equaliser's or a compressor's gain, of a threshold, of a knee and of a gate's range.
  package static let effectGain = -48.0...48.0
  package static let effectThreshold = -120.0...0.0
  package static let knee = 0.0...48.0
  package static let gateRange = -120.0...0.0
  package static let ratio = 1.0...1_000.0
  /// The longest attack, hold or release of an effect, in seconds.
  package static let effectSeconds: Int64 = 10
  /// The decay of a room in seconds, the dB of its sound, its longest pre-delay in seconds, and the share of high frequencies' decay.
  package static let decay = 0.05...30.0
  package static let reverbLevel = -120.0...24.0
  package static let preDelaySeconds: Int64 = 1
  package static let reverbBrightness = 0.05...1.0
  /// The longest crossfade between segments of sound, in seconds.
  package static let crossfadeSeconds: Int64 = 60
  /// The longest attack, hold, release or look-ahead of a ducking, in seconds.
  package static let duckingSeconds: Int64 = 60
  /// The segments to which tracks yield, counted again for each such track. Each becomes a fall and a rise.
  package static let duckedSegments = 200_000
  /// The levels of tracks that are measured. Each is mixed once for that.
  package static let measuredLevels = 64
  /// A loudness in LUFS. Below -70 nothing is measured (BS.1770-4).
  package static let loudness = -70.0...0.0
  /// A true peak in dBTP.
  package static let truePeak = -60.0...0.0
  /// A loudness range in LU. Less than 1 would make all the same.
  package static let loudnessRange = 1.0...60.0
}
