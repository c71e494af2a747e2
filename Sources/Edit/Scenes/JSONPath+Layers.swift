internal import JSON
internal import Timeline

extension JSONPath {
  /// The path of a layer that another one holds.
  ///
  /// - Parameter way: the way from the layer at this path.
  func following(_ way: [Layer.Step]) -> JSONPath {
    way.reduce(self) { path, step in
      switch step {
      case .sublayer(let index): path["layers"][index]
      case .mask: path["mask"]
      }
    }
  }
}
