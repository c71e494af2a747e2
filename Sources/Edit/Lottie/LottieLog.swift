internal import JSON

/// The reason why a Lottie file cannot be shown, and its place in the file.
package struct LottieFault: Error, Hashable, Sendable, CustomStringConvertible {
  package let path: String
  package let reason: String

  package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

  package init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }
}

/// A part of a Lottie file that is not drawn as the file has it.
package struct LottieRemark: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Hashable, Sendable {
    /// Nothing of it is drawn.
    case lost
    /// Something near to it is drawn.
    case approximated
  }

  package let kind: Kind
  package let path: String
  /// The name of the layer in the file, where it has one.
  package let layer: String?
  package let words: String

  package var description: String { "\(path)\(layer.map { " (layer '\($0)')" } ?? ""): \(words)" }
}

/// The remarks on a file while it is read, and what was made of it so far.
final class LottieLog {
  private(set) var remarks: [LottieRemark] = []
  private(set) var omitted = 0
  private var told: Set<String> = []
  private var layers = 0
  private var visits = 0
  private var keyframes = 0
  private var elements = 0
  /// The name of the layer that is being read.
  var layer: String?

  func lose(_ path: JSONPath, _ words: String) { remark(.lost, path, words) }

  func approximate(_ path: JSONPath, _ words: String) { remark(.approximated, path, words) }

  /// Remarks on what may be said of many layers once, of the first.
  func loseOnce(_ path: JSONPath, _ words: String) { if told.insert(words).inserted { lose(path, words) } }

  private func remark(_ kind: LottieRemark.Kind, _ path: JSONPath, _ words: String) {
    // A composition that is shown twice is read twice.
    guard told.insert("\(path) \(words)").inserted else { return }
    guard remarks.count < LottieLimits.remarks else {
      omitted += 1
      return
    }
    remarks.append(LottieRemark(kind: kind, path: path.description, layer: layer, words: words))
  }

  func countLayer(_ path: JSONPath) throws(LottieFault) {
    layers += 1
    guard layers <= LottieLimits.layers else {
      throw LottieFault(path: path.description, reason: "makes more than \(LottieLimits.layers) layers")
    }
  }

  func visit(_ path: JSONPath) throws(LottieFault) {
    visits += 1
    guard visits <= LottieLimits.visits else {
      throw LottieFault(path: path.description, reason: "has more than \(LottieLimits.visits) layers and shapes in all")
    }
  }

  func count(keyframes more: Int, _ path: JSONPath) throws(LottieFault) {
    keyframes += more
    guard keyframes <= LottieLimits.keyframes else {
      throw LottieFault(path: path.description, reason: "has more than \(LottieLimits.keyframes) keyframes in all")
    }
  }

  func count(elements more: Int, _ path: JSONPath) throws(LottieFault) {
    elements += more
    guard elements <= LottieLimits.pathElements else {
      throw LottieFault(path: path.description, reason: "has more than \(LottieLimits.pathElements) lines and curves in all")
    }
  }
}
