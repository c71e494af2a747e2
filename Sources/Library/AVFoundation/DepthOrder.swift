internal import Formats
internal import MediaTime
internal import Timeline

/// The order of layers beside each other, some of which are turned in space: those that are further away from the eye lie below.
///
/// Documents lay layers beside each other in the order of a list, so that one order must do for the whole movie (M. E. Newell, R. G.
/// Newell and T. L. Sancha, "A solution to the hidden surface problem", 1972).
struct DepthOrder {
  /// A layer, or what is made of one.
  struct Entry {
    var name: String
    var layers: [Layer]
    /// The distance of the layer before the plane, beside what its geometry says.
    var depth: Double
    /// The distance over time; without keyframes where it stays.
    var course = Envelope<Double>()
  }

  private let entries: [Entry]

  /// - Parameter entries: the layers in the order in which they lie where they do not cover each other.
  init(_ entries: [Entry]) { self.entries = entries }

  /// The layers, those furthest away first.
  func sorted() throws(AVError) -> [Layer] {
    guard entries.allSatisfy(\.course.keyframes.isEmpty) else { return try ordered() }
    guard entries.contains(where: { $0.layers.contains(where: \.geometry.isSpatial) }) else {
      return entries.enumerated().sorted { ($0.element.depth, $0.offset) < ($1.element.depth, $1.offset) }
        .flatMap(\.element.layers)
    }
    var behind = entries.map { _ in Set<Int>() }
    let moments = moments
    let faces = try entries.map { (entry) throws(AVError) in try Self.faces(of: entry, at: moments) }
    for (one, first) in faces.enumerated() {
      for (other, second) in faces.enumerated() where one < other {
        for (a, b) in zip(first, second) {
          guard let a, let b, let isBehind = try isBehind(a, b, entries[one].name, entries[other].name) else { continue }
          if isBehind { behind[other].insert(one) } else { behind[one].insert(other) }
        }
      }
    }
    var laid: [Int] = []
    while laid.count < entries.count {
      let next = entries.indices.first { !laid.contains($0) && behind[$0].isSubset(of: laid) }
      guard let next else {
        let names = entries.indices.filter { !laid.contains($0) }.map { entries[$0].name }
        let which = names.joined(separator: " and ")
        throw LayerAnimations.unsaid(
          names[0], "\(which) cover each other in turn, and documents keep one order: let isDoubleSided be false")
      }
      laid.append(next)
    }
    return laid.flatMap { entries[$0].layers }
  }

  /// The layers in the order of their list, with their distances, by which they lie.
  private func ordered() throws(AVError) -> [Layer] {
    if let turned = entries.first(where: { $0.layers.contains(where: \.geometry.isSpatial) }) {
      throw LayerAnimations.unsaid(turned.name, "is turned in space beside a layer whose zPosition changes")
    }
    return entries.flatMap { entry in
      entry.layers.map { layer in
        var layer = layer
        layer.zPosition = (entry.course.keyframes.isEmpty ? Envelope(constant: entry.depth) : entry.course).held(neutral: 0)
        return layer
      }
    }
  }

  /// The moments at which the layers are looked at: their keyframes, and some between these.
  private var moments: [MediaTime] {
    let times = Set([.zero] + entries.flatMap { $0.layers.flatMap(\.geometry.times) }).sorted()
    // A hundred and more keyframes lie at the frames themselves.
    let parts: Int64 = times.count > 100 ? 1 : 24
    var moments: [MediaTime] = []
    for (start, end) in zip(times, times.dropFirst()) {
      for part in 0..<parts {
        // A time between that does not fit is left out: the keyframes themselves do.
        let moment = try? MediaTime(Rational(start) + Rational(end - start) * Rational(Int128(part), over: Int128(parts)))
        if let moment { moments.append(moment) }
      }
    }
    return moments + times.suffix(1)
  }

  // MARK: - Faces

  /// A rectangle in space as it is seen: its corners, with the depths at which they lie.
  private typealias Face = [SIMD3<Double>]

  /// The face of a layer at some moments; nil where it is not seen.
  private static func faces(of entry: Entry, at moments: [MediaTime]) throws(AVError) -> [Face?] {
    guard let layer = entry.layers.first(where: \.geometry.isSpatial) ?? entry.layers.first, let frame = layer.geometry.frame
    else { return moments.map { _ in nil } }
    guard layer.clock == nil || !layer.geometry.isSpatial else {
      throw LayerAnimations.unsaid(entry.name, "is turned in space on a clock of its own, beside other layers")
    }
    return try moments.map { (moment) throws(AVError) -> Face? in
      let (map, size) = try timed(entry.name) { () throws(TimeError) in
        let size = try layer.geometry.size(at: moment) ?? Point(frame.width, frame.height)
        return (try layer.geometry.space(of: size, at: moment, lifted: entry.depth), size)
      }
      let reach = layer.reach(of: Rect(0, 0, size.x, size.y))
      if !layer.geometry.isDoubleSided, map.showsBack { return nil }
      let corners = [(reach.x, reach.y), (reach.maxX, reach.y), (reach.maxX, reach.maxY), (reach.x, reach.maxY)]
      var face: Face = []
      for (x, y) in corners {
        let terms = map.terms
        let parts = (0..<4).map { x * terms[$0] + y * terms[4 + $0] + terms[12 + $0] }
        guard parts[3] > 0 else { throw LayerAnimations.unsaid(entry.name, "reaches behind the eye, beside other layers") }
        face.append(SIMD3(parts[0], parts[1], parts[2]) / parts[3])
      }
      return face
    }
  }

  /// Whether the first face lies behind the second one; nil where neither covers the other.
  private func isBehind(_ a: Face, _ b: Face, _ first: String, _ second: String) throws(AVError) -> Bool? {
    guard Self.isCrossed(a, b) else { return nil }
    for (plane, points, isPlaneFirst) in [(a, b, true), (b, a, false)] {
      guard let heights = Self.heights(of: points, over: plane) else { continue }
      let slack = 1e-6 * (1 + plane.map { abs($0.z) + abs($0.x) + abs($0.y) }.reduce(0, max))
      // Faces in one plane lie in the order of the list.
      if heights.allSatisfy({ abs($0) <= slack }) { return nil }
      if heights.allSatisfy({ $0 >= -slack }) { return isPlaneFirst }
      if heights.allSatisfy({ $0 <= slack }) { return !isPlaneFirst }
    }
    throw LayerAnimations.unsaid(
      first, "and \(second) reach through each other: give one a zPosition with which it stays before or behind the other")
  }

  /// The heights of points over a face's plane, towards the eye; nil for a face that is seen from its edge.
  private static func heights(of points: Face, over face: Face) -> [Double]? {
    let (u, v) = (face[1] - face[0], face[3] - face[0])
    let normal = SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
    guard abs(normal.z) > 1e-9 else { return nil }
    return points.map { (normal * ($0 - face[0])).sum() / normal.z }
  }

  /// Whether two faces cover each other as they are seen: no line along a side of one of them parts them.
  private static func isCrossed(_ a: Face, _ b: Face) -> Bool {
    for face in [a, b] {
      for (from, to) in zip(face, face.dropFirst() + face.prefix(1)) {
        let across = SIMD2(to.y - from.y, from.x - to.x)
        let length = (across * across).sum().squareRoot()
        guard length > 1e-9 else { return false }
        func span(_ points: Face) -> (Double, Double) {
          let places = points.map { (across * SIMD2($0.x, $0.y)).sum() / length }
          return (places.min() ?? 0, places.max() ?? 0)
        }
        let (one, other) = (span(a), span(b))
        if one.1 <= other.0 + 1e-6 || other.1 <= one.0 + 1e-6 { return false }
      }
    }
    return true
  }
}

extension Layer {
  /// The rectangle that the layer and those on it may fill, in the layer's coordinates.
  fileprivate func reach(of own: Rect) -> Rect {
    if style.masksToBounds { return own }
    return sublayers.reduce(own) { reach, layer in
      guard let frame = layer.geometry.frame else { return reach }
      let (x, y) = (min(reach.x, frame.x), min(reach.y, frame.y))
      return Rect(x, y, max(reach.maxX, frame.maxX) - x, max(reach.maxY, frame.maxY) - y)
    }
  }
}

extension LayerGeometry {
  /// The times of the keyframes.
  fileprivate var times: [MediaTime] {
    let points = [position, scale, bounds, anchorMotion].flatMap { $0.keyframes.map(\.time) }
    let turns = [rotation, rotationX, rotationY].flatMap { $0.keyframes.map(\.time) }
    return points + turns + transform.keyframes.map(\.time) + transform3D.keyframes.map(\.time)
  }

  /// The map from the layer's coordinates into the space of what it stands on, as `projection(of:at:)` has it of the plane.
  fileprivate func space(of size: Point, at time: MediaTime, lifted depth: Double) throws(TimeError) -> Transform3D {
    let frame = frame ?? Rect(0, 0, 0, 0)
    let anchor = try anchor(of: size, at: time)
    let rest = Point(frame.x + anchorPoint.x * frame.width, frame.y + anchorPoint.y * frame.height)
    let place = try position.heldValue(at: time, neutral: rest)
    let factors = try scale.heldValue(at: time, neutral: Point(1, 1))
    let turn = try Formats.AffineTransform.rotation(degrees: rotation.heldValue(at: time, neutral: 0))
    return try Transform3D(Formats.AffineTransform.translation(-anchor.x, -anchor.y).then(.scale(factors.x, factors.y)))
      .then(.rotationX(degrees: rotationX.heldValue(at: time, neutral: 0)))
      .then(.rotationY(degrees: rotationY.heldValue(at: time, neutral: 0)))
      .then(Transform3D(turn.then(transform.heldValue(at: time, neutral: .identity))))
      .then(transform3D.heldValue(at: time, neutral: .identity))
      .then(.translation(place.x, place.y, depth))
  }
}
