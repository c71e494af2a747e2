/// The bounds of a JSON text. They are far above real documents. They keep a hostile or broken text from using much memory or time.
package enum JSONLimits {
  /// The levels of nesting in the JSON. A document's own keys need about 10, and layers on layers two each. Recursion must end long
  /// before the stack is full.
  package static let depth = 80
  /// The number of JSON values. 100 000 clips have a million, each of which takes up to 100 bytes of memory.
  package static let values = 2_000_000
  /// The characters of a number. More digits than this cannot have been meant, since no `Double` and no time has as many.
  package static let numberLength = 64
}
