internal import FoundationEssentials

/// Small files that tests write, read and damage.
extension String {
  package func write(toFile path: String) throws { try Data(utf8).write(to: URL(filePath: path)) }
}

extension [UInt8] {
  package init(contentsOf path: String) throws { self.init(try Data(contentsOf: URL(filePath: path))) }

  package func write(toFile path: String) throws { try Data(self).write(to: URL(filePath: path)) }
}
