"""A tokenizer as data: added tokens, normalizers, pre-tokenizers, model, post-processor and decoders, one kind a file.

The classes are settings; their names and meanings are those of the parts of a tokenizer.json. `specification.py` holds them together, and
`compiling.py` makes the tables of the compiled core of them.
"""
