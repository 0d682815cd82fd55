"""Find and read files, and chunk them in several processes."""
