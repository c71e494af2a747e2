extension CIFilter: NamedFilter {
  package var filterName: String { kind }
  package var ownName: String { name }
  package func input(_ key: String) -> Any? { value(forKey: key) }
}
