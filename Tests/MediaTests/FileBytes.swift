import FarmTesting
import Glibc

/// Reads a small file as a whole.
func read(_ path: String) throws -> [UInt8] {
  guard let file = unsafe fopen(path, "rb") else { throw MediaTools.Failure(description: "cannot open \(path)") }
  defer { unsafe fclose(file) }
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = unsafe fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
  return bytes
}

func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
  guard let file = unsafe fopen(path, "wb") else { throw MediaTools.Failure(description: "cannot make \(path)") }
  let all = Array(bytes)
  let written = unsafe fwrite(all, 1, all.count, file)
  guard unsafe fclose(file) == 0, written == all.count else { throw MediaTools.Failure(description: "cannot write \(path)") }
}
