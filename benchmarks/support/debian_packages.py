"""The files of Debian packages, fetched through apt and unpacked without being installed: no root, nothing of the system changes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


class PackageUnavailableError(Exception):
    """A package could not be fetched or unpacked; the message says why."""


def unpacked(package: str, folder: Path) -> Path:
    """The root of the files of a package: below `folder`, fetched if they are not there. Raises PackageUnavailableError."""
    folder = folder.resolve()  # for commands that run in another one
    root = folder / "unpacked" / package
    if root.is_dir():
        return root
    for command in ("apt-get", "dpkg-deb"):
        if shutil.which(command) is None:
            raise PackageUnavailableError(f"there is no {command} here")
    fetched = folder / "packages" / package
    fetched.mkdir(parents=True, exist_ok=True)
    _run(["apt-get", "download", "--quiet", package], fetched)
    found = sorted(fetched.glob("*.deb"))
    if not found:
        raise PackageUnavailableError(f"apt-get download {package} left no file")
    # Under another name until it is complete: an interrupted run does not leave half a package.
    partial = root.with_name(f"{package}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    _run(["dpkg-deb", "-x", str(found[-1]), str(partial)], fetched)
    partial.rename(root)
    return root


def _run(command: list[str], folder: Path) -> None:
    try:
        # The command is one of two literal ones above.
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=300)  # noqa: S603
    except subprocess.CalledProcessError as error:
        last = (error.stderr or "").strip().splitlines()[-1:] or ["no message"]
        raise PackageUnavailableError(f"{' '.join(command)}: {last[0]} (apt-get update may help)") from error
    except subprocess.TimeoutExpired as error:
        raise PackageUnavailableError(f"{' '.join(command)}: takes more than {error.timeout:.0f} s") from error
