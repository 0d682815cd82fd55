"""An evaluation as figures: a table, notes that explain it, and records."""

from __future__ import annotations

from typing import Any

from chunker.evaluation.comparing import Evaluation, SettingScores

# Column of the table -> measure.
_MEASURES = {
    "recall": "recall",
    "precision": "precision",
    "overlap": "overlap",
    "whole": "whole",
    "overlap of first": "first overlap",
    "rank": "rank",
}


def figures(evaluation: Evaluation) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table; shares are in percent.

    Args:
        evaluation: What was measured.
    """
    header = ["chunker", "size", "chunks", "mean tokens", "tokens to embed", *_MEASURES, "recall against the first row"]
    return header, [
        [
            row.name,
            str(row.size),
            f"{row.findings.chunks:,}",
            f"{row.findings.tokens:.0f}",
            f"{row.tokens:,}",
            *(f"{100 * row.findings.mean(measure):.1f}" for measure in _MEASURES.values()),
            "" if number == 0 else str(evaluation.difference(row)),
        ]
        for number, row in enumerate(evaluation.rows)
    ]


def notes(evaluation: Evaluation) -> list[str]:
    """Return the notes that explain the figures.

    Args:
        evaluation: What was measured.
    """
    best = evaluation.best()
    return [
        f"{evaluation.questions:,} questions on {evaluation.documents:,} documents; embedder {evaluation.embedder}; tokens of {evaluation.tokenizer}.",
        (
            f"Recall is the share of an answer that is in the first {evaluation.budget:,} tokens retrieved, "
            "precision the share of these that is answer, overlap their "
            'intersection over their union; whole: questions whose answer is there completely. "Overlap of first" looks '
            f"at the first {evaluation.first} chunks. Rank is the mean of one divided by "
            "the rank of the first chunk with a part of the answer."
        ),
        'Differences are paired by question, with the 95 % interval of 10,000 bootstrap samples; "tie" is where it includes 0.',
        f"Highest recall: {best.name} at {best.size} tokens.",
    ]


def records(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return one record for each setting, for machines; shares are from 0 to 1.

    Args:
        evaluation: What was measured.
    """
    return [_record(evaluation, row) for row in evaluation.rows]


def _record(evaluation: Evaluation, row: SettingScores) -> dict[str, Any]:
    difference = evaluation.difference(row)
    return {
        "chunker": row.name,
        "size": row.size,
        "chunks": row.findings.chunks,
        "mean_tokens": row.findings.tokens,
        "tokens_to_embed": row.tokens,
        **{measure.replace(" ", "_"): row.findings.mean(measure) for measure in _MEASURES.values()},
        "recall_difference": difference.mean,
        "recall_difference_low": difference.low,
        "recall_difference_high": difference.high,
        "verdict": difference.verdict,
    }
