internal import FoundationEssentials
internal import PlainText
internal import PostgreSQL

/// The JSON in which the farm's values are stored. Keys are sorted, so that equal values are equal text.
enum LedgerJSON {
  static func text(_ value: some Encodable) throws(LedgerError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw .refused(statement: "encode", JSONWords.of(error))
    }
  }

  static func value<Value: Decodable>(_ column: String, in row: Rows.Row) throws(PostgreSQLError) -> Value {
    let text = try row.value(column, as: String.self)
    do {
      return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    } catch {
      throw PostgreSQLError(.decoding, at: column, "holds what this version of spool does not read: \(JSONWords.of(error))")
    }
  }
}
