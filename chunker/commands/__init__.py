"""The commands of `chunker`, one file each."""
