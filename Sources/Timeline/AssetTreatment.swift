/// How an asset's faults and fields are dealt with when it is decoded.
package struct AssetTreatment: Hashable, Sendable, Codable {
  /// What becomes of a part of the stream that is damaged.
  package enum Damage: String, Hashable, Sendable, Codable, CaseIterable {
    /// The render fails where it is asked for.
    case refuse
    /// The last whole picture before it is shown, and its sound is silence.
    case conceal
  }

  /// What becomes of pictures that are stored as two fields of different moments.
  package enum Interlace: String, Hashable, Sendable, Codable, CaseIterable {
    /// Each frame of fields becomes one whole picture; frames that are whole stay.
    case deinterlace
    /// Film that was spread over fields gets its own frames and their times back, as `FilmCadence` says.
    case inverseTelecine
    /// They are shown as they are stored.
    case never
  }

  package var damage: Damage
  package var interlace: Interlace

  package init(damage: Damage = .refuse, interlace: Interlace = .deinterlace) {
    (self.damage, self.interlace) = (damage, interlace)
  }
}

/// Which field of an interlaced frame comes first in time.
package enum FieldOrder: String, Hashable, Sendable, Codable, CaseIterable {
  case topFirst = "top-first"
  case bottomFirst = "bottom-first"
}
