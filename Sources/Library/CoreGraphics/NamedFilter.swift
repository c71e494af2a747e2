/// A filter by its name and its inputs. Layers have filters of Core Image, which they need not know otherwise.
package protocol NamedFilter {
  var filterName: String { get }
  /// The name by which a layer's animations know the filter.
  var ownName: String { get }
  func input(_ key: String) -> Any?
}
