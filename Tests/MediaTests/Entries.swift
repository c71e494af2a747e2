import FarmTesting
import FoundationEssentials

/// The names of what a directory holds.
func entries(of directory: TemporaryDirectory) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
}
