import Rendering
import SpoolCompositing

extension CompositorRegistry {
  /// The compositors that the program was built with.
  // The value is set once, around the verb that runs.
  @TaskLocal static var ofProgram = CompositorRegistry()
}

extension CustomCompositing {
  static var ofProgram: CustomCompositing { CustomCompositing(registry: .ofProgram) }
}
