"""A tokenizer as data: added tokens, normalizers, pre-tokenizers, model, post-processor and decoders, one kind a file.

The classes hold settings; their names and meanings are those of the parts of a tokenizer.json. `specification.py`
combines them, and `compiling.py` compiles them for the core.
"""
