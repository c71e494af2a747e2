import FarmTesting
import FoundationEssentials

/// The types of an ISO base media file's outermost boxes, in order.
func boxes(_ path: String) throws -> [String] {
  let file = try Array(Data(contentsOf: URL(filePath: path)))
  var types: [String] = []
  var start = 0
  while start + 8 <= file.count {
    let size = file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    types.append(String(decoding: file[start + 4..<start + 8], as: UTF8.self))
    // A size of 1 means that a size of 64 bits follows the type. These files are too small to need one.
    guard size >= 8 else { throw MediaTools.Failure(description: "\(path): a box of size \(size)") }
    start += size
  }
  return types
}
