/// The format of a movie's file.
package enum FileType: String, Hashable, Sendable, CaseIterable { case mp4, mov, mkv }
