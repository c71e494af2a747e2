import Rendering
import SpoolCompositing

extension CompositorRegistry {
  /// Those that the program was built with.
  // Set once, around the verb that runs.
  @TaskLocal static var ofProgram = CompositorRegistry()
}

extension CustomCompositing {
  static var ofProgram: CustomCompositing { CustomCompositing(registry: .ofProgram) }
}
