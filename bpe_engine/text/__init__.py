"""Text for tokenizers: input of callers, offsets in characters and bytes, classes of characters, and truncation."""
