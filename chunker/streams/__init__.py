"""Chunk a text that arrives in parts."""
