"""The readable twin: every algorithm of the engine in pure Python, one a file, short enough to be read as the specification.

engine.py         text -> tokens: what Tokenizer inherits
pretokenizer.py   text -> pre-tokens, and how many of them are settled       class_runs.py  the same in O(log n) from any place
grammars.py       the rules of each grammar, over runs of characters         pieces.py      what pre-tokens encode to, remembered
dictionary.py     the tokens, their automaton, and the split of each          compatible.py  may token b follow token a?
naive.py          byte pair encoding as it is defined: the ground truth      table.py       the last token of every prefix
heap.py           the same merges from a heap, O(n log n)                    backtracking.py  greedy, corrected as it goes
interval.py       the count of any slice, from one pass over the text        dropout.py greedy.py minimal.py   not BPE-exact
wordpiece.py      the longest token first, or unknown                         unigram.py     the highest sum of scores

appending_encoder.py  prepending_encoder.py  interval_encoder.py    the incremental encoders; growing_encoder.py and
open_pieces.py are what the first two share
"""
