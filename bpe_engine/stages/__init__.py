"""The steps around merging, one kind a file: normalizers, pre-tokenizers, added tokens, decoders.

The classes are settings; their names and meanings are those of the parts of a tokenizer.json.
"""
