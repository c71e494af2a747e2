internal import Formats
internal import JSON

extension DocumentNode {
  /// A quality that is to be reached: an object with one measure and its value. What is none is noted.
  func quality() -> QualityTarget? {
    guard case .object(let members) = value else { return refuse(#"an object such as {"ssim": 0.98}"#) }
    for member in members {
      if let objection = QualityTarget.objection(to: member.key) {
        return DocumentNode(value: member.value, path: path[member.key], log: log).refuse(because: objection)
      }
    }
    guard let object = DocumentObject(.qualityTarget, self) else { return nil }
    let stated = QualityTarget.Measure.allCases.compactMap { measure in
      object[measure.rawValue].map { (measure: measure, node: $0) }
    }
    guard let first = stated.first else {
      // A key that is not known was noted.
      guard members.allSatisfy({ $0.key == "comment" }) else { return nil }
      return refuse(because: "states no measure: give \(QualityTarget.Measure.allCases.map(\.rawValue).list)")
    }
    if stated.count > 1 { stated[1].node.note("contradicts \(first.measure.rawValue): leave one of them out") }
    return first.node.number(in: first.measure.range).map { QualityTarget(first.measure, $0) }
  }
}

extension VideoCodecSettings {
  /// The reason why this codec has no quality that can be searched for, and what would do.
  var objectionToQuality: String {
    guard !coding.coder.isLossless else { return "\(codec) is lossless and has no quality" }
    let others = VideoCodec.allCases.filter { !$0.usual.coder.qualitySteps.isEmpty }.list
    let own = ["quantizer", "profile"].first { name in coding.coder.keys.contains { $0.name == name } }
    return "\(codec) has no quality that is searched for: use \(own.map { "\($0), or " } ?? "")\(others)"
  }
}
