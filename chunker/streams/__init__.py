"""Chunks of a text that arrives in parts."""
