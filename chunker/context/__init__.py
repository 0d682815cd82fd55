"""Context: lines before the body of a chunk that say where it stands."""
