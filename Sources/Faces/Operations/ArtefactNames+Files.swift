internal import Formats
internal import Glibc
internal import Linux
internal import Media
internal import Subprocess

/// A file that a job has written, as lists have it.
package struct Artefact: Sendable, Codable {
  /// The path from the folder in which the movie, or its folder, lies.
  package let name: String
  package let byteCount: Int64
  package let mediaType: String
  /// The name of this very content, as the header `ETag` has it.
  package let etag: String
}

/// A part of the list of the files that a job has written.
package struct ArtefactPage: Sendable, Codable {
  package let artefacts: [Artefact]
  /// The text that gives the next page, which may be empty; nil on the last one.
  package let next: String?
}

// The files of a job that are there. They are read through the links of the folders above, and through none in the movie's own folder: files that
// are published are no links.
extension ArtefactNames {
  /// The most artefacts of a page of the list.
  package static let pages = 1...10_000
  package static let usualPage = 1000
  /// The most names that are looked for, for one page.
  private static let mostLookups = 20_000

  /// A place in the list.
  package struct Place: Sendable {
    fileprivate var (run, index) = (0, 0)

    /// The list's beginning.
    package init() {}

    /// Nil for a text that no page gave as its `next`.
    package init?(_ text: String) {
      guard let match = text.wholeMatch(of: /([0-9]{1,9})-([0-9]{1,9})/), let run = Int(match.1), let index = Int(match.2)
      else { return nil }
      (self.run, self.index) = (run, index)
    }

    fileprivate var text: String { "\(run)-\(index)" }
  }

  /// The files that are there, the movie first. Files that were removed are not among them, nor links that took their names.
  ///
  /// - Parameter roots: the folders below which movies may be read, after links are resolved.
  /// - Throws: a complaint of the class `noInput` when the movie's folder is not below one of them, or is gone.
  package func page(from start: Place, limit: Int, below roots: [String]) throws(Complaint) -> ArtefactPage {
    let folder = try folder(below: roots)
    // A movie's folder that is a link is none that was published.
    let isWhole = Self.resolved(output).map { Self.isSame($0, "\(folder)/\(FilePath.name(of: output))") } ?? false
    var (place, found, lookups) = (start, [Artefact](), 0)
    while place.run < runs.count, found.count < limit, lookups < Self.mostLookups {
      let run = runs[place.run]
      guard place.index < run.count else {
        place = place.nextRun
        continue
      }
      lookups += 1
      let name = run.name(place.index)
      let artefact = isWhole || !name.utf8.contains(UInt8(ascii: "/")) ? Artefact(name, in: folder, run.mediaType) : nil
      if let artefact { found.append(artefact) }
      place = artefact == nil && run.endsAtGap ? place.nextRun : place.next
    }
    while place.run < runs.count, place.index >= runs[place.run].count { place = place.nextRun }
    return ArtefactPage(artefacts: found, next: place.run < runs.count ? place.text : nil)
  }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - name: as the list has it.
  ///   - roots: the folders below which movies may be read, after links are resolved.
  /// - Throws: a complaint of the class `noInput` when the job has written no file of that name, and when it is not below one of the folders,
  ///   is gone, or is a link.
  package func open(_ name: String, below roots: [String]) throws(Complaint) -> OpenArtefact {
    // The file is looked for by its own name, never by that of the request.
    let found = runs.lazy.compactMap { run in run.index(of: name).map { (name: run.name($0), mediaType: run.mediaType) } }.first
    guard let found else { throw Complaint(name, "the job has written no file of that name", .noInput) }
    let path = "\(try folder(below: roots))/\(found.name)"
    return try complaining {
      let file = Descriptor(owning: try SourcePolicy(roots: roots).descriptor(of: path))
      guard let place = Self.resolved("/proc/self/fd/\(file.number)"), Self.isSame(place, path) else {
        throw Complaint(name, "another file, or a link to one, has taken its name", .noInput)
      }
      return try OpenArtefact(file, at: path, mediaType: found.mediaType)
    }
  }

  /// The folder in which the movie, or its folder, lies, without links.
  private func folder(below roots: [String]) throws(Complaint) -> String {
    try complaining {
      let given = FilePath.folder(of: output)
      guard try SourcePolicy(roots: roots).encloses(given), let folder = Self.resolved(given) else {
        throw MediaError(.unreadable, at: output, "lies outside the media roots")
      }
      return folder == "/" ? "" : folder
    }
  }

  /// The path without links; nil where there is nothing.
  private static func resolved(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Whether two paths are one, byte by byte, as the kernel compares them.
  private static func isSame(_ path: String, _ other: String) -> Bool { path.utf8.elementsEqual(other.utf8) }
}

extension ArtefactNames.Place {
  fileprivate var next: Self { Self(run: run, index: index + 1) }
  fileprivate var nextRun: Self { Self(run: run + 1, index: 0) }

  private init(run: Int, index: Int) { (self.run, self.index) = (run, index) }
}

extension Artefact {
  /// Nil where there is no file of that name, where it is empty, and where it is a link.
  fileprivate init?(_ name: String, in folder: String, _ mediaType: String) {
    var facts = stat()
    guard unsafe lstat("\(folder)/\(name)", &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size > 0 else { return nil }
    (self.name, byteCount, self.mediaType) = (name, Int64(facts.st_size), mediaType)
    etag = "\"\(OpenArtefact.version(facts))\""
  }
}

extension PictureNames {
  /// The number of the picture that has a name, counted from 0; nil for a name that none has.
  func index(of name: String) -> Int? {
    guard matches(name) else { return nil }
    let bytes = pattern.utf8
    // A pattern has one percent sign, and one `d` behind it that ends the place of the number.
    guard let start = bytes.firstIndex(of: UInt8(ascii: "%")), let end = bytes[start...].firstIndex(of: UInt8(ascii: "d")) else {
      return nil
    }
    let digits = name.utf8.dropFirst(bytes[..<start].count).dropLast(bytes[end...].count - 1)
    guard let number = Int(String(decoding: digits, as: UTF8.self)), number >= first else { return nil }
    // Two names that Unicode takes for one are two files.
    return self.name(number - first).utf8.elementsEqual(name.utf8) ? number - first : nil
  }
}
