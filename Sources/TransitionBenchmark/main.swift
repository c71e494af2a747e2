// Times a transition between two movies without decoding or encoding: `scripts/benchmark` runs it. The first pictures of each
// are decoded before the clock starts, and shown over and over.
//
// usage: TransitionBenchmark FROM TO FRAMES EFFECT [SOFTNESS]      prints nanoseconds per frame
//
// EFFECT is "dissolve", "blurDissolve", "push", or a wipe by type and subtype: "barWipe leftToRight".

import Compositing
import Glibc
import Media
import MediaTime
import Timeline

/// The first pictures of a movie, in memory.
struct Clip {
  let pictures: [SourcePicture]
  let facts: VideoFacts

  init(path: String, policy: SourcePolicy, count: Int64 = 8) throws {
    let asset = try AssetProbe.facts(of: path, policy: policy)
    guard let track = asset.playableTracks(.video).first, case .video(let facts) = track.detail, let rate = facts.nominalFrameRate
    else { throw UsageFault(reason: "\(path): no video with a frame rate") }
    let reader = try VideoReader(path: path, track: track, policy: policy)
    self.facts = facts
    pictures = try (0..<count).map { index in
      let time = try Rational(Int128(index) * Int128(rate.timescale), over: Int128(rate.value))
      return SourcePicture(buffer: try reader.frame(at: time), facts: facts)
    }
  }
}

struct UsageFault: Error { let reason: String }

func effect(_ name: String, softness: Double) throws -> Transition.Effect {
  switch name {
  case "dissolve": return .dissolve
  case "blurDissolve": return .blurDissolve(radius: Transition.usualBlurRadius)
  case "push": return .motion(.push, .fromLeft)
  default:
    guard let wipe = SMPTEWipe(rawValue: name) else { throw UsageFault(reason: "no effect '\(name)'") }
    return .wipe(.smpte(wipe), .init(softness: softness))
  }
}

func nanosecondsPerFrame(_ effect: Transition.Effect, from: Clip, to: Clip, frames: Int) throws -> Int64 {
  let compositor = Compositor(renderSize: from.facts.displaySize, format: from.pictures[0].buffer.format, color: .bt709)
  func placed(_ track: TrackID) -> PlacedPicture {
    PlacedPicture(
      track: track, source: SegmentSource(asset: AssetID(track.rawValue)), sourceTime: Rational(0), crop: nil,
      transform: .identity,
      opacity: 1)
  }
  let (outgoing, incoming) = (placed(TrackID("from")), placed(TrackID("to")))
  let clock = ContinuousClock()
  let elapsed = try clock.measure {
    for index in 0..<frames {
      let scene = Scene(
        time: .zero, background: .black,
        picture: .transition(effect, from: outgoing, to: incoming, progress: (Double(index) + 0.5) / Double(frames)),
        overlays: [])
      let sources = [
        outgoing: from.pictures[index % from.pictures.count], incoming: to.pictures[index % to.pictures.count],
      ]
      _ = try compositor.composite(scene, sources: sources, overlays: [])
    }
  }
  return elapsed.components.seconds * 1_000_000_000 / Int64(frames) + elapsed.components.attoseconds / 1_000_000_000
    / Int64(frames)
}

func complain(_ reason: String) {
  let line = Array("error: \(reason)\n".utf8)
  _ = unsafe write(STDERR_FILENO, line, line.count)
}

do {
  let arguments = CommandLine.arguments
  guard (5...6).contains(arguments.count), let frames = Int(arguments[3]), frames > 0,
    let softness = Double(arguments.count > 5 ? arguments[5] : "0")
  else { throw UsageFault(reason: "usage: TransitionBenchmark FROM TO FRAMES EFFECT [SOFTNESS]") }
  let effect = try effect(arguments[4], softness: softness)
  let policy = SourcePolicy(roots: ["/"])
  let (from, to) = (try Clip(path: arguments[1], policy: policy), try Clip(path: arguments[2], policy: policy))
  print(try nanosecondsPerFrame(effect, from: from, to: to, frames: frames))
} catch let fault as UsageFault {
  complain(fault.reason)
  exit(64)
} catch {
  complain("\(error)")
  exit(70)
}
