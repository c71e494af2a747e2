internal import Formats
internal import Glibc
internal import Linux
internal import Media
internal import MediaTime
internal import SampleStream
internal import Subprocess

/// Keeps the sound of a movie in a file until all of it is there, and then encodes it.
final class SoundTrackMaker {
  typealias Made = (segment: SegmentInput, sampleCount: Int64)

  private let form: SampleTrack.SoundForm
  private let coding: SoundCodingChoice
  private var settings: AudioCodecSettings { coding.settings }
  private var source: AudioCodecSettings.ChannelLayout { coding.source }
  /// The path of its files, without their endings.
  private let path: String
  private let file: Descriptor
  /// The number of samples in the file, a channel.
  private var count: Int64 = 0

  init(
    _ form: SampleTrack.SoundForm, _ coding: WritingOrder.SoundCoding, in fileType: FileType, path: String
  ) throws {
    self.coding = try SoundCodingChoice(form, coding, in: fileType)
    (self.form, self.path) = (form, path)
    let number = unsafe open(path + ".raw", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw MediaError(.cannotWrite, at: path, SystemWords.of(errno)) }
    file = Descriptor(owning: number)
  }

  /// The time at which the sound that came so far ends.
  var end: MediaTime {
    get throws { try MediaTime(count, form.sampleRate) }
  }

  func take(_ samples: [UInt8], at time: MediaTime) throws {
    guard let (place, bytes) = try form.placed(samples, at: time, behind: count) else { return }
    // A gap is silence: the file has zeros where nothing was written.
    try file.write(Array(bytes), at: Int(place) * form.stride)
    count = place + Int64(bytes.count / form.stride)
  }

  /// - Returns: nil where no sound came.
  func finish(at end: MediaTime?) throws -> Made? {
    guard count > 0 else { return nil }
    if let end { count = min(count, max(try end.samples(at: form.sampleRate), 0)) }
    let total = try MediaTime(count, form.sampleRate).samples(at: settings.sampleRate)
    guard total > 0 else { return nil }
    let encoder = try AudioEncoder(settings: settings, sampleCount: total)
    let writer = try SegmentWriter(path: path + ".nut", parameters: encoder.parameters)
    if coding.takes(form) { try encode(total, encoder, writer) } else { try convert(total, encoder, writer) }
    try encoder.finish(to: writer)
    return (SegmentInput(path: path + ".nut", facts: try writer.finish()), total)
  }

  private func encode(_ total: Int64, _ encoder: AudioEncoder, _ writer: SegmentWriter) throws {
    let block = SampleBlock(channelCount: form.channelCount, capacity: SoundConverter.blockLength)
    var position: Int64 = 0
    while position < total {
      try fill(block, from: position)
      try unsafe encoder.encode(block.samples, to: writer)
      position += Int64(block.count)
    }
  }

  private func convert(_ total: Int64, _ encoder: AudioEncoder, _ writer: SegmentWriter) throws {
    let converter = try SoundConverter(from: form.sampleRate, source, to: settings.sampleRate, settings.channelLayout)
    let block = SampleBlock(channelCount: form.channelCount, capacity: SoundConverter.blockLength)
    let made = SampleBlock(channelCount: settings.channelLayout.channelCount, capacity: SoundConverter.blockLength)
    var (position, left) = (Int64(0), total)
    while left > 0 {
      if position < count {
        try fill(block, from: position)
        try unsafe converter.take(block.samples)
        position += Int64(block.count)
        if position == count { try converter.finish() }
      }
      while left > 0 {
        made.count = unsafe converter.give(Int(min(left, Int64(made.capacity))), into: made.planes)
        // The filter gives a sample or two fewer than the sound is long. Silence fills them.
        if made.count == 0, position == count { made.silence(Int(min(left, Int64(made.capacity)))) }
        guard made.count > 0 else { break }
        try unsafe encoder.encode(made.samples, to: writer)
        left -= Int64(made.count)
      }
    }
  }

  /// Fills a block with samples of the file.
  private func fill(_ block: SampleBlock, from position: Int64) throws {
    let length = Int(min(count - position, Int64(block.capacity)))
    var bytes = [UInt8](repeating: 0, count: length * form.stride)
    let (number, wanted, start) = (file.number, bytes.count, Int(position) * form.stride)
    let (found, code) = unsafe bytes.withUnsafeMutableBytes { buffer in
      SystemCall.read(wanted) { unsafe pread(number, buffer.baseAddress! + $0, wanted - $0, off_t(start + $0)) }
    }
    guard found == wanted else { throw MediaError(.unreadable, at: path + ".raw", SystemWords.of(code)) }
    block.fill(bytes[...])
  }
}
