"""The engine in Python, for installations without a compiler and for what the core does not compile. Simple before fast.

engine.py            a vocabulary and a pattern: count, encode, split
pretokenizer.py      text -> pre-tokens, and how many of them are settled       class_runs.py  the same in O(log n) from any offset
grammars.py          the rules of each named pattern, over runs of characters   pieces.py      what pre-tokens encode to, remembered

appending_encoder.py  prepending_encoder.py  interval_encoder.py    the incremental encoders; growing_encoder.py, growing_ids.py and
                                                                    open_pieces.py are what the first two share
staged.py            a whole pipeline: added_tokens.py, normalizing.py, splitting.py and merging.py run its parts, segments.py joins
                     them, and staged_encoders.py and staged_intervals.py grow it
merge_order.py  ranking.py    an order of tokens in which merges of any ranks, and of pairs, are exact; definition.py where there is none
training.py          the merges of a training
"""
