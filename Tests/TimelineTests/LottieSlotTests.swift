import Formats
import Lottie
import Testing
import Timeline

/// Values that a Lottie file has in slots.
@Suite struct `Slots of a Lottie file` {
  private func read(_ fill: String, _ slots: String) throws -> LottieAnimation {
    let square = #"{"ty": "rc", "p": {"k": [0, 0]}, "s": {"sid": "size", "k": [20, 10]}, "r": {"k": 0}}"#
    return try LottieAnimation(
      Array(
        """
        {"v": "5.12.0", "fr": 25, "ip": 0, "op": 100, "w": 200, "h": 100, "slots": {\(slots)}, "layers": [
          {"ty": 4, "nm": "a", "ind": 1, "ip": 0, "op": 100, "st": 0, "ks": {}, "shapes": [\(square), \(fill)]}]}
        """.utf8))
  }

  @Test func `are taken for what refers to them, also where the file has another value there`() throws {
    let animation = try read(
      #"{"ty": "fl", "c": {"sid": "brand"}, "o": {"k": 100}}"#,
      #""brand": {"p": {"a": 0, "k": [0, 0, 1, 1]}}, "size": {"p": {"k": [60, 30]}}, "idle": {"p": {"k": 1}}"#)
    #expect(animation.remarks == [])
    guard case .shape(let content)? = animation.layers.first?.content, case .path(let path) = content.outline else {
      Issue.record("\(animation.layers)")
      return
    }
    #expect(content.fillColor == RGBAColor(0, 0, 1))
    #expect(path.points.map(\.x).max() == 30 && path.points.map(\.y).max() == 15)
  }

  @Test func `that are missing are told, and those that refer to themselves end`() throws {
    let animation = try read(
      #"{"ty": "fl", "c": {"sid": "brand", "k": [1, 0, 0, 1]}, "o": {"k": 100}}"#,
      #""brand": {"p": {"sid": "brand", "k": [0, 1, 0, 1]}}"#)
    #expect(
      animation.remarks.map(\.description) == [
        "layers[0].shapes[0].s.sid: there is no slot 'size': the value is the one that the file has without it"
      ])
    guard case .shape(let content)? = animation.layers.first?.content else {
      Issue.record("\(animation.layers)")
      return
    }
    #expect(content.fillColor == RGBAColor(0, 1, 0))
  }
}
