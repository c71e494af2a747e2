import FuzzTargets
import Glibc

/// The function that libFuzzer calls with the bytes that it chose. SPOOL_FUZZ_TARGET names the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func takeInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  target.take(unsafe [UInt8](UnsafeBufferPointer(start: start, count: count)))
  return 0
}

private let target: FuzzTarget = {
  let name = unsafe getenv("SPOOL_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    preconditionFailure("SPOOL_FUZZ_TARGET is none of \(FuzzTarget.allCases.map(\.rawValue))")
  }
  return target
}()

/// Writes the target's own seeds to the folder that SPOOL_FUZZ_SEEDS names, before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_: UnsafeMutablePointer<Int32>?, _: UnsafeMutableRawPointer?) -> Int32 {
  guard let folder = unsafe getenv("SPOOL_FUZZ_SEEDS").map({ unsafe String(cString: $0) }) else { return 0 }
  for (number, seed) in target.seeds.enumerated() {
    guard let file = unsafe fopen("\(folder)/own-\(number)", "w") else { preconditionFailure("\(folder) cannot be written") }
    defer { unsafe fclose(file) }
    precondition(unsafe fwrite(seed, 1, seed.count, file) == seed.count)
  }
  return 0
}
