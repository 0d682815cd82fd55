"""Random documents, chunkers and options against the laws of chunks: `python -m fuzz_chunkers --help`.

documents     random texts of every format: soup of fragments, spoiled snippets, hostile runs
tokenizers    those of models, small ones that are made up, and what can only count
cases         a document, a chunker and its options, drawn from one number
laws          what must hold of the chunks
shrinking     the smallest case that breaks the same law
"""
