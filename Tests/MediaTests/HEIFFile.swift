import FarmTesting

/// A still picture of the HEIF family (ISO/IEC 23008-12), made of AVIF pictures that ffmpeg wrote. It may have a grid, turns and
/// mirrors, which ffmpeg does not write.
struct HEIFFile {
  /// The coded pictures, all of one size, and the configuration that their decoder needs.
  private let tiles: [[UInt8]]
  private let configuration: ISOBox
  private let tileSize: (width: Int, height: Int)
  /// The columns and rows of tiles, and the size of the visible part; nil for a single tile.
  var grid: (columns: Int, rows: Int, width: Int, height: Int)?
  /// The transformations of the primary picture, in order.
  var turns: [ISOBox] = []

  init(of files: [String], width: Int, height: Int) throws {
    var (found, description): ([[UInt8]], ISOBox?) = ([], nil)
    for file in files {
      let boxes = ISOBox.all(in: try read(file)[...])
      guard let data = boxes.first(where: { $0.type == "mdat" }), let meta = boxes.first(where: { $0.type == "meta" }) else {
        throw MediaTools.Failure(description: "\(file): no AVIF")
      }
      found.append(data.payload)
      let properties = ISOBox.all(in: meta.payload.dropFirst(4)).first { $0.type == "iprp" }?.payload ?? []
      let container = ISOBox.all(in: properties[...]).first { $0.type == "ipco" }?.payload ?? []
      description = ISOBox.all(in: container[...]).first { $0.type == "av1C" }
    }
    guard let description else { throw MediaTools.Failure(description: "no av1C") }
    (tiles, configuration, tileSize) = (found, description, (width, height))
  }

  var bytes: [UInt8] {
    let type = ISOBox(type: "ftyp", payload: Array("avif".utf8) + [0, 0, 0, 0] + Array("mif1avifmiaf".utf8)).bytes
    let start = type.count + meta(dataAt: 0).bytes.count + 8
    return type + meta(dataAt: start).bytes + ISOBox(type: "mdat", payload: tiles.flatMap(\.self)).bytes
  }

  private func full(_ type: String, _ payload: [UInt8], version: UInt8 = 0, children: [ISOBox] = []) -> ISOBox {
    ISOBox(type: type, payload: [version, 0, 0, 0] + payload, children: children)
  }

  private func number(_ value: Int, _ width: Int) -> [UInt8] { ISOBox.number(value, width) }

  /// The box 'meta'. Items from 1 on are the tiles; the grid comes after them.
  private func meta(dataAt start: Int) -> ISOBox {
    let (primary, count) = (grid == nil ? 1 : tiles.count + 1, tiles.count + (grid == nil ? 0 : 1))
    let handler = full("hdlr", [UInt8](repeating: 0, count: 4) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
    var (places, offset): ([UInt8], Int) = ([], start)
    for (index, tile) in tiles.enumerated() {
      places += number(index + 1, 2) + number(0, 2) + number(0, 2) + number(1, 2) + number(offset, 4) + number(tile.count, 4)
      offset += tile.count
    }
    // The grid's description is in the box 'idat'.
    if grid != nil { places += number(primary, 2) + number(1, 2) + number(0, 2) + number(1, 2) + number(0, 4) + number(8, 4) }
    let location = full("iloc", [0x44, 0] + number(count, 2) + places, version: 1)
    let entries = (1...count).map { item in
      full("infe", number(item, 2) + number(0, 2) + Array((item > tiles.count ? "grid" : "av01").utf8) + [0], version: 2)
    }
    var boxes = [handler, full("pitm", number(primary, 2)), location, full("iinf", number(count, 2), children: entries)]
    if let grid {
      let tiles = (1...tiles.count).flatMap { number($0, 2) }
      let reference = ISOBox(type: "dimg", payload: number(primary, 2) + number(self.tiles.count, 2) + tiles)
      boxes.append(full("iref", [], children: [reference]))
      boxes.append(
        ISOBox(
          type: "idat",
          payload: [0, 0, UInt8(grid.rows - 1), UInt8(grid.columns - 1)] + number(grid.width, 2) + number(grid.height, 2)))
    }
    return full("meta", [], children: boxes + [properties(of: primary, count)])
  }

  private func properties(of primary: Int, _ count: Int) -> ISOBox {
    let size = (grid?.width ?? tileSize.width, grid?.height ?? tileSize.height)
    let all =
      [
        full("ispe", number(tileSize.width, 4) + number(tileSize.height, 4)), full("pixi", [3, 8, 8, 8]), configuration,
        ISOBox(type: "colr", payload: Array("nclx".utf8) + number(1, 2) + number(13, 2) + number(1, 2) + [0]),
        full("ispe", number(size.0, 4) + number(size.1, 4)),
      ] + turns
    let turned = turns.indices.map { UInt8(0x80 | ($0 + 6)) }
    let links = (1...count).flatMap { item in
      let own: [UInt8] = (item > tiles.count ? [5, 2, 4] : [1, 2, 0x83, 4]) + (item == primary ? turned : [])
      return number(item, 2) + [UInt8(own.count)] + own
    }
    return ISOBox(
      type: "iprp", children: [ISOBox(type: "ipco", children: all), full("ipma", number(count, 4) + links)])
  }
}
