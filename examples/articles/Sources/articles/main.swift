import AVFoundation
import KeptFrames
import PrintedArticles

// usage: articles dissolve FIRST SECOND OUTPUT | mark MOVIE LOGO OUTPUT | post|trim|waveform MOVIE SOUND OUTPUT | timestamp MOVIE OUTPUT | loop SOUND
let words = CommandLine.arguments
func url(_ place: Int) -> URL {
  guard words.count > place else {
    print("usage: articles dissolve FIRST SECOND OUTPUT | mark MOVIE LOGO OUTPUT | post|trim|waveform MOVIE SOUND OUTPUT")
    print("       articles timestamp MOVIE OUTPUT | loop SOUND")
    exit(64)
  }
  return URL(fileURLWithPath: words[place])
}
let finish: @Sendable (AVAssetExportSession) -> Void = { session in
  if let error = session.error { print(error) }
  if session.status == .completed { print("saved to \(session.outputURL!.path)") }
  do { try session.keepFrames() } catch { print(error) }
  exit(session.status == .completed ? 0 : 1)
}
switch words.dropFirst().first {
case "dissolve": try dissolve(url(2), url(3), to: url(4), completion: finish)
case "mark":
  guard let source = CGDataProvider(filename: url(3).path),
    let logo = CGImage(pngDataProviderSource: source, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
  else {
    print("\(words[3]): no PNG")
    exit(66)
  }
  try mark(url(2), logo: logo, copyright: "© 2026", to: url(4), completion: finish)
case "post": post(url(2), audioPath: url(3), to: url(4), completion: finish)
case "trim":
  let range = CMTimeRange(start: CMTime(value: 1, timescale: 1), duration: CMTime(value: 2, timescale: 1))
  post(url(2), audioPath: url(3), range: range, to: url(4), completion: finish)
case "waveform": try colorWaveForm(url(2), audioPath: url(3), to: url(4), completion: finish)
case "timestamp":
  try TimestampWriter().run(url(2), to: url(3)) { writer in
    if let error = writer.error { print(error) }
    exit(writer.status == .completed ? 0 : 1)
  }
case "loop":
  let player = AudioPlayer(withAudioFilePath: url(2))
  player.play(range: 0.25...0.75) {
    print("played once")
    exit(0)
  }
  withExtendedLifetime(player) { dispatchMain() }
default: _ = url(words.count)
}
dispatchMain()
