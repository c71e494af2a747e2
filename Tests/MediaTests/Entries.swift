import FarmTesting
import FoundationEssentials

/// The names in a directory, sorted.
func entries(of directory: TemporaryDirectory) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
}
