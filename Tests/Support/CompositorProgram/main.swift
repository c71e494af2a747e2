import AVFoundation
import SpoolHost

// A spool with compositors of its own, for the tests: some that work, and others that fail, each in its own way. It also exports by itself,
// as an app does.
SpoolHost.begin(
  compositors: [Mixer.self, Holder.self, Crasher.self, Thrower.self, Waiter.self, Blend.self],
  instructions: [Holding.self, Wait.self, CodedBlend.self, ArchivedBlend.self])
let words = CommandLine.arguments
guard words.count == 4, words[1] == "export" else { SpoolHost.main() }
do { try await Exports(of: words[2], to: words[3]).run() } catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(1)
}
