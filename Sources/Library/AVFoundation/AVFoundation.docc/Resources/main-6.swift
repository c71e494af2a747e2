import AVFoundation

let words = CommandLine.arguments
guard words.count == 5 else {
  print("usage: first-movie FIRST SECOND MUSIC MOVIE")
  exit(64)
}
let clips = words[1...2].map { AVURLAsset(url: URL(fileURLWithPath: $0)) }
let music = AVURLAsset(url: URL(fileURLWithPath: words[3]))
let size = CGSize(width: 1280, height: 720)
let seconds = { (value: Double) in CMTime(seconds: value, preferredTimescale: 600) }

let composition = AVMutableComposition()
var tracks: [AVMutableCompositionTrack] = []
for (index, clip) in clips.enumerated() {
  let track = composition.addMutableTrack(withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid)!
  let source = try await clip.loadTracks(withMediaType: .video)[0]
  let range = CMTimeRange(start: .zero, duration: seconds(4))
  try track.insertTimeRange(range, of: source, at: seconds(index == 0 ? 0 : 3))
  tracks.append(track)
}

let layers = tracks.map { AVMutableVideoCompositionLayerInstruction(assetTrack: $0) }
for (layer, track) in zip(layers, tracks) {
  let scale = max(size.width / track.naturalSize.width, size.height / track.naturalSize.height)
  let transform = CGAffineTransform(
    a: scale, b: 0, c: 0, d: scale, tx: (size.width - track.naturalSize.width * scale) / 2,
    ty: (size.height - track.naturalSize.height * scale) / 2)
  layer.setTransform(transform, at: .zero)
}
let dissolve = CMTimeRange(start: seconds(3), duration: seconds(1))
layers[0].setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0, timeRange: dissolve)
let instruction = AVMutableVideoCompositionInstruction()
instruction.timeRange = CMTimeRange(start: .zero, duration: seconds(7))
instruction.layerInstructions = layers
let video = AVMutableVideoComposition()
video.renderSize = size
video.frameDuration = CMTime(value: 1, timescale: 25)
video.instructions = [instruction]

let sound = composition.addMutableTrack(withMediaType: .audio, preferredTrackID: kCMPersistentTrackID_Invalid)!
let song = try await music.loadTracks(withMediaType: .audio)[0]
try sound.insertTimeRange(CMTimeRange(start: .zero, duration: seconds(7)), of: song, at: .zero)
let loudness = AVMutableAudioMixInputParameters(track: sound)
let end = CMTimeRange(start: seconds(6), duration: seconds(1))
loudness.setVolumeRamp(fromStartVolume: 1, toEndVolume: 0, timeRange: end)
let mix = AVMutableAudioMix()
mix.inputParameters = [loudness]

let frame = CGRect(origin: .zero, size: size)
let videoLayer = CALayer()
videoLayer.frame = frame
let title = CATextLayer()
title.string = "My first movie"
title.font = "DejaVu Sans"
title.fontSize = 64
title.alignmentMode = .center
title.frame = CGRect(x: 0, y: 80, width: size.width, height: 90)
let fade = CABasicAnimation(keyPath: "opacity")
fade.fromValue = 0
fade.toValue = 1
fade.beginTime = 0.5
fade.duration = 1
fade.fillMode = .both
fade.isRemovedOnCompletion = false
title.add(fade, forKey: "fade")
let tree = CALayer()
tree.frame = frame
tree.addSublayer(videoLayer)
tree.addSublayer(title)
video.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: videoLayer, in: tree)

guard let session = AVAssetExportSession(asset: composition, presetName: AVAssetExportPreset1280x720) else { exit(70) }
session.videoComposition = video
session.audioMix = mix
let states = session.states(updateInterval: 1)
Task {
  for await state in states {
    if case .exporting(let progress) = state { print("\(Int(progress.fractionCompleted * 100)) %") }
  }
}
do {
  try await session.export(to: URL(fileURLWithPath: words[4]), as: .mp4)
  print("\(words[4]) is done")
} catch {
  print("error: \(error.localizedDescription)")
  exit(1)
}
