internal import Glibc

/// The resources that this process uses.
package enum ProcessUsage {
  /// The bytes of its memory that are in the machine's; nil where the kernel does not say.
  package static var residentBytes: Int64? {
    guard let pages = text(of: "/proc/self/statm")?.split(separator: " ").dropFirst().first.flatMap({ Int64($0) }) else {
      return nil
    }
    return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The seconds of processor time that all its threads have taken.
  package static var processorSeconds: Double {
    var usage = rusage()
    unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// The number of its open descriptors; nil where the kernel does not say. The one that counts is not counted.
  package static var openDescriptors: Int? {
    guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
    defer { unsafe closedir(folder) }
    var count = 0
    while let entry = unsafe readdir(folder) { count += unsafe entry.pointee.d_name.0 == UInt8(ascii: ".") ? 0 : 1 }
    return count - 1
  }

  private static func text(of path: String) -> String? {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    defer { close(number) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
