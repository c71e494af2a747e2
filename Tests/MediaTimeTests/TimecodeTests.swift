import MediaTime
import Testing

@Suite struct `A timecode` {
  private func index(_ text: String, _ frameDuration: MediaTime) throws -> Int64 {
    try Timecode(frameDuration: frameDuration).time(parsing: text).wholeUnits(of: frameDuration)
  }

  @Test func `a label counts the frames of its rate`() throws {
    #expect(try index("00:00:00:00", MediaTime(1, 25)) == 0)
    #expect(try index("01:02:03:04", MediaTime(1, 25)) == 3723 * 25 + 4)
    #expect(try index("00:01:00:00", MediaTime(1001, 24_000)) == 1440)
  }

  @Test func `without drop a 29.97 hour of labels is longer than an hour`() throws {
    #expect(try Timecode(frameDuration: MediaTime(1001, 30_000)).time(parsing: "01:00:00:00") == MediaTime(36036, 10))
  }

  /// Counts frames and labels side by side, and compares each pair. Labels are dropped as in SMPTE ST 12-1.
  @Test(arguments: [30, 60] as [Int64])
  func `drop-frame labels name the frames in turn`(labelsPerSecond: Int64) throws {
    let frame = try MediaTime(1001, Int32(labelsPerSecond * 1000))
    let timecode = try Timecode(frameDuration: frame)
    var index: Int64 = 0
    for minute in 0..<21 {
      for second in 0..<60 {
        for label in 0..<labelsPerSecond where second > 0 || minute % 10 == 0 || label >= labelsPerSecond / 15 {
          // All labels near the start and the end of a minute are compared, and some of the others.
          if second == 0 || second == 59 || label == 7 {
            let text = "00:\(minute < 10 ? "0" : "")\(minute):\(second < 10 ? "0" : "")\(second);\(label < 10 ? "0" : "")\(label)"
            #expect(try timecode.time(parsing: text) == frame * index, "\(text)")
          }
          index += 1
        }
      }
    }
  }

  @Test func `a drop-frame hour ends within a frame of the wall's`() throws {
    #expect(try index("01:00:00;00", MediaTime(1001, 30_000)) == 107_892)
    #expect(try index("01:00:00;00", MediaTime(1001, 60_000)) == 215_784)
  }

  @Test(arguments: ["00:01:00;00", "00:01:00;01", "00:59:00;00"])
  func `a dropped label is refused`(text: String) throws {
    #expect(throws: TimeError.timecode(text, reason: "this label is dropped; the next is ;02")) {
      try index(text, MediaTime(1001, 30_000))
    }
  }

  @Test(arguments: [(1, 25), (1, 30), (1001, 24_000)] as [(Int64, Int32)])
  func `labels are dropped at 29.97 and 59.94 only`(value: Int64, scale: Int32) throws {
    #expect { try index("00:00:01;00", MediaTime(value, scale)) } throws: { "\($0)".contains("29.97 and 59.94") }
  }

  @Test(arguments: ["00:60:00:00", "00:00:60:00", "00:00:00:25", "00:00:00:99"])
  func `fields have their limits`(text: String) throws {
    #expect { try index(text, MediaTime(1, 25)) } throws: { "\($0)".contains("'\(text)' is not a timecode of this edit") }
  }

  @Test(arguments: [
    "0:00:00:00", "00:00:00", "00:00:00:000", "00;00;00;00", "-1:00:00:00", "+1:00:00:00", "00:00:00.00", "aa:00:00:00", ":::",
  ])
  func `other forms are malformed`(text: String) throws {
    #expect(throws: TimeError.malformed(text)) { try index(text, MediaTime(1, 25)) }
  }

  @Test(arguments: [(2, 25), (1, 1000), (10, 1)] as [(Int64, Int32)])
  func `a rate between whole frames has no timecode, others do`(value: Int64, scale: Int32) throws {
    let duration = try MediaTime(value, scale)
    if scale == 1000 {
      #expect(try index("00:00:01:00", duration) == 1000)
    } else {
      #expect { try index("00:00:01:00", duration) } throws: { "\($0)".contains("are not counted by timecode") }
    }
  }
}
