import Arguments
import Operations

extension Format where Value == String {
  /// A name that a shell completes with those of the farm.
  static func name(_ placeholder: String, _ kind: OfferedKind) -> Format { .name(placeholder, offering: kind.rawValue) }
}
