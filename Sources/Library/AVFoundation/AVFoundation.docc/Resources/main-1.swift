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

for clip in clips {
  print(clip.url.lastPathComponent, try await clip.load(.duration).seconds, "s")
}
