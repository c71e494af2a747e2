import Arguments
import Glibc
import Operations
import Terminal

/// Lists names for the completion of a shell. Who presses a key waits for it, so it ends soon, and tells nobody why it has nothing to say.
struct OfferVerb: Verb {
  static let page = Page(
    "offer", "list names for a shell's completion",
    description: [
      """
      Prints the names of a kind that begin with a text, a line each: the name, a tab, some words about it. Where no farm is reached within a second, \
      it prints nothing.
      """
    ],
    environment: Database.variables, exitCodes: [.init(ExitCode.ok, "printed, or nothing to print")], isHidden: true)

  @Positional("KIND", .choice("KIND"), "What is named.") var kind: OfferedKind
  @Positional("BEGINNING", .text("BEGINNING"), "How the names begin.") var beginning: String?

  /// The seconds after which it ends, whatever it waits for.
  private static let patience: UInt32 = 1

  func run() throws {
    signal(SIGALRM) { _ in _exit(ExitCode.ok) }
    alarm(Self.patience)
    let offers: [OfferedName]
    do throws(Complaint) { offers = try Database.face(nil).offers(kind, beginningWith: beginning ?? "") } catch { return }
    // Names hold no sign that steers a terminal, and words are plain. The tab is meant.
    for offer in offers { try StandardStream.output.builtIn("\(offer.name)\t\(offer.words)\n") }
  }
}
