import SpoolProgram

Spool.main()
