import JSON
import Testing

@Suite struct `The places in which JSON values differ` {
  private func differences(_ was: String, _ now: String, most: Int = 100) throws -> [String] {
    try JSONReader.read(Array(now.utf8)).differences(from: JSONReader.read(Array(was.utf8)), most: most).map(\.description)
  }

  @Test(
    arguments: [
      (#"{"a": 1}"#, #"{"a": 1}"#, []),
      (#"{"a": 1, "b": 2}"#, #"{"b": 2, "a": 1}"#, []),
      (#"{"a": 1}"#, #"{"a": 2}"#, ["a: 2, was 1"]),
      (#"{"a": {"b": "x"}}"#, #"{"a": {"b": "y"}}"#, [#"a.b: "y", was "x""#]),
      (#"{"a": 1, "b": [1, 2]}"#, #"{"c": null}"#, ["c: null, new", "a: gone, was 1", "b: gone, was 2 elements"]),
      (#"{"a": {"b": 1}}"#, #"{"a": [1]}"#, ["a: 1 element, was an object"]),
      ("[1]", "2", ["all of it: 2, was 1 element"]),
    ] as [(String, String, [String])])
  func `are told with what stands and stood there`(was: String, now: String, told: [String]) throws {
    #expect(try differences(was, now) == told)
  }

  @Test(
    arguments: [
      ("[1, 2, 3]", "[9, 1, 2, 3]", ["[0]: 9, new"]),
      ("[1, 2, 3]", "[1, 9, 8, 2, 3]", ["[1]: 9, new", "[2]: 8, new"]),
      ("[1, 2, 3]", "[1, 3]", ["[1]: gone, was 2"]),
      ("[1, 2, 3]", "[1, 9, 3]", ["[1]: 9, was 2"]),
      ("[1, 1]", "[1, 1, 1]", ["[2]: 1, new"]),
      (#"[{"a": 1}, {"a": 2}]"#, #"[{"a": 1}, {"a": 3}, {"a": 4}]"#, ["[1].a: 3, was 2", "[2]: an object, new"]),
      ("[]", "[1]", ["[0]: 1, new"]),
    ] as [(String, String, [String])])
  func `leave out elements of arrays that only moved`(was: String, now: String, told: [String]) throws {
    #expect(try differences(was, now) == told)
  }

  @Test func `are as many as are asked for, and values are cut to a line`() throws {
    #expect(try differences("[1, 2, 3]", "[4, 5, 6]", most: 2) == ["[0]: 4, was 1", "[1]: 5, was 2"])
    let long = String(repeating: "x", count: 100)
    let told = try #require(try differences("[1]", "[\"\(long)\"]").first)
    #expect(told == "[0]: \"" + String(repeating: "x", count: 58) + "…, was 1")
  }
}
