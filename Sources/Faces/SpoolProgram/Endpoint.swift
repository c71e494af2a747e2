import Arguments

extension Format where Value == String {
  /// The address on which a farm's coordinator listens, in libzmq's form. Only its form is checked here.
  static let endpoint = Format("ENDPOINT", expectation: "an endpoint such as tcp://farm:7400 or ipc:///run/spool/farm") { text in
    let isAddress = text.wholeMatch(of: #/ipc://.+|tcp://.+:[^:]+/#) != nil
    return isAddress ? text : nil
  }
}
