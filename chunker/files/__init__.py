"""Files: found, read, and chunked by several processes."""
