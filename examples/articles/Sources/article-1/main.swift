import AVFoundation
import Articles
import KeptFrames
import UIKit

// usage: article-1 insert|merge|short|lyrics|layers|background MOVIE OUTPUT [SOUND or PICTURE]
let words = CommandLine.arguments
guard words.count >= 4 else {
  print("usage: article-1 insert|merge|short|lyrics|layers|background MOVIE OUTPUT [SOUND or PICTURE]")
  exit(64)
}
let article = Article1(movieURL: URL(fileURLWithPath: words[2]), exportURL: URL(fileURLWithPath: words[3]))
let finish: @Sendable (AVAssetExportSession) -> Void = { session in
  if let error = session.error { print(error) }
  if session.status == .completed { print("saved to \(session.outputURL!.path)") }
  do { try session.keepFrames() } catch { print(error) }
  exit(session.status == .completed ? 0 : 1)
}
let lyrics: [[String: Any]] = [
  ["id": 1, "lyric": "A rabbit wakes up", "start_at": CMTime(value: 1, timescale: 2), "end_at": CMTime(value: 2, timescale: 1)],
  ["id": 2, "lyric": "and looks around", "start_at": CMTime(value: 5, timescale: 2), "end_at": CMTime(value: 4, timescale: 1)],
]
switch words[1] {
case "insert", "merge", "short":
  article.merge(
    audioURL: URL(fileURLWithPath: words[4]), isShort: words[1] == "short", isUpright: words[1] != "insert", completion: finish)
case "background":
  guard let image = UIImage(contentsOfFile: words[4]) else {
    print("\(words[4]): no PNG or JPEG")
    exit(66)
  }
  try article.lyricMovie(lyrics, backgroundImage: image, completion: finish)
default:
  try article.lyricMovie(lyrics, backgroundImage: nil, hasLayers: words[1] == "layers", completion: finish)
}
dispatchMain()
