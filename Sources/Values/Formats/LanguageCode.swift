/// The codes by which files name languages, for the tags (BCP 47) by which documents do.
package enum LanguageCode {
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

  private static let codes = [
    "ar": "ara", "bg": "bul", "bn": "ben", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng",
    "es": "spa", "et": "est", "fa": "fas", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun",
    "id": "ind", "it": "ita", "ja": "jpn", "ko": "kor", "lt": "lit", "lv": "lav", "ms": "msa", "nb": "nob", "nl": "nld",
    "no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sk": "slk", "sl": "slv", "sr": "srp", "sv": "swe",
    "ta": "tam", "th": "tha", "tr": "tur", "uk": "ukr", "ur": "urd", "vi": "vie", "zh": "zho",
  ]

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
