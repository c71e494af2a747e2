// Times the compositor alone, without decoding or encoding: `scripts/benchmark` runs it. Prints nanoseconds of this thread's
// processor time per frame.
//
// usage: CompositingBenchmark FRAMES DEPTH SIZE transition FROM TO EFFECT [SOFTNESS]
//        CompositingBenchmark FRAMES DEPTH SIZE light FROM TO
//        CompositingBenchmark FRAMES DEPTH SIZE rotation PICTURES DEGREES
//        CompositingBenchmark FRAMES DEPTH SIZE scaling PICTURES TARGET_SIZE
//        CompositingBenchmark FRAMES DEPTH SIZE layers GROUND SMALL SMALL_SIZE COUNT
//        CompositingBenchmark FRAMES DEPTH SIZE tone-map PICTURES smpte2084|arib-std-b67
//        CompositingBenchmark FRAMES DEPTH SIZE edit DOCUMENT
//
// Pictures are raw files of 4:2:0 in DEPTH bits (above 8 in two bytes, little-endian). A size is such as 1920x1080. EFFECT is
// "dissolve", "push", or a wipe by type and subtype: "barWipe leftToRight". light is a dissolve of light. edit
// makes the frames of an edit, whose media have DEPTH bits and SIZE, and reads them, too.

import Compositing
import Formats
import Glibc
import Media
import MediaTime
import Subprocess
import Timeline

struct UsageFault: Error { let reason: String }

func size(_ text: String) throws -> PixelSize {
  let sides = text.split(separator: "x").compactMap { Int($0) }
  guard sides.count == 2, sides.allSatisfy({ (1...PixelBuffer.maxSide).contains($0) && $0.isMultiple(of: 2) }) else {
    throw UsageFault(reason: "'\(text)' is no even size such as 1920x1080")
  }
  return PixelSize(sides[0], sides[1])
}

func number<Value: LosslessStringConvertible & Comparable>(_ text: String, atLeast least: Value) throws -> Value {
  guard let value = Value(text), value >= least else { throw UsageFault(reason: "'\(text)' is no number from \(least)") }
  return value
}

func effect(_ name: String, softness: Double) throws -> Transition.Effect {
  switch name {
  case "dissolve": return .dissolve
  case "push": return .motion(.push, .fromLeft)
  default:
    guard let wipe = SMPTEWipe(rawValue: name) else { throw UsageFault(reason: "no effect '\(name)'") }
    return .wipe(.smpte(wipe), .init(softness: softness))
  }
}

func work(_ kind: String, _ arguments: [String], _ format: PixelFormat, _ frame: PixelSize) throws -> Work {
  switch (kind, arguments.count) {
  case ("transition", 3...4):
    let softness = try number(arguments.count > 3 ? arguments[3] : "0", atLeast: 0.0)
    return .transition(
      try effect(arguments[2], softness: softness), from: try Pictures(arguments[0], format, frame),
      to: try Pictures(arguments[1], format, frame))
  case ("light", 2):
    return .transition(
      .dissolve, from: try Pictures(arguments[0], format, frame), to: try Pictures(arguments[1], format, frame), .linear)
  case ("rotation", 2):
    let angle = try number(arguments[1], atLeast: 0.0) * Double.pi / 180
    return .rotation(try Pictures(arguments[0], format, frame), sine: sin(angle), cosine: cos(angle))
  case ("scaling", 2): return .scaling(try Pictures(arguments[0], format, frame), to: try size(arguments[1]))
  case ("layers", 4):
    return .layers(
      try Pictures(arguments[0], format, frame), try Pictures(arguments[1], format, size(arguments[2])),
      count: try number(arguments[3], atLeast: 1))
  case ("tone-map", 2):
    guard let transfer = ColorTags.Transfer(rawValue: arguments[1]) else {
      throw UsageFault(reason: "no transfer '\(arguments[1])'")
    }
    return .toneMap(try Pictures(arguments[0], format, frame, ColorTags(.bt2020, transfer, .bt2020nc, .limited)))
  case ("edit", 1): return try .edit(arguments[0])
  default: throw UsageFault(reason: "no work '\(kind)' of \(arguments.count) arguments")
  }
}

/// The processor time of this thread in nanoseconds. Reading it cannot fail.
func processorNanoseconds() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

func nanosecondsPerFrame(_ work: Work, frames: Int) throws -> Int64 {
  // Tables, fields and graphs are made once for a whole movie. So they are made before the time is taken.
  for index in 0..<2 { try work.show(index, frames) }
  let start = processorNanoseconds()
  for index in 0..<frames { try work.show(index, frames) }
  return (processorNanoseconds() - start) / Int64(frames)
}

func complain(_ reason: String) {
  let line = Array("error: \(reason)\n".utf8)
  _ = unsafe write(STDERR_FILENO, line, line.count)
}

do {
  let arguments = CommandLine.arguments
  guard arguments.count > 5 else { throw UsageFault(reason: "usage: CompositingBenchmark FRAMES DEPTH SIZE WORK ...") }
  let frames = try number(arguments[1], atLeast: 1)
  let depth = try number(arguments[2], atLeast: 8)
  guard depth <= 16 else { throw UsageFault(reason: "no pictures of \(depth) bits") }
  let work = try work(arguments[4], Array(arguments[5...]), PixelFormat(.yuv420, bitDepth: depth), size(arguments[3]))
  // An attempt's process does so, too.
  FreedMemory.keep()
  print(try nanosecondsPerFrame(work, frames: frames))
} catch let fault as UsageFault {
  complain(fault.reason)
  exit(64)
} catch {
  complain("\(error)")
  exit(70)
}
