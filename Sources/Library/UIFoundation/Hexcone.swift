/// The place of a colour in the hexcone of red, green and blue. All parts are 0...1.
package struct Hexcone {
  package let hue: CGFloat
  package let saturation: CGFloat
  package let brightness: CGFloat

  package init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat) {
    (self.hue, self.saturation, self.brightness) = (hue, saturation, brightness)
  }

  package init(of color: CGColor) {
    let parts = color.sRGB
    let (r, g, b) = (parts[0], parts[1], parts[2])
    let (most, least) = (max(r, g, b), min(r, g, b))
    let range = most - least
    var sector: CGFloat = 0
    if range > 0 { sector = most == r ? (g - b) / range : most == g ? (b - r) / range + 2 : (r - g) / range + 4 }
    self.init(hue: (sector < 0 ? sector + 6 : sector) / 6, saturation: most == 0 ? 0 : range / most, brightness: most)
  }

  package func color(alpha: CGFloat) -> CGColor {
    let sector = hue.truncatingRemainder(dividingBy: 1) * 6
    func part(_ n: CGFloat) -> CGFloat {
      let k = (n + sector).truncatingRemainder(dividingBy: 6)
      return brightness - brightness * saturation * max(0, min(k, 4 - k, 1))
    }
    return CGColor(red: part(5), green: part(3), blue: part(1), alpha: alpha)
  }
}
