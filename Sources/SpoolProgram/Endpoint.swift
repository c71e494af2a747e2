import Arguments

extension Format where Value == String {
  /// Where a farm's coordinator listens, as libzmq writes it; what the address means is for libzmq to say.
  static let endpoint = Format("ENDPOINT", expectation: "an endpoint such as tcp://farm:7400 or ipc:///run/spool/farm") { text in
    let isAddress = text.wholeMatch(of: #/ipc://.+|tcp://.+:[^:]+/#) != nil
    return isAddress ? text : nil
  }
}
