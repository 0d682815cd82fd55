"""The lines in front of a chunk that say where its body stands."""
