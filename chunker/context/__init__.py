"""Context: lines before the body of a chunk that say where in the text it comes from."""
