internal import CFFmpeg

/// Options for an FFmpeg call. The call takes out the options that it knows.
@safe struct OptionDictionary: ~Copyable {
  /// Owned: freed in `deinit`. Calls may replace it.
  var pointer: OpaquePointer?

  /// - Throws: `MediaError` `outOfMemory`.
  init(_ options: KeyValuePairs<String, String>) throws(MediaError) {
    unsafe pointer = nil
    for (name, value) in options {
      let code = unsafe av_dict_set(&pointer, name, value, 0)
      guard code >= 0 else { throw MediaError(code, from: "av_dict_set", at: name) }
    }
  }

  deinit {
    var pointer = unsafe pointer
    unsafe av_dict_free(&pointer)
  }
}
