"""Prints texts in many scripts, and where ICU parts them: the bytes (in UTF-8) at which letters begin and at which lines may be broken."""

import json

import icu

SENTENCES = {
    "en": ["The well-known rabbit (aged 6) said: “Don’t wait!” — and left.", "See http://example.org/a?b=c&d or e-mail a.b@example.org, 3.14 % off…",
           "Re-entry costs $5.00/hour; 24/7, and/or 50-60 °C.", "naïve cafe\u0301 co\u00adoperate non\u00a0breaking space", "“Why?”—“Because…” he said (twice)."],
    "de": ["„Grüß Gott“, sagte er, »gute Nacht« sie.", "Die 20-jährige O-Beinige ging z. B. um 8:30 Uhr."],
    "fr": ["« Bonjour ! » dit-il ; qu’est-ce que c’est ?", "L’été 2024 : 12 000 €, aujourd’hui même."],
    "ja": ["吾輩は猫である。名前はまだ無い。", "「これは、きゃりーぱみゅぱみゅ。」と言った！？", "東京タワーで１２３円、ラーメン（大盛り）を食べた。", "ｶﾀｶﾅとか\u3099きゃーーーっ", "第1章　はじめに――", "『2024年12月31日』〜お楽しみ〜"],
    "zh-Hans": ["今天下雨，我们应该带伞。", "他说：“你好！”然后走了……", "《红楼梦》共一百二十回（前八十回）。", "价格是￥３５．５元／公斤，打８折。"],
    "zh-Hant": ["「那是一隻很大的兔子」，她說。", "第１２章：臺北市・信義區"],
    "ko": ["오늘은 비가 옵니다. 우산을 가져갑시다!", "그녀는 “안녕”이라고 (조용히) 말했다.", "\u1112\u1161\u11ab\u1100\u1173\u11af 2024년 12월"],
    "th": ["วันนี้ฝนตก เราควรเอาร่มไป", "กระต่ายตัวใหญ่มาก เธอยังไม่มา", "ราคา ๓๕.๕๐ บาท/กิโลกรัม", "ภาษาไทยเป็นภาษาที่มีระดับเสียง"],
    "ar": ["اليوم تمطر، فلنأخذ مظلة.", "قال: «مرحباً!» ثم ذهب…", "السَّلَامُ عَلَيْكُمْ ٢٠٢٤/١٢/٣١"],
    "he": ["היום יורד גשם, בוא ניקח מטרייה.", "הוא אמר: \"שלום!\" (פעמיים)", "בְּרֵאשִׁית בָּרָא תל־אביב ארה״ב"],
    "hi": ["नमस्ते दुनिया। आज बारिश हो रही है॥", "क्षत्रिय श्रीमान् विद्यार्थी", "मूल्य ₹३५.५०/किलो"],
    "ru": ["Сегодня идёт дождь — возьмём зонт!", "«Где-то там», — сказала она в 8:30."],
    "el": ["Σήμερα βρέχει· ας πάρουμε ομπρέλα.", "«Γιατί;» είπε."],
    "emoji": ["👩‍👩‍👧👍🏽 ok", "🇩🇪🇫🇷🇯 flags", "1️⃣2️⃣#️⃣ keys", "❤️‍🔥🏳️‍🌈👨🏿‍💻.", "😀！と😀。", "go🚀now (🎉)!"],
}
# No text has the Thai sign am: fonts have it in two pieces.
# Pieces that stand beside each other in all orders, with and without a space.
PIECES = ["word", "(x)", "“q”", "3.5%", "日本", "。」", "（大）", "か", "ーっ", "한글", "ไทย", "กระต่าย", "שלום", "سلام", "नमस्ते", "👨‍👩‍👧", "🇩🇪", "e\u0301", "—", "…", "№7", "a/b"]


def offsets(kind, text, locale):
    """The bytes at which ICU parts the text, without its ends."""
    make = {"letters": icu.BreakIterator.createCharacterInstance, "lines": icu.BreakIterator.createLineInstance}[kind]
    iterator = make(icu.Locale(locale))
    iterator.setText(text)
    # The byte that belongs to each unit of UTF-16.
    places, place, unit = {0: 0}, 0, 0
    for character in text:
        unit += 2 if ord(character) > 0xFFFF else 1
        place += len(character.encode())
        places[unit] = place
    return [places[unit] for unit in iterator if places[unit] < place]


def case(text, language):
    locale = {"emoji": "en"}.get(language, language)
    return {"text": text, "language": locale, "letters": offsets("letters", text, locale), "lines": offsets("lines", text, locale)}


cases = [case(text, language) for language, texts in SENTENCES.items() for text in texts]
for index, first in enumerate(PIECES):
    for other, second in enumerate(PIECES):
        between = " " if (index + other) % 5 == 0 else ""
        cases.append(case(first + between + second + PIECES[(index * 7 + other * 3) % len(PIECES)], "en"))
print("[")
print(",\n".join(json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":")) for entry in cases))
print("]")
