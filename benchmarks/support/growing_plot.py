"""The plot of what all counts of a growing text cost together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def draw(
    series: Mapping[str, Mapping[int, float]],
    title: str,
    path: Path,
    *,
    xlabel: str = "text, bytes",
    ylabel: str = "seconds for all counts up to here",
) -> str:
    """Draw name -> length (or whatever `xlabel` says) -> seconds, both axes logarithmic, into an SVG. Says what is missing to do so, if anything is."""
    try:
        import matplotlib as mpl  # noqa: PLC0415 - who does not plot need not have it
    except ImportError:
        return "No plot: matplotlib is not installed."
    mpl.use("svg")
    # The same figures make the same file.
    mpl.rcParams["svg.hashsalt"] = "growing"
    mpl.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot as plt  # noqa: PLC0415 - after the choice of what it draws with

    figure, axes = plt.subplots(figsize=(7, 4.5))
    for name, points in series.items():
        if points:
            axes.plot(list(points), list(points.values()), marker="o", markersize=3, label=name)
    axes.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel, title=title)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    return ""
