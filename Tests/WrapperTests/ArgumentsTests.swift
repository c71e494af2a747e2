import Arguments
import Testing

private enum Shade: String, CaseIterable, Sendable { case light, dark }

private struct Paint: Verb {
  static let page = Page(
    "paint", "paint a wall",
    description: ["Paints the wall with as many coats as the weather and the painter's patience allow, one after another."],
    examples: [.init("house paint north -o wall.png", "The north wall.")], exitCodes: [.init(0, "painted")])

  @Positional("WALL", .text("WALL"), "The wall.") var wall: String
  @Positional("DOOR", .text("DOOR"), "A door in it.") var door: String?
  @Option("output", short: "o", .file, "The picture.") var output: String
  @Option("coats", .integer(1...9), default: 2, shown: "2", "How many coats.") var coats: Int
  @Option("shade", .choice("SHADE"), "The shade.") var shade: Shade?
  @Option("colour", .text("NAME"), "A colour.") var colours: [String]
  @Flag("quick", "Hurry.") var quick: Bool
  @Flag("tape", negatableDefault: true, "Tape the edges.") var tape: Bool

  func run() {}
}

private struct Hang: Verb {
  static let page = Page("hang", "hang pictures at a height", description: ["Hangs them."], exitCodes: [])

  @Positional("PICTURE", .text("PICTURE"), minimum: 0, "The pictures.") var pictures: [String]
  @Positional("HEIGHT", .integer(-9...9), "The height.") var height: Int
  @Flag("all", "All of them.") var all: Bool

  func run() {}
}

private let house = Program(
  name: "house", version: "1.2.3", summary: "keeps a house", description: ["Keeps it."], verbs: [Paint.self])

private func text(_ words: String...) throws -> String {
  guard case .text(let text) = try house.request(words) else { throw UsageError.noVerb }
  return text
}

@Suite struct ArgumentsTests {
  @Test func `values are read in every spelling`() throws {
    let paint = try Paint.parse([
      "north", "-o", "a.png", "--coats=3", "--shade", "dark", "--colour", "red", "--colour=blue", "--quick", "--no-tape", "gate",
    ])
    #expect(paint.wall == "north" && paint.door == "gate" && paint.output == "a.png")
    #expect(paint.coats == 3 && paint.shade == .dark && paint.colours == ["red", "blue"])
    #expect(paint.quick && !paint.tape)
  }

  @Test func `what is left out has its default`() throws {
    let paint = try Paint.parse(["north", "-oa.png"])
    #expect(paint.door == nil && paint.coats == 2 && paint.shade == nil && paint.colours.isEmpty)
    #expect(!paint.quick && paint.tape && paint.output == "a.png")
  }

  @Test(arguments: [
    (["a", "b", "2"], ["a", "b"], 2), (["7"], [], 7), (["--all", "--", "-5"], [], -5),
    (["1", "2", "--all", "3"], ["1", "2"], 3),
  ])
  func `behind a repeated argument, the last word is the required one's`(words: [String], pictures: [String], height: Int) throws
  {
    let hang = try Hang.parse(words)
    #expect(hang.pictures == pictures && hang.height == height)
    #expect(throws: UsageError.self) { try Hang.parse(["a", "b"]) }
    #expect(throws: UsageError.self) { try Hang.parse([]) }
  }

  @Test func `two dashes end the options`() throws {
    let paint = try Paint.parse(["-o", "a", "--", "--quick", "-"])
    #expect(paint.wall == "--quick" && paint.door == "-" && !paint.quick)
  }

  @Test func `a value may be empty after an equals sign only where that is a value`() {
    #expect(throws: UsageError.self) { try Paint.parse(["north", "--output="]) }
  }

  @Test func `an error names its argument and says what was expected`() {
    expectError(["north"], "--output", "required, but not given")
    expectError(["-o", "a"], "WALL", "required, but not given")
    expectError(["north", "-o"], "--output", "needs a value (FILE)")
    expectError(["north", "-o", "a", "--coats", "10"], "--coats", "'10' is not a whole number from 1 to 9")
    expectError(["north", "-o", "a", "--coats", "many"], "--coats", "'many' is not a whole number from 1 to 9")
    expectError(["north", "-o", "a", "--shade", "grey"], "--shade", "'grey' is not one of light, dark")
    expectError(["north", "-o", "a", "--quick=yes"], "--quick", "takes no value")
    expectError(["north", "-o", "a", "--output", "b"], "--output", "given more than once")
    expectError(["north", "gate", "third", "-o", "a"], "third", "unexpected argument")
  }

  @Test func `an unknown option comes with the nearest known one`() {
    expectError(["north", "--ouptut", "a"], "--ouptut", "unknown option; did you mean --output?")
    expectError(["north", "--xyz"], "--xyz", "unknown option")
  }

  @Test func `an unknown verb comes with the nearest known one`() {
    #expect(throws: UsageError.unknownVerb("piant", suggestion: "paint")) { try house.request(["piant"]) }
    #expect(throws: UsageError.unknownVerb("zzz", suggestion: nil)) { try house.request(["zzz"]) }
    #expect(throws: UsageError.noVerb) { try house.request([]) }
  }

  @Test func `help is asked for in four ways and wins over errors`() throws {
    let page = try text("help", "paint")
    #expect(try text("paint", "--help") == page)
    #expect(try text("paint", "--wrong", "-h") == page)
    #expect(try text("--help").contains("paint a wall"))
    #expect(try text("--version") == "house 1.2.3\n")
  }

  @Test func `a help page shows every argument within 80 columns`() throws {
    let page = try text("paint", "--help")
    #expect(page.split(separator: "\n").allSatisfy { $0.count <= 80 })
    for part in [
      "house paint - paint a wall", "WALL [DOOR] -o FILE [--coats N]", "[--colour NAME]...", "[--tape|--no-tape]",
      "-o, --output FILE", "The picture. Required.", "Default: 2.", "One of: light, dark.", "$ house paint north -o wall.png",
      "0  painted",
    ] {
      #expect(page.contains(part), "\(part) in\n\(page)")
    }
  }

  @Test func `each shell's completions name every verb and option`() {
    for shell in Completions.Shell.allCases {
      let script = Completions.script(for: shell, of: house)
      for word in ["paint", "output", "coats", "no-tape", "light"] { #expect(script.contains(word), "\(shell): \(word)") }
    }
  }

  private func expectError(_ words: [String], _ place: String, _ reason: String, _ location: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: UsageError.self, sourceLocation: location) { try Paint.parse(words) }
    #expect(error?.place == place, sourceLocation: location)
    #expect(error?.reason == reason, sourceLocation: location)
  }
}
