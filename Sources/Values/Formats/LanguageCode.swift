/// The codes by which files name languages, for the tags (BCP 47) by which documents do.
package enum LanguageCode {
  /// Whether the text has the form of a tag.
  package static func isTag(_ text: some StringProtocol) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { 0x41...0x5a ~= byte || 0x61...0x7a ~= byte }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard let first = parts.first, 2...3 ~= first.utf8.count, first.utf8.allSatisfy(isLetter) else { return false }
    return text.utf8.count <= longest
      && parts.dropFirst().allSatisfy { 1...8 ~= $0.utf8.count && $0.utf8.allSatisfy { isLetter($0) || 0x30...0x39 ~= $0 } }
  }

  /// The bytes of the longest tag that BCP 47 (RFC 5646, 4.4.1) asks a program to accept.
  private static let longest = 35

  /// The three letters of ISO 639-2/T; nil for a tag of two letters that are not known here.
  package static func letters(of tag: String) -> String? {
    guard let first = tag.split(separator: "-").first?.lowercased() else { return nil }
    return first.utf8.count == 3 ? first : codes[first]
  }

  /// The language as FFmpeg's writers of this file type know it; nil where it is not one of those that are known here.
  ///
  /// It is the three letters of ISO 639-2/T, but QuickTime has a number for each language. FFmpeg 5.1 names these by codes of its own
  /// (`mov_mdhd_language_map` in isom.c), which has none for Persian.
  package static func written(_ tag: String, in fileType: FileType) -> String? {
    letters(of: tag).map { fileType == .mov ? quickTimeCodes[$0] ?? $0 : $0 }
  }

  /// Whether the file type has a name for the language.
  package static func isKnown(_ tag: String, in fileType: FileType) -> Bool {
    guard let letters = letters(of: tag) else { return false }
    return fileType != .mov || quickTimeCodes[letters] != nil || quickTimeLanguages.contains(Substring(letters))
  }

  /// The tag in the form that BCP 47 asks for, in which players compare it: the shortest code of a language, `ja` and not `jpn`, and the case of
  /// RFC 5646, section 2.1.1.
  package static func canonical(_ tag: String) -> String {
    var parts = tag.split(separator: "-").map { $0.lowercased() }
    guard let first = parts.first else { return tag }
    parts[0] = shortest[first] ?? first
    for index in parts.indices.dropFirst() {
      // What stands behind a single letter, such as x, is not of the language.
      guard !parts[..<index].contains(where: { $0.utf8.count == 1 }) else { break }
      switch parts[index].utf8.count {
      case 2: parts[index] = parts[index].uppercased()
      case 4 where parts[index].first?.isLetter == true:
        parts[index] = parts[index].prefix(1).uppercased() + parts[index].dropFirst()
      default: break
      }
    }
    return parts.joined(separator: "-")
  }

  /// The codes of two letters of ISO 639-1, with the three letters of ISO 639-2/T.
  private static let codes = Dictionary(
    uniqueKeysWithValues: """
      aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bhbih bibis bmbam bnben bobod \
      brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv cycym dadan dedeu dvdiv dzdzo eeewe elell eneng eoepo esspa \
      etest eueus fafas ffful fifin fjfij fofao frfra fyfry gagle gdgla glglg gngrn guguj gvglv hahau heheb hihin hohmo hrhrv \
      hthat huhun hyhye hzher iaina idind ieile igibo iiiii ikipk ioido isisl itita iuiku jajpn jvjav kakat kgkon kikik kjkua \
      kkkaz klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor kykir lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav \
      mgmlg mhmah mimri mkmkd mlmal mnmon mrmar msmsa mtmlt mymya nanau nbnob ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav \
      nynya ococi ojoji omorm orori ososs papan pipli plpol pspus ptpor quque rmroh rnrun roron rurus rwkin sasan scsrd sdsnd \
      sesme sgsag sisin skslk slslv smsmo snsna sosom sqsqi srsrp ssssw stsot susun svswe swswa tatam tetel tgtgk ththa titir \
      tktuk tltgl tntsn toton trtur tstso tttat twtwi tytah uguig ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid \
      yoyor zazha zhzho zuzul
      """.split(separator: " ").map { (String($0.prefix(2)), String($0.dropFirst(2))) })

  /// The codes of two letters by those of three, also of those of ISO 639-2/B.
  private static let shortest = Dictionary(uniqueKeysWithValues: codes.map { ($1, $0) }).merging(
    [
      "alb": "sq", "arm": "hy", "baq": "eu", "bur": "my", "chi": "zh", "cze": "cs", "dut": "nl", "fre": "fr", "geo": "ka",
      "ger": "de", "gre": "el", "ice": "is", "mac": "mk", "mao": "mi", "may": "ms", "per": "fa", "rum": "ro", "slo": "sk",
      "tib": "bo", "wel": "cy",
    ]) { $1 }

  private static let quickTimeCodes = [
    "deu": "ger", "ell": "gre", "hrv": "hr ", "msa": "may", "nld": "dut", "nob": "nor", "srp": "sr ", "swe": "sve", "zho": "chi",
  ]

  /// The languages that QuickTime's numbers name by their own three letters.
  private static let quickTimeLanguages = Set(
    """
    amh ara asm aym aze bel ben bul cat ces dan dzo eng epo est fin fra grn guj heb hin hun ind ita jav jpn kan kas kaz khm kir \
    kor kur lao lat lav lit mal mar mlg mlt mon nep nor ori orm pol por pus que ron run rus san slk slv snd som spa swa tam tat \
    tel tgk tgl tha tir tuk tur uig ukr urd uzb vie yid
    """.split(separator: " "))
}
