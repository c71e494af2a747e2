import FoundationEssentials
import Glibc

/// The use of a process and its children, as the kernel counts it.
struct Readings: Sendable {
  /// The processor seconds of the process and of its ended children; with `withChildren` also of its living ones.
  var processorSeconds: Double
  /// The resident memory of the process alone, in bytes.
  var residentBytes: Int

  init(process: Int32, withChildren: Bool = false) throws {
    let resident = try Self.words("/proc/\(process)/statm")[1]
    residentBytes = (Int(resident) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    processorSeconds = try Self.processorSeconds(process)
    guard withChildren else { return }
    for child in try Self.words("/proc/\(process)/task/\(process)/children") {
      // A child that ends at this moment is left out.
      processorSeconds += (try? Self.processorSeconds(Int32(child) ?? 0)) ?? 0
    }
  }

  /// The processor seconds of a process: utime and stime, fields 14 and 15 of /proc/PID/stat (proc(5)), and those of children
  /// that were waited for, fields 16 and 17.
  private static func processorSeconds(_ process: Int32) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    return fields[12...15].reduce(0) { $0 + (Double($1) ?? 0) } / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func words(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isWhitespace).map(String.init)
  }
}
