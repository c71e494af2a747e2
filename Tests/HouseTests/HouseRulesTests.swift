import Testing

@Suite struct `The house rules` {
  let sources: [SourceFile]
  let tests: [SourceFile]

  init() throws {
    let support = try ["Tests/Support", "Tests/Benchmarks"].flatMap(SourceTree.swiftFiles(below:))
    sources = try SourceTree.swiftFiles(below: "Sources") + support
    // The files of this target quote what they forbid.
    tests = try SourceTree.swiftFiles(below: "Tests").filter { $0.target.hasSuffix("Tests") && $0.target != "HouseTests" }
  }

  @Test func `no file is longer than the limit`() {
    let long = (sources + tests).filter { $0.lines.count > HouseRules.lineLimit }
    #expect(long.map { "\($0.path): \($0.lines.count) lines" } == [])
  }

  @Test func `names say what a thing is`() {
    #expect((sources + tests).flatMap(HouseRules.emptyNames) == [])
  }

  @Test func `nothing crashes on input, and no work is left as a note`() {
    #expect((sources + tests).flatMap(HouseRules.shortcuts) == [])
  }

  @Test func `the program speaks by its streams and its log alone, which make plain whatever others chose`() throws {
    let graph = PackageGraph(manifest: try SourceTree.text(of: "Package.swift"))
    let program = graph.reach(of: "spool").union(["spool", "FarmLoad"])
    // The log may write past the streams. Two others write built-in pages, help and completions, and one names without steering signs.
    let allowed = [
      "Sources/Libraries/Linux/Log.swift", "Sources/Faces/SpoolProgram/Spool.swift",
      "Sources/Faces/SpoolProgram/Verbs/CompletionsVerb.swift", "Sources/Faces/SpoolProgram/Verbs/OfferVerb.swift",
      "Tests/Benchmarks/FarmLoad/main.swift",
    ]
    let voices = sources.filter { program.contains($0.target) && !allowed.contains($0.path) }.flatMap(HouseRules.voices)
    #expect(voices == [])
    // The rule must find the files where this is allowed.
    let found = sources.flatMap(HouseRules.voices).compactMap { $0.split(separator: ":").first.map(String.init) }
    #expect(Set(found).isSuperset(of: allowed))
  }

  @Test func `no message holds what a library or the system calls a thing`() throws {
    let graph = PackageGraph(manifest: try SourceTree.text(of: "Package.swift"))
    let program = sources.filter { graph.reach(of: "spool").union(["spool"]).contains($0.target) }
    let allowed = [
      // This is the only place with the system's words.
      "Sources/Libraries/Linux/SystemWords.swift",
      // Cairo's words are about a font or an image.
      "Sources/Picture/Drawing/Sheet.swift",
      // These files show the words of the project's own decoders. All other words of a decoder are replaced.
      "Sources/Values/PlainText/JSONWords.swift", "Sources/Faces/SpoolCompositing/CompositorRegistry.swift",
      "Sources/Farm/Messages/Capabilities.swift", "Sources/Farm/Messages/Checked.swift",
      "Sources/Farm/Messages/Proof+Coding.swift", "Sources/Farm/Messages/Work+Coding.swift",
      "Sources/Values/Formats/FontFace.swift", "Sources/Faces/Console/Strict.swift",
    ]
    #expect(program.filter { !allowed.contains($0.path) }.flatMap(HouseRules.rawWords) == [])
    let found = program.flatMap(HouseRules.rawWords).compactMap { $0.split(separator: ":").first.map(String.init) }
    #expect(Set(found) == Set(allowed))
  }

  @Test func `each error of the program says what it is of`() throws {
    let graph = PackageGraph(manifest: try SourceTree.text(of: "Package.swift"))
    let program = sources.filter { graph.reach(of: "spool").union(["spool"]).contains($0.target) }
    // These errors are reported by their parts, or become another error where they are caught.
    #expect(
      program.flatMap(HouseRules.muteErrors).sorted() == [
        "Arguments: UsageError", "EditFiles: AssetFault", "EditFiles: EditFileError", "EditFiles: LayerFault",
        "Examination: Broken", "Formats: Fault", "JSON: SyntaxFault", "LocalFarm: Distrust", "Lottie: Fault", "Remote: Broken",
        "Rendering: Cancelled", "Rendering: ComposingError", "Timeline: Fault",
      ])
  }

  @Test func `unchecked claims and dropped errors give their reason`() {
    #expect(sources.flatMap(HouseRules.unexplainedClaims) == [])
  }

  @Test func `each statement for the database is a constant, so that values can only be bound to it`() throws {
    let program = sources.filter { $0.path.hasPrefix("Sources/") }
    #expect(program.flatMap(HouseRules.madeStatements) == [])
    let constants = program.flatMap(\.lines).count { $0.contains(/static let \w+ = Statement\(/) }
    #expect(constants > 50)
    // What is no statement is a script: the schema's. It has no values.
    let scripts = program.filter { $0.target == "Ledger" }.flatMap(\.lines).filter { $0.contains(/\bsession\.run\(/) }
    let made = scripts.filter { $0.contains(/"[^"]*\\\(.*", place:/) }
    #expect(
      made.map { $0.drop { $0 == " " } } == [
        #"try session.run("set local lock_timeout = \(timing.schemaLock)", place: "lock_timeout")"#
      ])
  }

  @Test func `a test is named once, by a sentence`() { #expect(tests.flatMap(HouseRules.testNames) == []) }

  @Test func `what surrounds the library's program is said by tests of exports alone, of which one runs at a time`() {
    let early = tests.filter { file in
      let export =
        file.lines.firstIndex { $0.contains("struct `An export`") || $0.contains("extension `An export`") } ?? file.lines.count
      return file.lines[..<export].contains { $0.contains("SpoolCall.surround(with:") }
    }
    #expect(early.map(\.path) == [])
    #expect(tests.contains { $0.mentions(["SpoolCall.surround(with:"]) })
  }

  @Test func `no two files of tests have one name`() {
    let names = tests.map(\.path).filter { $0.hasSuffix("Tests.swift") }.map { $0.split(separator: "/").last ?? "" }
    #expect(Dictionary(grouping: names, by: \.self).filter { $0.value.count > 1 }.keys.sorted() == [])
  }

  @Test func `arguments have labels, but for the first three`() {
    // The library has signatures of Apple's.
    #expect(
      sources.filter { !$0.path.hasPrefix("Sources/Library/") && !$0.path.hasPrefix("Tests/") }.flatMap(
        HouseRules.unlabelledArguments) == [])
  }

  @Test func `no function is longer than the limit, but for tables`() {
    // One has a shape for each wipe, the other a line for each answer of the ledger.
    let tables: [String: Set<String>] = [
      "Sources/Picture/Compositing/Transitions/SMPTEWipe+Shape.swift": ["value"],
      "Sources/Farm/Scheduling/Dispatcher+Answers.swift": ["settle"],
    ]
    #expect(sources.flatMap { HouseRules.longFunctions(in: $0, tables: tables[$0.path] ?? []) } == [])
  }

  @Test func `a comment on a declaration names its subject first`() {
    #expect((sources + tests).flatMap(HouseRules.commentsWithoutSubject) == [])
  }
}

/// The path of a file that only these tests have.
private let example = "Sources/Media/Media/Example.swift"

@Suite struct `The reader of the house rules` {
  private func file(_ text: String) -> SourceFile { SourceFile(path: example, text: text) }

  @Test func `it finds empty names, and only whole words`() {
    #expect(
      HouseRules.emptyNames(in: file("final class FrameManager {}\nstruct Database {}")) == [
        "\(example): FrameManager"
      ])
  }

  @Test func `it finds shortcuts`() {
    #expect(
      HouseRules.shortcuts(in: file("let a = try! b()\n// TODO: later\nlet c = try d()")) == [
        "\(example):1", "\(example):2",
      ])
  }

  @Test func `it finds who speaks past the streams`() {
    let text = """
      print(worker.name)
      try print(FrameRecord(index: 1))
      // print(nothing)
      footprint(of: a)
      _ = unsafe write(STDERR_FILENO, line, line.count)
      fputs(text, stderr)
      try StandardStream.output.builtIn(table)
      try StandardStream.output.line(text)
      """
    #expect(HouseRules.voices(in: file(text)) == [1, 2, 5, 6, 7].map { "\(example):\($0)" })
  }

  @Test func `it finds raw words, and errors that say nothing`() {
    let text = #"""
      self.init(path, unsafe String(cString: strerror(code)))
      // strerror(3) says no more
      "\(reason) (\(call))"
      "handshake broken off (errno \(code))"
      "\(place): \(reason) (SQLSTATE \(state.code))"
      "is closed: \(SystemWords.of(errno))"
      struct Mute: Error { let code: Int32 }
      enum Told: Error, CustomStringConvertible {
      """#
    #expect(HouseRules.rawWords(in: file(text)) == [1, 3, 4, 5].map { "\(example):\($0)" })
    #expect(HouseRules.muteErrors(in: file(text)) == ["Media: Mute"])
  }

  @Test func `it finds statements that are made while the program runs`() {
    let text = """
      static let one = Statement("one", "select 1")
      let name = Statement("two", "select \\(name)")
      query(Statement("three", sql))
      CompositorStatement(one)
      """
    #expect(HouseRules.madeStatements(in: file(text)) == [2, 3].map { "\(example):\($0)" })
  }

  @Test func `it finds claims without a reason`() {
    let text = """
      // Immutable after init.
      final class A: @unchecked Sendable {}
      final class B: @unchecked Sendable {}
      try? close()  // teardown: the first error is the one to report
      try? close()
      """
    #expect(HouseRules.unexplainedClaims(in: file(text)) == ["\(example):3", "\(example):5"])
  }

  @Test func `it finds arguments without labels, on one line and on several, but no conventions`() {
    let text = """
      func mix(_ a: Int, _ b: [Int: Int], _ c: (Int, Int), _ d: inout Int) {
      init(
        _ a: Int, _ b: Int = f(1, 2),
        _ c: Int, d: Int, @Escaping _ e: () -> Void
      ) {
      func mix(_ a: Int, _ b: Int, _ c: Int, d: Int, of e: Int) {
      init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
      // func mix(_ a: Int, _ b: Int, _ c: Int, _ d: Int) {
      func sum(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Int { a + b + c + d }
      """
    #expect(HouseRules.unlabelledArguments(in: file(text)) == ["\(example):1", "\(example):2", "\(example):9"])
  }

  @Test func `it finds long functions, and lets tables be long`() {
    let body = Array(repeating: "    step()", count: 59)
    let long =
      (["  func walk() {"] + body + ["  }", "  init(", "  ) {"] + body + ["  }", "  func rest() {"] + body.dropLast() + ["  }"])
    let found = ["\(example):1: 61 lines", "\(example):62: 62 lines"]
    #expect(HouseRules.longFunctions(in: file(long.joined(separator: "\n")), tables: []) == found)
    #expect(HouseRules.longFunctions(in: file(long.joined(separator: "\n")), tables: ["walk"]) == [found[1]])
  }

  @Test func `it finds tests that are not named by a sentence, or twice`() {
    let text = """
      @Suite("Things") struct ThingTests {
        @Test func `a thing is whole`() {}
        @Test("a thing is half") func half() {}
        @Test(arguments: [1])
        func third(_ part: Int) {}
        func helper() {}
        @Test
        func
          `a thing is a quarter`() { func part() {} }
      """
    #expect(HouseRules.testNames(in: file(text)) == [1, 3, 5].map { "\(example):\($0)" })
  }

  @Test func `it finds comments that leave out their subject, by their first whole words alone`() {
    let text = """
      /// Of the last frame.
      let a = 1
        /// In which the farm works.
        /// That is its term.
        let b = 2
      /// Offers, of which
      /// Of each worker one is
      /// the newest.
      let c = 3
      /// Where
      let d = "/// To"  /// As
      // That is no comment on a declaration.
      /// Total frames which are shown.
      let f = 6
      /// With three sounds.
      let g = 7
      """
    #expect(HouseRules.commentsWithoutSubject(in: file(text)) == [1, 3, 10, 15].map { "\(example):\($0)" })
  }
}
