// All refused: this machine has no photo library; the movie or the picture stays where it is. The standard error says so

// The last two parameters belong to a method that Objective-C would call, which nothing can here.

/// Saves a movie in the album of photos, where there is one.
public func UISaveVideoAtPathToSavedPhotosAlbum(
  _ videoPath: String, _ completionTarget: Any?, _ completionSelector: Never?, _ contextInfo: UnsafeMutableRawPointer?
) {
  tell("UISaveVideoAtPathToSavedPhotosAlbum: \(videoPath) stays there: this machine has no photo library")
}

/// Whether a movie can be saved in the album of photos: never here.
public func UIVideoAtPathIsCompatibleWithSavedPhotosAlbum(_ videoPath: String) -> Bool { false }

/// Saves a picture in the album of photos, where there is one.
public func UIImageWriteToSavedPhotosAlbum(
  _ image: UIImage, _ completionTarget: Any?, _ completionSelector: Never?, _ contextInfo: UnsafeMutableRawPointer?
) {
  tell("UIImageWriteToSavedPhotosAlbum: the picture is not saved: this machine has no photo library")
}

private func tell(_ words: String) { FileHandle.standardError.write(Data("\(words)\n".utf8)) }
