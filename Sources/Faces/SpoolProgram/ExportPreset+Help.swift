import Timeline

extension ExportPreset {
  static let help = """
    Export settings by name, in place of the document's own preset. Settings that the document states stay as they are; \
    docs/export.md lists what each preset is.
    """
}
