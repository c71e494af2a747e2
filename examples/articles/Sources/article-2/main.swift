import AVFoundation
import Articles
import KeptFrames

// usage: article-2 crossfade|swipe|reveal FIRST SECOND OUTPUT
let words = CommandLine.arguments
guard words.count >= 5, let kind = LayerTransition(rawValue: words[1]) else {
  print("usage: article-2 \(LayerTransition.allCases.map(\.rawValue).joined(separator: "|")) FIRST SECOND OUTPUT")
  exit(64)
}
let (first, second, output) = (URL(fileURLWithPath: words[2]), URL(fileURLWithPath: words[3]), URL(fileURLWithPath: words[4]))
try transition(kind, from: first, to: second, output: output) { session in
  if let error = session.error { print(error) }
  if session.status == .completed { print("saved to \(session.outputURL!.path)") }
  do { try session.keepFrames() } catch { print(error) }
  exit(session.status == .completed ? 0 : 1)
}
dispatchMain()
