import SpoolProgram

Spool.main(compositors: [PageCurl.self])
