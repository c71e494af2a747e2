internal import Document
internal import Lottie
internal import Media
internal import Scenes

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
