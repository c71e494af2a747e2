/// Completion scripts for shells. They are made from the same declarations as the help pages.
package enum Completions {
  package enum Shell: String, CaseIterable, Sendable { case bash, zsh, fish }

  package static func script(for shell: Shell, of program: Program) -> String {
    switch shell {
    case .bash: bash(program)
    case .zsh: zsh(program)
    case .fish: fish(program)
    }
  }

  // MARK: bash

  private static func bash(_ program: Program) -> String {
    let verbs = program.listed.map { $0.page.name }
    var lines = [
      "# bash completion for \(program.name)",
      "_\(program.name)() {",
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}",
      "  COMPREPLY=()",
      "  if ((COMP_CWORD == 1)); then",
      "    COMPREPLY=($(compgen -W '\((verbs + ["help", "--help", "--version"]).joined(separator: " "))' -- \"$current\"))",
      "    return",
      "  fi",
      "  case ${COMP_WORDS[1]}:$previous in",
      "    help:*) COMPREPLY=($(compgen -W '\(verbs.joined(separator: " "))' -- \"$current\")); return ;;",
    ]
    for verb in program.listed {
      for option in verb.declarations where option.takesValue {
        let pattern = option.spellings.map { "\(verb.page.name):\($0)" }.joined(separator: "|")
        lines.append("    \(pattern)) \(bashOffer(option.completion)); return ;;")
      }
    }
    lines += ["  esac", "  case ${COMP_WORDS[1]}:$current in"]
    for verb in program.listed {
      let (name, declarations) = (verb.page.name, verb.declarations)
      let spellings = (declarations.flatMap(\.spellings) + ["--help"]).joined(separator: " ")
      lines.append("    \(name):-*) COMPREPLY=($(compgen -W '\(spellings)' -- \"$current\")) ;;")
      if let positional = declarations.first(where: { $0.shape == .positional }) {
        lines.append("    \(name):*) \(bashOffer(positional.completion)) ;;")
      }
    }
    lines += ["  esac", "}", "complete -F _\(program.name) \(program.name)"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func bashOffer(_ completion: Completion) -> String {
    switch completion {
    case .none: ":"
    case .files: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
    case .directories: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
    case .choices(let names): "COMPREPLY=($(compgen -W '\(names.joined(separator: " "))' -- \"$current\"))"
    // The names are taken as they are: `compgen -W` would expand them as the shell expands words.
    case .offered(let kind):
      #"mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" offer \#(kind) ${current:+"$current"} 2>/dev/null | cut -f 1)"#
    }
  }

  // MARK: zsh

  private static func zsh(_ program: Program) -> String {
    var lines = [
      "#compdef \(program.name)",
      "_\(program.name)_offer() {",
      "  local -a found=(${(f)\"$(command \(program.name) offer $1 2>/dev/null)\"})",
      "  found=(${found//$'\\t'/:})",
      "  _describe $1 found",
      "}",
      "_\(program.name)() {",
      "  local context state line",
      "  _arguments -C '(- *)'{-h,--help}'[print help]' '(- *)--version[print the version]' '1:command:->command' '*::argument:->argument'",
      "  case $state in",
      "  command)",
      "    local -a verbs=("
        + program.listed.map { "\(zshQuoted("\($0.page.name):\($0.page.summary)"))" }.joined(separator: " ")
        + ")",
      "    _describe command verbs ;;",
      "  argument)",
      "    case $words[1] in",
    ]
    for verb in program.listed {
      let specs = verb.declarations.flatMap { zshSpecs($0, program.name) } + ["'(- *)'{-h,--help}'[print help]'"]
      lines.append("    \(verb.page.name)) _arguments \(specs.joined(separator: " ")) ;;")
    }
    lines += ["    esac ;;", "  esac", "}", "_\(program.name) \"$@\""]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func zshSpecs(_ declaration: Declaration, _ program: String) -> [String] {
    let action =
      switch declaration.completion {
      case .none: " "
      case .files: "_files"
      case .directories: "_files -/"
      case .choices(let names): "(\(names.joined(separator: " ")))"
      case .offered(let kind): "{_\(program)_offer \(kind)}"
      }
    guard declaration.shape != .positional else {
      return [
        zshQuoted("\(declaration.isRepeated ? "*" : "")\(declaration.isRequired ? ":" : "::")\(declaration.name):\(action)")
      ]
    }
    let repeated = declaration.isRepeated ? "*" : ""
    let value = declaration.takesValue ? ":\(declaration.placeholder):\(action)" : ""
    let help = declaration.help.filter { !"[]:".contains($0) }
    return declaration.spellings.map { zshQuoted("\(repeated)\($0)[\(help)]\(value)") }
  }

  private static func zshQuoted(_ text: String) -> String { quoted(text, quote: #"'\''"#) }

  // MARK: fish

  private static func fish(_ program: Program) -> String {
    let start = "complete -c \(program.name)"
    var lines = [
      "# fish completion for \(program.name)",
      "\(start) -f",
      "\(start) -n __fish_use_subcommand -l version -d 'print the version'",
      "\(start) -s h -l help -d 'print help'",
    ]
    for verb in program.listed {
      lines.append("\(start) -n __fish_use_subcommand -a \(verb.page.name) -d \(fishQuoted(verb.page.summary))")
    }
    for verb in program.listed {
      let condition = "-n '__fish_seen_subcommand_from \(verb.page.name)'"
      for declaration in verb.declarations { lines += fishLines("\(start) \(condition)", declaration, program.name) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func fishLines(_ start: String, _ declaration: Declaration, _ program: String) -> [String] {
    let offer =
      switch declaration.completion {
      case .none: ""
      case .files: " -F"
      case .directories: " -a '(__fish_complete_directories)'"
      case .choices(let names): " -a '\(names.joined(separator: " "))'"
      case .offered(let kind): " -a '(\(program) offer \(kind) 2>/dev/null)'"
      }
    guard declaration.shape != .positional else { return offer.isEmpty ? [] : [start + offer] }
    let short = declaration.short.map { " -s \($0)" } ?? ""
    let value = declaration.takesValue ? " -x\(offer == " -F" ? " -a '(__fish_complete_path)'" : offer)" : ""
    let line = "\(start)\(short) -l \(declaration.name)\(value) -d \(fishQuoted(declaration.help))"
    guard declaration.shape == .flag(negatable: true) else { return [line] }
    return [line, "\(start) -l no-\(declaration.name) -d \(fishQuoted("The opposite of --\(declaration.name)."))"]
  }

  private static func fishQuoted(_ text: String) -> String { quoted(text, quote: #"\'"#) }

  /// The text in single quotes. A quote in it is replaced by what the shell wants in its place.
  private static func quoted(_ text: String, quote: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: quote) + "'"
  }
}
