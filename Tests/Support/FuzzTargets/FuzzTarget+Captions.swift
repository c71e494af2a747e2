internal import Captions
internal import CharacterSets
internal import MediaTime

extension FuzzTarget {
  /// Reads bytes as each format of captions. Cues that are taken must be in order, and their words in their texts.
  func takeCaptions(_ bytes: [UInt8]) {
    let found = EncodingFinding(of: bytes)
    let declared = found.isCertain ? found.name.flatMap { CharacterSet($0).text(of: bytes) } : nil
    precondition(found.name.map(CaptionEncoding.names.contains) ?? !found.isCertain, "an encoding that nobody can declare")
    guard let text = CaptionText.decoded(bytes) ?? declared else { return }  // another encoding, which must be declared
    for format in CaptionFormat.allCases {
      guard let file = try? CaptionFile(text, format) else { continue }  // refused with a reason
      precondition(file.remarks.count <= CaptionLimits.remarks)
      var last = MediaTime.zero
      for cue in file.cues {
        precondition(cue.range.start >= last && cue.range.end <= CaptionLimits.latest, "cues are not in order")
        precondition(!cue.text.isEmpty && cue.wordRanges != nil, "the words of a cue are not in its text")
        last = cue.range.start
      }
    }
  }

  var captionSeeds: [[UInt8]] {
    [
      "1\n00:00:01,000 --> 00:00:02,500\n<b>One</b> {\\an8}\n<font color=\"#ff0000\">two</font>\n\n",
      "WEBVTT\n\nNOTE x\n\na\n00:01.000 --> 00:02.000 line:10% align:start\n<v A>One <00:01.500>two &amp; <c.red>x</c>\n",
      "[ti:x]\n[offset:-20]\n[00:01.00][00:03.00]<00:01.00>One <00:01.50>two\n[00:05.00]\n",
      "[Script Info]\nPlayResX: 9\n[V4+ Styles]\nFormat: Name, PrimaryColour, Alignment\nStyle: A,&H0000FF&,5\n[Events]\n"
        + "Format: Start, End, Style, Text\nDialogue: 0:00:01.00,0:00:02.00,A,{\\k20}la{\\kf30\\pos(1,2)\\fad(9,9)}lo\\N{\\p1}m\n",
      "<tt xmlns:ttp=\"x\" ttp:frameRate=\"25\"><head><region xml:id=\"r\" tts:origin=\"1% 2%\"/></head><body><p begin=\"1s\""
        + " dur=\"00:00:01:05\" region=\"r\">One<br/><span begin=\"5f\">&#233; two</span></p></body></tt>",
    ].map { Array($0.utf8) }
  }
}
