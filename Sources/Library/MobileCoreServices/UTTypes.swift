@_exported public import CoreFoundation
internal import UniformTypeIdentifiers

// The identifiers of kinds of files, by their older names.
public let kUTTypeMovie: CFString = "public.movie"
public let kUTTypeVideo: CFString = "public.video"
public let kUTTypeAudio: CFString = "public.audio"
public let kUTTypeMPEG4: CFString = "public.mpeg-4"
public let kUTTypeMPEG4Audio: CFString = "public.mpeg-4-audio"
public let kUTTypeQuickTimeMovie: CFString = "com.apple.quicktime-movie"
public let kUTTypeMP3: CFString = "public.mp3"
public let kUTTypeWaveformAudio: CFString = "com.microsoft.waveform-audio"
public let kUTTypeImage: CFString = "public.image"
public let kUTTypeJPEG: CFString = "public.jpeg"
public let kUTTypePNG: CFString = "public.png"
public let kUTTypeGIF: CFString = "com.compuserve.gif"
public let kUTTypeTIFF: CFString = "public.tiff"
public let kUTTypeLivePhoto: CFString = "com.apple.live-photo"
public let kUTTypeText: CFString = "public.text"
public let kUTTypePlainText: CFString = "public.plain-text"
public let kUTTypeJSON: CFString = "public.json"
public let kUTTypePDF: CFString = "com.adobe.pdf"
public let kUTTypeData: CFString = "public.data"
public let kUTTypeURL: CFString = "public.url"
public let kUTTypeFileURL: CFString = "public.file-url"

public let kUTTagClassFilenameExtension: CFString = UTTagClass.filenameExtension.rawValue
public let kUTTagClassMIMEType: CFString = UTTagClass.mimeType.rawValue

/// Whether a kind of file is of another one, too.
public func UTTypeConformsTo(_ inUTI: CFString, _ inConformsToUTI: CFString) -> Bool {
  inUTI == inConformsToUTI || UTType(importedAs: inUTI).conforms(to: UTType(importedAs: inConformsToUTI))
}

public func UTTypeEqual(_ inUTI1: CFString, _ inUTI2: CFString) -> Bool { inUTI1 == inUTI2 }

/// The usual extension or MIME type of a kind of file; nil where it has none.
public func UTTypeCopyPreferredTagWithClass(_ inUTI: CFString, _ inTagClass: CFString) -> CFUnmanaged<CFString>? {
  let type = UTType(importedAs: inUTI)
  let tag: String? =
    switch inTagClass {
    case kUTTagClassFilenameExtension: type.preferredFilenameExtension
    case kUTTagClassMIMEType: type.preferredMIMEType
    default: nil
    }
  return tag.map(CFUnmanaged.init)
}

/// The kind of file that has an extension or a MIME type; nil for one that is not known.
public func UTTypeCreatePreferredIdentifierForTag(
  _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> CFUnmanaged<CFString>? {
  let type: UTType? =
    switch inTagClass {
    case kUTTagClassFilenameExtension: UTType(filenameExtension: inTag)
    case kUTTagClassMIMEType: UTType(mimeType: inTag)
    default: nil
    }
  return (type?.identifier).map(CFUnmanaged.init)
}
