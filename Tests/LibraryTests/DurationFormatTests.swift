import CoreFoundation
import Foundation
import Testing

/// Durations in words and positions, as apps write them beside a player.
@Suite struct `A formatter of durations` {
  private func text(
    _ seconds: TimeInterval, _ units: NSCalendar.Unit, _ set: (DateComponentsFormatter) -> Void = { _ in }
  ) -> String? {
    let formatter = DateComponentsFormatter()
    formatter.allowedUnits = units
    set(formatter)
    return formatter.string(from: seconds)
  }

  @Test func `writes positions with two digits behind the first number`() {
    #expect(text(65, [.minute, .second]) == "1:05")
    #expect(text(5.9, [.minute, .second]) == "5")
    #expect(text(0, [.minute, .second]) == "0")
    #expect(text(3600, [.hour, .minute, .second]) == "1:00:00")
    #expect(text(90_061, [.hour, .minute, .second]) == "25:01:01")
    #expect(text(-65, [.minute, .second]) == "-1:05")
  }

  @Test func `fills all numbers up, or none, as it is told`() {
    #expect(text(3610, [.hour, .minute, .second]) { $0.zeroFormattingBehavior = .pad } == "01:00:10")
    #expect(text(3610, [.hour, .minute, .second]) { $0.zeroFormattingBehavior = [] } == "1:0:10")
    #expect(text(5, [.minute, .second]) { $0.zeroFormattingBehavior = .pad } == "00:05")
    #expect(text(65, [.hour, .minute, .second]) { $0.zeroFormattingBehavior = [.pad, .dropLeading] } == "01:05")
  }

  @Test(arguments: [
    (DateComponentsFormatter.UnitsStyle.abbreviated, "9h 41m 30s"), (.short, "9 hr, 41 min, 30 sec"),
    (.brief, "9hr 41min 30sec"), (.full, "9 hours, 41 minutes, 30 seconds"),
    (.spellOut, "nine hours, forty-one minutes, thirty seconds"),
  ])
  func `writes words`(_ style: DateComponentsFormatter.UnitsStyle, _ wanted: String) {
    #expect(text(34_890, [.hour, .minute, .second]) { $0.unitsStyle = style } == wanted)
  }

  @Test func `leaves out units of zero, and those beyond the most that are wanted`() {
    #expect(text(3610, [.hour, .minute, .second]) { $0.unitsStyle = .full } == "1 hour, 10 seconds")
    #expect(text(0, [.hour, .minute]) { $0.unitsStyle = .abbreviated } == "0m")
    let short = text(3671, [.hour, .minute, .second]) { formatter in
      (formatter.unitsStyle, formatter.maximumUnitCount) = (.abbreviated, 2)
      (formatter.includesApproximationPhrase, formatter.includesTimeRemainingPhrase) = (true, true)
    }
    #expect(short == "About 1h 1m remaining")
    #expect(text(4200, [.hour, .minute]) { ($0.unitsStyle, $0.collapsesLargestUnit) = (.abbreviated, true) } == "70m")
  }
}
