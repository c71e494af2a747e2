internal import Document
internal import Formats
internal import Lottie
internal import Media
internal import Scenes
internal import Timeline

/// The Lottie files of a document, read. The layers that they become travel with the edit.
struct LottieFiles {
  private(set) var animations: [String: LottieAnimation] = [:]
  private(set) var faults: [SideFileFault] = []
  private(set) var warnings: [DocumentWarning] = []

  /// - Parameter policy: says which files may be read.
  init(_ document: DocumentFile, _ policy: SourcePolicy) {
    for file in document.document.lottieFiles {
      let place = "\(file.place).lottie"
      do throws(SideFileFault) {
        let animation = try Self.read(file, at: place, policy)
        animations[file.place] = animation
        let omitted = animation.omittedRemarks > 0 ? ["and \(animation.omittedRemarks) more remarks"] : []
        for words in animation.remarks.map(\.description) + omitted {
          if file.isStrict {
            faults.append(SideFileFault(place: place, reason: "'\(file.path)': \(words)", isMissing: false))
          } else {
            warnings.append(DocumentWarning(path: place, message: words, kind: .lottie))
          }
        }
      } catch { faults.append(error) }
    }
  }

  private static func read(
    _ file: LottieFileName, at place: String, _ policy: SourcePolicy
  ) throws(SideFileFault) -> LottieAnimation {
    func fault(_ reason: String, isMissing: Bool = false) -> SideFileFault {
      SideFileFault(place: place, reason: "'\(file.path)': \(reason)", isMissing: isMissing)
    }
    let bytes: [UInt8]
    do throws(MediaError) { bytes = try SideFile.bytes(at: file.path, atMost: LottieLimits.byteCount, policy) } catch {
      throw fault(error.words, isMissing: true)
    }
    do throws(LottieFault) { return try LottieAnimation(bytes, file.options) } catch { throw fault(error.description) }
  }
}

/// The facts of the images in Lottie files.
struct LottieImageFacts {
  private(set) var facts: [AssetID: AssetFacts] = [:]
  private(set) var faults: [SideFileFault] = []

  /// - Parameter probe: finds out the facts of assets.
  init(_ images: [LottieImage], by probe: ([ProbedAssets.Asset]) throws -> ProbedAssets) throws {
    guard !images.isEmpty else { return }
    let probed = try probe(images.map { ProbedAssets.Asset(id: $0.asset, path: $0.data.text) })
    facts = probed.facts
    let reasons = Dictionary(probed.faults.map { ($0.asset, $0.error.words) }) { first, _ in first }
    for image in images {
      guard let reason = reasons[image.asset] else { continue }
      let words = "'\(image.file)': \(image.pathInFile): the image cannot be decoded: \(reason)"
      faults.append(SideFileFault(place: "\(image.place).lottie", reason: words, isMissing: false))
    }
  }
}
