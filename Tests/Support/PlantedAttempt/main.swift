import SpoolProgram

// The program is the one that ships, except for its decoders: PlantedDecoder stands before FFmpeg's.
Spool.main()
