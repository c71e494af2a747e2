import Arguments
import Terminal

struct CompletionsVerb: Verb {
  static let page = Page(
    "completions", "print a completion script for a shell",
    description: ["Prints a script that completes spool's verbs, options and files."],
    examples: [
      .init("source <(spool completions bash)", "For this shell."),
      .init("spool completions zsh > ~/.zfunc/_spool", "For every zsh whose fpath has ~/.zfunc."),
      .init("spool completions fish > ~/.config/fish/completions/spool.fish", "For every fish."),
    ],
    exitCodes: [.init(ExitCode.ok, "printed"), .init(ExitCode.usage, "usage error")])

  @Positional("SHELL", .choice("SHELL"), "The shell.") var shell: Completions.Shell

  func run() throws { try StandardStream.output.builtIn(Completions.script(for: shell, of: .spool)) }
}
