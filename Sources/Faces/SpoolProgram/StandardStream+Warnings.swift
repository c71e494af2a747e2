import Operations
import Terminal

extension StandardStream {
  /// Writes a line for each warning.
  func warn(_ warnings: [FaultRecord]) throws(StreamError) {
    for warning in warnings { try line("warning: \(warning.line)") }
  }
}
