internal import JSON

/// The reason for which a compositor stays in this process.
struct Stay: Error, Hashable, Sendable {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

extension FarmClasses {
  /// The words of an instruction in the document: the parameters of its compositor.
  ///
  /// AVFoundation's own instructions travel as they are. Others do where their class is registered, and is Codable, or else supports secure
  /// coding.
  ///
  /// - Throws: a `Stay` for an instruction that cannot travel.
  func parameters(of instruction: any AVVideoCompositionInstructionProtocol) throws(Stay) -> JSONValue {
    let kind = type(of: instruction)
    if let name = PlainInstruction.name(of: kind), let plain = instruction as? AVVideoCompositionInstruction {
      return try Self.coded(PlainInstruction(plain), as: name)
    }
    let isCoded = instruction is any Codable
    guard isCoded || (kind as? any NSSecureCoding.Type)?.supportsSecureCoding ?? false else {
      throw Stay("its instruction \(kind) is neither Codable nor NSSecureCoding")
    }
    guard let name = name(of: kind) else { throw Stay("its instruction \(kind) is not registered") }
    if isCoded, let encodable = instruction as? any Encodable { return try Self.coded(encodable, as: name) }
    guard let archived = instruction as? any NSSecureCoding else { preconditionFailure("the class supports secure coding") }
    // The archive is the instruction itself, and not an object in it: Foundation on Linux ends the program where it is asked to archive an
    // object of a class that is private or stands in another one.
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archived.encode(with: archiver)
    archiver.finishEncoding()
    if let error = archiver.error { throw Stay("its instruction \(name) cannot be archived: \(error)") }
    return .object(["instruction": .string(name), "archive": .string(archiver.encodedData.base64EncodedString())])
  }

  private static func coded(_ value: any Encodable, as name: String) throws(Stay) -> JSONValue {
    do {
      let json = try JSONReader.read([UInt8](JSONEncoder().encode(value)))
      return .object(["instruction": .string(name), "coded": json])
    } catch { throw Stay("its instruction \(name) cannot be coded: \(error)") }
  }

  /// Makes the instruction of the words.
  ///
  /// - Parameter userInfo: what decoders of instructions are told beside the parameters.
  /// - Returns: nil for parameters that name none, which somebody wrote by hand.
  /// - Throws: a `DecodingError`, or what the instruction's class throws.
  package func instruction(
    ofParameters json: [UInt8], _ userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> (any AVVideoCompositionInstructionProtocol)? {
    try decoded(json, userInfo, opensArchives: true).instruction
  }

  /// Checks the words as far as that is safe in a process that is not contained: `NSKeyedUnarchiver` may end the process where an archive is
  /// damaged, so none is opened.
  ///
  /// - Throws: as `instruction(ofParameters:)`.
  package func check(parameters json: [UInt8], _ userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws {
    _ = try decoded(json, userInfo, opensArchives: false)
  }

  private func decoded(
    _ json: [UInt8], _ userInfo: [CodingUserInfoKey: any Sendable], opensArchives: Bool
  ) throws -> TravellingInstruction {
    let decoder = JSONDecoder()
    decoder.userInfo = userInfo
    decoder.userInfo[.reading] = TravellingInstruction.Reading(classes: self, opensArchives: opensArchives)
    return try decoder.decode(TravellingInstruction.self, from: Data(json))
  }
}

extension CodingUserInfoKey {
  fileprivate static let reading: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "reading") else { preconditionFailure("every text is a key") }
    return key
  }()
}

/// An instruction as it is read from a compositor's parameters.
private struct TravellingInstruction: Decodable {
  /// The facts that a decoder is told.
  struct Reading {
    let classes: FarmClasses
    let opensArchives: Bool
  }

  /// The instruction; nil where none is named, and in an archive that is not opened.
  let instruction: (any AVVideoCompositionInstructionProtocol)?

  private enum Key: CodingKey { case instruction, coded, archive }

  init(from decoder: any Decoder) throws {
    let words = try decoder.container(keyedBy: Key.self)
    guard let name = try words.decodeIfPresent(String.self, forKey: .instruction) else {
      instruction = nil
      return
    }
    if PlainInstruction.names.contains(name) {
      instruction = try words.decode(PlainInstruction.self, forKey: .coded).instruction(named: name)
      return
    }
    let reading = decoder.userInfo[.reading] as? Reading
    guard let kind = reading?.classes.instructions[name] else {
      throw DecodingError.dataCorruptedError(
        forKey: .instruction, in: words, debugDescription: "this program has no instruction '\(name)'")
    }
    if let kind = kind as? any Decodable.Type {
      instruction = try kind.init(from: words.superDecoder(forKey: .coded)) as? any AVVideoCompositionInstructionProtocol
    } else {
      let archive = try words.decode(Data.self, forKey: .archive)
      guard reading?.opensArchives ?? false else {
        instruction = nil
        return
      }
      guard let made = try Self.unarchived(kind, archive) else {
        throw DecodingError.dataCorruptedError(
          forKey: .archive, in: words, debugDescription: "\(name) is not made of this archive")
      }
      instruction = made
    }
  }

  private static func unarchived(
    _ kind: any AVVideoCompositionInstructionProtocol.Type, _ archive: Data
  ) throws -> (any AVVideoCompositionInstructionProtocol)? {
    guard let kind = kind as? any NSSecureCoding.Type else { return nil }
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archive)
    unarchiver.requiresSecureCoding = true
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    let made = kind.init(coder: unarchiver)
    unarchiver.finishDecoding()
    if let error = unarchiver.error { throw error }
    return made as? any AVVideoCompositionInstructionProtocol
  }
}
