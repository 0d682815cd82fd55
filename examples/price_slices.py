"""Price slices: which lines of a log can be shown in 70 tokens, for each place where one may want to look?

The text is read once. After that each slice has its exact price without reading it again, so that searching costs next
to nothing: here the longest run of whole lines around each error.
"""

from __future__ import annotations

from itertools import accumulate

from bpe_engine import Tokenizer

BUDGET = 70
LOG = """\
09:14:02 worker 3 started
09:14:02 worker 4 started
09:14:07 worker 3 takes job 1181, 14 files
09:15:31 worker 3 ERROR job 1181: disk full on /var/spool
09:15:31 worker 3 gives job 1181 back
09:15:32 worker 4 takes job 1181, 14 files
09:15:40 worker 4 has removed 212 old files
09:17:55 worker 4 done with job 1181
09:18:00 worker 3 stopped
09:18:01 worker 4 ERROR lost connection to the queue, 3 tries left
09:18:06 worker 4 connected again
"""


def main() -> None:
    """Print the slice around each error."""
    tokenizer = Tokenizer.load("o200k_base")
    prices = tokenizer.interval_encoder(LOG)
    starts = [0, *accumulate(len(line) for line in LOG.splitlines(keepends=True))]
    last = len(starts) - 1
    for index in range(last):
        if "ERROR" not in LOG[starts[index] : starts[index + 1]]:
            continue
        # One more line before, one more line after, as long as the slice fits.
        low, high = index, index + 1
        grown = True
        while grown:
            grown = False
            if low > 0 and prices.count(starts[low - 1], starts[high]) <= BUDGET:
                low, grown = low - 1, True
            if high < last and prices.count(starts[low], starts[high + 1]) <= BUDGET:
                high, grown = high + 1, True
        start, end = starts[low], starts[high]
        print(
            f"lines {low + 1}-{high}: {prices.count(start, end)} tokens, counted afresh: {tokenizer.count(LOG[start:end])}"
        )
        print(LOG[start:end])


if __name__ == "__main__":
    main()
