/// A text that was decoded by a guess: whether its letters make words that somebody may have written.
struct PlausibleText {
  private let text: String
  private let encoding: String

  init(_ text: String, _ encoding: String) { (self.text, self.encoding) = (text, encoding) }

  var isPlausible: Bool {
    guard hasPlainWords else { return false }
    let isOfBytes = ["windows", "iso-8859", "koi8"].contains { encoding.hasPrefix($0) }
    return !isOfBytes || (hasLettersOfOneLanguage && hasSignsBetweenWords && closesQuotes)
  }

  // MARK: - Words

  private enum Script { case latin, greek, cyrillic, hebrew, arabic }

  private static func script(_ scalar: Unicode.Scalar) -> Script? {
    switch scalar.value {
    case 0x41...0x5a, 0x61...0x7a, 0xaa, 0xba, 0xc0...0x24f, 0x1e00...0x1eff: .latin
    case 0x370...0x3ff, 0x1f00...0x1fff: .greek
    case 0x400...0x52f: .cyrillic
    case 0x590...0x5ff: .hebrew
    case 0x600...0x6ff: .arabic
    default: nil
    }
  }

  /// Whether no word mixes Latin letters with others, and none has a capital behind a small letter, where one of them is no ASCII.
  private var hasPlainWords: Bool {
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      let category = scalar.properties.generalCategory
      if Self.marks.contains(category) { continue }
      guard Self.letters.contains(category) else {
        last = nil
        continue
      }
      if let last, !(last.isASCII && scalar.isASCII) {
        if let one = Self.script(last), let other = Self.script(scalar), one != other, one == .latin || other == .latin {
          return false
        }
        if last.properties.generalCategory == .lowercaseLetter, category == .uppercaseLetter { return false }
      }
      last = scalar
    }
    return true
  }

  private static let letters: Set<Unicode.GeneralCategory> = [
    .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
  ]
  private static let marks: Set<Unicode.GeneralCategory> = [.nonspacingMark, .spacingMark, .enclosingMark]

  // MARK: - Signs

  /// The signs that no text has inside of a word.
  private static let outside = Set(
    "\u{a0}¡¢£¤¥¦§¨©«¬\u{ad}®¯°±²³´¶¸¹»¼½¾¿×÷‘‚“”„‹›…†‡•‰€".unicodeScalars)
  /// The signs that hardly any text has.
  private static let rare = Set("¤¦¬¶¸¼¾".unicodeScalars)

  private var hasSignsBetweenWords: Bool {
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() where Self.outside.contains(scalar) {
      if Self.rare.contains(scalar) { return false }
      guard index > 0, index + 1 < scalars.count else { continue }
      let around = [scalars[index - 1], scalars[index + 1]]
      if around.allSatisfy({ Self.letters.contains($0.properties.generalCategory) }) { return false }
    }
    return true
  }

  /// Whether there are as many quotation marks that close as low ones that open. Capitals of other encodings are decoded as such.
  private var closesQuotes: Bool {
    func count(_ signs: Set<Unicode.Scalar>) -> Int { text.unicodeScalars.count { signs.contains($0) } }
    return count(["„"]) <= count(["“", "”"]) && count(["‚"]) <= count(["‘", "’"])
  }

  // MARK: - Languages

  /// Whether all letters of a Latin text that are no ASCII belong to one language.
  private var hasLettersOfOneLanguage: Bool {
    guard let alphabets = Self.alphabets[encoding] else { return true }
    let found = Set(
      text.unicodeScalars.filter { !$0.isASCII && Self.letters.contains($0.properties.generalCategory) }
        .flatMap { $0.properties.lowercaseMapping.unicodeScalars }
        .filter { !$0.isASCII && Self.letters.contains($0.properties.generalCategory) })
    return alphabets.contains { found.isSubset(of: $0.unicodeScalars) }
  }

  /// Whether the letters of a text in this encoding must belong to one language.
  static func judgesLetters(of encoding: String) -> Bool { alphabets[encoding] != nil }

  private static let central = ["ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţ", "ëç", "äöüß"]
  private static let baltic = ["ąčęėįšųūž", "āčēģīķļņšūžōŗ", "äõöüšž", "ąćęłńóśźż"]
  /// The letters of languages that are written in an encoding, of each with those of words that it borrows.
  private static let alphabets: [String: [String]] = [
    "windows-1250": central, "iso-8859-2": central, "windows-1257": baltic, "iso-8859-13": baltic,
    "windows-1252": [
      "äöüß", "àâæçéèêëîïôœùûüÿ", "áéíñóúüªº", "àèéìíîòóùú", "àáâãçéêíóôõúüªº", "áàâèéêëíîïóôöúûüç", "æøåáäéèóòôö", "åäöáàéèü",
      "åäöšžéü", "áéíóúýþæöð", "àçèéíïòóúü",
    ],
    "windows-1254": ["çğıöşüâîû"],
  ]
}
