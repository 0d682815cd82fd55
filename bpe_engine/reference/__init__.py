"""The specification: every algorithm of the engine in plain Python, one a file, short enough to read.

dictionary.py     the tokens, their automaton, and the halves of each         compatible.py    may token b follow token a?
naive.py          byte pair encoding by its definition: the ground truth      table.py         the last token of every prefix
heap.py           the same merges from a heap, O(n log n)                     backtracking.py  greedy, corrected as it goes
interval.py       the count of any slice, from one pass over the text         dropout.py greedy.py minimal.py   not BPE-exact
wordpiece.py      the longest token first, or unknown                         unigram.py       the highest sum of scores
"""
