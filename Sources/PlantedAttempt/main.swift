import SpoolProgram

// The program as it ships, but for its decoders: PlantedDecoder stands in FFmpeg's place.
Spool.main()
