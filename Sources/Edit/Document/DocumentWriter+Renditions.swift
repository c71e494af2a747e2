internal import Formats
internal import JSON
internal import Timeline

extension DocumentWriter {
  /// A rendition, with what of its rate is not the main picture's.
  func rendition(_ rendition: Rendition, beside main: VideoCodecSettings) -> JSONValue {
    let own = rendition.video.rates(besides: main)
    let size =
      switch rendition.size {
      case .exact(let size): JSONValue.Member(key: "size", value: pixels(size))
      case .within(let size): JSONValue.Member(key: "maximumSize", value: pixels(size))
      }
    let rates = Rendition.rateKeys.compactMap { name in own[name].map { JSONValue.Member(key: name, value: value($0)) } }
    return .object([size] + rates)
  }

  private func pixels(_ size: PixelSize) -> JSONValue { .array([.integer(size.width), .integer(size.height)]) }

  private func value(_ value: CodecKey.Value) -> JSONValue {
    switch value {
    case .number(let number): .double(number)
    case .word(let word): .string(word)
    case .quality(let target): .object([target.measure.rawValue: .double(target.value)])
    }
  }
}
