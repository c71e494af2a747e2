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
