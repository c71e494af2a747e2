import SpoolHost

// The whole program `spool`, with a page curl. An app would go on after the first line, and export by itself.
SpoolHost.begin(compositors: [PageCurl.self], instructions: [Curl.self])
SpoolHost.main()
