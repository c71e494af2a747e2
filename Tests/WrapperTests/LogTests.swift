import Linux
import Testing

@Suite struct `The log` {
  @Test(arguments: [
    ("event=joined worker=a slots=2", #"{"event":"joined","worker":"a","slots":"2"}"#),
    (#"event=failed reason="no \"key\" at \\n" task=7"#, #"{"event":"failed","reason":"no \"key\" at \\n","task":"7"}"#),
    ("event=webhooks_stand reason=the farm is away", #"{"event":"webhooks_stand","reason":"the farm is away"}"#),
    (#"event=told text="a\nb""#, #"{"event":"told","text":"a\nb"}"#),
    (#"event=open text="never closed"#, #"{"event":"open","text":"never closed"}"#),
    ("event=a x==y", #"{"event":"a","x":"=y"}"#), ("", "{}"), (#"words " alone"#, #"{"event":"words \" alone"}"#),
  ]) func `has a line as a JSON object of the same fields`(line: String, json: String) {
    #expect(LogLine(line).json == json)
  }

  @Test func `levels are in their order, and what is not known is information`() {
    #expect(LogLevel.allCases.sorted() == [.debug, .info, .warning, .error])
    #expect(LogLevel(event: "job_ended") == .info && LogLevel(event: "unanswered") == .warning)
    #expect(LogLevel(event: "ledger_refused") == .error && LogLevel(event: "asked") == .debug && LogLevel(event: "") == .info)
  }
}
