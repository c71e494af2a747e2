internal import JSON
internal import Timeline

/// Reads values over time that may be repeated, and added to each other.
extension DocumentReader {
  /// The envelope: as `envelope` reads it, an object of keyframes that may be repeated, or a list of such objects, of which those with
  /// `"additive"` are added to what those before them make.
  ///
  /// - Parameters:
  ///   - neutral: the value without any keyframes, which the envelope has no keyframes for; nil for none.
  ///   - ground: the value to which the first one is added where there is no neutral one; nil where it is not known.
  ///   - added: reads a value that is added, where its bounds are others.
  func sum<Value: Interpolable>(
    _ node: DocumentNode?, neutral: Value? = nil, ground: Value? = nil, added: ((DocumentNode) -> Value?)? = nil,
    _ read: (DocumentNode) -> Value?
  ) -> Envelope<Value> {
    guard let node else { return Envelope() }
    guard let nodes = parts(of: node) else { return envelope(node, neutral: neutral, read) }
    let faultsBefore = log.count
    var sum: [Envelope<Value>] = []
    for node in nodes {
      let isAdded = Self.member("additive", of: node.value) == .bool(true)
      let found = if isAdded, let added { part(node, added) } else { part(node, read) }
      guard let part = found else { continue }
      guard part.isAdditive else {
        if !sum.isEmpty {
          node.note("replaces what comes before it in the list: leave that out, or let this one be \"additive\"")
        }
        sum = [part.envelope]
        continue
      }
      if sum.isEmpty {
        guard let ground = neutral ?? ground else {
          node.note("is added to nothing: begin with one that is not \"additive\"")
          continue
        }
        sum = [Envelope(constant: ground)]
      }
      sum.append(part.envelope)
    }
    guard log.count == faultsBefore, let base = sum.first, !base.keyframes.isEmpty else { return Envelope() }
    let whole = base.with(base.repetition, adding: Array(sum.dropFirst()))
    if let neutral, whole == Envelope(constant: neutral) { return Envelope() }
    return whole
  }

  /// Reads a number that is added to one in `range`.
  func signed(_ range: ClosedRange<Double>) -> (DocumentNode) -> Double? {
    { $0.number(in: -range.upperBound...range.upperBound) }
  }

  /// The objects of keyframes; nil for values that are written otherwise.
  private func parts(of node: DocumentNode) -> [DocumentNode]? {
    if Self.isCurve(node.value) { return [node] }
    guard case .array(let elements) = node.value, let first = elements.first, Self.isCurve(first) else { return nil }
    return node.elements(atMost: DocumentLimits.addedValues) ?? []
  }

  private func part<Value: Interpolable>(
    _ node: DocumentNode, _ read: (DocumentNode) -> Value?
  ) -> (envelope: Envelope<Value>, isAdditive: Bool)? {
    guard let object = DocumentObject(.keyframeSummand, node) else { return nil }
    let envelope = curve(object, read)
    let isAdditive = object["additive"].map { $0.bool() } ?? false
    let isCumulative = object["cumulative"].map { $0.bool() } ?? false
    guard let isAdditive, let isCumulative, !envelope.keyframes.isEmpty else { return nil }
    guard let repeated = object["repeat"] else {
      if isCumulative { object["cumulative"]?.note("needs \"repeat\": how often the keyframes are run through") }
      return (envelope, isAdditive)
    }
    guard let count = count(repeated) else { return nil }
    guard !envelope.isMoment else {
      return repeated.refuse(because: "there is nothing to repeat: the keyframes stand at one time")
    }
    return (envelope.with(.init(count: count.limit, isCumulative: isCumulative)), isAdditive)
  }

  /// The number of passes: a number, or `"forever"`.
  func count(_ node: DocumentNode) -> (limit: Int64?, Void)? {
    if case .string = node.value { return node.choice(Unending.self).map { _ in (nil, ()) } }
    return node.integer(in: 1...DocumentLimits.clockCycles).map { (Int64($0), ()) }
  }

  private enum Unending: String, CaseIterable { case forever }
}
