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
