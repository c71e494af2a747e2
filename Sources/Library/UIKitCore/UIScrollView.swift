/// The one who is told that a view was scrolled. All of it may be left out.
/// - Partly: scrolled by code alone, at once
public protocol UIScrollViewDelegate: NSObjectProtocol {
  func scrollViewDidScroll(_ scrollView: UIScrollView)
  func scrollViewDidEndScrollingAnimation(_ scrollView: UIScrollView)
}

extension UIScrollViewDelegate {
  public func scrollViewDidScroll(_ scrollView: UIScrollView) {}
  public func scrollViewDidEndScrollingAnimation(_ scrollView: UIScrollView) {}
}

/// A view that shows a part of what is on it. Code scrolls it, at once: there are no touches and no indicators.
/// - Partly: scrolled by code alone, at once
open class UIScrollView: UIView {
  /// The size of all that is on the view.
  open var contentSize = CGSize.zero
  /// The room around the content, which code may scroll to as to any place.
  open var contentInset = UIEdgeInsets.zero
  open var adjustedContentInset: UIEdgeInsets { contentInset }
  open weak var delegate: (any UIScrollViewDelegate)?
  open var isScrollEnabled = true
  open var isPagingEnabled = false
  open var bounces = true
  open var alwaysBounceVertical = false
  open var alwaysBounceHorizontal = false
  open var showsHorizontalScrollIndicator = true
  open var showsVerticalScrollIndicator = true
  open var isTracking: Bool { false }
  open var isDragging: Bool { false }
  open var isDecelerating: Bool { false }

  public override init(frame: CGRect) {
    super.init(frame: frame)
    clipsToBounds = true
  }

  /// Archives of interfaces are not read.
  public required init?(coder: NSCoder) { return nil }

  /// The place of the content that lies at the view's top left corner.
  open var contentOffset: CGPoint {
    get { bounds.origin }
    set {
      guard newValue != bounds.origin else { return }
      bounds.origin = newValue
      delegate?.scrollViewDidScroll(self)
    }
  }

  /// Scrolls to a place at once.
  open func setContentOffset(_ contentOffset: CGPoint, animated: Bool) {
    self.contentOffset = contentOffset
    if animated { delegate?.scrollViewDidEndScrollingAnimation(self) }
  }

  /// Scrolls as little as shows a rectangle of the content.
  open func scrollRectToVisible(_ rect: CGRect, animated: Bool) {
    func place(_ low: CGFloat, _ high: CGFloat, _ start: CGFloat, _ length: CGFloat) -> CGFloat {
      if low < start { return low }
      return high > start + length ? high - length : start
    }
    setContentOffset(
      CGPoint(
        x: place(rect.minX, rect.maxX, bounds.minX, bounds.width), y: place(rect.minY, rect.maxY, bounds.minY, bounds.height)),
      animated: animated)
  }
}
