"""An evaluation as one HTML page: the recall of each setting, differences with their intervals, and all figures. No script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from chunker.evaluation.comparing import Evaluation, SettingScores
from chunker.evaluation.report import figures, notes

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #d0d3d9; --mark: #0b68cb; --page: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #b0b4ba; --line: #43484e; --mark: #70b8ff; --page: #111113; } }
body { margin: 2rem auto; max-width: 64rem; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
svg { width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.grid { stroke: var(--line); } .mark { fill: var(--mark); stroke: var(--mark); } .soft { fill: var(--soft); }
"""
_WIDTH, _LEFT, _ROW = 900, 220, 26


def page(evaluation: Evaluation, title: str) -> str:
    """Return the page as HTML.

    Args:
        evaluation: What was measured.
        title: The heading, usually the name of the corpus.
    """
    header, rows = figures(evaluation)
    body = [
        f"<h1>{escape(title)}</h1>",
        *(f"<p>{escape(note)}</p>" for note in notes(evaluation)),
        "<h2>Recall of each setting</h2>",
        _bars(evaluation),
        f"<h2>Difference of recall to {escape(_label(evaluation.rows[0]))}</h2>",
        _intervals(evaluation.rows, evaluation),
        "<h2>All figures</h2>",
        _table(header, rows),
    ]
    if evaluation.failures:
        body += ["<h2>Not run</h2>", "<ul>", *(f"<li>{escape(one)}</li>" for one in evaluation.failures), "</ul>"]
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


def _label(row: SettingScores) -> str:
    return f"{row.name}, {row.size}"


def _bars(evaluation: Evaluation) -> str:
    height = _ROW * len(evaluation.rows) + 6
    parts = [f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Recall of each setting">']
    for number, row in enumerate(evaluation.rows):
        y = _ROW * number
        recall = row.findings.mean("recall")
        length = recall * (_WIDTH - _LEFT - 220)
        parts.append(f'<text x="0" y="{y + 17}">{escape(_label(row))}</text>')
        parts.append(f'<rect class="mark" x="{_LEFT}" y="{y + 4}" width="{length:.1f}" height="{_ROW - 8}"/>')
        told = f"{100 * recall:.1f} %, {row.tokens:,} tokens to embed"
        parts.append(f'<text x="{_LEFT + length + 8:.1f}" y="{y + 17}">{told}</text>')
    return "".join([*parts, "</svg>"])


def _intervals(rows: Sequence[SettingScores], evaluation: Evaluation) -> str:
    if len(rows) < 2:
        return "<p>There is one setting: nothing to compare.</p>"
    differences = [(row, evaluation.difference(row)) for row in rows[1:]]
    reach = max(0.01, *(max(abs(found.low), abs(found.high)) for _, found in differences))
    height = _ROW * len(differences) + 30
    middle = _WIDTH * 0.6

    def at(value: float) -> float:
        return middle + value / reach * _WIDTH * 0.36

    parts = [f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Differences of recall with intervals">']
    parts.append(f'<line class="grid" x1="{middle}" x2="{middle}" y1="0" y2="{height - 24}"/>')
    for number, (row, found) in enumerate(differences):
        y = _ROW * number + _ROW / 2
        parts.append(f'<text x="0" y="{y + 4:.1f}">{escape(_label(row))}</text>')
        parts.append(
            f'<line class="mark" x1="{at(found.low):.1f}" x2="{at(found.high):.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke-width="2"/>'
        )
        parts.append(f'<circle class="mark" cx="{at(found.mean):.1f}" cy="{y:.1f}" r="4"/>')
    parts.append(
        f'<text class="soft" x="{middle}" y="{height - 6}" text-anchor="middle">worse - 0 - better</text></svg>'
    )
    return "".join(parts)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
