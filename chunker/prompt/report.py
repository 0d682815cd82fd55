"""Report: the outcome for each item, and the use of the budget."""

from __future__ import annotations

from chunker.prompt.report_fields import ReportFields


class Report(ReportFields):
    """The outcome for each item, and the use of the budget. `print(report)` shows a table.

    Attributes:
        budget: The largest number of tokens of prompt and answer.
        reserve: The tokens of these that are for the answer.
        token_count: Tokens of the prompt.
        stable_tokens: Tokens of the stable items at the start, which a provider's cache may hold.
        separator_tokens: Tokens that belong to no item: separators, headers and frames, less what joins save.
        items: The outcome for each item.
        sections: The use of the budget of each section.
    """

    def __str__(self) -> str:
        from chunker.prompt.table import table_of  # noqa: PLC0415 - rich is for those who print

        return table_of(self)
