import Timeline

extension SMPTEWipe {
  /// The progress at which the wipe's edge reaches `point`: 0 is first, 1 is last. For growing shapes it is a size of any scale.
  ///
  /// Each shape is written down once, in one position. `of` gives the other positions by turning the point the opposite way.
  func value(at p: WipePoint) -> Double {
    func of(_ wipe: SMPTEWipe, _ point: WipePoint) -> Double { wipe.value(at: point) }
    return switch self {
    case .barLeftToRight: p.u
    case .barTopToBottom: p.v
    case .boxTopLeft: max(p.u, p.v)
    case .boxTopRight: of(.boxTopLeft, p.mirrored)
    case .boxBottomRight: of(.boxTopLeft, p.turned(2))
    case .boxBottomLeft: of(.boxTopLeft, p.flipped)
    case .boxTopCenter: max(abs(p.a), p.v)
    case .boxRightCenter: of(.boxTopCenter, p.turned(1))
    case .boxBottomCenter: of(.boxTopCenter, p.turned(2))
    case .boxLeftCenter: of(.boxTopCenter, p.turned(3))
    case .fourBoxCornersIn: 1 - min(abs(p.a), abs(p.b))
    case .fourBoxCornersOut: max(abs(2 * abs(p.a) - 1), abs(2 * abs(p.b) - 1))
    case .barnDoorVertical: abs(p.a)
    case .barnDoorHorizontal: abs(p.b)
    case .barnDoorDiagonalBottomLeft: abs(p.u + p.v - 1)
    case .barnDoorDiagonalTopLeft: abs(p.u - p.v)
    case .diagonalTopLeft: (p.u + p.v) / 2
    case .diagonalTopRight: of(.diagonalTopLeft, p.mirrored)
    case .bowTieVertical: (1 - abs(p.b) + abs(p.a)) / 2
    case .bowTieHorizontal: of(.bowTieVertical, p.transposed)
    case .miscDiagonalDoubleBarnDoor: abs(abs(p.a) - abs(p.b))
    case .miscDiagonalDoubleDiamond: abs(abs(p.a) + abs(p.b) - 1)
    case .veeDown: (p.v + abs(p.a)) / 2
    case .veeLeft: of(.veeDown, p.turned(1))
    case .veeUp: of(.veeDown, p.turned(2))
    case .veeRight: of(.veeDown, p.turned(3))
    case .barnVeeDown: abs(p.v + abs(p.a) - 1)
    case .barnVeeLeft: of(.barnVeeDown, p.turned(1))
    case .barnVeeUp: of(.barnVeeDown, p.turned(2))
    case .barnVeeRight: of(.barnVeeDown, p.turned(3))
    case .zigZagLeftToRight: p.sawed
    case .zigZagTopToBottom: p.transposed.sawed
    case .barnZigZagVertical: abs(2 * p.sawed - 1)
    case .barnZigZagHorizontal: of(.barnZigZagVertical, p.transposed)
    case .irisRectangle: max(abs(p.a), abs(p.b))
    case .irisDiamond: (abs(p.a) + abs(p.b)) / 2
    case .triangleUp: GrowingShape.triangle.size(p)
    case .triangleRight: of(.triangleUp, p.turned(1))
    case .triangleDown: of(.triangleUp, p.turned(2))
    case .triangleLeft: of(.triangleUp, p.turned(3))
    case .arrowHeadUp: GrowingShape.arrowHead.size(p)
    case .arrowHeadRight: of(.arrowHeadUp, p.turned(1))
    case .arrowHeadDown: of(.arrowHeadUp, p.turned(2))
    case .arrowHeadLeft: of(.arrowHeadUp, p.turned(3))
    case .pentagonUp: GrowingShape.pentagon.size(p)
    case .pentagonDown: of(.pentagonUp, p.flipped)
    case .hexagonHorizontal: GrowingShape.hexagon.size(p)
    case .hexagonVertical: of(.hexagonHorizontal, p.transposed)
    case .ellipseCircle: GrowingShape.ellipse(aspect: 1).size(p)
    case .ellipseHorizontal: GrowingShape.ellipse(aspect: 2).size(p)
    case .ellipseVertical: of(.ellipseHorizontal, p.transposed)
    case .eyeHorizontal: GrowingShape.eye.size(p)
    case .eyeVertical: of(.eyeHorizontal, p.transposed)
    case .roundRectHorizontal: GrowingShape.roundRect.size(p)
    case .roundRectVertical: of(.roundRectHorizontal, p.transposed)
    case .starFourPoint: GrowingShape.star4.size(p)
    case .starFivePoint: GrowingShape.star5.size(p)
    case .starSixPoint: GrowingShape.star6.size(p)
    case .miscShapeHeart: GrowingShape.heart.size(p)
    case .miscShapeKeyhole: GrowingShape.keyhole.size(p)
    case .clockClockwiseTwelve: p.fromCenter.turn
    case .clockClockwiseThree: of(.clockClockwiseTwelve, p.turned(1))
    case .clockClockwiseSix: of(.clockClockwiseTwelve, p.turned(2))
    case .clockClockwiseNine: of(.clockClockwiseTwelve, p.turned(3))
    case .pinWheelTwoBladeVertical: p.fromCenter.turn.blade(of: 2)
    case .pinWheelTwoBladeHorizontal: of(.pinWheelTwoBladeVertical, p.turned(1))
    case .pinWheelFourBlade: p.fromCenter.turn.blade(of: 4)
    case .singleSweepClockwiseTop: 2 * (p.fromTop.turn - 0.25)
    case .singleSweepClockwiseRight: of(.singleSweepClockwiseTop, p.turned(1))
    case .singleSweepClockwiseBottom: of(.singleSweepClockwiseTop, p.turned(2))
    case .singleSweepClockwiseLeft: of(.singleSweepClockwiseTop, p.turned(3))
    case .singleSweepClockwiseTopLeft: 4 * (p.fromTopLeft.turn - 0.25)
    case .singleSweepCounterClockwiseBottomLeft: of(.singleSweepClockwiseTopLeft, p.flipped)
    case .singleSweepClockwiseBottomRight: of(.singleSweepClockwiseTopLeft, p.turned(2))
    case .singleSweepCounterClockwiseTopRight: of(.singleSweepClockwiseTopLeft, p.mirrored)
    case .fanCenterTop: 2 * min(p.fromCenter.turn, 1 - p.fromCenter.turn)
    case .fanCenterRight: of(.fanCenterTop, p.turned(1))
    case .fanTop: p.fromTop.offVertical
    case .fanRight: of(.fanTop, p.turned(1))
    case .fanBottom: of(.fanTop, p.turned(2))
    case .fanLeft: of(.fanTop, p.turned(3))
    case .doubleFanFanOutVertical: p.fromCenter.offVertical
    case .doubleFanFanOutHorizontal: of(.doubleFanFanOutVertical, p.turned(1))
    case .doubleFanFanInVertical: of(.fanTop, p.foldedUp)
    case .doubleFanFanInHorizontal: of(.doubleFanFanInVertical, p.turned(1))
    case .doubleSweepParallelVertical: of(.singleSweepClockwiseTop, p.isInUpperHalf ? p : p.turned(2))
    case .doubleSweepParallelDiagonal: of(.doubleSweepParallelVertical, p.turned(1))
    case .doubleSweepOppositeVertical: of(.singleSweepClockwiseTop, p.foldedUp)
    case .doubleSweepOppositeHorizontal: of(.doubleSweepOppositeVertical, p.turned(3))
    case .doubleSweepParallelDiagonalTopLeft: p.sweptToDiagonal
    case .doubleSweepParallelDiagonalBottomLeft: p.flipped.sweptToDiagonal
    case .saloonDoorTop: of(.singleSweepClockwiseTopLeft, p.foldedLeft)
    case .saloonDoorLeft: of(.saloonDoorTop, p.turned(3))
    case .saloonDoorBottom: of(.saloonDoorTop, p.turned(2))
    case .saloonDoorRight: of(.saloonDoorTop, p.turned(1))
    case .windshieldRight: of(.fanCenterRight, p.inHalfOfHeight)
    case .windshieldUp: of(.fanCenterTop, p.inHalfOfWidth)
    case .windshieldVertical: of(.doubleFanFanOutVertical, p.inHalfOfHeight)
    case .windshieldHorizontal: of(.doubleFanFanOutHorizontal, p.inHalfOfWidth)
    case .snakeTopLeftHorizontal: p.snake
    case .snakeTopLeftVertical: p.transposed.snake
    case .snakeTopLeftDiagonal: p.diagonalSnake
    case .snakeTopRightDiagonal: p.mirrored.diagonalSnake
    case .snakeBottomRightDiagonal: p.turned(2).diagonalSnake
    case .snakeBottomLeftDiagonal: p.flipped.diagonalSnake
    case .spiralTopLeftClockwise: p.spiral
    case .spiralTopRightClockwise: p.turned(1).spiral
    case .spiralBottomRightClockwise: p.turned(2).spiral
    case .spiralBottomLeftClockwise: p.turned(3).spiral
    case .spiralTopLeftCounterClockwise: p.transposed.spiral
    case .spiralTopRightCounterClockwise: p.mirrored.spiral
    case .spiralBottomRightCounterClockwise: p.turned(2).transposed.spiral
    case .spiralBottomLeftCounterClockwise: p.flipped.spiral
    case .parallelSnakesVerticalTopSame: 2 * p.foldedLeft.transposed.snake
    case .parallelSnakesVerticalBottomSame: of(.parallelSnakesVerticalTopSame, p.flipped)
    case .parallelSnakesVerticalTopLeftOpposite: 2 * p.turnedLeft.transposed.snake
    case .parallelSnakesVerticalBottomLeftOpposite: of(.parallelSnakesVerticalTopLeftOpposite, p.flipped)
    case .parallelSnakesHorizontalLeftSame: of(.parallelSnakesVerticalTopSame, p.transposed)
    case .parallelSnakesHorizontalRightSame: of(.parallelSnakesHorizontalLeftSame, p.mirrored)
    case .parallelSnakesHorizontalTopLeftOpposite: of(.parallelSnakesVerticalTopLeftOpposite, p.transposed)
    case .parallelSnakesHorizontalTopRightOpposite: of(.parallelSnakesHorizontalTopLeftOpposite, p.mirrored)
    case .parallelSnakesDiagonalBottomLeftOpposite: of(.parallelSnakesDiagonalTopLeftOpposite, p.flipped)
    case .parallelSnakesDiagonalTopLeftOpposite: 2 * (p.u + p.v < 1 ? p : p.turned(2)).diagonalSnake
    case .boxSnakesTwoBoxTop: of(.boxSnakesTwoBoxLeft, p.transposed)
    case .boxSnakesTwoBoxBottom: of(.boxSnakesTwoBoxTop, p.flipped)
    case .boxSnakesTwoBoxLeft: p.upperBox.spiral
    case .boxSnakesTwoBoxRight: of(.boxSnakesTwoBoxLeft, p.mirrored)
    case .boxSnakesFourBoxVertical: of(.boxSnakesFourBoxHorizontal, p.transposed)
    case .boxSnakesFourBoxHorizontal: p.upperBox.transposed.upperBox.transposed.spiral
    case .waterfallVerticalLeft: p.waterfall
    case .waterfallVerticalRight: p.mirrored.waterfall
    case .waterfallHorizontalLeft: p.transposed.waterfall
    case .waterfallHorizontalRight: p.mirrored.transposed.waterfall
    }
  }
}
