package import Subprocess

extension Command {
  /// The same command, which the kernel ends when the test that started it dies with its runner. Nobody else would be left to end
  /// it.
  ///
  /// The kernel sends the signal when the thread dies that started the command (setpriv(1), PR_SET_PDEATHSIG). So start it on a
  /// thread that lives as long as the command is needed.
  /// - Parameter signal: the signal's name without "SIG". Choose one on which the program tidies up, if it would leave something
  /// behind.
  package func endingWithTests(by signal: String = "KILL") -> Command {
    var command = self
    (command.executable, command.arguments) = (
      "/usr/bin/setpriv", ["--pdeathsig", signal, "--", executable] + arguments
    )
    return command
  }
}
