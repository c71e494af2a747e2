internal import Formats

extension DocumentReader {
  /// Reads the fields of which frames are made into the settings of the picture.
  ///
  /// - Parameter isKnown: whether the codec is known.
  func readFields(_ object: DocumentObject, into video: inout VideoCodecSettings, isKnown: Bool) {
    let order = object["fields"].flatMap { $0.choice(FieldWeave.Name.self)?.order }
    let filter = object["fieldFilter"].map { $0.choice(FieldWeave.Filter.self) }
    guard let node = object["fields"] else {
      object["fieldFilter"]?.note("is the filter of fields, which are missing: give fields, or leave it out")
      return
    }
    guard let order else { return }
    video.fields = FieldWeave(order, filter: (filter ?? nil) ?? .lowPass)
    guard isKnown else { return }
    if let objection = video.coding.coder.fieldObjection {
      node.note("\(objection): use \(VideoCodec.allCases.filter { $0.usual.coder.fieldObjection == nil }.list)")
    }
    if video.hasAlpha { node.note("a movie with alpha is not made of fields: leave one of them out") }
  }
}
