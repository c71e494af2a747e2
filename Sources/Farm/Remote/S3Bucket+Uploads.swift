internal import Subprocess
package import Transfer

// Objects that are uploaded in parts. Nobody sees such an object before its upload is completed, and all of it is there from then on.
// What was uploaded of one that is never completed takes room until it is aborted.
extension S3Bucket {
  /// An upload that has begun.
  package struct Upload: Hashable, Sendable {
    package var key: String
    package var id: String
  }

  /// The most parts of an upload. Each of them but the last one has 5 MiB to 5 GiB.
  package static let mostParts: Int64 = 10_000
  /// The most bytes of an answer in XML.
  private static let longestAnswer = 64 << 10

  /// The size in bytes of the parts of an object, the last one apart: as small as an upload's number of parts allows.
  package static func partSize(of byteCount: Int64, atLeast least: Int64) -> Int64 {
    max(least, (byteCount + mostParts - 1) / mostParts)
  }

  /// Puts a small object under a key, in one request: it appears whole or not at all.
  ///
  /// - Parameter headers: what the object has besides its bytes, such as its type.
  /// - Throws: `TransferError`; `changed` when an object has the key and must be kept.
  func put(
    _ bytes: [UInt8], as key: String, _ headers: [(name: String, value: String)], overwrites: Bool
  ) throws(TransferError) {
    let file: Descriptor
    do throws(SubprocessError) { file = try Descriptor.memory(bytes) } catch {
      throw TransferError(.local, at: place(of: key), "\(error)")
    }
    try retries.run { () throws(TransferError) in
      // A server that does not know the condition is asked just before.
      if !overwrites, !knowsConditions, try head(of: key) != nil { throw taken(key) }
      var request = request(.put(descriptor: file.number, byteCount: Int64(bytes.count)), key)
      request.headers += headers
      if !overwrites, knowsConditions { request.headers.append(("If-None-Match", "*")) }
      do throws(TransferError) { _ = try client.perform(request) } catch {
        switch error.status {
        case 412?: throw taken(key)
        case 501? where knowsConditions && !overwrites:
          knowsConditions = false
          throw TransferError(.transient, at: error.place, error.reason)
        default: throw error
        }
      }
    }
  }

  /// The uploads of an object that have begun and were neither completed nor aborted.
  package func uploads(of key: String) throws(TransferError) -> [Upload] {
    let whole = base + key
    let page = try page("encoding-type=url&prefix=\(PercentEncoding.encode(whole))&uploads=")
    return XMLText.all("Upload", in: page[...]).compactMap { entry in
      guard let found = XMLText.all("Key", in: entry).first, let id = XMLText.all("UploadId", in: entry).first,
        Self.readings(of: found).contains(where: { $0.utf8.elementsEqual(whole.utf8) })
      else { return nil }
      return Upload(key: key, id: String(id))
    }
  }

  /// The keys that a text may mean: some servers encode no keys although they are asked to, and some write a space as a plus sign.
  private static func readings(of text: Substring) -> [String] {
    let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")].reduce(String(text)) {
      $0.replacing($1.0, with: $1.1)
    }
    return [plain] + [PercentEncoding.decode(plain), PercentEncoding.decode(plain.replacing("+", with: " "))].compactMap(\.self)
  }

  /// Begins the upload of an object.
  ///
  /// - Parameter headers: what the object has besides its bytes, such as its type.
  package func begin(_ key: String, _ headers: [(name: String, value: String)]) throws(TransferError) -> Upload {
    let answer = try post([], to: key, "?uploads=", headers)
    guard let id = XMLText.first("UploadId", in: answer), !id.isEmpty else {
      throw TransferError(.invalid, at: place(of: key), "the server begins an upload without naming it")
    }
    return Upload(key: key, id: id)
  }

  /// Uploads a part.
  ///
  /// - Parameters:
  ///   - number: the number of the part, from 1 on.
  ///   - progress: called with the number of its bytes that have been sent.
  /// - Returns: the server's name for what it got.
  func put(
    part number: Int, of upload: Upload, from descriptor: Int32, _ bytes: Range<Int64>, progress: @escaping (Int64) -> Void
  ) throws(TransferError) -> String {
    try retries.run { () throws(TransferError) in
      var request = request(
        .put(descriptor: descriptor, from: bytes.lowerBound, byteCount: bytes.upperBound - bytes.lowerBound), upload.key)
      request.url += "?partNumber=\(number)&uploadId=\(PercentEncoding.encode(upload.id))"
      request.sent = progress
      guard let tag = try client.perform(request).headers["etag"] else {
        throw TransferError(.invalid, at: place(of: upload.key), "the server takes a part without naming it")
      }
      return tag
    }
  }

  /// Makes an object of its parts.
  ///
  /// - Parameter tags: the server's names for the parts, in their order.
  /// - Throws: `TransferError`; `changed` when there is an object that is not to be replaced, `missing` when the upload was completed or
  ///   aborted before.
  func complete(_ upload: Upload, _ tags: [String], overwrites: Bool) throws(TransferError) {
    let parts = tags.enumerated().map { "<Part><PartNumber>\($0.offset + 1)</PartNumber><ETag>\($0.element)</ETag></Part>" }
    let order =
      "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(parts.joined())</CompleteMultipartUpload>"
    var headers = [(name: "Content-Type", value: "application/xml")]
    if !overwrites, knowsConditions { headers.append(("If-None-Match", "*")) }
    do throws(TransferError) {
      let answer = try post(Array(order.utf8), to: upload.key, "?uploadId=\(PercentEncoding.encode(upload.id))", headers)
      // The server says that it succeeds while it is still at work. What it says in the end counts.
      guard answer.contains("<Error>") else { return }
      let code = XMLText.first("Code", in: answer) ?? "no reason"
      throw TransferError(.transient, at: place(of: upload.key), "the server cannot put the parts together (\(code))")
    } catch {
      guard error.status == 501, knowsConditions, !overwrites else { throw error }
      knowsConditions = false
      try complete(upload, tags, overwrites: overwrites)
    }
  }

  /// Removes what was uploaded of an object, if the upload is still there.
  package func abort(_ upload: Upload) throws(TransferError) {
    do throws(TransferError) {
      try retries.run { () throws(TransferError) in
        var request = request(.delete, upload.key)
        request.url += "?uploadId=\(PercentEncoding.encode(upload.id))"
        _ = try client.perform(request)
      }
    } catch {
      guard error.kind == .missing else { throw error }
    }
  }

  /// - Returns: the body of the answer.
  private func post(
    _ body: [UInt8], to key: String, _ query: String, _ headers: [(name: String, value: String)]
  ) throws(TransferError) -> String {
    try retries.run { () throws(TransferError) in
      var (bytes, request) = ([UInt8](), request(.post(body), key))
      request.url += query
      request.headers += headers
      _ = try client.perform(request) { piece in
        bytes += piece
        return bytes.count <= Self.longestAnswer
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func taken(_ key: String) -> TransferError {
    TransferError(.changed, at: place(of: key), "another object has this key")
  }

  private func place(of key: String) -> String { "s3://\(location.bucket)/\(base)\(key)" }
}
