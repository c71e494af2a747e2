/// The statements of a document about an asset besides its place: how damage and interlacing are handled when it is decoded, or
/// that it is a font.
package struct AssetTreatment: Hashable, Sendable, Codable {
  /// The treatment of damaged parts of the stream.
  package enum Damage: String, Hashable, Sendable, Codable, CaseIterable {
    /// The render fails when it needs the damaged part.
    case refuse
    /// The last good picture before the damaged part is shown, and its sound is silence.
    case conceal
  }

  /// The treatment of pictures that are stored as two fields of different moments.
  package enum Interlace: String, Hashable, Sendable, Codable, CaseIterable {
    /// Each interlaced frame becomes one progressive picture. Progressive frames stay as they are.
    case deinterlace
    /// Film that was spread over fields is restored: its own frames, at their own times, as `FilmCadence` says.
    case inverseTelecine
    /// Pictures are shown as they are stored.
    case never
  }

  package var damage: Damage
  package var interlace: Interlace
  /// The face that is meant, where the asset is a font file; nil for media.
  package var font: FontChoice?

  package init(damage: Damage = .refuse, interlace: Interlace = .deinterlace, font: FontChoice? = nil) {
    (self.damage, self.interlace, self.font) = (damage, interlace, font)
  }
}

/// The field of an interlaced frame that comes first in time.
package enum FieldOrder: String, Hashable, Sendable, Codable, CaseIterable {
  case topFirst = "top-first"
  case bottomFirst = "bottom-first"
}
