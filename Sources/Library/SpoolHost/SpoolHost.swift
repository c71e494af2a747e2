public import AVFoundation
internal import SpoolCompositing
internal import SpoolProgram

/// This program as a farm's program: the whole `spool`, with compositors of its own (docs/compositors.md).
public enum SpoolHost {
  /// Registers the compositors of this program, so that exports with them go to the farm. Call it first of all, in `main.swift`.
  ///
  /// It returns where the process was started as the program that it is. Where it was started as `spool`, it does that work and ends the
  /// process: `my-app spool worker …`, and the processes that this begins. Nothing of the program's own has run then, but what belongs to
  /// the classes.
  ///
  /// - Parameters:
  ///   - compositors: classes that video compositions name. Documents name them without their modules.
  ///   - instructions: classes of instructions that are Codable or support secure coding. AVFoundation's own ones need not be named.
  /// - Precondition: no two classes of a list have the same name.
  public static func begin(
    compositors: [any AVVideoCompositing.Type], instructions: [any AVVideoCompositionInstructionProtocol.Type] = []
  ) {
    let classes = FarmClasses(compositors: compositors, instructions: instructions)
    FarmClasses.ofProgram = classes
    let words = CommandLine.arguments
    // The processes of a farm start each other by this name, which no shell gives.
    if words.first == "/proc/self/exe" { Spool.main(words.dropFirst(), CompositorRegistry(classes)) }
    if words.dropFirst().first == "spool" { Spool.main(words.dropFirst(2), CompositorRegistry(classes)) }
  }

  /// Runs the whole command line as `spool` does, with the compositors of this program, and ends the process. It is for programs that have
  /// nothing else to do.
  ///
  /// - Precondition: `begin` was called.
  public static func main() -> Never {
    guard let classes = FarmClasses.ofProgram else { preconditionFailure("SpoolHost.begin comes first") }
    Spool.main(CommandLine.arguments.dropFirst(), CompositorRegistry(classes))
  }
}
