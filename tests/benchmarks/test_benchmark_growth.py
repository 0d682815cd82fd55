"""What the benchmarks of growth refuse: an encoding or a family that they do not know would else be a report without rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RUN = Path(__file__).resolve().parents[2] / "benchmarks" / "run.py"


def test_an_unknown_encoding_is_refused() -> None:
    command = [sys.executable, str(RUN), "growth", "--encoding", "o200k_basis"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert "--encoding o200k_basis: known are o200k_base, cl100k_base" in " ".join(done.stderr.split())


def test_an_unknown_family_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, str(RUN), "growth_families", "--keep", str(tmp_path), "--family", "albert"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert "--family albert: known are o200k_base; cl100k_base; " in " ".join(done.stderr.split())
