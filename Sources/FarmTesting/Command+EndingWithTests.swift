package import Subprocess

extension Command {
  /// The same command, ended by the kernel when the test that starts it dies with its runner: nobody is left then to end what
  /// the test started.
  ///
  /// The signal is that of the death of the thread that starts it (setpriv(1), PR_SET_PDEATHSIG). A test that does not give its thread up
  /// outlives its children.
  /// - Parameter signal: without "SIG"; one that the program takes for a reason to tidy up, where it would leave something.
  package func endingWithTests(by signal: String = "KILL") -> Command {
    var command = self
    (command.executable, command.arguments) = (
      "/usr/bin/setpriv", ["--pdeathsig", signal, "--", executable] + arguments
    )
    return command
  }
}
