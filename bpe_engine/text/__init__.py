"""Text as tokenizers take it: what callers pass, offsets in characters and bytes, classes of characters, and the end of a text."""
