"""The engine in Python, for installations without a compiler and for features that the core does not support. Simple before fast.

engine.py            a vocabulary and a pattern: count, encode, split
pretokenizer.py      text -> pre-tokens, and how many of them are settled       class_runs.py  the same in O(log n) from any offset
grammars.py          the rules of each named pattern, over runs of characters   pieces.py      pre-token -> ids or count, with a cache

appending_encoder.py  prepending_encoder.py  interval_encoder.py    the incremental encoders; the first two share growing_encoder.py,
                                                                    growing_ids.py and open_pieces.py
specification_engine.py   a whole pipeline: normalizing.py, splitting.py and merging.py run its stages, segments.py joins the last two, and
                          pipeline_encoders.py and pipeline_intervals.py are its incremental encoders
incremental_vocabulary.py   incremental_pipeline.py             what these encoders ask of the two engines
merge_order.py  ranking.py    reorder tokens so that merges of any ranks, or of pairs, run in id order; definition.py if no order does
training.py          learns the merges of a new vocabulary
"""
