"""Worker processes, which isolate the server from passes that hang or exhaust memory."""
