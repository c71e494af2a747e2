import FarmTesting
import Formats
import Media
import MediaTime
import Testing
import Timeline

@Suite struct SharedMediaTests {
  /// The most pixels of a picture that is decoded. Larger ones would take most of the suite's time in a debug build.
  private static let maxPixels = 1280 * 720

  @Test(.enabled(if: SharedMedia.folder != nil))
  func `every file of the shared media is either refused or gives its first, middle and last picture`() throws {
    let policy = SourcePolicy(roots: [SharedMedia.folder!])
    var pictures = 0
    for path in try SharedMedia.files() {
      guard let facts = try? AssetProbe.facts(of: path, policy: policy) else { continue }
      for track in facts.playableTracks(.video) {
        guard case .video(let video) = track.detail, video.naturalSize.width * video.naturalSize.height <= Self.maxPixels else {
          continue
        }
        let reader = try VideoReader(path: path, track: track, policy: policy)
        let (start, duration) = (Rational(track.timeRange.start), Rational(track.timeRange.duration))
        for part in [Rational(0), try Rational(1, over: 2), Rational(1)] {
          do throws(MediaError) {
            let picture = try reader.frame(at: Self.time(start, duration, part))
            #expect(picture.width > 0 && picture.height > 0, "\(path)")
            pictures += 1
          } catch {
            // Some files are damaged on purpose. Their errors must say so.
            #expect(error.kind == .corrupt, "\(error)")
          }
        }
      }
    }
    #expect(pictures > 300)
  }

  @Test(.enabled(if: SharedMedia.folder != nil))
  func `a transport stream that something else precedes is known as one`() throws {
    let (policy, path) = (SourcePolicy(roots: [SharedMedia.folder!]), SharedMedia.folder! + "/film/androidx/ts/sample_with_junk")
    let facts = try AssetProbe.facts(of: path, policy: policy)
    #expect(facts.container == "mpegts" && facts.playableTracks(.audio).count == 1)
    let reader = try VideoReader(path: path, track: facts.first(.video), policy: policy)
    for index in 0..<25 { _ = try reader.frame(at: Rational(Int128(index), over: 25)) }
  }

  private static func time(_ start: Rational, _ duration: Rational, _ part: Rational) throws(MediaError) -> Rational {
    do { return try start + duration * part } catch { throw MediaError(.corrupt, at: "time", "\(error)") }
  }
}
