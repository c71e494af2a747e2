extension CIImage {
  /// Makes a picture of another one's pixels, without its orientation, as in Core Image; nil for an empty one.
  public convenience init?(image: UIImage) { self.init(image: image, options: nil) }

  public convenience init?(image: UIImage, options: [CIImageOption: Any]?) {
    if let picture = image.ciImage {
      self.init(of: picture)
    } else if let picture = image.cgImage {
      self.init(cgImage: picture, options: options)
    } else {
      return nil
    }
  }
}

extension CIColor {
  public convenience init(color: UIColor) { self.init(cgColor: color.cgColor) }
}
